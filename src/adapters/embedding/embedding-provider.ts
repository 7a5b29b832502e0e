// Contract of an embedding provider: it turns texts into vectors, and near vectors mean near meanings.
import type { Problem } from '../../domain/base/errors.ts';
import type { Readable } from '../../domain/base/readable.ts';

export type EmbeddingKind = 'query' | 'passage';

/**
 * Scale of this model's cosines: at `related` a person calls two texts related in half of the cases, `spread` says how
 * fast that grows. calibrated = 1 / (1 + exp(-(cosine - related) / spread)), the same scale for every model.
 */
export interface Calibration {
  readonly related: number;
  readonly spread: number;
}

export type EmbeddingState =
  | { readonly status: 'idle' | 'ready' }
  /** `loaded` of `total` bytes (total 0 while unknown). */
  | { readonly status: 'loading'; readonly loaded: number; readonly total: number }
  /** Recall by words continues meanwhile; the problem's sentence says so. */
  | { readonly status: 'failed'; readonly problem: Problem };

/** A text and what was said right before it: the model reads both, the vector stands for the text. */
export interface TextInContext {
  /** Stands in front of the text; may be empty. */
  readonly context: string;
  readonly text: string;
}

/** A text's vector and those of its tokens, for late interaction (`domain/memory/late.ts`). */
export interface Read {
  /** As `embed` returns it: `dimensions` numbers, length 1. */
  readonly vector: Float32Array;
  /** Passages only: the signs of its tokens' vectors, `TOKEN_BITS` bits a token, without those of the context. */
  readonly bits: Uint8Array;
  /** Questions only: its tokens' vectors of length 1, `TOKEN_BITS` numbers each, and the weight of each token. */
  readonly tokens: Float32Array;
  readonly weights: Float32Array;
}

/** Prefix of the keys under which calibrations are kept; rebuilding the index deletes them. */
export const CALIBRATIONS = 'calibration/';

export interface EmbeddingProvider {
  /** Names provider, model and precision, e.g. `local/multilingual-e5-small-en-zh/q8`; vectors are keyed by it. */
  readonly id: string;
  /** Numbers in a vector; 0 until a local model that is not bundled has been loaded once. */
  readonly dimensions: number;
  /** BCP 47 primary languages the model knows, or `any`. */
  readonly languages: readonly string[] | 'any';
  /** Largest batch that pays in one call. */
  readonly maxBatch: number;
  /** How many calls of `read` with one passage each pay at the same time; absent: one. */
  readonly concurrency?: number;
  readonly state: Readable<EmbeddingState>;
  /** Known after the first use; measured from a built-in set of pairs if the model has no published figures. */
  calibration(signal: AbortSignal): Promise<Calibration>;
  /**
   * One vector of `dimensions` numbers and length 1 for each text, in their order; texts longer than the window are
   * cut. Queries overtake passages that wait. Throws `embedding-missing`, `embedding-broken`, `embedding-remote`.
   */
  embed(
    texts: readonly string[],
    options: { kind: EmbeddingKind; signal: AbortSignal },
  ): Promise<Float32Array[]>;
  /**
   * Like `embed`, with the token vectors. Absent if a provider has only whole vectors;
   * recall then leaves late interaction out.
   */
  read?(
    texts: readonly TextInContext[],
    options: { kind: EmbeddingKind; signal: AbortSignal },
  ): Promise<Read[]>;
  /** Loads early what the first call would wait for, if it came with the app. Absent if there is nothing to load. */
  prepare?(): void;
  /** Frees the memory; the next call loads again. */
  close(): Promise<void>;
}
