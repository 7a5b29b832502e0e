// Names the regions of a map: nearby places form a region, named by the word that distinguishes it from the rest. The
// title of a conversation names its topic; keywords only confirm that, unless several conversations share one.
import { wordSegments } from '../text/segments.ts';
import { isStopWord } from '../text/stop-words.ts';
import { words } from '../text/words.ts';
import { digestOf } from './digest.ts';

interface Placed {
  readonly x: number;
  readonly y: number;
  readonly title: string;
  /** The weightiest first. */
  readonly keywords: readonly string[];
}

interface Topic {
  readonly label: string;
  /** Places in the region with that word, the central ones first. */
  readonly members: readonly number[];
  /** Count of places in the region, with and without the word. */
  readonly size: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A word within one conversation. */
interface Said {
  readonly form: string;
  readonly weight: number;
  readonly inTitle: boolean;
}

/** A word within a region. */
interface Here {
  form: string;
  weight: number;
  inTitle: boolean;
  readonly members: number[];
}

const ROUNDS = 12;
/** Weight of a title's word, relative to the first keyword. */
const IN_TITLE = 2;

const distance = (a: Point, b: Point): number => (a.x - b.x) ** 2 + (a.y - b.y) ** 2;
const middleOf = (points: readonly Point[]): Point => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
});

/**
 * Finds at most `wanted` regions by k-means, with distant starts, each named by its most telling
 * word (frequent here × rare elsewhere).
 * - the word is in a title of the region, or is a keyword of two of its places; no name twice
 * - times, files, numbers, and pieces of a longer Chinese word are no names
 * - regions with one place, and those without a word, stay unnamed
 */
export function topicsOf(places: readonly Placed[], wanted: number): Topic[] {
  const regions = regionsOf(places, Math.min(wanted, Math.floor(places.length / 2)));
  const said = places.map(wordsSaid);
  const everywhere = new Map<string, number>();
  for (const words of said)
    for (const word of words.keys()) everywhere.set(word, (everywhere.get(word) ?? 0) + 1);

  const taken = new Set<string>();
  return regions
    .filter((region) => region.length > 1)
    .sort((a, b) => b.length - a.length)
    .flatMap((region) => {
      const here = new Map<string, Here>();
      for (const at of region)
        for (const [word, { form, weight, inTitle }] of said[at] ?? []) {
          const known = here.get(word) ?? { form, weight: 0, inTitle: false, members: [] };
          if (inTitle && !known.inTitle) known.form = form;
          known.weight += weight;
          known.inTitle ||= inTitle;
          known.members.push(at);
          here.set(word, known);
        }
      let [best, most] = ['', 0];
      for (const [word, { weight, inTitle, members }] of here) {
        if (taken.has(word) || !(inTitle || members.length > 1)) continue;
        const telling = weight * Math.log(1 + places.length / (everywhere.get(word) ?? 1));
        if (telling > most && !isPiece(word, here)) [best, most] = [word, telling];
      }
      const chosen = here.get(best);
      if (!chosen) return [];
      taken.add(best);
      const at = (index: number) => places[index] as Placed;
      const middle = middleOf(chosen.members.map(at));
      return [
        {
          label: chosen.form,
          members: chosen.members.sort((a, b) => distance(at(a), middle) - distance(at(b), middle)),
          size: region.length,
        },
      ];
    });
}

/** True if a Chinese word is cut out of a longer one that the region has about as often. */
function isPiece(word: string, here: ReadonlyMap<string, Here>): boolean {
  if (!HAN.test(word)) return false;
  const weight = here.get(word)?.weight ?? 0;
  for (const [other, { weight: beside }] of here)
    if (other.length > word.length && other.includes(word) && beside * 2 >= weight) return true;
  return false;
}

