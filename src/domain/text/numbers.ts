// The one reader of written numbers: Chinese ones of any size, and the counts that
// people say in English and Chinese. Pure.

const CHINESE_FIGURES = '零一二三四五六七八九';
/** Zeros of a word or sign that multiplies. */
const ZEROS: Readonly<Record<string, number>> = {
  ...{
    k: 3,
    million: 6,
    mio: 6,
    billion: 9,
    bn: 9,
    trillion: 12,
    万: 4,
    萬: 4,
    亿: 8,
    億: 8,
    千: 3,
    百: 2,
    十: 1,
  },
};

/** Number of zeros that `k`, `million` or 万 stands for; undefined for another word. */
export const zerosOf = (word: string): number | undefined => ZEROS[word.toLowerCase()];

/** Values of Chinese figures one by one, as a year is written: 二〇二六 gives 2, 0, 2, 6; -1 for another sign. */
export const chineseFigures = (text: string): number[] =>
  Array.from(text.replace(/[两兩]/g, '二').replace(/〇/g, '零'), (sign) => CHINESE_FIGURES.indexOf(sign));

/**
 * Value of a number in Chinese: 十五, 三万二. In 三千五 the last figure counts hundreds; of
 * figures side by side the last counts.
 */
export function chineseNumber(text: string): number {
  let [total, section, figure, unit] = [0, 0, 0, 1];
  for (const sign of text) {
    const zeros = ZEROS[sign];
    if (zeros === undefined) {
      figure = chineseFigures(sign)[0] as number;
      if (figure === 0) unit = 1;
    } else if (zeros >= 4) {
      total = (total + section + figure) * 10 ** zeros;
      [section, figure, unit] = [0, 0, 10 ** zeros];
    } else {
      section += Math.max(1, figure) * 10 ** zeros;
      [figure, unit] = [0, 10 ** zeros];
    }
  }
  return total + section + figure * (unit >= 100 ? unit / 10 : 1);
}

const ONES =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
/** A count in English, as a group; not the end of a longer one. */
export const COUNT = String.raw`(?<![\w.-])(?<!(?:hundred|thousand) (?:and )?)(\d{1,3}(?:\.\d)?|half\s+an?|an?|a\s+couple(?:\s+of)?|a\s+few|few|several|(?:${TENS.join('|')})(?:[- ](?:${ONES.slice(0, 9).join('|')}))?|${ONES.join('|')})`;
/** A count in Chinese up to 99, including 两三 and 十几, as a group; not the end of a longer one. */
export const CHINESE_COUNT =
  '(?<![零〇一二两三四五六七八九十百千万几数\\d]|\\d\\.)(\\d{1,3}(?:\\.\\d)?|[一二两三四五六七八九]?十[一二三四五六七八九几]?|[一二两三四五六七八][二三四五六七八九]|[一二两三四五六七八九几半])';
const VAGUE = /few|several|几|^[一二两三四五六七八][二三四五六七八九]$/;

/** True for a count that names a range: a few, 几, 两三. */
export const isVague = (count: string): boolean => VAGUE.test(count);

/**
 * Value of a count that `COUNT` or `CHINESE_COUNT` found; NaN if it is none. A vague
 * count becomes the middle of its range.
 */
export function countOf(text: string): number {
  const count = text.toLowerCase().replace(/\s+/g, ' ');
  if (/^\d/.test(count)) return Number(count);
  if (/^(?:half\b|半$)/.test(count)) return 0.5;
  if (/^an?$/.test(count)) return 1;
  if (/couple/.test(count)) return 2;
  if (/few|^几$/.test(count)) return 3;
  if (count === 'several') return 4;
  if (/^[a-z]/.test(count)) {
    const [first = '', second = ''] = count.split(/[- ]/);
    const tens = TENS.indexOf(first) + 2;
    return tens < 2 ? ONES.indexOf(first) + 1 : tens * 10 + ONES.indexOf(second) + 1;
  }
  // Two figures side by side, as in 两三天, mean the middle between them.
  if (isVague(count) && !count.includes('十')) {
    const [one = Number.NaN, other = Number.NaN] = chineseFigures(count);
    return (one + other) / 2;
  }
  return count === '' ? Number.NaN : chineseNumber(count.replace('几', '五'));
}
