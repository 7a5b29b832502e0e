// Removes or escapes Markdown's own signs, in one pass over the text: hostile text costs
// no more than any other of its length.
import { blocksOf } from './code.ts';

/** Keeps the words of links and pictures without their targets, also if a picture is the link. */
export function withoutLinks(text: string): string {
  // Neither a label nor a target may contain another bracket, so that no stretch is read twice.
  const target = String.raw`\((?:[^()\n]|\([^()\n]*\))*\)`;
  return text
    .replace(new RegExp(String.raw`!\[([^[\]]*)\]${target}`, 'g'), '$1')
    .replace(new RegExp(String.raw`\[([^[\]]*)\]${target}`, 'g'), '$1');
}

const EMPHASIS = ['**', '__', '~~', '`'] as const;

/** Removes the paired marks of emphasis and code from a line. */
function withoutPairs(line: string): string {
  if (!/[*_~`]/.test(line)) return line;
  // Positions where each mark can close: behind anything but a space.
  const closers = EMPHASIS.map((mark) => {
    const places: number[] = [];
    for (let at = line.indexOf(mark, 1); at > 0; at = line.indexOf(mark, at + 1))
      if (/\S/.test(line[at - 1] as string)) places.push(at);
    return { mark, places, next: 0 };
  });
  const marks = /[*_~`]/g;
  let out = '';
  let copied = 0;
  for (let found = marks.exec(line); found; found = marks.exec(line)) {
    const at = found.index;
    const pair = closers.find((closer) => {
      const { mark, places } = closer;
      if (!line.startsWith(mark, at) || !/\S/.test(line[at + mark.length] ?? ' ')) return false;
      while (closer.next < places.length && (places[closer.next] as number) <= at + mark.length)
        closer.next += 1;
      return closer.next < places.length;
    });
    if (!pair) continue;
    const end = pair.places[pair.next] as number;
    out += line.slice(copied, at) + line.slice(at + pair.mark.length, end);
    copied = end + pair.mark.length;
    marks.lastIndex = copied;
  }
  return out + line.slice(copied);
}

/** Reduces prose to plain words: removes code blocks, inline marks, link targets, headings, bullets and HTML tags. */
export function plainText(markdown: string): string {
  const prose =
    markdown.includes('```') || markdown.includes('~~~')
      ? blocksOf(markdown)
          .map(({ kind, text }) => (kind === 'code' ? '' : text))
          .join('\n')
      : markdown;
  return withoutLinks(prose)
    .replace(/<\/?[a-z][^<>\n]{0,300}>/gi, ' ')
    .replace(/^[ \t]*(?:#{1,6}|>+|[-*+]|\d+[.)])[ \t]+/gm, '')
    .split('\n')
    .map(withoutPairs)
    .join('\n')
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, '')
    .replace(/^[ \t]*(?:\|[ \t]*)?:?-{3,}:?[ \t]*\|.*$/gm, '')
    .replace(/[ \t]+/g, ' ');
}

interface Run {
  readonly at: number;
  readonly length: number;
}

/** Finds runs of backticks, in order. */
const runsOf = (text: string): Run[] =>
  [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ at: index, length: run.length }));

/** For each run, the index of the next run that is at least as long; -1 for none. */
function nextAsLong(runs: readonly Run[]): number[] {
  const next = new Array<number>(runs.length).fill(-1);
  const open: number[] = [];
  runs.forEach(({ length }, place) => {
    while (open.length > 0 && (runs[open.at(-1) as number] as Run).length <= length)
      next[open.pop() as number] = place;
    open.push(place);
  });
  return next;
}

/** For each run, the index of the next run of exactly its length; -1 for none. */
function nextOfLength(runs: readonly Run[]): number[] {
  const latest = new Map<number, number>();
  const next = new Array<number>(runs.length).fill(-1);
  for (let place = runs.length - 1; place >= 0; place--) {
    const { length } = runs[place] as Run;
    next[place] = latest.get(length) ?? -1;
    latest.set(length, place);
  }
  return next;
}

/**
 * Replaces each stretch of code between backticks: fenced code, whose end may be cut off, and code within a line.
 * `replace` gets the code without its marks.
 */
export function replaceCode(text: string, replace: (code: string, isFenced: boolean) => string): string {
  const runs = runsOf(text);
  if (runs.length === 0) return text;
  const [asLong, ofLength] = [nextAsLong(runs), nextOfLength(runs)];
  let out = '';
  let done = 0;
  let lineEnd = -1;
  for (let place = 0; place < runs.length; place++) {
    const { at, length } = runs[place] as Run;
    if (at < done) continue;
    const language = length >= 3 ? /^[\w+#.-]*\s/.exec(text.slice(at + length, at + length + 40)) : null;
    if (language) {
      const from = at + length + language[0].length;
      const close = asLong[place] as number;
      const end = close < 0 ? text.length : (runs[close] as Run).at;
      out += text.slice(done, at) + replace(text.slice(Math.min(from, end), end), true);
      done = close < 0 ? text.length : end + length;
      continue;
    }
    const close = ofLength[place] as number;
    if (lineEnd < at) lineEnd = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
    if (close < 0 || (runs[close] as Run).at > lineEnd) continue;
    const code = text.slice(at + length, (runs[close] as Run).at);
    out += text.slice(done, at) + replace(code, false);
    done = at + length + code.length + length;
  }
  return out + text.slice(done);
}

/** Puts a text on one line on which nothing is read as Markdown. */
export const asPlainMarkdown = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[[\]<>`*_~\\]|&(?=[#\w]+;)|#$/g, '\\$&');
