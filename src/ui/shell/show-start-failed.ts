// Shows one sentence in place of the page if nothing could be drawn.
import { toProblem } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import { couldNotStart } from '../i18n/could-not-start.ts';
import { removeFirstPaint } from './early-words.ts';

/** Replaces the page with one sentence in the browser's language, without React or translations, and logs the error. */
export function showStartFailed(error: unknown): void {
  log.error('The app could not start', error);
  removeFirstPaint();
  const container = document.getElementById('root');
  if (!container) return;
  const { language, text } = couldNotStart(toProblem(error).message, navigator.languages);
  document.documentElement.lang = language;
  container.textContent = text;
}
