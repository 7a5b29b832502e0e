// Keeps text typed into the page before the app started (static-shell.ts) until a composer at the same place takes it
// over. `public/start.js` records what happens in the field until then.
interface EarlyWords {
  readonly text: string;
  readonly caret: number;
  /** True if the field had the focus. */
  readonly isFocused: boolean;
  /** Key pressed to send, as a `KeyboardEvent` takes it; null: none. */
  readonly pressed: KeyboardEventInit | null;
}

/** Text whose field had to go before a composer existed. */
let kept: EarlyWords | null = null;
/** Number of loading screens that may have a composer. */
let waiting = 0;
let isDrawn = false;
/** Passes the text to the composer that asked for it. */
let handOver: (() => void) | null = null;

/** True on the very first visit, when the page explains the app. */
export const isFirstVisit = (): boolean => document.documentElement.dataset.firstPaint === 'first';

const shell = (): HTMLElement | null => document.getElementById('first-paint');

function fieldOf(page: HTMLElement | null): HTMLTextAreaElement | null {
  const { firstPaintLanguage = 'en', firstPaintWords, firstPaint } = document.documentElement.dataset;
  if (firstPaintWords === 'hidden' || firstPaint === 'none') return null;
  return page?.querySelector<HTMLTextAreaElement>(`textarea[lang=${firstPaintLanguage}]`) ?? null;
}

function read(field: HTMLTextAreaElement): EarlyWords {
  const { pressed } = field.dataset;
  return {
    text: field.value,
    caret: field.selectionStart,
    isFocused: document.activeElement === field,
    pressed: pressed === undefined ? null : (JSON.parse(pressed) as KeyboardEventInit),
  };
}

/** Removes the page before the app; text typed there waits for the next composer. */
export function removeFirstPaint(): void {
  const page = shell();
  const field = fieldOf(page);
  if (field && field.value !== '') kept = { ...read(field), isFocused: false, pressed: null };
  page?.remove();
}

function settle(): void {
  // Runs after a composer of the same render had its turn, but not while a composer waits for the end of a composition.
  queueMicrotask(() => {
    if (isDrawn && waiting === 0 && handOver === null) removeFirstPaint();
  });
}

/**
 * Removes the first paint once the app's frame is drawn; its field stays while a
 * composer may still take its words over.
 */
export function leaveEarlyField(): void {
  isDrawn = true;
  const page = shell();
  if (fieldOf(page)) page?.setAttribute('data-field-alone', '');
  handOver?.();
  settle();
}

/** Announces that a screen that may have a composer is loading, until the returned function is called. */
export function composerMayCome(): () => void {
  waiting += 1;
  return () => {
    waiting -= 1;
    settle();
  };
}

/**
 * Hands earlier text once to the first composer that asks, when an input method has finished its word and the
 * first-visit page may go; no `take` if nothing was typed and the field had no focus. The returned function cancels.
 */
export function takeEarlyWords(take: (words: EarlyWords) => void): () => void {
  const mine = () => {
    if (handOver !== mine) return;
    const field = fieldOf(shell());
    if (field?.dataset.composing !== undefined) {
      const end = () => {
        // `start.js` hears the event only later, on the document.
        delete field.dataset.composing;
        mine();
      };
      field.addEventListener('compositionend', end, { once: true });
      return;
    }
    handOver = null;
    const words = field ? read(field) : kept;
    kept = null;
    shell()?.remove();
    if (words && (words.text !== '' || words.isFocused)) take(words);
  };
  handOver = mine;
  if (isDrawn || !isFirstVisit()) mine();
  return () => {
    if (handOver !== mine) return;
    handOver = null;
    settle();
  };
}
