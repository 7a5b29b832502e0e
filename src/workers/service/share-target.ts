// Receives words that another app shares (Web Share Target). The service worker has no key of the device; if that has a
// lock, it stores them sealed with a public key. Then it opens the app.
import { createLockRecords } from '../../adapters/vault/lock-records.ts';
import { orElse } from '../../domain/base/log.ts';
import { SHARED_FIELDS, sharedWords } from '../../domain/chat/shared-words.ts';
import { keepShared } from '../../services/lock/shared.ts';

/** Path named in the web app manifest (`vite.config.ts`). */
export const SHARE_PATH = '/shared';

/**
 * Stores the words of a share (a POST of the fields `SHARED_FIELDS`) and redirects to the app (303). If they cannot be
 * stored, they go into the address, so that they are not lost. Rejects if the request holds no form.
 */
export async function storeSharedWords(request: Request): Promise<Response> {
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

/** Makes the redirect by hand, since `Response.redirect` wants an absolute address. */
const seeOther = (location: string) => new Response(null, { status: 303, headers: { location } });
