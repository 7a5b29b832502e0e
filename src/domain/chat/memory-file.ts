// The session memory as a person left it: a Markdown file of the conversation. Each device writes a key
// of its own in the conversation's metadata, so it syncs and is in every backup; the newest version
// counts, and concurrent ones stay beside it.
import { z } from 'zod';
import type { MessageId } from '../base/ids.ts';
import { timeSchema } from '../base/time.ts';
import type { Conversation, ConversationMeta } from './conversation.ts';
import { type Message, textOf } from './message.ts';

const KEY = 'memoryFile:';

const lineSchema = z.object({
  text: z.string(),
  /** Author of the line: the person's lines are never dropped for want of space. */
  by: z.enum(['person', 'model', 'rules']).catch('person'),
  /** Stays word for word on every branch and through every compaction. */
  pinned: z.boolean().optional(),
});
export type MemoryLine = z.infer<typeof lineSchema>;

const fileSchema = z.object({
  /** ms since 1970, and later than all versions that this device knew. */
  at: timeSchema,
  /** Name of the device. */
  device: z.string(),
  lines: z.array(lineSchema),
  /** Newest message that it covers; null: it covers none, and notes are made of all. */
  upTo: z.string().nullable(),
  /** Lines that the person deleted: nothing adds them again. */
  out: z.array(z.string()).default([]),
  /** Writer → time of the version known when this was saved. */
  seen: z.record(z.string(), z.number()).default({}),
});

/** One saved version. */
export interface MemoryFile extends Omit<z.infer<typeof fileSchema>, 'upTo'> {
  /** Id of the device's key: each device has one for this file. */
  readonly writer: string;
  readonly upTo: MessageId | null;
}

interface SavedFiles {
  /** The newest; null: none was saved. */
  readonly current: MemoryFile | null;
  /** Versions that other devices saved without knowing the newest, newest first. */
  readonly others: readonly MemoryFile[];
}

const known = new WeakMap<object, SavedFiles>();

/** Returns the saved versions. Read once for each state of the metadata. */
export function savedFiles({ meta }: Pick<Conversation, 'meta'>): SavedFiles {
  let found = known.get(meta);
  if (!found) {
    const all = Object.entries(meta)
      .flatMap(([key, value]) => {
        const file = key.startsWith(KEY) ? fileSchema.safeParse(value).data : undefined;
        return file ? [{ ...file, writer: key.slice(KEY.length) } as MemoryFile] : [];
      })
      .sort((a, b) => b.at - a.at || (a.writer < b.writer ? 1 : -1));
    const [current = null, ...rest] = all;
    const unseen = ({ writer, at, lines }: MemoryFile) =>
      at > (current?.seen[writer] ?? 0) && lines.some(({ text }) => text.trim() !== '');
    found = { current, others: rest.filter(unseen) };
    known.set(meta, found);
  }
  return found;
}

/** Makes a key that distinguishes versions of the file; '' if none was saved. */
export const memoryFileKey = (conversation: Pick<Conversation, 'meta'>): string => {
  const { current } = savedFiles(conversation);
  return current ? `${current.at} ${current.writer}` : '';
};

/**
 * Returns the file as it holds on a branch. Without its newest message, only lines of the person and pinned ones hold.
 * Null if no version was saved, or the saved one is empty.
 */
export function memoryFileOn(
  conversation: Pick<Conversation, 'meta'>,
  path: readonly Message[],
): MemoryFile | null {
  const { current } = savedFiles(conversation);
  if (!current || (current.lines.length === 0 && current.out.length === 0)) return null;
  if (current.upTo === null || path.some(({ id }) => id === current.upTo)) return current;
  const own = current.lines.filter(({ by, pinned }) => by === 'person' || pinned === true);
  return own.length === 0 && current.out.length === 0 ? null : { ...current, lines: own, upTo: null };
}

/** Device and time of a save. */
export interface Stamp {
  /** ms since 1970 */
  readonly now: number;
  /** Id that this device keeps for the file, and the device's name. */
  readonly writer: string;
  readonly device: string;
}

/** Makes the change that saves a version over all existing ones. */
export function memoryFileChange(
  conversation: Pick<Conversation, 'meta'>,
  file: Pick<MemoryFile, 'lines' | 'upTo' | 'out'>,
  { now, writer, device }: Stamp,
): Partial<ConversationMeta> {
  const { current, others } = savedFiles(conversation);
  const all = [...(current ? [current] : []), ...others];
  const seen = { ...current?.seen, ...Object.fromEntries(all.map((one) => [one.writer, one.at])) };
  const saved: Omit<MemoryFile, 'writer'> = {
    ...file,
    device,
    seen,
    at: Math.max(now, ...all.map(({ at }) => at + 1)),
  };
  return { [KEY + writer]: saved } as Partial<ConversationMeta>;
}

/** Makes the change that undoes it: the earlier values of the same keys, or none. */
export function memoryFileBefore(
  { meta }: Pick<Conversation, 'meta'>,
  change: Partial<ConversationMeta>,
): Partial<ConversationMeta> {
  const before = meta as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(change).flatMap((key) => (key.startsWith(KEY) ? [[key, before[key] ?? null]] : [])),
  ) as Partial<ConversationMeta>;
}

