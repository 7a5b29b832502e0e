// Fenced Markdown that has fences of its own: ```md … ```js … ``` … ```. To CommonMark the first fence without a
// language ends the outer one, and half of the text would be no code. If each has its own closing fence, the inner ones
// are words of the outer one. And fences right behind words (`代码如下：```python`, `Run: ```sh`): to CommonMark no fence
// begins there, but the closing one does, and the rest of the text would be code. And words right behind a closing
// fence (```` ```后面 ````, ```` ```). ````), or a fence right behind code (```` npm i``` ````): to CommonMark such a
// line is code, and so is all that follows.
import { codeFenced } from 'micromark-core-commonmark';
import type { Construct, Extension, State } from 'micromark-util-types';
import { consumeTo, readingAs } from './reading-as.ts';

const BACKTICK = 96;
const TILDE = 126;
/** Replaces a mark that ends nothing: any letter would do. */
const LETTER = 97;

/** Struck words, as some write them: a fence would hide them behind its mark. */
const STRUCK = /^~{3,}[^~\r\n]{1,500}~{3}/;

const OPENING = /^(`{3,}|~{3,})[ \t]*(?:markdown|md|mdx)(?![^\s{])[^`\r\n]*/i;
const FENCE = /^([ \t>]*)(`{3,}|~{3,})([^`\r\n]*)$/gm;
/** Most fences that are tried as the end of one. */
const MOST = 200;

/**
 * Returns the beginnings of fences that end one within the fence at `at`. Empty if that is no
 * Markdown, or if one of them has no end.
 */
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

/**
 * A line that begins with a fence and goes on as no language would: by a sign of a
 * sentence, or a letter that is not Latin.
 */
const CLOSING_WITH_WORDS =
  /^[ \t>]*(`{3,})(?=[.,;:!?)\]"'，。、！？；：）」』】…]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])/u;
/** Words without a bar, a fence behind the last one, and its language. */
const GLUED = /^(?!`{2})(?:[^`|\r\n]|`[^`|\r\n]{1,200}`){1,2000}?(`{3,})[A-Za-z][\w+#.-]{0,40}[ \t]*$/;
/** Most of a line that is read, characters. */
const LONGEST_LINE = 2_100;
/** Returns the marks of a fence behind the words of a line; undefined if there is none. */
export const gluedMarks = (line: string): string | undefined =>
  line.length < LONGEST_LINE ? GLUED.exec(line)?.[1] : undefined;

/**
 * True if a line that begins with a fence ends code: nothing stands behind the fence, or words that name no language.
 */
export const endsCode = (line: string): boolean =>
  /^[ \t>]*`{3,}[ \t]*$|^[ \t>]*~{3,}[ \t]*$/.test(line) || CLOSING_WITH_WORDS.test(line);

const WITH_MARKS = /^.*`{3}.*$/gm;
const FENCE_LINE = /^[ \t>]*(`{3,})[^`\r\n]*$/;

/** Place of the first line behind an offset. */
function firstAfter(lines: readonly { readonly index: number }[], at: number): number {
  let [from, to] = [0, lines.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((lines[middle]?.index ?? 0) > at) to = middle;
    else from = middle + 1;
  }
  return from;
}

/**
 * Tells for the code whose fence is at an offset where the words begin that follow its closing fence; -1 if a line of
 * its own closes it. Such a line is code where the fences behind it do not come in pairs.
 */
function wordsBehind(source: string, partial: boolean): (at: number) => number {
  const lines = [...source.matchAll(WITH_MARKS)].flatMap(({ 0: line, index }) => {
    const marks = FENCE_LINE.exec(line)?.[1];
    // A fence behind words counts in pairs; nothing that is open ends there.
    return marks === undefined && gluedMarks(line) === undefined ? [] : [{ line, marks, index }];
  });
  return (at) => {
    const run = /^`{3,}/.exec(source.slice(at, at + 200))?.[0];
    if (!run) return -1;
    for (let next = firstAfter(lines, at); next < lines.length; next++) {
      const { line, marks, index } = lines[next] as (typeof lines)[number];
      if (!marks?.startsWith(run)) continue;
      if (line.trimEnd().endsWith(marks)) return -1;
      const closing = CLOSING_WITH_WORDS.exec(line);
      if (closing) return partial || (lines.length - next) % 2 === 1 ? index + closing[0].length : -1;
    }
    return -1;
  };
}

/** Code and right behind it the fence that closes it: `npm i```` */
const CODE_AND_FENCE = /^[^`]*[^\s`][ \t]*(`{3,})[ \t]*$/;

/**
 * Tells for the code whose fence is at an offset where a fence right behind its last line begins; -1 if a line of its
 * own closes it, or nothing does.
 */
function fenceBehindCode(source: string): (at: number) => number {
  const lines = [...source.matchAll(WITH_MARKS)];
  return (at) => {
    const run = /^`{3,}/.exec(source.slice(at, at + 200))?.[0];
    if (!run) return -1;
    let found = -1;
    for (let next = firstAfter(lines, at); next < lines.length; next++) {
      const { 0: line, index } = lines[next] as (typeof lines)[number];
      const marks = FENCE_LINE.exec(line)?.[1];
      if (marks?.startsWith(run) && endsCode(line)) return -1;
      // Other code begins: this one has ended.
      if (marks !== undefined) return found;
      const end = CODE_AND_FENCE.exec(line)?.[1];
      if (found < 0 && end === run) found = index + line.lastIndexOf('`') + 1 - end.length;
    }
    return found;
  };
}

