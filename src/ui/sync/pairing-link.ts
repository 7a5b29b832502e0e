// A pairing link carries the key of a whole account behind its `#`. This file removes it from the address and the
// tab's history as soon as it is loaded, before anything else of the app runs; the app then keeps it only in memory,
// until the person leaves the screen that asks about it. Copies in the browser's own files, written when it opened the
// link, stay there: the screen says so.
import { type Writable, writable } from '../../domain/base/readable.ts';
import { PAIR_PARAMETER } from '../../domain/sync/pairing.ts';

/** Address of the screen that asks what to do with a link. */
export const PAIR_PATH = '/pair';

/** Fragment of the opened link, or null. Secret. */
export const openedLink: Writable<string | null> = writable<string | null>(null);

/** True if a fragment belongs to a pairing link. */
export const isPairingFragment = (hash: string): boolean => new RegExp(`[#&]${PAIR_PARAMETER}=`).test(hash);

function take(): boolean {
  const { hash } = location;
  if (!isPairingFragment(hash)) return false;
  history.replaceState(history.state, '', PAIR_PATH);
  openedLink.set(hash);
  return true;
}

if (typeof window !== 'undefined') {
  take();
  // Pasting a link into the address of a running tab changes only the fragment.
  window.addEventListener('hashchange', () => {
    if (take()) window.dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  });
}
