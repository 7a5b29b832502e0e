// Puts the messages of a prompt into the order that endpoints insist on: calls with their results, roles in turns.
import type { Message, Part, Role } from '../chat/message.ts';

/** A message to be sent, in the order of the path. */
export interface Entry {
  /** Position on the path; -1 for a summary. */
  readonly at: number;
  readonly role: Role;
  readonly parts: readonly Part[];
}

/** A message in its final form. */
export interface Sent {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** Positions on the path; -1 for a summary. */
  readonly from: readonly number[];
}

/** Parts that stand for compacted messages; by identity, so that no text can imitate one. */
const summaryParts = new WeakSet<Part>();
/** True if this part is the summary of compacted messages. */
export const isSummaryPart = (part: Part): boolean => summaryParts.has(part);

/** Makes the part in which a summary is sent. */
export function summaryPart({ heading, text }: { readonly heading: string; readonly text: string }): Part {
  const part: Part = { type: 'text', text: heading === '' ? text : `${heading}\n${text}` };
  summaryParts.add(part);
  return part;
}

const isHalf = ({ type }: Part): boolean => type === 'tool-call' || type === 'tool-result';

/** Finds the results among some entries, by the call that each answers. */
function answersAmong(entries: readonly Entry[]): Map<Part, { readonly result: Part; readonly by: Entry }> {
  const open = new Map<string, Part[]>();
  const answers = new Map<Part, { result: Part; by: Entry }>();
  for (const entry of entries)
    for (const part of entry.parts)
      if (part.type === 'tool-call') {
        if (entry.role !== 'assistant') continue;
        const calls = open.get(part.callId);
        if (calls) calls.push(part);
        else open.set(part.callId, [part]);
      } else if (part.type === 'tool-result') {
        const call = open.get(part.callId)?.pop();
        if (call) answers.set(call, { result: part, by: entry });
      }
  return answers;
}

/**
 * Pairs calls and results: a result directly behind the message that called, in the order of the calls. Unpaired ones
 * are left out, since endpoints refuse them. A result answers the newest open call of its id before it.
 */
export function pairCalls(entries: readonly Entry[]): Sent[] {
  const answers = answersAmong(entries);
  const sent: Sent[] = [];
  for (const { at, role, parts } of entries) {
    if (!parts.some(isHalf)) {
      if (role !== 'tool') sent.push({ role, parts, from: [at] });
      continue;
    }
    if (role !== 'tool') {
      const calls = parts.some((part) => answers.has(part));
      const rest = parts.filter((part) =>
        isHalf(part) ? answers.has(part) : calls || part.type !== 'reasoning',
      );
      // Keeps the same list if all parts are sent: its token count is cached.
      if (rest.length > 0)
        sent.push({ role, parts: rest.length === parts.length ? parts : rest, from: [at] });
    }
    for (const call of parts) {
      const answer = answers.get(call);
      if (!answer) continue;
      const { result, by } = answer;
      sent.push({ role: 'tool', parts: by.parts.length === 1 ? by.parts : [result], from: [by.at] });
    }
  }
  return sent;
}

/**
 * Makes roles alternate, as some endpoints demand: joins neighbours of one role, or, where the model's messages were
 * left out between them, puts a note for the person's. `isGone`: that message was compacted, or had no room.
 */
export function alternateRoles(
  messages: readonly Sent[],
  path: readonly Message[],
  { isOut, isGone }: { isOut: (at: number) => boolean; isGone: (at: number) => boolean },
): Sent[] {
  const out: Sent[] = [];
  let last = -1;
  const gapBefore = (at: number): number => {
    let gone = 0;
    for (let i = at - 1; i >= 0 && (isOut(i) || path[i]?.role === 'system'); i--) if (isGone(i)) gone += 1;
    return gone;
  };
  const join = (before: Sent, message: Sent): Sent => ({
    role: before.role,
    parts: [...before.parts, ...message.parts],
    from: [...before.from, ...message.from],
  });
  for (const message of withoutSystem(messages)) {
    const before = out[last];
    if (message.role === 'user' && before?.role === 'user') {
      out[last] = join(before, message);
      continue;
    }
    if (message.role === 'assistant' && before?.role !== 'user' && before?.role !== 'tool') {
      const gone = gapBefore(message.from[0] as number);
      if (before && gone === 0) {
        out[last] = join(before, message);
        continue;
      }
      if (!before || gone > 0) out.push({ role: 'user', parts: [gapNote(gone)], from: [] });
    }
    // Mistral refuses a person's message right behind a result.
    if (message.role === 'user' && before?.role === 'tool')
      out.push({ role: 'assistant', parts: [gapNote(0)], from: [] });
    out.push(message);
    last = out.length - 1;
  }
  return out;
}