/** Picks versions of a backup that are newer than those here, key by key. */
export function newerFiles(
  here: Pick<Conversation, 'meta'>['meta'],
  there: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const atOf = (value: unknown): number => fileSchema.safeParse(value).data?.at ?? 0;
  return Object.fromEntries(
    Object.entries(there).filter(
      ([key, value]) =>
        key.startsWith(KEY) && atOf(value) > atOf((here as unknown as Record<string, unknown>)[key]),
    ),
  );
}

/** Removes the bullet of a line. */
export const withoutBullet = (line: string): string => line.replace(/^\s*(?:[-*]|\d+[.)])?\s+/, '').trim();
const isHeading = (line: string): boolean => /^#{1,6}\s/.test(line);
const isWords = ({ text }: MemoryLine): boolean => text.trim() !== '' && !isHeading(text);

/** Splits a text into lines. Lines that existed before keep their author and pin; new ones get `by`. */
export function linesOf(
  text: string,
  before: readonly MemoryLine[] = [],
  by: MemoryLine['by'] = 'person',
): MemoryLine[] {
  const there = new Map<string, MemoryLine[]>();
  for (const line of before) there.set(line.text, [...(there.get(line.text) ?? []), line]);
  const trimmed = text.replace(/\r\n?/g, '\n').trim();
  if (trimmed === '') return [];
  return trimmed.split('\n').map((line) => {
    const same = there.get(line)?.shift();
    if (same) return same;
    return { text: line, by: isWords({ text: line, by }) ? by : 'rules' };
  });
}

/** Joins the lines to a trimmed text. */
export const textOfLines = (lines: readonly Pick<MemoryLine, 'text'>[]): string =>
  lines
    .map(({ text }) => text)
    .join('\n')
    .trim();

/** Lists the shown lines that the person deleted, with those deleted before. */
export function deletedLines(
  shown: readonly MemoryLine[],
  lines: readonly MemoryLine[],
  before: readonly string[],
): string[] {
  const there = new Set(lines.map(({ text }) => withoutBullet(text)));
  const gone = shown
    .filter((line) => line.by !== 'person' && isWords(line))
    .map(({ text }) => withoutBullet(text));
  return [...new Set([...before, ...gone])].filter((line) => line !== '' && !there.has(line));
}

/** Drops headings without lines, and repeated blank lines. */
function tidied(lines: readonly MemoryLine[]): MemoryLine[] {
  const useful = lines.filter((line, at) => {
    if (!isHeading(line.text) || line.pinned) return true;
    const next = lines.slice(at + 1).find(({ text }) => text.trim() !== '');
    return next !== undefined && !isHeading(next.text);
  });
  return useful.filter(({ text }, at) => text.trim() !== '' || (useful[at - 1]?.text.trim() ?? '') !== '');
}

/**
 * Keeps as many lines as fit `tokens`. Lines of a model or the rules go, last first; lines of the person and
 * pinned ones stay whatever they cost.
 */
export function fittingLines(
  lines: readonly MemoryLine[],
  tokens: number,
  cost: (text: string) => number,
): readonly MemoryLine[] {
  const costs = lines.map(({ text }) => cost(text) + 1);
  let over = costs.reduce((sum, each) => sum + each, 0) - tokens;
  if (over <= 0) return lines;
  const left = new Set(lines.keys());
  for (const writer of ['rules', 'model'] as const)
    for (let at = lines.length - 1; at >= 0 && over > 0; at--) {
      const line = lines[at] as MemoryLine;
      if (line.by !== writer || line.pinned || !isWords(line)) continue;
      left.delete(at);
      over -= costs[at] as number;
    }
  return tidied(lines.filter((_, at) => left.has(at)));
}

/**
 * Removes quotations of these messages from every saved version; an empty change if there are none. Text that a model
 * wrote after one of them goes as a whole, and the file then covers no message: notes are made again from the rest.
 */
export function memoryFileWithout(
  { meta }: Pick<Conversation, 'meta'>,
  gone: readonly Message[],
): Partial<ConversationMeta> {
  const words = gone.map((message) => squeezed(textOf(message))).filter((text) => text !== '');
  const began = Math.min(...gone.map(({ createdAt }) => createdAt));
  if (words.length === 0) return {};
  const change: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(meta)) {
    const file = key.startsWith(KEY) ? fileSchema.safeParse(value).data : undefined;
    if (!file || file.at < began) continue;
    const quotes = (line: string): boolean => {
      const bare = squeezed(withoutBullet(line));
      return bare.length >= 8 && words.some((text) => text.includes(bare) || bare.includes(text));
    };
    const lines = tidied(file.lines.filter((line) => line.by !== 'model' && !quotes(line.text)));
    change[key] = { ...file, lines, out: file.out.filter((line) => !quotes(line)), upTo: null };
  }
  return change as Partial<ConversationMeta>;
}

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Cleans the words of every saved version; an empty change if nothing changes. */
export function cleanedFiles(
  { meta }: Pick<Conversation, 'meta'>,
  clean: <T>(value: T) => T,
): Partial<ConversationMeta> {
  return Object.fromEntries(
    Object.entries(meta).flatMap(([key, value]) => {
      if (!key.startsWith(KEY)) return [];
      const cleaned: unknown = clean(value);
      return cleaned === value ? [] : [[key, cleaned]];
    }),
  ) as Partial<ConversationMeta>;
}
