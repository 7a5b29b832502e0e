// Strong emphasis beside punctuation, also where no space parts words (Thai, Lao, Khmer, Burmese), where a
// word begins with a particle (Hebrew, Arabic), and where a space was forgotten: `**Note:**text`. Chinese,
// Japanese and Korean come with the extension.
import { cjkFriendlyExtension } from 'micromark-extension-cjk-friendly';
import type { Code, Construct, Extension, State } from 'micromark-util-types';

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
        if (token?.type !== 'attentionSequence') return ok(code);
        const after = signOf(code);
        // No words begin with such a sign: `a.*, b.*`, `def f(a, *, b)`.
        if (/[,;)]/.test(after)) token._open = false;
        if (token.end.offset - token.start.offset !== 2) return ok(code);
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

/** Four stars that end bold words and begin the next ones: `**标题****内容**`. */
const parted: Construct = {
  ...attention,
  name: 'attentionParted',
  tokenize(effects, ok, nok) {
    const before = this.previous;
    const [, last] = this.events.findLast(([, { type }]) => type === 'attentionSequence') ?? [];
    const isBold = last?._open === true && last.end.offset - last.start.offset === 2;
    let count = 0;
    const start: State = (code) => {
      if (!isBold || before === STAR || /\s/.test(signOf(before))) return nok(code);
      return half(code);
    };
    const half: State = (code) => {
      if (code !== STAR) return nok(code);
      if (count % 2 === 0) effects.enter('attentionSequence');
      effects.consume(code);
      count += 1;
      if (count % 2 === 1) return half;
      const token = effects.exit('attentionSequence');
      token._close = count === 2;
      token._open = count === 4;
      return count === 2 ? half : end;
    };
    const end: State = (code) => (code === STAR || /\s/.test(signOf(code)) ? nok(code) : ok(code));
    return start;
  },
};

/** The micromark extension; the same for every text. */
export const emphasisSyntax: Extension = {
  text: { ...text, [STAR]: [parted, friendly] },
  insideSpan: { null: [attention] },
};
