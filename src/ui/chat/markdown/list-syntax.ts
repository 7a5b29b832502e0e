// Lists as models write them. Code in an item often stands at the edge of the text, or its closing fence does: to
// CommonMark the item ends there, and the closing fence begins code that swallows the rest. And a list that does not
// begin with one goes on below words without an empty line.
import { blockQuote, list } from 'micromark-core-commonmark';
import type { Code, Construct, Extension, State } from 'micromark-util-types';
import { endsCode, gluedMarks } from './fence-syntax.ts';

const GREATER = 62;
const STAR = 42;
const MARKERS = [42, 43, 45, ...Array.from({ length: 10 }, (_, digit) => 48 + digit)];

/** A text that may have a list. */
const LISTS = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/m;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)/;
const FENCE = /^[ \t]*(`{3,}(?!`)|~{3,}(?!~))[^`\r\n]*$/;

const widthOf = (line: string): number => {
  let width = 0;
  for (const sign of line) {
    if (sign === '\t') width += 4 - (width % 4);
    else if (sign === ' ') width += 1;
    else return width;
  }
  return width;
};

interface Line {
  readonly at: number;
  readonly text: string;
}

const linesOf = (source: string): Line[] =>
  [...source.matchAll(/[^\r\n]+|\r\n?|\n/g)].flatMap(({ 0: text, index }) =>
    /[\r\n]/.test(text) ? [] : [{ at: index, text }],
  );

/** Goes on by one line: the columns at which the words of the items begin that it stands in, and its words. */
function within(columns: readonly number[], { text }: Line): { columns: readonly number[]; words: string } {
  const width = widthOf(text);
  const kept = columns.filter((column) => column <= width);
  let words = text;
  let from = 0;
  for (let item = ITEM.exec(words); item; item = ITEM.exec(words)) {
    from += item[0].length;
    kept.push(from);
    words = words.slice(item[0].length);
  }
  return { columns: kept, words };
}

/**
 * Returns the beginnings of the lines that belong to code in an item of a list though they stand further to the edge.
 * Code that no fence closes has none, unless the text is still being written (`partial`).
 */
export function looseLines(source: string, partial: boolean): ReadonlySet<number> {
  const loose = new Set<number>();
  if (!/```|~~~/.test(source) || !LISTS.test(source)) return loose;
  const lines = linesOf(source);
  let item: ReturnType<typeof within> = { columns: [], words: '' };
  for (let at = 0; at < lines.length; at += 1) {
    item = within(item.columns, lines[at] as Line);
    const run = FENCE.exec(item.words)?.[1] ?? gluedMarks(item.words);
    if (run === undefined) continue;
    let end = at + 1;
    while (end < lines.length && !FENCE.test((lines[end] as Line).text)) end += 1;
    const [line = '', closing = ''] = FENCE.exec(lines[end]?.text ?? '') ?? [];
    const isClosed = closing.startsWith(run) && endsCode(line);
    const column = item.columns.at(-1) ?? 0;
    if (column > 0 && (isClosed || (partial && closing === '')))
      for (const begin of outside(lines.slice(at + 1, end + 1), column, isClosed)) loose.add(begin);
    at = isClosed ? end : end - 1;
  }
  return loose;
}

/**
 * Reads all lines of code from the edge if one stands further to it than the item, so that
 * they stay as they stand to each other.
 */
function outside(lines: readonly Line[], column: number, isClosed: boolean): number[] {
  const isOut = ({ text }: Line) => text.trim() !== '' && widthOf(text) < column;
  const code = isClosed ? lines.slice(0, -1) : lines;
  const last = lines.at(-1);
  return [
    ...(code.some(isOut) ? code.map(({ at }) => at) : []),
    ...(isClosed && last && isOut(last) ? [last.at] : []),
  ];
}

const lineBegin = (source: string, at: number): number =>
  at <= 0 ? 0 : Math.max(source.lastIndexOf('\n', at - 1), source.lastIndexOf('\r', at - 1)) + 1;
const NUMBER = /^(\d{1,9})[.)][ \t]+\S/;
const lineFrom = (source: string, at: number): string =>
  /^[^\r\n]*/.exec(source.slice(at, at + NEAR))?.[0] ?? '';
/** Most of a line that is read, characters. */
const NEAR = 1_000;

