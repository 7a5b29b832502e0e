// context.jsonl of kimi-cli: what the model saw. Reads the file and its rotated copies as snapshots of one history and
// merges them: equal beginnings are one path, differences are branches. Nothing that a rewrite cut off is lost.
import { isFields } from '../../domain/base/json.ts';
import type { Part, Role } from '../../domain/chat/message.ts';
import { wordsOfUnknown } from '../../domain/chat/unknown.ts';
import { isTooLarge, mediaTypeOf, mediaTypeOfUrl } from './attachments.ts';
import { fingerprint } from './fingerprint.ts';
import { parseJson, recordsOf } from './lenient-json.ts';
import { roleNamed } from './roles.ts';
import type { SkipCounter } from './skipping.ts';

/** Reason for which kimi-cli wrote a message in the person's name. */
type Synthetic =
  | 'checkpoint'
  | 'compaction'
  | 'd-mail'
  | 'init'
  | 'directory'
  | 'imported'
  | 'tasks'
  | 'reminder'
  | 'notification';

/** One accepted line. */
type ContextRecord =
  | { readonly kind: 'system-prompt'; readonly text: string }
  | { readonly kind: 'checkpoint'; readonly id: number }
  | { readonly kind: 'usage'; readonly tokens: number }
  | {
      readonly kind: 'message';
      readonly role: Role;
      readonly parts: readonly Part[];
      readonly synthetic: Synthetic | undefined;
      /** True for a line that kimi-cli does not read. It takes no part in the ids of the messages below it. */
      readonly rescued?: true;
    };

const SYNTHETIC: readonly (readonly [string, Synthetic])[] = [
  ['<system>CHECKPOINT ', 'checkpoint'],
  ['<system>Previous context has been compacted. Here is the compaction output:</system>', 'compaction'],
  ['<system>You just got a D-Mail from your future self.', 'd-mail'],
  ['<system>The user just ran `/init`', 'init'],
  ['<system>The user has added an additional directory', 'directory'],
  ['<system>The user has imported context from', 'imported'],
  ['<system>The following background tasks are still active after compaction.', 'tasks'],
  ['<system-reminder>', 'reminder'],
  ['<notification id="', 'notification'],
];

/** Classifies a text in the person's name as a note of kimi-cli; undefined if a person wrote it. */
export const syntheticKind = (text: string): Synthetic | undefined =>
  SYNTHETIC.find(([start]) => text.startsWith(start))?.[1];

/**
 * Reads the accepted lines of one file. Accepts what kimi-cli accepts; continues where kimi-cli gives up (no content,
 * unknown part). `seen` holds lines already counted as left out: the same line stands in many snapshots.
 */
export function readContext(text: string, skipped: SkipCounter, seen: Set<string>): ContextRecord[] {
  const records: ContextRecord[] = [];
  for (const { value: raw, line } of recordsOf(text)) {
    const skip = (reason: Parameters<SkipCounter['count']>[0]) => {
      const key = `${reason}\n${line}`;
      if (!seen.has(key)) skipped.count(reason, line);
      seen.add(key);
    };
    if (!isFields(raw)) {
      skip('malformed-line');
      continue;
    }
    switch (raw.role) {
      case '_system_prompt':
        if (typeof raw.content === 'string') records.push({ kind: 'system-prompt', text: raw.content });
        else skip('malformed-line');
        break;
      case '_checkpoint':
      case '_usage': {
        const value = integer(raw.role === '_usage' ? raw.token_count : raw.id);
        if (value === undefined) skip('malformed-line');
        else if (raw.role === '_usage') records.push({ kind: 'usage', tokens: value });
        else records.push({ kind: 'checkpoint', id: value });
        break;
      }
      case 'user':
      case 'assistant':
      case 'tool':
      case 'system': {
        const message = readMessage(raw, raw.role, skip);
        if (message) records.push(message);
        break;
      }
      default: {
        const note = readUnnamed(raw, skip);
        if (note) records.push(note);
      }
    }
  }
  return records;
}

/** Keeps the words of a line with an unknown role, or none. */
function readUnnamed(
  raw: Record<string, unknown>,
  skip: (reason: Parameters<SkipCounter['count']>[0]) => void,
): ContextRecord | undefined {
  const said = typeof raw.role === 'string' ? raw.role : undefined;
  if (said === undefined && wordsOfUnknown(raw) === '') {
    skip('malformed-line');
    return undefined;
  }
  const role = said === undefined ? undefined : roleNamed(said);
  if (role === undefined) skip('unknown-role');
  const message = readMessage(raw, role ?? 'system', (reason) => {
    if (reason !== 'no-content') skip(reason);
  });
  return message && { ...message, rescued: true };
}

/** Python counts booleans as integers. */
const integer = (value: unknown): number | undefined =>
  typeof value === 'boolean' ? Number(value) : Number.isInteger(value) ? (value as number) : undefined;

