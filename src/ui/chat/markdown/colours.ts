// Colours code step by step, only as far as it is scrolled into view.
import { useLayoutEffect, useRef, useState } from 'react';
import { createLazy, useLazy } from './lazy.ts';

/** Light and dark. The plain light theme of the family is too pale to be read easily (4.3 : 1). */
const THEMES: ['github-light-high-contrast', 'github-dark'] = ['github-light-high-contrast', 'github-dark'];

const highlighter = createLazy(async () =>
  (await import('@streamdown/code')).createCodePlugin({ themes: THEMES }),
);

interface Token {
  readonly content: string;
  readonly htmlStyle?: Record<string, string>;
}
export type CodeLine = readonly Token[];

/** The coloured beginning of a code. */
interface Coloured {
  readonly code: string;
  readonly rows: readonly CodeLine[];
  readonly language: string;
}
const NOTHING: Coloured = { code: '', rows: [], language: '' };

/** Shortest time between two colourings of code that is still being written, ms. */
const COLOUR_MS = 300;
/** If the next colouring is due within this time, it waits for the next words, ms. */
const NEARLY_MS = 100;
/** Characters coloured at once: between two steps the page can draw and listen. */
const STEP = 8_000;
/** Most characters coloured before they are shown, in the same task: short blocks save a frame. */
const BEFORE_SHOWN = 2_000;
/** Longest line: a grammar reads a line in one go, so code with a longer one keeps no colours. Characters. */
const LONGEST_LINE = 4_000;

const hasLongLine = (code: string): boolean => {
  for (let from = 0; from < code.length; ) {
    const end = code.indexOf('\n', from);
    const to = end < 0 ? code.length : end;
    if (to - from > LONGEST_LINE) return true;
    from = to + 1;
  }
  return false;
};

/** Returns the end of the step that begins at `from`: after a line, or with the code. */
function stepEnd(code: string, from: number, upTo: number): number {
  if (upTo - from <= STEP) return upTo;
  return Math.min(code.indexOf('\n', from + STEP) + 1 || upTo, upTo);
}

/** Returns a function that says if there is time for so many more characters in this task. */
function createAllowance(whole: number): (size: number) => boolean {
  let left = whole;
  return (size) => {
    if (size > left) return false;
    if (left === whole)
      queueMicrotask(() => {
        left = whole;
      });
    left -= size;
    return true;
  };
}
const hasTimeFor = createAllowance(BEFORE_SHOWN);

/** Colours the beginning of `code`, in the end at least `upTo` characters of it. `open`: still being written. */
export function useColours(code: string, language: string, open: boolean, upTo: number): Coloured {
  const plugin = useLazy(highlighter, language !== '');
  const able = plugin?.supportsLanguage(language as never) && !hasLongLine(code) ? plugin : undefined;
  const lastAt = useRef(Number.NEGATIVE_INFINITY);
  const [late, setLate] = useState(NOTHING);
  // While it grows, the lines that were coloured keep their colours.
  const known = able && late.language === language && code.startsWith(late.code) ? late : NOTHING;
  const done = known.code.length;
  useLayoutEffect(() => {
    if (!able || done >= Math.min(upTo, code.length)) return;
    let here = true;
    const part = code.slice(0, stepEnd(code, done, upTo));
    const take = (rows: readonly CodeLine[]) => here && setLate({ code: part, rows, language });
    const colour = () => {
      lastAt.current = performance.now();
      const isIncomplete = open || part.length < code.length;
      const now = able.highlight(
        { code: part, language: language as never, themes: THEMES, isIncomplete },
        (found) => take(found.tokens as CodeLine[]),
      );
      if (now) take(now.tokens as CodeLine[]);
    };
    const wait = open ? lastAt.current + COLOUR_MS - performance.now() : 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (wait <= NEARLY_MS && hasTimeFor(part.length)) colour();
    else timer = setTimeout(colour, Math.max(0, wait));
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [able, code, language, open, done, upTo]);
  return known;
}