/**
 * True if the number at `at` begins a list below words: they announce it or define a link, or the next number follows.
 */
function beginsList(source: string, at: number): boolean {
  const line = lineFrom(source, at);
  const number = Number(NUMBER.exec(line)?.[1] ?? Number.NaN);
  if (Number.isNaN(number)) return false;
  const next = /^(?:\r\n?|\n)[ \t>]*(\d{1,9})[.)][ \t]/.exec(
    source.slice(at + line.length, at + line.length + 100),
  )?.[1];
  if (next !== undefined && Math.abs(Number(next) - number) === 1) return true;
  const begin = lineBegin(source, at);
  const before = source.slice(Math.max(lineBegin(source, begin - 1), begin - NEAR), begin).trimEnd();
  return /[:：][*_]{0,3}$|^[ \t>]*\[[^\]]*\]:/.test(before);
}

/** A year or a count, and a number that is all of a paragraph. */
const NO_ITEM = /^(?:[1-9]\d{3,8}[.)](?:[ \t\r\n]|$)|\d{1,9}[.)][ \t]*(?:$|(?:\r\n?|\n)[ \t]*(?:[\r\n]|$)))/;

/** The row of dashes of a table without bars at its edge: `- | -`. */
const DASHES = /^-[ \t]+(?:\|[ \t]*:?-+:?[ \t]*)+(?:\|[ \t]*)?(?:[\r\n]|$)/;

/** True if no list begins at `at`: a sentence or a table does, or the number is an answer (`42.`). */
const isOfWords = (source: string, at: number): boolean =>
  NO_ITEM.test(source.slice(at, at + 40)) || DASHES.test(source.slice(at, at + 200));

/** Longest formula within words that goes over several lines, characters on each side. */
const FORMULA = 400;
const BLANK = /\n[ \t]*\n/;

/** True if the line goes on with a formula between `\(` and `\)` that began above; its end may be to come. */
function isInFormula(source: string, at: number, partial: boolean): boolean {
  const before = source.slice(Math.max(0, at - FORMULA), at);
  const open = before.lastIndexOf('\\(');
  const above = before.slice(open);
  if (open < 0 || above.includes('\\)') || !above.includes('\n') || BLANK.test(above)) return false;
  const behind = source.slice(at, at + FORMULA);
  const close = behind.indexOf('\\)');
  if (close < 0) return partial && at + FORMULA >= source.length && !BLANK.test(behind);
  return !BLANK.test(behind.slice(0, close));
}

const ITEMS_BEFORE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+$/;
const COMPARED = /^>[ \t]*(?:[$€£¥][ \t]*)?\d/;

/** The prompt of Python with what was typed behind it, and a face. */
const PROMPT = /^>>>(?: \S|[ \t]*(?:[\r\n]|$))/;
const FACE = /^>[_.]{1,3}[<>]/;

/** True if a line that begins at `from` with a prompt is no quotation within those of the line above. */
function isPrompt(source: string, at: number, from: number): boolean {
  if (!PROMPT.test(source.slice(at, at + 20)) || source.slice(from, at).includes('>')) return false;
  const above = source.slice(lineBegin(source, from - 1), from).trimStart();
  return !above.startsWith('>') || PROMPT.test(above);
}

/** True if the sign compares (`>= 3.11`, or `- > 25: expensive` in a list), or belongs to a prompt or a face. */
function compares(source: string, at: number): boolean {
  if (source.startsWith('>=', at) || FACE.test(source.slice(at, at + 5))) return true;
  const from = lineBegin(source, at);
  if (at - from < NEAR && isPrompt(source, at, from)) return true;
  return (
    at - from < NEAR && ITEMS_BEFORE.test(source.slice(from, at)) && COMPARED.test(source.slice(at, at + 20))
  );
}

/** Goes on with a quotation: as the parser does it, whose own construct is off. */
const goesOn = (quotation: () => Construct): Construct => ({
  partial: true,
  tokenize(effects, ok, nok) {
    let size = 0;
    const start: State = (code) => {
      if (!isSpace(code)) return effects.attempt(quotation(), ok, nok)(code);
      effects.enter('linePrefix');
      return prefix(code);
    };
    const prefix: State = (code) => {
      if (isSpace(code) && size < 3) {
        size += 1;
        effects.consume(code);
        return prefix;
      }
      effects.exit('linePrefix');
      return effects.attempt(quotation(), ok, nok)(code);
    };
    return start;
  },
});
const isSpace = (code: Code): boolean => code === -2 || code === -1 || code === 32;

