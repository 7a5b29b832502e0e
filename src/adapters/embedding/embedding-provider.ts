// Turns texts into vectors whose nearness means nearness of meaning.
import type { Problem } from '../../domain/base/errors.ts';
import type { Readable } from '../../domain/base/readable.ts';

export type EmbeddingKind = 'query' | 'passage';

/**
 * How this model's cosines read: `related` is the cosine at which a person calls two texts related in half of the cases,
 * `spread` how fast that grows. calibrated = 1 / (1 + exp(-(cosine - related) / spread)), the same scale for every model.
 */
export interface Calibration {
  readonly related: number;
  readonly spread: number;
}

export type EmbeddingState =
  | { readonly status: 'idle' | 'ready' }
  /** `loaded` of `total` bytes (total 0 while unknown). */
  | { readonly status: 'loading'; readonly loaded: number; readonly total: number }
  /** Keyword recall goes on; the sentence says so. */
  | { readonly status: 'failed'; readonly problem: Problem };

/** A text to be read with what was said right before it: that helps to understand it, but is not part of it. */
export interface Reading {
  /** Stands in front of the text; may be empty. */
  readonly context: string;
  readonly text: string;
}

/** A text with the vector of each of its pieces, for late interaction (`domain/memory/late.ts`). */
export interface Read {
  /** As `embed` gives it: `dimensions` numbers, length 1. */
  readonly vector: Float32Array;
  /** Passage: the signs of its pieces' vectors, `TOKEN_BITS` of them a piece. Context is left out. */
  readonly bits: Uint8Array;
  /** Question: its pieces' vectors of length 1, `TOKEN_BITS` numbers each, and how much each piece says. Empty for passages. */
  readonly tokens: Float32Array;
  readonly weights: Float32Array;
}

/** How the keys in the key-value store of measured calibrations begin; whoever makes the index again deletes them. */
export const CALIBRATIONS = 'calibration/';

export interface EmbeddingProvider {
  /** Provider, model and precision, e.g. `local/multilingual-e5-small-en-zh/q8`: vectors are keyed by it. */
  readonly id: string;
  /** Numbers in a vector; 0 until a local model that is not bundled has been loaded once. */
  readonly dimensions: number;
  /** BCP 47 primary languages the model knows, or `any`. */
  readonly languages: readonly string[] | 'any';
  /** Most texts worth handing over in one call. */
  readonly maxBatch: number;
  /** How many calls of `read` with one passage each are worth waiting for at the same time; absent: one. */
  readonly concurrency?: number;
  readonly state: Readable<EmbeddingState>;
  /** Known after the first use; measured from a built-in set of pairs where the model has no published figures. */
  calibration(signal: AbortSignal): Promise<Calibration>;
  /**
   * One vector of `dimensions` numbers and length 1 for each text, in the same order. Queries overtake passages that wait.
   * Texts longer than the model's window are cut. Throws `embedding-missing`, `embedding-broken`, `embedding-remote`.
   */
  embed(
    texts: readonly string[],
    options: { kind: EmbeddingKind; signal: AbortSignal },
  ): Promise<Float32Array[]>;
  /** Like `embed`, with the pieces. Absent where a provider has only whole vectors: then late interaction is left away. */
  read?(texts: readonly Reading[], options: { kind: EmbeddingKind; signal: AbortSignal }): Promise<Read[]>;
  /** Something will be asked soon: begins to load what the first call would wait for, as far as it came with the app. Absent where that is nothing. */
  prepare?(): void;
  /** Lets memory go; the next call loads again. */
  close(): Promise<void>;
}
