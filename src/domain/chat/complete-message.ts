// Completes a message from a second copy with more of it: the bytes of a file that was only named, the rest of words
// that were cut off. Nothing else of a message ever changes. Pure.
import type { Message, Part, PartOf } from './message.ts';

/** An answer's finish and cost go along with its words. */
const ENDS: readonly string[] = ['model', 'usage', 'durationMs', 'finish', 'problem'];

/**
 * Adds to `here` whatever `now` has more; undefined if that is nothing. Bytes are taken whatever the words are; words
 * only if each part begins with the part that is here. `words` false: only bytes.
 */
export function completeMessage(
  here: Message,
  now: Omit<Message, 'id' | 'parentId'>,
  words = true,
): Message | undefined {
  const parts = here.parts.map((part, at) => withBytes(part, at, now.parts));
  const goesOn =
    words &&
    here.role === now.role &&
    here.kind === now.kind &&
    parts.every((part, at) => beginsWith(now.parts[at], part)) &&
    now.parts.some((part, at) => lengthOf(part) > lengthOf(parts[at]));
  if (goesOn) {
    const kept = Object.entries(here).filter(([key]) => !ENDS.includes(key));
    const ends = Object.entries(now).filter(([key]) => ENDS.includes(key));
    const whole = now.parts.map((part, at) => (part.type === 'file' ? (parts[at] ?? part) : part));
    return { ...(Object.fromEntries([...kept, ...ends]) as unknown as Message), parts: whole };
  }
  return parts.some((part, at) => part !== here.parts[at]) ? { ...here, parts } : undefined;
}

/** All words of a message, without the bytes of its files. */
export const allWordsOf = ({ parts }: Pick<Message, 'parts'>): string =>
  JSON.stringify(parts, (key, value: unknown) => (key === 'url' || key === 'mediaType' ? undefined : value));

/** Adds the bytes to a file without any, if one of `others` is the same file and has them. */
function withBytes(part: Part, at: number, others: readonly Part[]): Part {
  if (part.type !== 'file' || part.url !== undefined) return part;
  const found =
    part.reference === undefined
      ? others.slice(at, at + 1).find((other) => isSameFile(part, other))
      : others.find((other) => other.type === 'file' && other.url && other.reference === part.reference);
  return found?.type === 'file' && found.url !== undefined ? { ...part, ...found } : part;
}

/** True if two files in one position are the same. */
const isSameFile = (part: PartOf<'file'>, other: Part): boolean =>
  other.type === 'file' &&
  (['reference', 'name'] as const).every(
    (key) => part[key] === undefined || other[key] === undefined || part[key] === other[key],
  );

const lengthOf = (part: Part | undefined): number =>
  part && 'text' in part ? part.text.length : part?.type === 'tool-call' ? part.arguments.length : 0;

/** True for the same part, with equal or longer words. */
function beginsWith(later: Part | undefined, part: Part): boolean {
  if (!later || later.type === 'file' || part.type === 'file')
    return later !== undefined && part.type === 'file' && isSameFile(part, later);
  const [before, after] = [part as Record<string, unknown>, later as Record<string, unknown>];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].every((key) => {
    const [was, is] = [before[key], after[key]];
    if ((key === 'text' || key === 'arguments') && typeof was === 'string' && typeof is === 'string')
      return is.startsWith(was);
    return JSON.stringify(was) === JSON.stringify(is);
  });
}