/**
 * How far a line is set in that begins an item with a sign: two signs are enough for many writers below
 * `1. `, where CommonMark wants three.
 */
const insetOf = (source: string, at: number): number =>
  /^( {2,3})[-*+][ \t]+\S/.exec(source.slice(at, at + 20))?.[1]?.length ?? 0;

/** A line that is bold as a whole: a title. */
const TITLE = /^\*\*(?! )[^*\r\n]{1,120}\*\*[:：]?[ \t]*(?=[\r\n]|$)/;

/** Distance above a title in which its list begins, or goes on, at the edge; characters. */
const ABOVE = 4_000;
const AT_EDGE = /^ ?(?:(>)|[-*+][ \t]|(\d{1,9}[.)])[ \t])/;

/** True if what stands above is a list with signs, or a quotation: numbers would begin anew behind a title. */
function isBelowSigns(source: string, at: number): boolean {
  const lines = source.slice(Math.max(0, at - ABOVE), at).split(/\r\n?|\n/);
  const [, , number] = lines.map((line) => AT_EDGE.exec(line)).findLast((found) => found !== null) ?? [];
  return number === undefined;
}

/** Ends the list or the quotation above a title at the edge; CommonMark makes it the last line of what is above. */
const titleBelow = (source: string, partial: boolean): Construct => ({
  name: 'titleBelow',
  tokenize(_effects, ok, nok) {
    return (code) => {
      const { line, offset } = this.now();
      if (!this.interrupt || !this.parser.lazy[line]) return nok(code);
      const title = TITLE.exec(source.slice(offset, offset + 200))?.[0];
      // Words may still follow on its line.
      const isWhole = title !== undefined && !(partial && offset + title.length >= source.length);
      return isWhole && isBelowSigns(source, offset) ? ok(code) : nok(code);
    };
  },
});

/** The micromark extension for one text. */
export function listSyntax(source: string, { partial }: { readonly partial: boolean }): Extension {
  const loose = looseLines(source, partial);
  // The parser's own is off, by its name: it would begin a list where this one does not.
  const next: Construct = { ...list, name: 'listGuarded' };
  const item: Construct = {
    ...next,
    tokenize(effects, ok, nok) {
      const usual = list.tokenize.call(this, effects, ok, nok);
      const below = list.tokenize.call(
        Object.create(this, { interrupt: { value: false } }),
        effects,
        ok,
        nok,
      );
      return (code) => {
        const { offset } = this.now();
        if (isOfWords(source, offset) || isInFormula(source, offset, partial)) return nok(code);
        return this.interrupt && beginsList(source, offset) ? below(code) : usual(code);
      };
    },
    continuation: {
      tokenize(effects, ok, nok) {
        const goOn = (list.continuation as Construct).tokenize;
        const usual = goOn.call(this, effects, ok, (code) => effects.attempt(next, ok, nok)(code));
        return (code) => {
          const { offset } = this.now();
          const inset = this.containerState?.type === 'listOrdered' ? insetOf(source, offset) : 0;
          // The item's words begin there for the lines that follow, too.
          if (this.containerState && inset > 0 && inset < Number(this.containerState.size))
            this.containerState.size = inset;
          return loose.has(offset) ? ok(code) : usual(code);
        };
      },
    },
  };
  const quotation: Construct = {
    ...blockQuote,
    name: 'blockQuoteGuarded',
    tokenize(effects, ok, nok) {
      const inner = blockQuote.tokenize.call(this, effects, ok, nok);
      return (code) => (compares(source, this.now().offset) ? nok(code) : inner(code));
    },
    continuation: goesOn(() => quotation),
  };
  const quotes = source.includes('>');
  const lists = LISTS.test(source);
  return {
    disable: { null: [...(quotes ? ['blockQuote'] : []), ...(lists ? ['list'] : [])] },
    ...(source.includes('**') && (quotes || lists) ? { flow: { [STAR]: titleBelow(source, partial) } } : {}),
    document: {
      ...(lists ? Object.fromEntries(MARKERS.map((marker) => [marker, item])) : {}),
      ...(quotes ? { [GREATER]: quotation } : {}),
    },
  };
}
