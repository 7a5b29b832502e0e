// The page before the app, see static-shell.ts: taken away once the app has something better to show.
import { log } from '../../domain/base/log.ts';
import { leaveEarlyField } from './early-words.ts';

/** Read by `public/theme.js` before the first paint of the next start: `page` shows the frame, `none` nothing, as a locked device. */
const KEY = 'recollect.first-paint';

let drawn = () => {};
/** Resolves once a screen of the app stands where the page before it stood. */
export const firstScreen = new Promise<void>((resolve) => {
  drawn = resolve;
});

/** A screen of the app is there, or says why it is not. */
export function firstScreenDrawn(): void {
  leaveEarlyField();
  drawn();
}

/** Says what the next start shows before the app is there. */
export function keepFirstPaint(shown: 'page' | 'none'): void {
  try {
    localStorage.setItem(KEY, shown);
  } catch (error) {
    log.debug('The next start shows the page of a first visit for a moment', error);
  }
}
