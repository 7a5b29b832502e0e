// Receives what another app shares (Web Share Target), then opens the app. The service worker has no key of the
// device; if that has a lock, it stores words sealed with a public key. Files wait in memory until the page takes them.
import { createLockRecords } from '../../adapters/vault/lock-records.ts';
import { orElse } from '../../domain/base/log.ts';
import { SHARED_FIELDS, SHARED_FILES, sharedWords } from '../../domain/chat/shared-words.ts';
import { keepShared } from '../../services/lock/shared.ts';

/** Path named in the web app manifest (`vite.config.ts`). */
export const SHARE_PATH = '/shared';

/** Longest time that files wait for a page, ms: a browser ends a service worker that does nothing. */
const WAIT_MS = 120_000;
let waiting: readonly File[] = [];
const NOTHING = () => {};
/** Lets go of the waiting files, and of this worker. */
let letGo = NOTHING;

/** Hands the waiting files to the page that asks, over its port: each file once. */
export function handOverFiles(port: Pick<MessagePort, 'postMessage'>): void {
  port.postMessage(waiting);
  letGo();
}

/**
 * Holds files until a page takes them, `WAIT_MS` at most: nothing of them is on the disk of a locked device. Those of
 * an earlier share that still wait, as behind the lock screen, wait on with them.
 */
function hold(files: readonly File[], event: Pick<ExtendableEvent, 'waitUntil'>): void {
  const all = [...waiting, ...files];
  letGo();
  waiting = all;
  event.waitUntil(
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        waiting = [];
        letGo = NOTHING;
        resolve();
      };
      const timer = setTimeout(end, WAIT_MS);
      letGo = end;
    }),
  );
}

/**
 * Stores the words of a share (a POST of the fields `SHARED_FIELDS`), holds its files, and redirects to the app (303).
 * Words that cannot be stored go into the address, so that they are not lost. Rejects if the request holds no form.
 */
export async function takeShare(
  request: Request,
  event: Pick<ExtendableEvent, 'waitUntil'>,
): Promise<Response> {
  const form = await request.formData();
  const files = form.getAll(SHARED_FILES).filter((one) => one instanceof File && one.size > 0) as File[];
  if (files.length > 0) hold(files, event);
  const words = sharedWords((name) => form.get(name));
  const records = createLockRecords();
  try {
    const kept =
      words === '' ||
      (await orElse(
        keepShared(records, words, Date.now),
        false,
        'words that were shared: they go to the page',
      ));
    const rest = new URLSearchParams({
      ...(files.length > 0 ? { open: 'files' } : {}),
      ...(kept ? {} : { [SHARED_FIELDS[1]]: words }),
    });
    return seeOther(rest.size > 0 ? `/?${rest}` : '/');
  } finally {
    records.close();
  }
}

/** Makes the redirect by hand, since `Response.redirect` wants an absolute address. */
const seeOther = (location: string) => new Response(null, { status: 303, headers: { location } });