/** Lists the indexes of the places in each of `count` regions. */
function regionsOf(places: readonly Placed[], count: number): number[][] {
  if (count < 1) return [];
  let middles: Point[] = [places[0] as Placed];
  while (middles.length < count) {
    let [best, far] = [places[0] as Placed, -1];
    for (const place of places) {
      const nearest = Math.min(...middles.map((middle) => distance(place, middle)));
      if (nearest > far) [best, far] = [place, nearest];
    }
    middles.push(best);
  }
  let regions: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    regions = middles.map(() => []);
    places.forEach((place, index) => {
      let nearest = 0;
      for (let at = 1; at < middles.length; at++)
        if (distance(place, middles[at] as Point) < distance(place, middles[nearest] as Point)) nearest = at;
      regions[nearest]?.push(index);
    });
    middles = middles.map((middle, at) => {
      const region = regions[at] ?? [];
      return region.length === 0 ? middle : middleOf(region.map((index) => places[index] as Placed));
    });
  }
  return regions;
}

// ── words ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const HAN = /\p{Script=Han}/u;
const HAN_RUN = /\p{Script=Han}+/gu;

/** Caches answers by word, since a library repeats its words. */
function remembered<A>(answer: (word: string) => A): (word: string) => A {
  const known = new Map<string, A>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    if (known.size > 20_000) known.clear();
    const now = answer(word);
    known.set(word, now);
    return now;
  };
}

/** One key for all forms of a word: its stem, or for Han the word itself. */
const keyOf = remembered((form) =>
  HAN.test(form) ? form : (words(form).split(' ').at(-1) ?? '') || form.toLowerCase(),
);

/** Collects the words of a conversation that may name a topic. */
function wordsSaid({ title, keywords }: Placed): Map<string, Said> {
  const titled = titleWords(title).filter(namesTopic);
  const topical = keywords.filter(namesTopic);
  // The segmenter cuts a longer word that its dictionary lacks: 博物 beside 博物馆.
  const longer = (form: string): string =>
    HAN.test(form)
      ? [...titled, ...topical].reduce(
          (longest, other) =>
            other.length > longest.length && HAN.test(other) && other.includes(form) ? other : longest,
          form,
        )
      : form;
  const said = new Map<string, Said>();
  const add = (word: string, weight: number, inTitle: boolean) => {
    const form = longer(word);
    const known = said.get(keyOf(form));
    // The title has the form that the person uses.
    said.set(keyOf(form), {
      form: known?.form ?? form,
      weight: (known?.weight ?? 0) + weight,
      inTitle: inTitle || known?.inTitle === true,
    });
  };
  for (const word of new Set(titled)) add(word, IN_TITLE, true);
  // The first keywords of a conversation say more than the last.
  topical.forEach((word, rank) => {
    add(word, 1 / (1 + rank / 4), false);
  });
  return said;
}

/** An acronym is a name however short: NAS, CSS. In a title in capitals it is any word. */
const ACRONYM = /(?<![\p{L}\p{N}_./-])\p{Lu}{2,5}(?![\p{L}\p{N}_./-])/gu;

/** Words of a title in their order; Chinese ones in full length. */
function titleWords(title: string): string[] {
  const { names } = digestOf(
    [{ role: 'user', kind: 'message', parts: [{ type: 'text', text: title }] }],
    (text) => text,
  );
  const worthy = new Set([...names.values()].flatMap(({ forms }) => [...forms.keys()]));
  const acronyms: readonly string[] = /\p{Ll}|\p{Script=Han}/u.test(title)
    ? (title.match(ACRONYM) ?? [])
    : [];
  return [
    ...acronyms,
    ...[...worthy].filter((word) => !HAN.test(word) && !acronyms.includes(word)),
    ...wordSegments(title.match(HAN_RUN) ?? []).flatMap((segments) =>
      joined(
        segments.map(({ text }) => text),
        worthy,
      ),
    ),
  ];
}

/** Ends of longer words that are no words themselves: 博物·馆, 数据·库, 打印·机. */
const ENDS = new Set('馆库站店厅院校局所室机器仪员者家师学论法律性化型式率度量费券卡证表图谱');
/** Words of one character in everyday sentences: never a piece of a name that the segmenter does not know. */
const PLAIN = new Set(
  '去来想做看用买卖找写吃喝玩带挑换选学住走跑打开关好多少大小新老旧长短高低快慢年月日天点个只件部条张本会能给把被让帮问再先才更最每各该用为以于等后前时'.split(
    '',
  ),
);
const LONGEST_UNKNOWN = 5;

