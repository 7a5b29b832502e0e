// What another app shares arrives at the service worker, which has no key: it is kept, sealed where the device locks, and the app opens to take it.
import { createLockRecords } from '../adapters/vault/lock-records.ts';
import { orElse } from '../domain/base/log.ts';
import { SHARED_FIELDS, sharedWords } from '../domain/chat/shared-words.ts';
import { keepShared } from '../services/lock/shared.ts';

/** As the web app manifest names it (`vite.config.ts`). */
export const SHARE_PATH = '/shared';

/** Answers with the way to the app. Where nothing can be kept the words go along in its address, rather than be lost. */
export async function keepArrival(request: Request): Promise<Response> {
  const form = await request.formData();
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
    return seeOther(kept ? '/' : `/?${new URLSearchParams({ [SHARED_FIELDS[1]]: words })}`);
  } finally {
    records.close();
  }
}

/** `Response.redirect` would need a whole address. */
const seeOther = (location: string) => new Response(null, { status: 303, headers: { location } });
