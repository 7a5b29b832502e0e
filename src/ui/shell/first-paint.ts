// Removes the page before the app (static-shell.ts) once the app has something better to show.
import { log } from '../../domain/base/log.ts';
import { leaveEarlyField } from './early-words.ts';

/**
 * Read by `public/theme.js` before the first paint of the next start: `page` shows the frame,
 * `none` nothing, as for a locked device.
 */
const KEY = 'recollect.first-paint';

let drawn = () => {};
/** Resolves once a screen of the app has replaced the page before it. */
export const firstScreen = new Promise<void>((resolve) => {
  drawn = resolve;
});

/** Call when a screen of the app, or its error, is drawn. */
export function firstScreenDrawn(): void {
  leaveEarlyField();
  drawn();
}

/** Stores what the next start shows before the app is ready. */
export function keepFirstPaint(shown: 'page' | 'none'): void {
  try {
    localStorage.setItem(KEY, shown);
  } catch (error) {
    log.debug('The next start shows the page of a first visit for a moment', error);
  }
}
