// Messages between callers that want vectors and the one thread that runs the model.
// Each caller has a MessagePort of its own; any number of them may lead to the same thread.
import { z } from 'zod';
import type { MessageEndpoint } from '../../domain/threads/endpoint.ts';

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
/** Vectors of a text's tokens: see `Read` in the contract. */
const tokenVectorsSchema = z.object({
  bits: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  tokens: numbers,
  weights: numbers,
});
export type TokenVectors = z.infer<typeof tokenVectorsSchema>;

export const modelCalls = {
  embed: {
    /** Texts are embedded as they are; the caller adds prefixes. `kind` decides which request is served first. */
    given: z.object({
      model: localModelSchema,
      kind: z.enum(['query', 'passage']),
      texts: z.array(z.string()).min(1),
      /** Characters of each text that are only context. Present: the caller wants token vectors too. */
      contexts: z.array(z.number().int().min(0)).optional(),
    }),
    /** `tokenVectors`: those of each text, in order. */
    answer: z.object({ vectors: z.array(numbers), tokenVectors: z.array(tokenVectorsSchema).optional() }),
  },
};

export const portNewsSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('loading'), loaded: z.number(), total: z.number() }),
  z.object({
    type: z.literal('ready'),
    dimensions: z.number().int().positive(),
    /** Concurrency: how many passages are read at the same time. */
    concurrency: z.number().int().positive(),
  }),
  /**
   * The thread ends; the caller repeats unanswered requests on a new port. `withoutGpu`:
   * WebGPU failed here, ask for `wasm`.
   */
  z.object({ type: z.literal('retired'), withoutGpu: z.boolean() }),
  /** The caller closes the port. */
  z.object({ type: z.literal('bye') }),
]);
export type PortNews = z.infer<typeof portNewsSchema>;

/** The members of a MessagePort that are needed; the browser's and Node's both have them. */
export type Port = Required<MessageEndpoint> & { close(): void };

/**
 * A connection to the thread. `lost` fires when the thread is gone; its reason is
 * `RETIRED`, or the error that ended it.
 */
export interface ModelConnection {
  readonly port: Port;
  readonly lost: AbortSignal;
}

/** Reason of a `lost` that is no failure: the thread retired, and a new connection leads to a new thread. */
export const RETIRED = 'retired';
