// Underlined headings, but only below a line that may be one: below a sentence, or several
// lines, models draw a line with `---`.
import { setextUnderline } from 'micromark-core-commonmark';
import type { Construct, Extension } from 'micromark-util-types';

const DASH = 45;
const EQUALS = 61;
/** Most of the lines before that are read, and the longest heading, characters. */
const NEAR = 400;
const LONGEST = 120;
const SENTENCE = /[.!?;,…。！？；，][*_"'”’)）」』]*$/;
/** A line that nothing but words may begin, so that one below it goes on with the paragraph. */
const WORDS = /^[ \t>]*[^\s>#|`~<-]/;

/** True if dashes at `at` underline a heading. */
function underlines(source: string, at: number): boolean {
  const lines = source.slice(Math.max(0, at - NEAR), at).split(/\r\n?|\n/);
  const [above = '', title = ''] =
    lines.slice(-3, -1).length === 2 ? lines.slice(-3, -1) : ['', lines.at(-2)];
  return title.length <= LONGEST && !SENTENCE.test(title.trimEnd()) && !WORDS.test(above);
}

/** The micromark extension for one text. */
export function headingSyntax(source: string): Extension {
  if (!/[\r\n][ \t>]*-/.test(source)) return {};
  const underline: Construct = {
    ...setextUnderline,
    name: 'setextUnderlineGuarded',
    tokenize(effects, ok, nok) {
      const inner = setextUnderline.tokenize.call(this, effects, ok, nok);
      return (code) => (code === DASH && !underlines(source, this.now().offset) ? nok(code) : inner(code));
    },
  };
  return {
    disable: { null: ['setextUnderline'] },
    flow: { [DASH]: underline, [EQUALS]: underline },
  };
}
