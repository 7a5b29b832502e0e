// Messages between callers that want vectors and the one thread that runs the model.
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
  /** Texts at once if batches pay (WebGPU). */
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
    /** Texts are embedded as they are; the caller adds prefixes. `kind` decides which request is served first. */
    given: z.object({
      model: localModelSchema,
      kind: z.enum(['query', 'passage']),
      texts: z.array(z.string()).min(1),
      /** Characters of each text that are only context. Present: the caller wants the pieces' vectors too. */
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
  /** The thread ends; the caller repeats unanswered requests on a new line. `withoutGpu`: WebGPU failed here, ask for `wasm`. */
  z.object({ type: z.literal('retired'), withoutGpu: z.boolean() }),
  /** The caller closes the line. */
  z.object({ type: z.literal('bye') }),
]);
export type LineNews = z.infer<typeof lineNewsSchema>;

/** The members of a MessagePort that a line needs; the browser's and Node's both have them. */
export type Port = Required<Endpoint> & { close(): void };

/** A connection to the thread. `lost` fires when the thread is gone; its reason is `RETIRED`, or the error that ended it. */
export interface Line {
  readonly port: Port;
  readonly lost: AbortSignal;
}

/** Reason of a `lost` that is no failure: the thread retired, and a new line leads to a new thread. */
export const RETIRED = 'retired';
