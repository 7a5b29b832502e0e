// The thread that takes the words out of one document.
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { cmapsAt } from '../adapters/extractors/cmaps.ts';
import { extractFrom } from '../adapters/extractors/extract.ts';
import type { ExtractionNews } from '../adapters/extractors/thread.ts';

watchWorker(self, 'extraction');

const send = (news: ExtractionNews) => self.postMessage(news);
/** Time between two reports, ms: a book has a page each millisecond. */
const PAUSE = 100;

self.addEventListener(
  'message',
  async ({ data }: MessageEvent<File>) => {
    let sentAt = 0;
    const result = await extractFrom(data, {
      cmap: cmapsAt(new URL(`/${import.meta.env.VITE_CMAPS}`, self.location.origin).href),
      onProgress: (done, total) => {
        if (performance.now() - sentAt < PAUSE) return;
        sentAt = performance.now();
        send({ type: 'progress', done, total });
      },
    });
    if (result.ok) send({ type: 'extracted', extract: result.extract });
    else send({ type: 'refused', reason: result.reason, detail: result.detail });
  },
  { once: true },
);