function readMessage(
  raw: Record<string, unknown>,
  role: Role,
  skip: (reason: Parameters<SkipCounter['count']>[0]) => void,
): Extract<ContextRecord, { kind: 'message' }> | undefined {
  let rescued = !('content' in raw);
  const onRescued = () => {
    rescued = true;
  };
  const contents = contentParts(raw.content ?? raw.text ?? null, skip, onRescued);
  let parts = contents;
  if (role === 'tool') {
    const isGiven = 'content' in raw || contents.length > 0;
    if (typeof raw.tool_call_id === 'string' && isGiven)
      parts = [toolResult(raw.tool_call_id, contents), ...contents.filter((part) => part.type !== 'text')];
    else if (isGiven) skip('broken-call');
  }
  for (const call of Array.isArray(raw.tool_calls) ? (raw.tool_calls as unknown[]) : []) {
    const described = isFields(call) && isFields(call.function) ? call.function : undefined;
    // Some servers give an object; kimi-cli takes text alone.
    const text = isFields(described?.arguments) ? JSON.stringify(described.arguments) : described?.arguments;
    if (
      !isFields(call) ||
      typeof call.id !== 'string' ||
      typeof described?.name !== 'string' ||
      !('arguments' in described) ||
      (text !== null && typeof text !== 'string')
    ) {
      // kimi-cli itself would not read this line back into a context, but the model's words stand in it.
      skip('broken-call');
      onRescued();
      if (wordsOfUnknown(call) !== '') parts = [...parts, { type: 'unknown', original: call }];
      continue;
    }
    // Arguments that are no JSON are kept as the model wrote them; later rounds refer to them.
    if (text === null || parseJson(text) === undefined) skip('broken-call');
    parts = [...parts, { type: 'tool-call', callId: call.id, name: described.name, arguments: text ?? '' }];
  }
  if (parts.length === 0) {
    const { role: _role, content: _content, tool_calls: _calls, ...rest } = raw;
    // Words in a field that no known version writes.
    if (wordsOfUnknown(rest) === '') {
      skip('no-content');
      return undefined;
    }
    skip('unknown-part');
    onRescued();
    parts = [{ type: 'unknown', original: rest }];
  }
  const [first] = parts;
  const synthetic = role === 'user' && first?.type === 'text' ? syntheticKind(first.text) : undefined;
  return { kind: 'message', role, parts, synthetic, ...(rescued ? { rescued } : {}) };
}

/** Reads a content list or string as parts. `onRescued` hears of what kimi-cli would reject with its whole line. */
export function contentParts(
  content: unknown,
  skip: (reason: 'unknown-part' | 'oversized-attachment') => void,
  onRescued: () => void = () => {},
): Part[] {
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  const parts: Part[] = [];
  for (const given of Array.isArray(content) ? (content as unknown[]) : [content]) {
    const part = isFields(given) && typeof given.text === 'string' ? { type: 'text', ...given } : given;
    if (!isFields(part) || typeof part.type !== 'string') {
      onRescued();
      const words = typeof part === 'string' ? part : '';
      if (words !== '') parts.push({ type: 'text', text: words });
      else skip('unknown-part');
      if (wordsOfUnknown(part) !== '' && words === '') parts.push({ type: 'unknown', original: part });
      continue;
    }
    const known = knownPart(part, () => skip('oversized-attachment'));
    if (known) parts.push(...known);
    else {
      skip('unknown-part');
      parts.push({ type: 'unknown', original: part });
    }
  }
  return parts;
}