/** Text that `alternateRoles` may add for a message so that roles alternate; empty for most. */
export function addedForAlternation(path: readonly Message[], at: number): string {
  if (path[at]?.role === 'system') return SYSTEM_MARK;
  return path[at]?.role === 'user' && path[at - 1]?.role === 'tool' ? NOTHING_SAID : '';
}

/** Begins a system message from the middle of a conversation. */
const SYSTEM_MARK = '[System message]';

/**
 * Turns system messages in the middle into words of the person: templates of Qwen, Mistral and Gemma accept one only at
 * the beginning. They precede the person's next message, else follow the one before, so that roles still alternate.
 */
function withoutSystem(messages: readonly Sent[]): readonly Sent[] {
  if (!messages.some(({ role }) => role === 'system')) return messages;
  const out: Sent[] = [];
  /** For each position, the role of the next message that is no system message. */
  const next: (Role | undefined)[] = [];
  for (let at = messages.length - 2; at >= 0; at--) {
    const role = messages[at + 1]?.role;
    next[at] = role === 'system' ? next[at + 1] : role;
  }
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'system') {
      out.push(message);
      continue;
    }
    const marked: Sent = {
      role: 'user',
      parts: message.parts.map((part) =>
        part.type === 'text' ? { type: 'text', text: `${SYSTEM_MARK}\n${part.text}` } : part,
      ),
      from: message.from,
    };
    const asked = out.findLastIndex(({ role }) => role === 'user');
    const before = out[asked];
    if (next[at] === 'user' || out.at(-1)?.role !== 'tool' || !before) out.push(marked);
    // No other message may stand between a result and the model's words about it.
    else
      out[asked] = {
        role: 'user',
        parts: [...before.parts, ...marked.parts],
        from: [...before.from, ...marked.from],
      };
  }
  return out;
}

/** Rewrites the messages for a model without tools: calls and results become words of the person, roles alternate. */
export function callsAsWords(
  messages: readonly Pick<Sent, 'role' | 'parts'>[],
): Pick<Sent, 'role' | 'parts'>[] {
  const calls = new Map<string, string>();
  const out: { role: Role; parts: readonly Part[] }[] = [];
  const add = (role: Role, parts: readonly Part[]) => {
    const last = out.at(-1);
    if (parts.length === 0) return;
    if (last && last.role === role) out[out.length - 1] = { role, parts: [...last.parts, ...parts] };
    else out.push({ role, parts });
  };
  for (const { role, parts } of messages) {
    for (const part of parts)
      if (part.type === 'tool-call') calls.set(part.callId, `${part.name}(${part.arguments})`);
    const results = parts.flatMap((part): Part[] =>
      part.type === 'tool-result'
        ? [
            {
              type: 'text',
              text: `[Result of ${calls.get(part.callId) ?? part.name ?? 'a tool'}]\n${part.text}`,
            },
          ]
        : [],
    );
    if (role !== 'tool')
      add(
        role,
        results.length > 0 || parts.some(isHalf)
          ? parts.filter((part) => !isHalf(part) && part.type !== 'reasoning')
          : parts,
      );
    add('user', results);
  }
  return out;
}

const NOTHING_SAID = '[…]';
/** Replaces a missing message of the person or the model. */
const gapNote = (gone: number): Part =>
  summaryPart({ heading: '', text: gone > 0 ? `[${gone} earlier messages are folded here]` : NOTHING_SAID });