/** True if a text may have a fence right behind code. */
const mayEndInLine = (text: string): boolean => /[^\s`][ \t]*`{3,}[ \t]*$/m.test(text);

/** True if a text may have words right behind a closing fence. */
const mayCloseWithWords = (text: string): boolean => /^[ \t>]*`{3,}[^\s`A-Za-z0-9]/m.test(text);

const NEXT_FENCE = /^[ \t>]*(`{3,})[^`\r\n]*$/gm;

/** True if a text may have a fence behind words. */
const mayHaveGlued = (text: string): boolean =>
  text.includes('```') && /(?:[^\s`][ \t]*|`[ \t]+)`{3,}[A-Za-z]/.test(text);

/**
 * Finds the first line behind a place that begins with a fence. Lines that ask for the same one
 * are answered without another search.
 */
function nextFences(
  source: string,
): (after: number) => { readonly run: string; readonly isClosing: boolean } {
  let [from, to] = [0, -1];
  let found = { run: '', isClosing: false };
  return (after) => {
    if (after >= from && after <= to) return found;
    NEXT_FENCE.lastIndex = after;
    const line = NEXT_FENCE.exec(source);
    [from, to] = [after, line?.index ?? source.length];
    found = {
      run: line?.[1] ?? '',
      isClosing: !!line && endsCode(line[0]),
    };
    return found;
  };
}

/**
 * Reads words and the fence behind them as a paragraph and code, if a line closes it, or
 * may still come. `fence` reads the code.
 */
function gluedFence(source: string, partial: boolean, fence: Construct): Construct {
  const nextFence = nextFences(source);
  const gluedAt = (at: number): number => {
    const line = source.slice(at, at + LONGEST_LINE);
    const end = line.search(/[\r\n]/);
    // A line that is not whole may still become inline code.
    const run = end < 0 ? undefined : gluedMarks(line.slice(0, end));
    if (run === undefined) return -1;
    const next = nextFence(at + end);
    const isClosed = next.isClosing && next.run.startsWith(run);
    return isClosed || (partial && next.run === '') ? source.indexOf(run, at) : -1;
  };
  return {
    name: 'codeFencedGlued',
    concrete: true,
    tokenize(effects, ok, nok) {
      const begins: State = (code) => fence.tokenize.call(this, effects, ok, nok)(code);
      return (code) => {
        const from = gluedAt(this.now().offset);
        if (from < 0) return nok(code);
        effects.enter('paragraph');
        effects.enter('chunkText', { contentType: 'text' });
        return consumeTo(from, this, effects, ['chunkText', 'paragraph'], begins)(code);
      };
    },
  };
}

/** True if a text may have words in the line of a fence: how they are read is decided by fences further down. */
export const mayHaveWordsAtFence = (text: string): boolean =>
  mayHaveGlued(text) || mayCloseWithWords(text) || mayEndInLine(text);

/** The micromark extension for one text. */
export function fenceSyntax(source: string, { partial }: { readonly partial: boolean }): Extension {
  // While it is written, a line of its own may still close the code.
  const fenceAfter = !partial && mayEndInLine(source) ? fenceBehindCode(source) : () => -1;
  const wordsAfter = mayCloseWithWords(source) ? wordsBehind(source, partial) : () => -1;
  const nested = (behind: number) =>
    readingAs(codeFenced, (context) => {
      const ends = innerEnds(source, context.now().offset, partial);
      // The end of the text closes as the end of a line does.
      return (code, offset) => (offset === behind ? null : ends.has(offset) ? LETTER : code);
    });
  const fence: Construct = {
    ...codeFenced,
    name: 'codeFencedNested',
    tokenize(effects, ok, nok) {
      const at = this.now().offset;
      if (source.charAt(at) === '~' && STRUCK.test(source.slice(at, at + 600))) return nok;
      const fenceAt = fenceAfter(at);
      const behind = fenceAt < 0 ? wordsAfter(at) : fenceAt;
      const closed: State = (code) => {
        if (this.now().offset !== behind || code === null) return ok(code);
        if (behind === fenceAt) {
          const marks = /`+[ \t]*/y;
          marks.lastIndex = behind;
          effects.enter('whitespace');
          return consumeTo(
            behind + (marks.exec(source)?.[0].length ?? 0),
            this,
            effects,
            ['whitespace'],
            ok,
          )(code);
        }
        effects.enter('paragraph');
        effects.enter('chunkText', { contentType: 'text' });
        const line = /[^\r\n]*/y;
        line.lastIndex = behind;
        return consumeTo(
          behind + (line.exec(source)?.[0].length ?? 0),
          this,
          effects,
          ['chunkText', 'paragraph'],
          ok,
        )(code);
      };
      return nested(behind).call(this, effects, closed, nok);
    },
  };
  const glued = mayHaveGlued(source) ? { null: gluedFence(source, partial, fence) } : {};
  return { disable: { null: ['codeFenced'] }, flow: { [BACKTICK]: fence, [TILDE]: fence, ...glued } };
}
