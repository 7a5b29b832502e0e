// Text typed into the page before the app is there (static-shell.ts): kept until a composer stands at the same place and takes it over.
// `public/start.js` notes what happens in the field until then.
interface EarlyWords {
  readonly text: string;
  readonly caret: number;
  /** The field had the focus. */
  readonly isFocused: boolean;
  /** The key that was pressed to send, as `KeyboardEvent` wants it; null: none. */
  readonly pressed: KeyboardEventInit | null;
}

/** Words whose field had to go before there was a composer. */
let kept: EarlyWords | null = null;
/** Screens on their way that may have a composer. */
let waiting = 0;
let isDrawn = false;
/** Gives the words to the composer that asked for them. */
let handOver: (() => void) | null = null;

/** True on the first visit of all, where the page says what the app is. */
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

/** Takes the page before the app away; words that were typed there wait for the next composer. */
export function removeFirstPaint(): void {
  const page = shell();
  const field = fieldOf(page);
  if (field && field.value !== '') kept = { ...read(field), isFocused: false, pressed: null };
  page?.remove();
}

function settle(): void {
  // After the composer of the same drawing had its turn; not while it waits for a word that is being composed.
  queueMicrotask(() => {
    if (isDrawn && waiting === 0 && handOver === null) removeFirstPaint();
  });
}

/** The frame of the app is there: of the page before, the field alone stays, for as long as a composer may still come. */
export function leaveEarlyField(): void {
  isDrawn = true;
  const page = shell();
  if (fieldOf(page)) page?.setAttribute('data-field-alone', '');
  handOver?.();
  settle();
}

/** A screen that may have a composer is being loaded, until the returned function is called. */
export function composerMayCome(): () => void {
  waiting += 1;
  return () => {
    waiting -= 1;
    settle();
  };
}

/**
 * Hands over what was typed before: once, to the composer that asks first, when an input method has finished its word and the page of a first
 * visit may go. `take` is not called where nothing was typed and the field had no focus. The returned function takes the wish back.
 */
export function takeEarlyWords(take: (words: EarlyWords) => void): () => void {
  const mine = () => {
    if (handOver !== mine) return;
    const field = fieldOf(shell());
    if (field?.dataset.composing !== undefined) {
      const end = () => {
        // `start.js` hears of it later, at the document.
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
