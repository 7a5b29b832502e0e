// Underlined headings, but only below a line that may be one: below a sentence, or several lines, models draw a line
// with `---`. And headings whose space was forgotten (`##标题`), but for one sign alone: that is a tag.
import { setextUnderline } from 'micromark-core-commonmark';
import type { Construct, Extension } from 'micromark-util-types';
import { consumeTo } from './reading-as.ts';

const HASH = 35;
const DASH = 45;
const EQUALS = 61;
/** Most of the lines before that are read, and the longest heading, characters. */
const NEAR = 400;
const LONGEST = 120;
const SENTENCE = /[.!?;:,…。！？；：，][*_"'”’)）」』]*$/;
/** A line that nothing but words may begin, so that one below it goes on with the paragraph; no underline. */
const WORDS = /^[ \t>]*(?!=+[ \t]*$)[^\s>#|`~<-]/;

/** True if dashes at `at` underline a heading. */
function underlines(source: string, at: number): boolean {
  const lines = source.slice(Math.max(0, at - NEAR), at).split(/\r\n?|\n/);
  const [above = '', title = ''] =
    lines.slice(-3, -1).length === 2 ? lines.slice(-3, -1) : ['', lines.at(-2)];
  return title.length <= LONGEST && !SENTENCE.test(title.trimEnd()) && !WORDS.test(above);
}

/** Signs and the words behind them, without a space between: Chinese, Japanese, Korean, or bold. */
const GLUED =
  /^(#{2,6})(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}「『《【“]|\*\*[^\s*])[^\r\n]*/u;
const MAY_BE_GLUED = /(?<![^\s>])#{2,6}[^\s#]/;

function gluedHeading(source: string): Construct {
  return {
    name: 'headingAtxGlued',
    tokenize(effects, ok, nok) {
      return (code) => {
        const at = this.now().offset;
        const [line = '', signs = ''] = GLUED.exec(source.slice(at, at + NEAR)) ?? [];
        if (line === '' || line.length >= NEAR) return nok(code);
        effects.enter('atxHeading');
        effects.enter('atxHeadingSequence');
        return consumeTo(at + signs.length, this, effects, ['atxHeadingSequence'], (next) => {
          effects.enter('atxHeadingText');
          effects.enter('chunkText', { contentType: 'text' });
          const ended = ['chunkText', 'atxHeadingText', 'atxHeading'] as const;
          return consumeTo(at + line.length, this, effects, ended, ok)(next);
        })(code);
      };
    },
  };
}

/** The micromark extension for one text. */
export function headingSyntax(source: string): Extension {
  const glued = MAY_BE_GLUED.test(source) ? { [HASH]: gluedHeading(source) } : {};
  if (!/[\r\n][ \t>]*-/.test(source)) return { flow: glued };
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
    flow: { ...glued, [DASH]: underline, [EQUALS]: underline },
  };
}
