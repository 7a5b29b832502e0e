// Reads a conversation once for its topic: its sentences and the weights of its words.
// Keywords and summary are made from this.

import { type Message, textOf } from '../chat/message.ts';
import { cleanHead } from '../privacy/scan.ts';
import { plainText } from '../text/markdown.ts';
import { type Segment, wordSegments } from '../text/segments.ts';
import { sentencesOf } from '../text/sentences.ts';
import { isStopWord } from '../text/stop-words.ts';
import { words } from '../text/words.ts';

/** Words frequent in any conversation with a model; stems. They may be searched, but describe nothing. */
const COMMON = new Set(
  (
    'like want need know think make use get go see look tri work help thing way one two also well good great okai ok ye yeah sure thank pleas hello hi hei ' +
    'realli actual mayb even still much mani lot let sai said tell ask give take come back new now todai time dai first last next more most other ' +
    'ani all each everi alwai never here up down off over after befor again onli own same about into between through user assist chat question answer exampl ' +
    'wow awesom glad nice amaz cool haha recent recommend interest enjoi feel prefer everyth someth anyth noth togeth companion ' +
    'code file line set run add chang creat show find start stop call valu type name number string true fals null return function const import export http https www com'
  ).split(' '),
);
const COMMON_ZH = new Set(
  '觉得 知道 可能 应该 时候 现在 今天 明天 昨天 然后 还是 或者 可是 不过 非常 真的 好的 谢谢 你好 您好 请问 帮我 这样 那样 这里 那里 一样 一直 一种 一点 很多 东西 问题 事情 需要 使用 进行 通过 例如 比如 以及 并且 其中 可以 已经 喜欢 建议 告诉 看看 自己 大家 朋友 看到 高兴 感觉 推荐 有意思 怎么样 为什么 没关系 不错 当然 一定 特别 比较 首先 其次 最后 如何 多少 几个 还有 不会 不能 不是 就是 也是 都是 是否 用户 助手'.split(
    ' ',
  ),
);
/** A segment that begins or ends with one of these is a phrase of grammar, not a name: 我的, 很喜欢, 的是. */
const GRAMMAR = /^[的了吗呢我你他她它很又也都就是这那着不没]|[的了吗呢着是]$/u;

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’._\-/][\p{L}\p{M}\p{N}]+)*/gu;
const HAN = /\p{Script=Han}/u;
/** Most characters read of one message: enough to know its topic. */
const MAX_TEXT = 6_000;

export interface Sentence {
  /** Verbatim, without Markdown. */
  readonly text: string;
  readonly stems: ReadonlySet<string>;
  readonly byPerson: boolean;
}

/** A word of the conversation: its weight, and the count of each written form. */
export interface Name {
  readonly weight: number;
  readonly forms: ReadonlyMap<string, number>;
}

export interface Digest {
  readonly sentences: readonly Sentence[];
  /** By stem, or for Han by the word itself. */
  readonly names: ReadonlyMap<string, Name>;
}

/** Stems of recent words, cached since a library repeats them. Empty: describes nothing. */
const stems = new Map<string, string>();
function stemOf(run: string): string {
  const known = stems.get(run);
  if (known !== undefined) return known;
  const stem = words(run).split(' ').at(-1) ?? '';
  const kept = stem.length < 3 || COMMON.has(stem) ? '' : stem;
  if (stems.size > 20_000) stems.clear();
  stems.set(run, kept);
  return kept;
}

const runsOf = (text: string): readonly string[] => text.match(WORD) ?? [];

/** Yields words worth naming, with their stem, in order. `segments`: those of the text's Han runs. */
function* namesIn(
  text: string,
  segments: Iterator<readonly Segment[]>,
): Generator<readonly [stem: string, form: string]> {
  for (const run of runsOf(text)) {
    if (HAN.test(run)) {
      for (const { text: word, isWord } of segments.next().value ?? [])
        if (
          isWord &&
          word.length >= 2 &&
          word.length <= 12 &&
          !isStopWord(word) &&
          !COMMON_ZH.has(word) &&
          !GRAMMAR.test(word)
        )
          yield [word, word];
    } else {
      if (run.length < 3 || run.length > 40 || /^\d+$/.test(run)) continue;
      const stem = stemOf(run);
      if (stem) yield [stem, run];
    }
  }
}

/**
 * Reads the words of person and model, with secrets removed by `redact`. Frequent, early
 * and the person's own words weigh more.
 */
export function digestOf(
  messages: readonly Pick<Message, 'role' | 'kind' | 'parts'>[],
  redact: (text: string) => string,
): Digest {
  const names = new Map<string, { weight: number; forms: Map<string, number> }>();
  const sentences: Sentence[] = [];
  let said = 0;
  for (const message of messages) {
    if (message.kind !== 'message' || (message.role !== 'user' && message.role !== 'assistant')) continue;
    const byPerson = message.role === 'user';
    const standing = (byPerson ? 2 : 1) * (said < 4 ? 1.5 : 1);
    said += 1;
    const inMessage = new Map<string, number>();
    const texts = sentencesOf(plainText(cleanHead(textOf(message), MAX_TEXT, redact)));
    const segments = wordSegments(texts.flatMap(runsOf).filter((run) => HAN.test(run))).values();
    for (const text of texts) {
      const inSentence = new Set<string>();
      for (const [stem, form] of namesIn(text, segments)) {
        inSentence.add(stem);
        let name = names.get(stem);
        if (!name) {
          name = { weight: 0, forms: new Map() };
          names.set(stem, name);
        }
        name.forms.set(form, (name.forms.get(form) ?? 0) + 1);
        // A word in a second message says more than a second time in one.
        const times = (inMessage.get(stem) ?? 0) + 1;
        inMessage.set(stem, times);
        const length = HAN.test(form) ? form.length / 2 : Math.min(1.6, 0.6 + form.length / 10);
        name.weight += (standing * length) / (times * times);
      }
      sentences.push({ text, stems: inSentence, byPerson });
    }
  }
  return { sentences, names };
}
