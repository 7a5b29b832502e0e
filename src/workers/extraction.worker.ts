// The worker that extracts the text of one attached document.
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { cmapsAt } from '../adapters/extractors/cmaps.ts';
import { extractFrom } from '../adapters/extractors/extract.ts';
import { extractionCalls } from '../adapters/extractors/thread.ts';
import { serveCalls } from '../domain/threads/calls.ts';

watchWorker(self, 'extraction');

/** Least time between two progress reports, ms: a book may yield a page every millisecond. */
const REPORT_EVERY_MS = 100;

serveCalls(extractionCalls, self, {
  extract: (file, { progress }) => {
    let sentAt = 0;
    return extractFrom(file, {
      cmap: cmapsAt(new URL(`/${import.meta.env.VITE_CMAPS}`, self.location.origin).href),
      onProgress: (done, total) => {
        if (performance.now() - sentAt < REPORT_EVERY_MS) return;
        sentAt = performance.now();
        progress({ done, total });
      },
    });
  },
});
