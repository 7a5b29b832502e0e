// A pairing link carries the key of a whole account behind its `#`. It is taken out of the address and of the tab's history as soon as this file
// is read, before anything else of the app runs; the app then has it in memory only, until the screen that asks about it is left. What the
// browser wrote into files of its own when it opened the link stays there: the screen says so.
import { type Writable, writable } from '../../domain/base/readable.ts';
import { PAIR_PARAMETER } from '../../domain/sync/pairing.ts';

/** Address of the screen that asks what to do with a link. */
export const PAIR_PATH = '/pair';

/** The link that was opened (its fragment), or null. Secret. */
export const openedLink: Writable<string | null> = writable<string | null>(null);

/** True if a fragment is one of a pairing link. */
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
  // A link pasted into the address of a tab that runs already changes nothing but the fragment.
  window.addEventListener('hashchange', () => {
    if (take()) window.dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  });
}
