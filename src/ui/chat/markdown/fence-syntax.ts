// Fenced Markdown that has fences of its own: ```md … ```js … ``` … ```. To CommonMark the first fence without a language ends the outer one, and
// half of the text would be no code. If each has its own closing fence, the inner ones are words of the outer one.
import { codeFenced } from 'micromark-core-commonmark';
import type { Construct, Extension } from 'micromark-util-types';
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
  return { disable: { null: ['codeFenced'] }, flow: { [BACKTICK]: fence, [TILDE]: fence } };
}
