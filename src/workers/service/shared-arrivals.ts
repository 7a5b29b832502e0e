// Receives content that another app shares. The service worker has no key, so it stores the content sealed if the device has a
// lock, and opens the app.
import { createLockRecords } from '../../adapters/vault/lock-records.ts';
import { orElse } from '../../domain/base/log.ts';
import { SHARED_FIELDS, sharedWords } from '../../domain/chat/shared-words.ts';
import { keepShared } from '../../services/lock/shared.ts';

/** Path named in the web app manifest (`vite.config.ts`). */
export const SHARE_PATH = '/shared';

/** Stores the shared content and redirects to the app. If nothing can be stored, the words travel in the address rather than get lost. */
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

/** `Response.redirect` requires an absolute address. */
const seeOther = (location: string) => new Response(null, { status: 303, headers: { location } });
