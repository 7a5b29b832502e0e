// Probes an address that a page may not read, to distinguish "refuses this page" from "not there".

import { z } from 'zod';
import { log } from '../../domain/base/log.ts';

/** Reports come in a task of their own, shortly after the failure, ms. */
const REPORT_MS = 300;

const reportSchema = z.object({ blockedURL: z.string() });

interface Observer {
  observe(): void;
  disconnect(): void;
}
type ObserverMaker = new (
  onReports: (reports: readonly { readonly type: string; readonly body: unknown }[]) => void,
  options: { types: readonly string[] },
) => Observer;

/**
 * True if a server answers at `url` to a bare GET in mode `no-cors`: no key, words, referrer or cookies. An isolated
 * page's report of a refused answer counts too (`Cross-Origin-Embedder-Policy`). Rejects only with the signal's reason.
 */
export async function isSomebodyThere(
  url: string,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<boolean> {
  const { origin } = new URL(url);
  const Maker = (globalThis as unknown as { ReportingObserver?: ObserverMaker }).ReportingObserver;
  let observer: Observer | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const reported = new Promise<boolean>((resolve) => {
    if (!Maker) return;
    observer = new Maker(
      (reports) => {
        // Chromium names the address only in the report's JSON.
        const bodies = reports.map(
          ({ body }) => reportSchema.safeParse(JSON.parse(JSON.stringify(body))).data,
        );
        if (bodies.some((report) => report?.blockedURL.startsWith(origin))) resolve(true);
      },
      { types: ['coep'] },
    );
    observer.observe();
  });
  try {
    // `no-cors` allows only the default redirect mode.
    await send(url, {
      mode: 'no-cors',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal,
    });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    log.debug('An endpoint did not answer without CORS', error);
    const silence = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), observer ? REPORT_MS : 0);
    });
    return await Promise.race([reported, silence]);
  } finally {
    clearTimeout(timer);
    observer?.disconnect();
  }
}
