// Fenced Markdown that has fences of its own: ```md … ```js … ``` … ```. To CommonMark the first fence without a language ends the outer one, and
// half of the text would be no code. If each has its own closing fence, the inner ones are words of the outer one.
// And fences right behind words (`代码如下：```python`, `Run: ```sh`): to CommonMark no fence begins there, but the closing one does, and the rest of
// the text would be code.
import { codeFenced } from 'micromark-core-commonmark';
import type { Code, Construct, Extension, State } from 'micromark-util-types';
import { readingAs } from './reading-as.ts';

const BACKTICK = 96;
const TILDE = 126;
/** Replaces a mark that ends nothing: any letter would do. */
const LETTER = 97;

const OPENING = /^(`{3,}|~{3,})[ \t]*(?:markdown|md|mdx)(?![^\s{])[^`\r\n]*/i;
const FENCE = /^([ \t>]*)(`{3,}|~{3,})([^`\r\n]*)$/gm;
/** Most fences that are tried as the end of one. */
const MOST = 200;

/** Returns the beginnings of fences that end one within the fence at `at`. Empty if that is no Markdown, or if one of them has no end. */
function innerEnds(source: string, at: number, partial: boolean): ReadonlySet<number> {
  const opening = OPENING.exec(source.slice(at, at + 200));
  const ends = new Set<number>();
  if (!opening) return ends;
  const outer = opening[1] as string;
  let inner = '';
  FENCE.lastIndex = at + opening[0].length;
  for (let count = 0; count < MOST; count += 1) {
    const found = FENCE.exec(source);
    if (!found) break;
    const [, before = '', run = '', info = ''] = found;
    const isBare = info.trim() === '';
    if (inner !== '') {
      if (!isBare || !run.startsWith(inner)) continue;
      ends.add(found.index + before.length);
      inner = '';
    } else if (!isBare) inner = run;
    else if (run.startsWith(outer)) return ends;
  }
  return partial ? ends : new Set();
}

/** Words without a bar, a fence behind the last one, and its language. */
const GLUED = /^(?!`{2})(?:[^`|\r\n]|`[^`|\r\n]{1,200}`){1,2000}?(`{3,})[A-Za-z][\w+#.-]{0,40}[ \t]*$/;
/** Most of a line that is read, characters. */
const LONGEST_LINE = 2_100;
const NEXT_FENCE = /^[ \t>]*(`{3,})([^`\r\n]*)$/gm;

/** True if a text may have a fence behind words, whose end decides how all lines before it are read. */
export const mayHaveGlued = (text: string): boolean =>
  text.includes('```') && /(?:[^\s`][ \t]*|`[ \t]+)`{3,}[A-Za-z]/.test(text);

/** Finds the first line behind a place that begins with a fence. Lines that ask for the same one are answered without another search. */
function nextFences(source: string): (after: number) => { readonly run: string; readonly isBare: boolean } {
  let [from, to] = [0, -1];
  let found = { run: '', isBare: false };
  return (after) => {
    if (after >= from && after <= to) return found;
    NEXT_FENCE.lastIndex = after;
    const line = NEXT_FENCE.exec(source);
    [from, to] = [after, line?.index ?? source.length];
    found = { run: line?.[1] ?? '', isBare: line?.[2]?.trim() === '' };
    return found;
  };
}

/** Reads words and the fence behind them as a paragraph and code, if a line of its own closes it, or may still come. */
function gluedFence(source: string, partial: boolean): Construct {
  const nextFence = nextFences(source);
  const gluedAt = (at: number): number => {
    const line = source.slice(at, at + LONGEST_LINE);
    const end = line.search(/[\r\n]/);
    // A line that is not whole may still become inline code.
    const run = end < 0 ? undefined : GLUED.exec(line.slice(0, end))?.[1];
    if (run === undefined) return -1;
    const next = nextFence(at + end);
    const isClosed = next.isBare && next.run.startsWith(run);
    return isClosed || (partial && next.run === '') ? source.indexOf(run, at) : -1;
  };
  return {
    name: 'codeFencedGlued',
    concrete: true,
    tokenize(effects, ok, nok) {
      const now = () => this.now().offset;
      const fence = codeFenced.tokenize.call(this, effects, ok, nok);
      let from = -1;
      const words: State = (code: Code) => {
        if (now() < from) {
          effects.consume(code);
          return words;
        }
        effects.exit('chunkText');
        effects.exit('paragraph');
        return fence(code);
      };
      return (code) => {
        from = gluedAt(now());
        if (from < 0) return nok(code);
        effects.enter('paragraph');
        effects.enter('chunkText', { contentType: 'text' });
        return words(code);
      };
    },
  };
}

/** The micromark extension for one text. */
export function fenceSyntax(source: string, { partial }: { readonly partial: boolean }): Extension {
  const fence: Construct = {
    ...codeFenced,
    name: 'codeFencedNested',
    tokenize: readingAs(codeFenced, (context) => {
      const ends = innerEnds(source, context.now().offset, partial);
      return (code, offset) => (ends.has(offset) ? LETTER : code);
    }),
  };
  const glued = mayHaveGlued(source) ? { null: gluedFence(source, partial) } : {};
  return { disable: { null: ['codeFenced'] }, flow: { [BACKTICK]: fence, [TILDE]: fence, ...glued } };
}