function knownPart(part: Record<string, unknown>, onTooLarge: () => void): Part[] | undefined {
  if (part.type === 'text' && typeof part.text === 'string')
    return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.type === 'think' && typeof part.think === 'string') {
    const encrypted = typeof part.encrypted === 'string' ? part.encrypted : undefined;
    if (part.think === '' && encrypted === undefined) return [];
    return [{ type: 'reasoning', text: part.think, ...(encrypted === undefined ? {} : { encrypted }) }];
  }
  const media = /^(image|audio|video)_url$/.exec(part.type as string)?.[1];
  const holder = media === undefined ? undefined : part[`${media}_url`];
  if (media === undefined || !isFields(holder) || typeof holder.url !== 'string') return undefined;
  const embedded = mediaTypeOfUrl(holder.url);
  if (embedded !== undefined) {
    const tooLarge = isTooLarge(holder.url);
    if (tooLarge) onTooLarge();
    return [{ type: 'file', mediaType: embedded, ...(tooLarge ? {} : { url: holder.url }) }];
  }
  const guessed = mediaTypeOf(holder.url.split(/[?#]/, 1)[0] as string);
  return [
    {
      type: 'file',
      mediaType: guessed === 'application/octet-stream' ? `${media}/*` : guessed,
      reference: holder.url,
    },
  ];
}

/** Makes a tool's result; its text parts become one text, as the model reads them. */
export function toolResult(callId: string, contents: readonly Part[], isError?: boolean): Part {
  const text = contents
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n');
  const failed = isError ?? text.startsWith('<system>ERROR:');
  return { type: 'tool-result', callId, text, ...(failed ? { isError: true } : {}) };
}

/** A message in the tree of all snapshots. */
export interface ContextNode {
  /** Hash of the message and everything above it: the same history gives the same ids. */
  readonly id: string;
  readonly parentId: string | null;
  readonly record: Extract<ContextRecord, { kind: 'message' }>;
  /** First snapshot that has it. */
  readonly snapshot: number;
  /** Id of the message that a compaction carried over as this one. */
  readonly copyOf: string | undefined;
  /** Size of the context right after it, in tokens, if the file records it. */
  tokens: number | undefined;
}

/** Kind of change between two snapshots. */
type Change = 'first' | 'grown' | 'd-mail' | 'compaction' | 'cleared' | 'rewritten';

export interface ContextHistory {
  /** In order of creation. */
  readonly nodes: readonly ContextNode[];
  /** For each snapshot its messages, and how it came from the one before. */
  readonly snapshots: readonly { readonly path: readonly ContextNode[]; readonly change: Change }[];
  readonly systemPrompt: string | null;
}

/** Merges snapshots, oldest first, into one tree. */
export function layOver(snapshots: readonly (readonly ContextRecord[])[]): ContextHistory {
  const nodes = new Map<string, ContextNode>();
  const laid: { path: ContextNode[]; change: Change }[] = [];
  let systemPrompt: string | null = null;
  for (const [snapshot, records] of snapshots.entries()) {
    // A rewrite drops the lines that kimi-cli does not accept.
    const before = laid.at(-1)?.path.filter(({ record }) => isAccepted(record));
    const path: ContextNode[] = [];
    const messages = records.filter((record) => record.kind === 'message').filter(isAccepted);
    const compacted = messages.findIndex((message) => message.synthetic === 'compaction');
    const carried = compacted < 0 || !before ? [] : carriedOver(before, messages.slice(compacted + 1));
    let at = -1;
    let above = '';
    for (const record of records) {
      if (record.kind === 'system-prompt') systemPrompt = record.text;
      if (record.kind === 'usage') {
        const last = path.at(-1);
        if (last) last.tokens ??= record.tokens;
      }
      if (record.kind !== 'message') continue;
      if (isAccepted(record)) at += 1;
      const parentId = path.at(-1)?.id ?? null;
      const id = fingerprint(above, contentKey(record));
      // Earlier versions left such lines out: no id below changes, so that a session imported then is known again.
      if (isAccepted(record)) above = id;
      const known = nodes.get(id);
      if (known) {
        path.push(known);
        continue;
      }
      const isCarried = compacted >= 0 && at > compacted && isAccepted(record);
      const copyOf = isCarried ? carried[at - compacted - 1] : undefined;
      const node: ContextNode = { id, parentId, record, snapshot, copyOf, tokens: undefined };
      nodes.set(id, node);
      path.push(node);
    }
    const accepted = path.filter(({ record }) => isAccepted(record));
    laid.push({ path, change: classify(before, accepted) });
  }
  return { nodes: [...nodes.values()], snapshots: laid, systemPrompt };
}

/** True for a line that kimi-cli itself reads. */
const isAccepted = (record: ContextNode['record']): boolean => record.rescued !== true;

/**
 * Ids of the tail that a compaction kept: the end of the history before it is then the
 * beginning of what follows the summary.
 */
function carriedOver(
  before: readonly ContextNode[],
  follows: readonly Extract<ContextRecord, { kind: 'message' }>[],
): string[] {
  const keys = follows.map(contentKey);
  for (let length = Math.min(before.length, keys.length); length > 0; length -= 1) {
    const tail = before.slice(-length);
    if (tail.every(({ record }, at) => contentKey(record) === keys[at])) return tail.map(({ id }) => id);
  }
  return [];
}

const contentKey = (record: Extract<ContextRecord, { kind: 'message' }>): string =>
  JSON.stringify([record.role, record.parts]);

function classify(before: readonly ContextNode[] | undefined, path: readonly ContextNode[]): Change {
  if (!before) return 'first';
  let shared = 0;
  while (shared < path.length && path[shared] === before[shared]) shared += 1;
  const rest = path.slice(shared);
  if (shared === before.length) return 'grown';
  if (rest[0]?.record.synthetic === 'compaction') return 'compaction';
  if (rest[0]?.record.synthetic === 'd-mail') return 'd-mail';
  // With the D-Mail tools on, both files begin with checkpoint 0, which the model sees.
  if (path.every((node) => node.record.synthetic === 'checkpoint')) return 'cleared';
  return shared === 0 || before.slice(0, shared).every((node) => node.record.synthetic === 'checkpoint')
    ? 'cleared'
    : 'rewritten';
}

/** True for a checkpoint, and for a line of an unknown role. */
export const isBookkeeping = ({ record }: ContextNode): boolean =>
  record.synthetic === 'checkpoint' || (record.rescued === true && record.role === 'system');
