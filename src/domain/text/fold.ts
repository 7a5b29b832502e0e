// Gives different spellings one form: accents, ligatures, full width, digits, kana, traditional and simplified
// characters. Index and question are folded alike. The tables of characters are OpenCC's (Apache-2.0), from opencc-js.
// @ts-expect-error The dictionary has no types: pairs "new old" of Japan, separated by bars.
import untypedOfJapan from 'opencc-js/dict/JPShinjitaiCharacters';
// @ts-expect-error The same: pairs "traditional simplified".
import untyped from 'opencc-js/dict/TSCharacters';
import { once } from '../base/once.ts';

const pairsOf = (dictionary: unknown): string[][] =>
  String(dictionary)
    .split('|')
    .map((pair) => pair.split(' '));

/** Traditional characters, and those that Japan simplified in its own way (`図`), to simplified ones. */
const simplified = once(() => {
  const simplified = new Map<string, string>();
  for (const [from = '', to = ''] of pairsOf(untyped)) if (from !== to) simplified.set(from, to);
  const used = new Set(simplified.values());
  for (const [ofJapan = '', traditional = ''] of pairsOf(untypedOfJapan)) {
    const to = simplified.get(traditional);
    // A character that Chinese has for another one stays: 沪 is Shanghai.
    if (to !== undefined && !used.has(ofJapan)) simplified.set(ofJapan, to);
  }
  for (const [from = '', to = ''] of VARIANTS.split(' ')) simplified.set(from, to);
  return simplified;
});

/**
 * Pairs that the dictionaries lack: Japanese forms whose old form China kept (`黒`), and forms of Taiwan and Hong Kong
 * that China writes with another character. None is written in China for anything else.
 */
const VARIANTS =
  '乗乘 仏佛 仮假 剰剩 効效 収收 圏圈 増增 壌壤 巣巢 徳德 恵惠 戻戾 払拂 抜拔 拝拜 挙举 挿插 捜搜 掲揭 掻搔 晩晚 歩步 毎每 渇渴 渉涉 渋涩 渓溪 痩瘦 砕碎 稲稻 穂穗 穣穰 粋粹 蔵藏 薫薰 覇霸 酔醉 鉱矿 闘斗 陥陷 髄髓 黒黑 黙默 妳你 牠它 傢家 祇只 砲炮 彿佛 衞卫 邨村 菓果';

/** Words in which Taiwan and Hong Kong write another character than China, which has that one in other words. */
const WORDS_OF_TAIWAN =
  '[回答]覆|瞭解|明瞭|甚[麼么]|[憑凭]藉|藉[口由此]|彷[彿佛]|[傢家]俱|著[急手重想火迷眼]|[接看跟隨随沿帶带拿穿抱站坐活有靠向朝執执味等想聽听說说笑開开試试對对]著';
const OF_TAIWAN = new RegExp(WORDS_OF_TAIWAN, 'g');
const AS_IN_CHINA: Readonly<Record<string, string>> = {
  覆: '复',
  瞭: '了',
  甚: '什',
  藉: '借',
  彷: '仿',
  俱: '具',
  著: '着',
};

/** Letters that no decomposition splits. */
const SPELT: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ł: 'l',
  Ł: 'L',
  ħ: 'h',
  ı: 'i',
  // The apostrophe of Hawaiian, Ukrainian and transcriptions, a letter in Unicode.
  ʻ: "'",
  ʼ: "'",
  ʹ: "'",
  // Arabic letters that people type for one another.
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ے: 'ي',
  ة: 'ه',
  ہ: 'ه',
  ھ: 'ه',
  ە: 'ه',
  // Characters of Japanese names that Unicode keeps apart.
  髙: '高',
  﨑: '崎',
};
const SPELT_OUT = new RegExp(`[${Object.keys(SPELT).join('')}]`, 'gu');
// Vowel marks of Arabic and Hebrew, the dots of ё and the stress of Russian are seldom written. Marks of other scripts
// make another letter.
const ACCENTS =
  /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]\p{M}{0,4})\p{M}|(?<=[еЕ])[\u0300\u0308]|(?<=[иИ])\u0300|(?<=[аеиоуыэюяіїєАЕИОУЫЭЮЯІЇЄ])\u0301|\u0640/gu;
/**
 * Invisible characters: break opportunities, direction marks, and selectors that
 * say how letters and pictures are drawn.
 */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|\u034f|[\ufe00-\ufe0f]/g;

/** Removes invisible characters. */
export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '');

/** A full-width hyphen or a minus sign within katakana, as keyboards without ー have it. */
const LONG_VOWEL = /(?<=\p{Script=Katakana})[\uff0d\u2212]/gu;

