// The colours of code: looked for step by step, only as far as somebody looks.
import { useEffect, useRef, useState } from 'react';
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
export type Row = readonly Token[];

/** Code that is coloured so far, from its beginning. */
interface Coloured {
  readonly code: string;
  readonly rows: readonly Row[];
  readonly language: string;
}
const NOTHING: Coloured = { code: '', rows: [], language: '' };

/** Code that is being written is coloured this often at most, ms. */
const COLOUR_MS = 300;
/** Characters that are coloured at once: the page can draw and listen between two steps. */
const STEP = 8_000;
/** A grammar reads a line in one go: code with a longer one stays as it is. Characters. */
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

/** Where the step that begins at `from` ends: behind a line, or with the code. */
function stepEnd(code: string, from: number, upTo: number): number {
  if (upTo - from <= STEP) return upTo;
  return Math.min(code.indexOf('\n', from + STEP) + 1 || upTo, upTo);
}

/** The beginning of `code` in its colours, in the end at least `upTo` characters of it. `open`: still being written. */
export function useColours(code: string, language: string, open: boolean, upTo: number): Coloured {
  const plugin = useLazy(highlighter, language !== '');
  const able = plugin?.supportsLanguage(language as never) && !hasLongLine(code) ? plugin : undefined;
  const lastAt = useRef(Number.NEGATIVE_INFINITY);
  const [late, setLate] = useState(NOTHING);
  // While it grows, the lines that were coloured keep their colours.
  const known = able && late.language === language && code.startsWith(late.code) ? late : NOTHING;
  const done = known.code.length;
  useEffect(() => {
    if (!able || done >= Math.min(upTo, code.length)) return;
    let here = true;
    const part = code.slice(0, stepEnd(code, done, upTo));
    const take = (rows: readonly Row[]) => here && setLate({ code: part, rows, language });
    const colour = () => {
      lastAt.current = performance.now();
      const isIncomplete = open || part.length < code.length;
      const now = able.highlight(
        { code: part, language: language as never, themes: THEMES, isIncomplete },
        (found) => take(found.tokens as Row[]),
      );
      if (now) take(now.tokens as Row[]);
    };
    const wait = open ? lastAt.current + COLOUR_MS - performance.now() : 0;
    const timer = setTimeout(colour, Math.max(0, wait));
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [able, code, language, open, done, upTo]);
  return known;
}
