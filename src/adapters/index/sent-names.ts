// Names that tabs of every version send each other in a search and its answer: an old
// tab may be open beside an updated one.
import type { Candidate, IndexHits, IndexQuery } from './memory-index.ts';

/** A query as tabs send it. */
export interface SentQuery extends Omit<IndexQuery, 'withNeighbours' | 'after'> {
  readonly around?: boolean;
  readonly after?: { readonly found: readonly number[]; readonly beside: readonly number[] };
}
type SentCandidate = Omit<Candidate, 'isNeighbour'> & { readonly beside: boolean };
/** An answer as tabs send it. */
export interface SentFound extends Omit<IndexHits, 'candidates' | 'idf'> {
  readonly candidates: readonly SentCandidate[];
  readonly worth: readonly number[];
}

/** Names a query as it is sent. */
export const sentQuery = ({ withNeighbours, after, ...rest }: IndexQuery): SentQuery => ({
  ...rest,
  ...(withNeighbours === undefined ? {} : { around: withNeighbours }),
  ...(after ? { after: { found: after.found, beside: after.neighbours } } : {}),
});

/** Names a query as the index knows it. */
export const readQuery = ({ around, after, ...rest }: SentQuery): IndexQuery => ({
  ...rest,
  ...(around === undefined ? {} : { withNeighbours: around }),
  ...(after ? { after: { found: after.found, neighbours: after.beside } } : {}),
});

/** Names what was found as it is sent. */
export const sentFound = ({ candidates, idf, ...rest }: IndexHits): SentFound => ({
  ...rest,
  worth: idf,
  candidates: candidates.map(({ isNeighbour, ...candidate }) => ({ ...candidate, beside: isNeighbour })),
});

/** Names what was found as the index knows it. */
export const readFound = ({ candidates, worth, ...rest }: SentFound): IndexHits => ({
  ...rest,
  idf: worth,
  candidates: candidates.map(({ beside, ...candidate }) => ({ ...candidate, isNeighbour: beside })),
});
