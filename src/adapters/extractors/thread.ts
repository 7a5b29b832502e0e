// Taking the words out of documents, in a worker that lives as long as one document is read: it can be ended at any moment, whatever it does.
import { z } from 'zod';
import { callWorker } from '../../domain/base/worker-call.ts';
import type { ExtractedText } from '../../domain/chat/message.ts';
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

const newsSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), done: z.number(), total: z.number() }),
  z.object({
    type: z.literal('extracted'),
    extract: z.custom<ExtractedText>((value) => typeof value === 'object'),
  }),
  z.object({ type: z.literal('refused'), reason: z.custom<Refusal>(), detail: z.string() }),
]);
export type ExtractionNews = z.infer<typeof newsSchema>;

/** Starts a worker for each document. */
export const createExtraction = (startWorker: () => Worker): Extraction => ({
  extract: (file, { signal, onProgress }) =>
    callWorker<Extracted>(startWorker, {
      message: file,
      signal,
      read: (data) => {
        const news = newsSchema.safeParse(data).data;
        // PDF.js says that it is ready, to whom it does not know.
        if (news?.type === 'progress') onProgress?.(news.done, news.total);
        else if (news?.type === 'extracted') return { ok: true, extract: news.extract };
        else if (news) return { ok: false, reason: news.reason, detail: news.detail };
        return undefined;
      },
      stopped: (detail) => ({ ok: false, reason: 'damaged', detail }),
    }),
});
