// Extracts text in a worker of its own for each document, so that a stuck extraction can be ended at any moment.
import { z } from 'zod';
import { toProblem } from '../../domain/base/errors.ts';
import type { ExtractedText } from '../../domain/chat/message.ts';
import { callWorker } from '../../domain/threads/one-call.ts';
import type { Extracted } from './extract.ts';
import type { ExtractionRefusal } from './extractor.ts';

export interface Extraction {
  /**
   * Returns the text of a document with its places, or the reason why there is none. Rejects only with the signal's
   * reason: a file that crashes its worker is `damaged`. `onProgress`: parts read so far, and all of them.
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
      z.object({ ok: z.literal(false), reason: z.custom<ExtractionRefusal>(), detail: z.string() }),
    ]),
  },
};

/** Returns an extraction that starts a worker for each document. */
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