/** Writes ー for the signs that stand for it. Keeps the length. */
export const withLongVowels = (text: string): string => text.replace(LONG_VOWEL, 'ー');

/** Writes katakana as the hiragana 0x60 below, and the counters ヶ and ヵ as か. Keeps the length. */
export const asHiragana = (text: string): string =>
  text
    .replace(/[ヶヵ]|(?<=\p{Script=Han})ケ(?=\p{Script=Han})/gu, 'か')
    .replace(/[\u30a1-\u30f4\u30fd\u30fe]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60));

/**
 * A nasal before a consonant of its own class, in Devanagari, Gujarati, Telugu and
 * Kannada, whose blocks are laid out alike.
 */
const NASALS = [0x900, 0xa80, 0xc00, 0xc80].flatMap((block) => {
  const letter = (offset: number) => String.fromCharCode(block + offset);
  return [0x19, 0x1e, 0x23, 0x28, 0x2e].map(
    (nasal) => `${letter(nasal)}${letter(0x4d)}(?=[${letter(nasal - 4)}-${letter(nasal - 1)}])`,
  );
});
const NASAL = new RegExp(NASALS.join('|'), 'g');
const INDIC = /[\u0900-\u097f\u0a80-\u0aff\u0c00-\u0cff]/;
/** Marks of Hindi that are seldom written: the dot of borrowed sounds, and the moon of a nasal vowel. */
const plainIndic = (text: string): string =>
  text
    .replace(NASAL, (nasal) => String.fromCharCode((nasal.charCodeAt(0) & 0xff80) + 2))
    .replace(/\u093c/g, '')
    .replace(/\u0901/g, '\u0902');

const THAI = /[\u0e00-\u0e7f]/;
/**
 * Vowels that are typed in several ways, and the signs of abbreviation and repetition, which are left away as often.
 */
const plainThai = (text: string): string =>
  text
    .replace(/\u0e4d([\u0e48-\u0e4b])/g, '$1\u0e4d')
    .replace(/\u0e4d\u0e32/g, '\u0e33')
    .replace(/\u0e40\u0e40/g, '\u0e41')
    .replace(/[\u0e2f\u0e46]/g, '');

const HAN = /\p{Script=Han}/gu;
const DIGIT = /(?![0-9])\p{Nd}/gu;

/** Each script's digits are ten consecutive characters, zero first. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let value = 0;
  while (value < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}

/** Writes digits of any script as 0 to 9. Keeps the count of characters. */
export const withPlainDigits = (text: string): string => text.replace(DIGIT, plainDigit);

/** Removes accents, spells out ligatures and simplifies Han; letters keep their case. Expects and returns NFKC. */
export function folded(text: string): string {
  if (!/[^ -~\s]/.test(text)) return text;
  const form = withoutInvisible(withLongVowels(text))
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFKC')
    .replace(SPELT_OUT, (letter) => SPELT[letter] as string)
    .replace(DIGIT, plainDigit)
    .replace(OF_TAIWAN, (word) => word.replace(/[覆瞭甚藉彷俱著]/, (sign) => AS_IN_CHINA[sign] as string))
    .replace(HAN, (sign) => simplified().get(sign) ?? sign);
  return THAI.test(form) ? plainThai(form) : INDIC.test(form) ? plainIndic(form) : form;
}

/**
 * Signs that fold together: parts of a Hangul syllable, vowels of Thai around a tone mark,
 * a nasal with the consonant behind it, words in which a character stands for another one.
 */
export const FOLD_TOGETHER = String.raw`[\u1100-\u115f][\u1160-\u11a7]*[\u11a8-\u11ff]*|[\u0e00-\u0e7f]\u0e4d?[\u0e48-\u0e4b]?\u0e4d?\u0e32|\u0e40\u0e40|\p{L}[\u094d\u0acd\u0c4d\u0ccd][^\p{M}]\p{M}*|${WORDS_OF_TAIWAN}`;
/** A character with its marks, including those of half-width kana. */
const WITH_MARKS = new RegExp(String.raw`${FOLD_TOGETHER}|[^\p{M}][\p{M}\uff9e\uff9f]*|\p{M}+`, 'gsu');

/** The folded text, and a map back: `origin(i)` is an index into `text`, `origin(length)` is its length. */
export function foldedWithOrigin(text: string): { folded: string; origin: (index: number) => number } {
  if (!/[^ -~\s]/.test(text)) return { folded: text, origin: (index) => index };
  const pieces: string[] = [];
  const from: number[] = [];
  for (const { 0: piece, index } of withLongVowels(text).matchAll(WITH_MARKS)) {
    const plain = folded(piece);
    pieces.push(plain);
    for (let at = 0; at < plain.length; at++) from.push(index);
  }
  return { folded: pieces.join(''), origin: (index) => from[index] ?? text.length };
}
