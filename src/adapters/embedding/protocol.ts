// What is said on a line between those who want vectors and the one thread that runs the model.
// A line is a MessagePort; any number of lines may lead to the same thread.
import { z } from 'zod';
import type { Endpoint } from '../../domain/threads/endpoint.ts';

/** Which model to run and how; two equal ones share one copy in memory. */
const localModelSchema = z.object({
  /** Folder below `source`, or a hub id. */
  model: z.string().min(1),
  /** `bundled`, `hub`, or the URL of a folder that holds the model's files. */
  source: z.string().min(1),
  device: z.enum(['auto', 'webgpu', 'wasm']),
  pooling: z.enum(['mean', 'cls']),
  /** Texts at once where batches pay (WebGPU). */
  batchSize: z.number().int().min(1),
});
export type LocalModel = z.infer<typeof localModelSchema>;

const numbers = z.custom<Float32Array>((value) => value instanceof Float32Array);
/** The pieces of a text: see `Read` in the contract. */
const piecesSchema = z.object({
  bits: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  tokens: numbers,
  weights: numbers,
});
export type Pieces = z.infer<typeof piecesSchema>;

export const modelCalls = {
  embed: {
    /** Texts are embedded as they are: prefixes are the asker's business. `kind` decides who goes first. */
    given: z.object({
      model: localModelSchema,
      kind: z.enum(['query', 'passage']),
      texts: z.array(z.string()).min(1),
      /** Characters of each text that are only context. Present: vectors of the pieces are wanted too. */
      contexts: z.array(z.number().int().min(0)).optional(),
    }),
    answer: z.object({ vectors: z.array(numbers), pieces: z.array(piecesSchema).optional() }),
  },
};

export const lineNewsSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('loading'), loaded: z.number(), total: z.number() }),
  z.object({
    type: z.literal('ready'),
    dimensions: z.number().int().positive(),
    /** How many passages are read at the same time. */
    beside: z.number().int().positive(),
  }),
  /**
   * The thread ends; what it has not answered is asked again on a new line. `withoutGpu`: WebGPU failed here, ask for `wasm`.
   */
  z.object({ type: z.literal('retired'), withoutGpu: z.boolean() }),
  /** The asker hangs up. */
  z.object({ type: z.literal('bye') }),
]);
export type LineNews = z.infer<typeof lineNewsSchema>;

/** As much of a MessagePort as a line needs; the browser's and Node's both have it. */
export type Port = Required<Endpoint> & { close(): void };

/** A way to the thread. `lost` fires when the thread is gone without a word; its reason is `RETIRED`, or the error that ended it. */
export interface Line {
  readonly port: Port;
  readonly lost: AbortSignal;
}

/** The reason of a `lost` that is no failure: the thread retired, a new line leads to a new one. */
export const RETIRED = 'retired';
