// The messages of a prompt in the order endpoints insist on: calls with their results, roles in turns.
import type { Message, Part, Role } from '../chat/message.ts';

/** What would be sent, in the order of the path. */
export interface Entry {
  /** Place on the path; -1 for a summary. */
  readonly at: number;
  readonly role: Role;
  readonly parts: readonly Part[];
}

/** A message as it goes out. */
export interface Sent {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** Places on the path; -1 for a summary. */
  readonly from: readonly number[];
}

/** Parts that stand for folded messages; by identity, so that nobody can say one. */
const summaryParts = new WeakSet<Part>();
export const isSummaryPart = (part: Part): boolean => summaryParts.has(part);

/** A summary as it is sent. */
export function summaryPart({ heading, text }: { readonly heading: string; readonly text: string }): Part {
  const part: Part = { type: 'text', text: heading === '' ? text : `${heading}\n${text}` };
  summaryParts.add(part);
  return part;
}

const isHalf = ({ type }: Part): boolean => type === 'tool-call' || type === 'tool-result';

/** The results among some entries, by the call each answers. */
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
 * Calls and results go in pairs: a result directly behind the message that called, in the order of the calls; what has no partner
 * stays out (endpoints refuse a conversation with one half). A result answers the newest open call of its id before it.
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
      const rest = parts.filter((part) => (isHalf(part) ? answers.has(part) : true));
      // What is sent as it is stays the same list: what it costs is known.
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
 * Roles take turns, because some endpoints insist on it: two messages of the person in a row become one, so do two of the model unless
 * something was left out between them; where the person's word is missing in between or at the head, a note stands for it.
 * `isGone`: the message at this place of the path was folded, or left out for want of room.
 */
export function takeTurns(
  messages: readonly Sent[],
  path: readonly Message[],
  { isOut, isGone }: { isOut: (at: number) => boolean; isGone: (at: number) => boolean },
): Sent[] {
  const out: Sent[] = [];
  /** The last message that is not a system message in between. */
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
  for (const message of messages) {
    const before = out[last];
    const adjacent = last === out.length - 1;
    if (message.role === 'user' && before?.role === 'user' && adjacent) {
      out[last] = join(before, message);
      continue;
    }
    if (message.role === 'assistant' && before?.role !== 'user' && before?.role !== 'tool') {
      const gone = gapBefore(message.from[0] as number);
      if (before && adjacent && gone === 0) {
        out[last] = join(before, message);
        continue;
      }
      if (!before || gone > 0) out.push({ role: 'user', parts: [gapNote(gone)], from: [] });
    }
    out.push(message);
    if (message.role !== 'system') last = out.length - 1;
  }
  return out;
}

/** Stands where the person's word is missing. */
const gapNote = (gone: number): Part =>
  summaryPart({ heading: '', text: gone > 0 ? `[${gone} earlier messages are folded here]` : '[…]' });
