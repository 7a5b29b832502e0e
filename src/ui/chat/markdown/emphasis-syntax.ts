// Strong emphasis beside punctuation, also where no space parts words (Thai, Lao, Khmer, Burmese), where a
// word begins with a particle (Hebrew, Arabic), and where a space was forgotten: `**Note:**text`. Chinese,
// Japanese and Korean come with the extension.
import { cjkFriendlyExtension } from 'micromark-extension-cjk-friendly';
import type { Code, Construct, Extension } from 'micromark-util-types';

const STAR = 42;
const JOINED =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Hebrew}\p{Script=Arabic}]/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;
/** Ends words that were set in bold, and begins none. */
const ENDS = /[:：.,;!?"”’»%…—·•।॥]/;
const LETTER = /\p{L}/u;

const signOf = (code: Code): string => (code === null || code < 32 ? ' ' : String.fromCharCode(code));

const { text = {} } = cjkFriendlyExtension();
const attention = text[STAR] as Construct;

const friendly: Construct = {
  ...attention,
  tokenize(effects, ok, nok) {
    const before = signOf(this.previous);
    return attention.tokenize.call(
      this,
      effects,
      (code) => {
        const token = this.events.at(-1)?.[1];
        if (token?.type !== 'attentionSequence' || token.end.offset - token.start.offset !== 2)
          return ok(code);
        const after = signOf(code);
        const isWord = LETTER.test(after) || JOINED.test(after);
        // micromark's types have `_open` and `_close`, its documents do not: its resolver pairs sequences by them.
        if (isWord && (ENDS.test(before) || (JOINED.test(after) && PUNCTUATION.test(before))))
          token._close = true;
        if (JOINED.test(before) && PUNCTUATION.test(after)) token._open = true;
        return ok(code);
      },
      nok,
    );
  },
};

/** The micromark extension; the same for every text. */
export const emphasisSyntax: Extension = {
  text: { ...text, [STAR]: friendly },
  insideSpan: { null: [attention] },
};
