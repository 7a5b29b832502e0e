// The thread that extracts the text of one document.
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { cmapsAt } from '../adapters/extractors/cmaps.ts';
import { extractFrom } from '../adapters/extractors/extract.ts';
import { extractionCalls } from '../adapters/extractors/thread.ts';
import { serveCalls } from '../domain/threads/calls.ts';

watchWorker(self, 'extraction');

/** Shortest time between two progress reports, in ms: a book may have a page per millisecond. */
const PAUSE = 100;

serveCalls(extractionCalls, self, {
  extract: (file, { progress }) => {
    let sentAt = 0;
    return extractFrom(file, {
      cmap: cmapsAt(new URL(`/${import.meta.env.VITE_CMAPS}`, self.location.origin).href),
      onProgress: (done, total) => {
        if (performance.now() - sentAt < PAUSE) return;
        sentAt = performance.now();
        progress({ done, total });
      },
    });
  },
});
