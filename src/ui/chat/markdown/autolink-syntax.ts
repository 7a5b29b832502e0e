// Finds bare addresses in text by GitHub's rules, also where people write without spaces between words: an address ends
// before their punctuation, and before a word that follows a Latin letter directly.
import { gfmAutolinkLiteral } from 'micromark-extension-gfm-autolink-literal';
import type { Code, Construct, Extension } from 'micromark-util-types';

/**
 * Chinese, Japanese and Korean punctuation, full-width forms, quotation marks, dashes; and of Arabic
 * and Indic scripts what ends a sentence.
 */
const PUNCTUATION =
  /[\u3000-\u3004\u3008-\u3020\u3030\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u2013\u2014\u2018-\u201f\u2026\u00ab\u00bb\u060c\u061b\u061f\u06d4\u0964\u0965]/;
const WORD =
  /[\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\uac00-\ud7af\uf900-\ufaff\ud840-\ud87f]/;
const isWord = (sign: string): boolean => WORD.test(sign) || /[\udc00-\udfff]/.test(sign);

/** A word of any script goes on behind a sign of the address, `/wiki/中国`, or its bracket, `_(消歧义)`. */
const JOINED = /[/=&#_+~|@-]\(?$/;
/** True if an address that came up to `before`, its last two signs, ends in front of `sign`. */
function endsBefore(sign: string, before: string): boolean {
  if (sign < '\u0080') return false;
  return PUNCTUATION.test(sign) || (isWord(sign) && !JOINED.test(before) && !isWord(before.slice(-1)));
}

const BEGIN = /(?:https?:\/\/|www\.)(?=[^\s\p{P}\p{C}])/iuy;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no address has them
const END = /[\s\u0000-\u001f<>"`]/;
const TRAILING = /[!"'*,.:;?_~]/;

/**
 * Returns the end of the address that begins at `at`, in characters of `source`; `at` for none. Brackets are balanced,
 * and the sentence's punctuation is no part of it (https://github.github.com/gfm/#autolinks-extension-).
 */
function addressEnd(source: string, at: number): number {
  BEGIN.lastIndex = at;
  if (!BEGIN.test(source)) return at;
  const start = BEGIN.lastIndex;
  let end = start;
  let round = 0;
  let square = 0;
  let host = true;
  let dots = 0;
  let local = false;
  for (; end < source.length; end += 1) {
    const sign = source.charAt(end);
    if (/[/?#]/.test(sign)) host = false;
    // A name of another script goes on behind its dots, and a name without a dot has none yet: `例子.测试`, `example.中国`.
    const goesOn = host && source.charAt(end - 1) === '.' && (local || dots === 1) && isWord(sign);
    if (END.test(sign) || (!goesOn && endsBefore(sign, source.slice(end - 2, end)))) break;
    if (sign === '.') dots += 1;
    if (isWord(sign)) local = true;
    if (sign === '(') round += 1;
    if (sign === ')') round -= 1;
    if (sign === '[') square += 1;
    if (sign === ']') {
      square -= 1;
      if (square < 0) break;
    }
  }
  for (; end > start; end -= 1) {
    const sign = source.charAt(end - 1);
    if (sign === ')' && round < 0) round += 1;
    // The words that a bracket holds are no part of the address: `https://a.b/c(需要登录)`.
    else if (sign === '(' && round > 0) round -= 1;
    else if (sign === '[' && square > 0) square -= 1;
    else if (!TRAILING.test(sign)) break;
  }
  const entity = /&[a-z0-9]{1,30}$/i.exec(source.slice(Math.max(start, end - 32), end));
  if (entity && source[end] === ';') end -= entity[0].length;
  return end > start ? end : at;
}

const isPrevious = (previous: Code, www: boolean): boolean =>
  previous === null ||
  previous < 0 ||
  !(www ? /[\w/.@:-]/ : /[A-Za-z]/).test(String.fromCharCode(previous)) ||
  previous === 95;

const addressIn = (source: string, type: 'literalAutolinkHttp' | 'literalAutolinkWww'): Construct => {
  const www = type === 'literalAutolinkWww';
  return {
    name: www ? 'wwwAutolink' : 'protocolAutolink',
    previous: (code) => isPrevious(code, www),
    tokenize(effects, ok, nok) {
      const now = () => this.now();
      let end = 0;
      return (code) => {
        const at = now().offset;
        end = isPrevious(this.previous, www) ? addressEnd(source, at) : at;
        if (end === at) return nok(code);
        effects.enter('literalAutolink');
        effects.enter(type);
        return inside(code);
      };
      // The cell of a table may end it early.
      function inside(code: Code): ReturnType<typeof ok> {
        if (code !== null && now().offset < end) {
          effects.consume(code);
          return inside;
        }
        effects.exit(type);
        effects.exit('literalAutolink');
        return ok(code);
      }
    },
  };
};

/** The address of a repository, which no letter reaches: `git@github.com:a/b.git`. */
const REPOSITORY = /^git@[\w.-]{1,100}:[\w~/]/i;

/** An e-mail address that is none of a repository. */
const letterAddress = (source: string, construct: Construct): Construct => ({
  ...construct,
  tokenize(effects, ok, nok) {
    const inner = construct.tokenize.call(this, effects, ok, nok);
    const at = this.now().offset;
    return (code) => (REPOSITORY.test(source.slice(at, at + 120)) ? nok(code) : inner(code));
  },
});

/** The micromark extension for one text. E-mail addresses hold Latin letters only, and end by themselves. */
export function autolinkSyntax(source: string): Extension {
  const { text = {} } = gfmAutolinkLiteral();
  const email = Object.entries(text).map(([code, constructs]): [string, Construct[]] => [
    code,
    [constructs]
      .flat()
      .filter((construct) => construct?.name === 'emailAutolink')
      .map((construct) => letterAddress(source, construct as Construct)),
  ]);
  const own: Record<string, Construct> = {
    h: addressIn(source, 'literalAutolinkHttp'),
    w: addressIn(source, 'literalAutolinkWww'),
  };
  return {
    text: Object.fromEntries(
      email.map(([code, constructs]) => {
        const address = own[String.fromCharCode(Number(code)).toLowerCase()];
        return [code, address ? [address, ...constructs] : constructs];
      }),
    ),
  };
}
