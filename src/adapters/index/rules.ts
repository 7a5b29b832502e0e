// Rules that every member of the family shares, beyond the contract's words.
import type { Candidate, Found, IndexChange, IndexQuery } from './memory-index.ts';

/** Query words that are looked up; what comes after them is ignored (each word costs time, a pasted page has thousands). */
export const QUERY_WORDS = 200;
/** Query words that are looked up in descriptions, the rarest first. */
const DESCRIBED_WORDS = 12;
/** Conversations that are named for what their descriptions have of them. */
export const DESCRIBED = 8;
/** Characters of a neighbour's text. */
export const NEIGHBOUR_TEXT = 600;
/** Quarter of an hour, the unit in which statistics tell times, ms. */
export const QUARTER = 15 * 60_000;
/** Messages looked at in each direction for neighbours: notes on the way are passed over. */
export const NEIGHBOUR_STEPS = 64;

const lastOf = <T extends { readonly id: string }>(rows: readonly T[], gone: (row: T) => boolean): T[] => [
  ...new Map(rows.filter((row) => !gone(row)).map((row) => [row.id, row])).values(),
];

/** The change without contradictions: removal wins over arrival, of two rows with one id the later counts. */
export function settleChange(change: IndexChange): IndexChange {
  const conversations = new Set<string>(change.removedConversations);
  const messages = new Set<string>(change.removedMessages);
  return {
    conversations: lastOf(change.conversations, (row) => conversations.has(row.id)),
    messages: lastOf(change.messages, (row) => messages.has(row.id) || conversations.has(row.conversationId)),
    removedMessages: [...messages] as IndexChange['removedMessages'][number][],
    removedConversations: [...conversations] as IndexChange['removedConversations'][number][],
  };
}

/** Characters of what is embedded that are only context: what stands in front of the text, up to its last line break. */
export const contextIn = ({
  embedded,
  text,
}: {
  readonly embedded: string;
  readonly text: string;
}): number =>
  embedded.endsWith(text) ? embedded.lastIndexOf('\n', embedded.length - text.length - 1) + 1 : 0;

/** Candidates that know each other from both sides: what stands before one has it after itself, unless it has another. */
export function linked(candidates: readonly Candidate[]): Candidate[] {
  const previous = new Map<number, number>();
  const next = new Map<number, number>();
  for (const one of candidates) {
    if (one.next !== null) previous.set(one.next, one.chunkId);
    if (one.previous !== null) next.set(one.previous, one.chunkId);
  }
  return candidates.map((one) => ({
    ...one,
    previous: one.previous ?? previous.get(one.chunkId) ?? null,
    next: one.next ?? next.get(one.chunkId) ?? null,
  }));
}

/** Chunk ids of a search without a vector, as input of the next one. */
export const afterLook = ({ candidates }: Found): NonNullable<IndexQuery['after']> => {
  const ids = (beside: boolean) =>
    candidates.filter((one) => one.beside === beside).map(({ chunkId }) => chunkId);
  return { found: ids(false), beside: ids(true) };
};

/** Result of one search with words and vector, put together from two: by words first, then what the vector added `after` that. */
export function together(byWords: Found, added: Found): Found {
  const cosines = new Map(added.measured ?? []);
  const again = new Set(added.candidates.map(({ chunkId }) => chunkId));
  const before = byWords.candidates
    .filter(({ chunkId }) => cosines.has(chunkId) && !again.has(chunkId))
    .map((one) => ({ ...one, cosine: cosines.get(one.chunkId) ?? null }));
  const { described } = byWords;
  return {
    candidates: linked([...before, ...added.candidates]),
    worth: added.worth,
    ...(described ? { described } : {}),
  };
}

/** Union of two searches for the same question, of which `other` was narrower: each chunk once. */
export function united(one: Found, other: Found): Found {
  const all = new Map(one.candidates.map((candidate) => [candidate.chunkId, candidate]));
  for (const candidate of other.candidates) {
    const known = all.get(candidate.chunkId);
    // Found by one of them, it was found; what stands around it, each of them knows in part.
    all.set(
      candidate.chunkId,
      known
        ? {
            ...known,
            beside: known.beside && candidate.beside,
            previous: known.previous ?? candidate.previous,
            next: known.next ?? candidate.next,
          }
        : candidate,
    );
  }
  return { ...one, candidates: linked([...all.values()]) };
}

/** The words that descriptions are looked up for, with what each is worth, the rarest first: one that no passage has may stand in a summary. */
export const wordsForDescriptions = (
  query: readonly string[],
  worth: readonly number[],
): readonly (readonly [word: string, worth: number])[] =>
  [...new Map(query.map((word, at) => [word, worth[at] ?? 0]))]
    .sort((a, b) => b[1] - a[1])
    .slice(0, DESCRIBED_WORDS);

/** The vector at length 1; null where it has no direction. */
export function toUnit(values: Float32Array): Float32Array | null {
  let square = 0;
  for (const value of values) square += value * value;
  if (!(square > 0)) return null;
  const length = Math.sqrt(square);
  return values.map((value) => value / length);
}
