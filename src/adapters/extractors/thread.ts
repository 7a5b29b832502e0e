// Taking the words out of documents, in a worker that lives as long as one document is read: it can be ended at any moment, whatever it does.
import { z } from 'zod';
import { toProblem } from '../../domain/base/errors.ts';
import type { ExtractedText } from '../../domain/chat/message.ts';
import { callWorker } from '../../domain/threads/one-call.ts';
import type { Extracted } from './extract.ts';
import type { Refusal } from './extractor.ts';

export interface Extraction {
  /**
   * The words of a document with their places, or why there are none. Rejects with the reason of `signal` alone: a file that stops its worker
   * is `damaged`. `onProgress`: parts that are read, of how many.
   */
  extract(
    file: File,
    options: { readonly signal: AbortSignal; readonly onProgress?: (done: number, total: number) => void },
  ): Promise<Extracted>;
}

export const extractionCalls = {
  extract: {
    given: z.custom<File>((value) => value instanceof File),
    progress: z.object({ done: z.number(), total: z.number() }),
    answer: z.discriminatedUnion('ok', [
      z.object({
        ok: z.literal(true),
        extract: z.custom<ExtractedText>((value) => typeof value === 'object'),
      }),
      z.object({ ok: z.literal(false), reason: z.custom<Refusal>(), detail: z.string() }),
    ]),
  },
};

/** Starts a worker for each document. */
export const createExtraction = (startWorker: () => Worker): Extraction => ({
  extract: async (file, { signal, onProgress }): Promise<Extracted> => {
    try {
      return await callWorker(startWorker, extractionCalls, 'extract', file, {
        signal,
        onProgress: ({ done, total }) => onProgress?.(done, total),
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return { ok: false, reason: 'damaged', detail: toProblem(error).message };
    }
  },
});