/**
 * Rejoins the `worthy` words of one run of Han where the segmenter cuts words that its dictionary lacks: with
 * their endings, and names of foreign sound that come as single characters (贝·叶·斯).
 */
function joined(segments: readonly string[], worthy: ReadonlySet<string>): string[] {
  const found: string[] = [];
  let single = '';
  const endSingle = () => {
    if (single.length >= 3 && single.length <= LONGEST_UNKNOWN) found.push(single);
    single = '';
  };
  segments.forEach((text, at) => {
    if (text.length === 1 && !isStopWord(text) && !PLAIN.has(text)) {
      single += text;
      return;
    }
    endSingle();
    const next = segments[at + 1] ?? '';
    if (worthy.has(text)) found.push(ENDS.has(next) ? text + next : text);
  });
  endSingle();
  return found;
}

const NUMBERS =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty ' +
  'forty fifty sixty seventy eighty ninety hundred thousand million billion dozen half double second third fourth fifth sixth seventh eighth ' +
  'ninth tenth once twice';
const TIMES =
  'january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec ' +
  'monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun ' +
  'spring summer autumn fall winter morning noon afternoon evening night tonight overnight ' +
  'midnight weekend today yesterday tomorrow daily nightly weekly monthly quarterly yearly annual ' +
  'second minute hour day week month quarter year decade century moment later earlier ago recently';
/** Words of a question to one's memory, which fit any conversation and name no topic. */
const TALK =
  'decide decided discuss discussed mention mentioned talk talked remember recall agree agreed explain explained missing conversation';
const HAN_TALK = new Set(
  '决定 讨论 商量 提到 提过 说过 聊过 记得 记住 回忆 同意 解释 介绍 安排 对话 聊天 到底 究竟 以内 以外 一下子'.split(
    ' ',
  ),
);
const NO_TOPIC = new Set(
  `${NUMBERS} ${TIMES} ${TALK}`.split(' ').flatMap((word) => [word, `${word}s`, keyOf(word)]),
);
const HAN_NUMBER = '[〇零一二两三四五六七八九十百千万亿几半数\\d]';
/** A number, with or without its unit: 十一月, 第二次, 三百米, 五千, 一部. Not 三明治, 一致, 四川. */
const COUNTED = new RegExp(
  `^(?:第${HAN_NUMBER}.*|${HAN_NUMBER}+(?:个|次|下|天|日|号|周|月|年|岁|季|代|点|刻|秒|分钟?|小时|钟头|星期|礼拜|块|元|角|毛|米|公里|里|斤|公斤|克|吨|升|倍|成|步|层|楼|条|张|只|件|台|部|本|页|行|字|位|名|人|种|类|项|样|遍|回|场|趟|顿|份|组|批|段|句|篇|封|辆|间|家|座|把|双|对|套|片|颗|棵|根|杯|瓶|碗|盒|袋|以[上下内])?)$`,
  'u',
);
const HAN_TIME =
  /^(?:[早晚午][上间]?|[上中下]午|[早凌]晨|清早|傍晚|深夜|半夜|夜[里晚间]|[白今明昨前后当每整][天日晚早年]|[上下这本]?(?:周末?|个?星期|个?礼拜)[一二三四五六日天]?|周末|[上下这本当每]个?月|[春夏秋冬][天季]|[去今明前后]年|小时|分钟|钟头|月[初中底份]|年[初中底]|平时|最近|以[前后]|之[前后]|刚才|目前|随时|现在)$/u;
/** A place relative to a thing (家里, 桌上), not a thing. */
const HAN_WHERE = /[里上]$/u;
/** Paths, addresses, file names, versions and decimal numbers contain one of these. */
const FILE = /[/\\@:.]/;

const namesTopic = remembered((word: string): boolean => {
  if (FILE.test(word) || /^[\d\p{P}]/u.test(word)) return false;
  if (HAN.test(word))
    return !(HAN_TALK.has(word) || COUNTED.test(word) || HAN_TIME.test(word) || HAN_WHERE.test(word));
  // "twenty-five", "two-week".
  return !word.split('-').every((part) => NO_TOPIC.has(part.toLowerCase()) || NO_TOPIC.has(keyOf(part)));
});
