// The words a conversation is about, without any model: what is said often, early and by the person, and is not said by everyone.
import type { Message } from '../chat/message.ts';
import { textOf } from '../chat/message.ts';
import { plainText } from './sentences.ts';
import { isStopWord, words } from './words.ts';

/** Words frequent in any conversation with a model; stems. They may be searched, but describe nothing. */
const COMMON = new Set(
  (
    'like want need know think make use get go see look tri work help thing way one two also well good great okai ok ye yeah sure thank pleas hello hi hei ' +
    'realli actual mayb even still much mani lot let sai said tell ask give take come back new now todai time dai first last next more most other ' +
    'ani all each everi alwai never here up down off over after befor again onli own same about into between through user assist chat question answer exampl ' +
    'wow awesom glad nice amaz cool haha recent recommend mayb interest enjoi feel prefer everyth someth anyth nothing togeth companion ' +
    'code file line set run add chang creat show find start stop call valu type name number string true fals null return function const import export http https www com'
  ).split(' '),
);
const COMMON_ZH = new Set(
  '觉得 知道 可能 应该 时候 现在 今天 明天 昨天 然后 还是 或者 可是 不过 非常 真的 好的 谢谢 你好 您好 请问 帮我 这样 那样 这里 那里 一样 一直 一种 一点 很多 东西 问题 事情 需要 使用 进行 通过 例如 比如 以及 并且 其中 可以 已经 喜欢 建议 告诉 看看 自己 大家 朋友 知道 看到 高兴 感觉 推荐 有意思 怎么样 为什么 没关系 不错 当然 一定 特别 比较 首先 其次 最后 如何 多少 几个 还有 不会 不能 不是 就是 也是 都是 是否 用户 助手'.split(
    ' ',
  ),
);

/** A segment that begins or ends with one of these is a phrase of grammar, not a name: 我的, 很喜欢, 的是. */
const GRAMMAR = /^[的了吗呢我你他她它很又也都就是这那着不没]|[的了吗呢着是]$/u;

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’._\-/][\p{L}\p{M}\p{N}]+)*/gu;
const segmenter =
  typeof Intl.Segmenter === 'function' ? new Intl.Segmenter('zh', { granularity: 'word' }) : undefined;
const HAN = /\p{Script=Han}/u;
/** Characters read of one message: enough to know what it is about. */
const MAX_TEXT = 6_000;

interface Seen {
  score: number;
  count: number;
  readonly forms: Map<string, number>;
}

/** Words with their stem (or themselves, for Han), in order. */
function* namesIn(text: string): Generator<{ stem: string; form: string }> {
  for (const [run] of text.matchAll(WORD)) {
    if (HAN.test(run)) {
      if (!segmenter) continue;
      for (const { segment, isWordLike } of segmenter.segment(run)) {
        const length = [...segment].length;
        if (
          isWordLike &&
          length >= 2 &&
          length <= 12 &&
          !isStopWord(segment) &&
          !COMMON_ZH.has(segment) &&
          !GRAMMAR.test(segment)
        )
          yield { stem: segment, form: segment };
      }
    } else {
      if (run.length < 3 || run.length > 40 || /^\d+$/.test(run)) continue;
      const stem = words(run).split(' ').at(-1) ?? '';
      if (stem.length >= 3 && !COMMON.has(stem)) yield { stem, form: run };
    }
  }
}

/** Weight of each stem of a conversation: how much it is about that word. Used for keywords and for choosing sentences. */
export function weightsOf(
  messages: readonly Pick<Message, 'role' | 'kind' | 'parts'>[],
  redact: (text: string) => string,
): Map<string, number> {
  return new Map([...seenIn(messages, redact)].map(([stem, seen]) => [stem, seen.score]));
}

function seenIn(
  messages: readonly Pick<Message, 'role' | 'kind' | 'parts'>[],
  redact: (text: string) => string,
): Map<string, Seen> {
  const seen = new Map<string, Seen>();
  let said = 0;
  for (const message of messages) {
    if (message.kind !== 'message' || (message.role !== 'user' && message.role !== 'assistant')) continue;
    const person = message.role === 'user' ? 2 : 1;
    const early = said < 4 ? 1.5 : 1;
    said += 1;
    const inMessage = new Map<string, number>();
    for (const { stem, form } of namesIn(plainText(redact(textOf(message).slice(0, MAX_TEXT))))) {
      let entry = seen.get(stem);
      if (!entry) {
        entry = { score: 0, count: 0, forms: new Map() };
        seen.set(stem, entry);
      }
      entry.count += 1;
      entry.forms.set(form, (entry.forms.get(form) ?? 0) + 1);
      const times = (inMessage.get(stem) ?? 0) + 1;
      inMessage.set(stem, times);
      // Saying a word in a second message tells more than saying it twice in one.
      const length = HAN.test(form) ? [...form].length / 2 : Math.min(1.6, 0.6 + form.length / 10);
      entry.score += (person * early * length) / (times * times);
    }
  }
  return seen;
}

/** Up to `limit` keywords of a conversation, the weightiest first, each in the form in which it was written most often. */
export function keywordsOf(
  messages: readonly Pick<Message, 'role' | 'kind' | 'parts'>[],
  redact: (text: string) => string,
  limit = 8,
): string[] {
  const ranked = [...seenIn(messages, redact)].sort(
    (a, b) => b[1].score - a[1].score || (a[0] < b[0] ? -1 : 1),
  );
  return ranked
    .slice(0, limit)
    .map(
      ([, { forms }]) => [...forms].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] as string,
    );
}
