// Rules shared by all members of the family, in addition to the contract.
import type { Candidate, IndexChange, IndexHits, IndexQuery } from './memory-index.ts';

/** Most query words that are searched in descriptions, the rarest first. */
const DESCRIBED_WORDS = 12;
/** Most conversations returned because of their descriptions. */
export const DESCRIBED = 8;
/** Most characters of a neighbour's text. */
export const NEIGHBOUR_TEXT = 600;
/** Quarter of an hour, the unit of times in statistics, in ms. */
export const QUARTER = 15 * 60_000;
/** Most messages examined in each direction for neighbours, skipped notes included. */
export const NEIGHBOUR_STEPS = 64;

const lastOf = <T extends { readonly id: string }>(rows: readonly T[], gone: (row: T) => boolean): T[] => [
  ...new Map(rows.filter((row) => !gone(row)).map((row) => [row.id, row])).values(),
];

/** Removes contradictions from a change: removal wins over arrival, and the later of two rows with one id counts. */
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

/** Returns how many characters of `embedded` are only context: the part before the text, up to its last line break. */
export const contextIn = ({
  embedded,
  text,
}: {
  readonly embedded: string;
  readonly text: string;
}): number =>
  embedded.endsWith(text) ? embedded.lastIndexOf('\n', embedded.length - text.length - 1) + 1 : 0;

/** Makes links between candidates symmetric, unless a candidate already has another neighbour. */
export function withSymmetricLinks(candidates: readonly Candidate[]): Candidate[] {
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

/** Returns the chunk ids of a search without a vector, as input for the next one. */
export const searchedBefore = ({ candidates }: IndexHits): NonNullable<IndexQuery['after']> => {
  const ids = (isNeighbour: boolean) =>
    candidates.filter((one) => one.isNeighbour === isNeighbour).map(({ chunkId }) => chunkId);
  return { found: ids(false), neighbours: ids(true) };
};

/** Merges two results of one search: candidates by words first, then the additions by vector. */
export function mergeStages(byWords: IndexHits, added: IndexHits): IndexHits {
  const cosines = new Map(added.measured ?? []);
  const again = new Set(added.candidates.map(({ chunkId }) => chunkId));
  const before = byWords.candidates
    .filter(({ chunkId }) => cosines.has(chunkId) && !again.has(chunkId))
    .map((one) => ({ ...one, cosine: cosines.get(one.chunkId) ?? null }));
  const { described } = byWords;
  return {
    candidates: withSymmetricLinks([...before, ...added.candidates]),
    idf: added.idf,
    ...(described ? { described } : {}),
  };
}

/** Merges two searches for the same question, of which `other` was narrower: each chunk once. */
export function mergeSearches(one: IndexHits, other: IndexHits): IndexHits {
  const all = new Map(one.candidates.map((candidate) => [candidate.chunkId, candidate]));
  for (const candidate of other.candidates) {
    const known = all.get(candidate.chunkId);
    // A chunk found by either one counts as found; each may know other neighbours of it.
    all.set(
      candidate.chunkId,
      known
        ? {
            ...known,
            isNeighbour: known.isNeighbour && candidate.isNeighbour,
            previous: known.previous ?? candidate.previous,
            next: known.next ?? candidate.next,
          }
        : candidate,
    );
  }
  return { ...one, candidates: withSymmetricLinks([...all.values()]) };
}

/**
 * Returns the words to search in descriptions with their weights, rarest first: a word in no passage may be in a
 * summary.
 */
export const wordsForDescriptions = (
  query: readonly string[],
  idf: readonly number[],
): readonly (readonly [word: string, idf: number])[] =>
  [...new Map(query.map((word, at) => [word, idf[at] ?? 0]))]
    .sort((a, b) => b[1] - a[1])
    .slice(0, DESCRIBED_WORDS);

/** Scales the vector to length 1; null if it has no direction. */
export function toUnit(values: Float32Array): Float32Array | null {
  let square = 0;
  for (const value of values) square += value * value;
  if (!(square > 0)) return null;
  const length = Math.sqrt(square);
  return values.map((value) => value / length);
}
