// The lines of a block of code. Only lines near the visible part get colours, but all lines exist,
// so that they can be found and copied.
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { type CodeLine, useColours } from './colours.ts';

/** Lines that are coloured together. */
const SLICE = 100;
/** Distance from the visible part within which colours are drawn. */
const AHEAD = '600px';

interface Slice {
  readonly from: number;
  readonly to: number;
  /** Number of the slice's first line. */
  readonly line: number;
}

function slicesOf(code: string): Slice[] {
  const slices: Slice[] = [];
  let from = 0;
  let line = 0;
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) {
    line += 1;
    if (line % SLICE !== 0) continue;
    slices.push({ from, to: at + 1, line: line - SLICE });
    from = at + 1;
  }
  slices.push({ from, to: code.length, line: line - (line % SLICE) });
  return slices;
}

interface Run {
  content: string;
  light: string | undefined;
  dark: string | undefined;
}

const isBlank = (text: string): boolean => text.trim() === '';

/**
 * Joins neighbouring tokens of one colour, and blanks with their neighbour: a third of all
 * elements in code would show only a blank.
 */
function runsOf(tokens: CodeLine): readonly Run[] {
  const runs: Run[] = [];
  for (const { content, htmlStyle } of tokens) {
    const { color, '--shiki-dark': dark, '--shiki-light': light = color } = htmlStyle ?? {};
    const last = runs.at(-1);
    if (last && (isBlank(content) || (last.light === light && last.dark === dark))) last.content += content;
    else if (last && isBlank(last.content))
      Object.assign(last, { content: last.content + content, light, dark });
    else runs.push({ content, light, dark });
  }
  return runs;
}

const Line = memo(function Line({ tokens }: { tokens: CodeLine }) {
  return runsOf(tokens).map(({ content, light, dark }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line have no other identity
    <span key={at} style={{ '--light': light, '--dark': dark } as object}>
      {content}
    </span>
  ));
});

interface LinesProps {
  readonly at: number;
  /** Coloured lines, and the uncoloured text after them. */
  readonly rows: readonly CodeLine[];
  readonly rest: string;
}
const isSame = (one: LinesProps, other: LinesProps): boolean =>
  one.rest === other.rest &&
  one.rows.length === other.rows.length &&
  one.rows.every((row, at) => row === other.rows[at]);

const Lines = memo(function Lines({ at, rows, rest }: LinesProps) {
  return (
    <span data-slice={at}>
      {rows.flatMap((row, line) => [
        line > 0 && '\n',
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
        <Line key={line} tokens={row} />,
      ])}
      {rest}
    </span>
  );
}, isSame);

/** Numbers of the slices that were ever near the visible part, the first among them. `box` holds them. */
function useNear(count: number) {
  const box = useRef<HTMLElement>(null);
  const [near, setNear] = useState<ReadonlySet<number>>(() => new Set([0]));
  useEffect(() => {
    if (count < 2) return;
    const watch = new IntersectionObserver(
      (entries) => {
        const come = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target);
        for (const target of come) watch.unobserve(target);
        if (come.length === 0) return;
        setNear(
          (before) =>
            new Set([...before, ...come.map((target) => Number((target as HTMLElement).dataset.slice))]),
        );
      },
      // The page scrolls within itself.
      { scrollMargin: AHEAD } as IntersectionObserverInit,
    );
    for (const slice of box.current?.children ?? []) watch.observe(slice);
    return () => watch.disconnect();
  }, [count]);
  return { box, near };
}

export function CodeLines({ code, language, open }: { code: string; language: string; open: boolean }) {
  const slices = useMemo(() => slicesOf(code), [code]);
  const { box, near } = useNear(slices.length);
  const upTo = slices.findLast((_, at) => near.has(at))?.to ?? 0;
  const { code: coloured, rows } = useColours(code, language, open, upTo);
  return (
    <code ref={box}>
      {slices.map(({ from, to, line }, at) => {
        const known = near.has(at) ? Math.min(coloured.length, to) : from;
        const isWhole = known === to && at < slices.length - 1;
        const own = known > from ? rows.slice(line, line + SLICE) : [];
        // The last line of a slice ends in it; the row behind that end is of the next one.
        const rest = isWhole ? '\n' : code.slice(Math.max(known, from), to);
        // biome-ignore lint/suspicious/noArrayIndexKey: a slice is its place
        return <Lines key={at} at={at} rows={own} rest={rest} />;
      })}
    </code>
  );
}
