// Reads a question: its words and near synonyms, each with its weight, and the kinds of values that would answer it.
import { once } from '../base/once.ts';
import { wordSegments } from '../text/segments.ts';
import { synonymsOf } from '../text/synonyms.ts';
import { termsOf } from '../text/words.ts';
import { expectedIn, type ValueKind } from './value-kinds.ts';

/** Words that form a question: they show which kind of answer is wanted, and little about its place. */
const frameWords = once(
  () =>
    new Set(
      termsOf(
        'how long much many often old big large far most least may might should must shall need use used happen go get take took give gave call called name kind type sort thing exactly again current currently now new old first last say said tell told want wanted do did make made put set keep kept know which what when where who whose day time date number amount person people ' +
          '什么 多少 几个 哪个 哪里 哪天 哪些 怎么 怎样 为什么 叫什么 名字 时候 什么时候 多久 多长 多长时间 最多 最长 最少 应该 需要 可以 之前 我们 现在 是多少 是什么 是哪 在哪 在哪里 用的 用什么',
      ),
    ),
);
const FRAME_WEIGHT = 0.25;

/** A question as read. */
interface Query {
  /** Term → weight: 1 for the question's own, less for synonyms. */
  readonly weights: ReadonlyMap<string, number>;
  /** The question's own terms. */
  readonly asked: ReadonlySet<string>;
  readonly expected: readonly ValueKind[];
}

const HAN_RUN = /[\p{Script=Han}]+/gu;
/** Weight of a pair whose characters belong to two words. */
const ACROSS = 0.3;
/** Weight of a word of one character, which many other words contain. */
const SINGLE = 0.5;
const SINGLE_SAYS_NOTHING =
  /[的了吗呢吧啊么呀是在我你他她它们这那和与就都也还又很不有没什怎哪谁个把被给让向从到说要会能可以请一下为其而但或及对得地所几多少大小上中里来去用做好位次条只些时候于]/u;

/** Finds pairs of a text's Han that lie across two words, and its words of one character. */
function wordsOfHan(text: string): { across: Set<string>; single: Set<string> } {
  const across = new Set<string>();
  const inside = new Set<string>();
  const single = new Set<string>();
  for (const segments of wordSegments(text.match(HAN_RUN) ?? [])) {
    let before = '';
    for (const { text: segment } of segments) {
      if (before) across.add(before.slice(-1) + segment.slice(0, 1));
      for (let i = 0; i + 1 < segment.length; i++) inside.add(segment.slice(i, i + 2));
      if (segment.length === 1 && !SINGLE_SAYS_NOTHING.test(segment)) single.add(segment);
      before = segment;
    }
  }
  for (const pair of inside) across.delete(pair);
  return { across, single };
}

/** Reads a question; of a long one its end. */
export function queryOf(question: string): Query {
  const frame = frameWords();
  const weights = new Map<string, number>();
  const text = question.slice(-4_000);
  const asked = new Set(termsOf(text));
  const { across, single } = wordsOfHan(text);
  for (const term of asked) weights.set(term, frame.has(term) ? FRAME_WEIGHT : across.has(term) ? ACROSS : 1);
  for (const character of single)
    if (!weights.has(character)) {
      weights.set(character, SINGLE);
      asked.add(character);
    }
  for (const term of asked)
    for (const other of synonymsOf(term))
      if (!weights.has(other)) weights.set(other, 0.45 * (weights.get(term) ?? 1));
  return { weights, asked, expected: expectedIn(question) };
}

/** True for a word of one Han character, which is not in the index of pairs: the text itself is searched. */
export const isSingleHan = (term: string): boolean => term.length === 1 && term > '\u2e80';
