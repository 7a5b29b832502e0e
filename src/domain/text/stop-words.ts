// Stop words: words that say nothing by themselves, in English and Chinese.

/** English stop words. Of a contraction only the part before the apostrophe is listed. */
const STOP_WORDS = new Set(
  (
    'a an and are as at be been being but by can could d did didn do does doesn doing don for from had has hasn have haven having he her hers ' +
    'herself him himself his how i if in into is isn it its itself just ll m me my myself no nor not of on or our ours ourselves out re s ' +
    'she should so some such t than that the their theirs them themselves then there these they this those to too ve very was wasn we were ' +
    'weren what when where which while who whom whose why will with won would wouldn you your yours yourself'
  ).split(' '),
);

/** Chinese function words and particles, as the segmenter cuts them. */
const STOP_WORDS_ZH = new Set(
  '的 了 吗 呢 啊 吧 呀 哦 嗯 是 在 我 你 他 她 它 我们 你们 他们 她们 它们 和 与 及 或 也 都 就 还 又 很 这 那 这个 那个 这些 那些 有 没 没有 不 着 过 得 地 之 其 而 但 但是 因为 所以 如果 什么 怎么 怎样 哪 哪个 哪些 谁 一个 一下 一些 上 下 里 中 对 对于 把 被 给 让 向 从 到 说 要 会 能 可以 请 么'.split(
    ' ',
  ),
);

/** True for stop words, in lower case. */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word) || STOP_WORDS_ZH.has(word);

/**
 * Class of a Chinese character by its code unit. Tables instead of sets, since every pair of every text is looked up.
 */
const [STOP, PARTICLE, LIGHT] = [1, 2, 4];
const marks = new Uint8Array(0x1_0000);
const mark = (characters: Iterable<string>, as: number): void => {
  for (const character of characters)
    marks[character.charCodeAt(0)] = (marks[character.charCodeAt(0)] as number) | as;
};
mark(
  [...STOP_WORDS_ZH].filter((word) => word.length === 1),
  STOP,
);
mark('的了吗呢吧啊么呀哦嗯着过之', PARTICLE);
mark(
  '是在我你他她它们这那和与就都也还又很不有没什怎哪谁个把被给让向从到说要会能可以请一下为其而但或及对得地所',
  LIGHT,
);

/** True if at least one of two adjacent characters, by their code points, carries meaning. */
export const isMeaningfulPair = (one: number, other: number): boolean =>
  ((marks[one] ?? 0) & (marks[other] ?? 0) & STOP) === 0;

/**
 * Stricter, for text without a segmenter: a pair with a particle counts as empty, and
 * so does one of two light characters.
 */
export function isClearlyMeaningfulPair(one: number, other: number): boolean {
  const [first, second] = [marks[one] ?? 0, marks[other] ?? 0];
  return ((first | second) & PARTICLE) === 0 && (first & second & LIGHT) === 0;
}
