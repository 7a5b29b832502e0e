// Overview questions ("in which order did I bring up …", 我们一共聊过哪些…): what answers is spread over weeks and conversations, so the
// best passages of one place are no answer. Such a question is answered by the best of each stretch of time.
import { distinct } from './choose.ts';
import type { Rankable, Scored } from './rank.ts';

const ORDER = new RegExp(
  [
    '\\border (?:in which|that|of how)\\b',
    '\\b(?:in (?:which|what)|what) order\\b',
    '\\blist\\b.{0,40}\\bin order\\b',
    '\\b(?:timeline|chronology|sequence) (?:of|in which)\\b',
    '\\bchronological',
    '(?:什么|先后|时间)(?:的)?顺序|依次|按时间|时间线|先后',
    '(?:一共|总共|都|分别)(?:\\p{Script=Han}{0,4})?(?:聊|谈|说|提|讨论)过',
  ].join('|'),
  'iu',
);
const OF_THE_PAST = new RegExp(
  [
    "\\b(?:did|have|had|has|was|were|brought|mentioned|discussed|talked|told|raised|came up|asked|went|throughout|across)\\b|'ve\\b",
    '过|了|提到|说的|聊的|以来|对话',
  ].join('|'),
  'iu',
);
const FOR_OTHERS = /\b(?:should|shall|must|do) (?:i|we|you|one)\b|应该|该先/iu;

/** Whether a question asks for the course of what was said, and not for one thing that was. */
export const asksForCourse = (question: string): boolean =>
  ORDER.test(question) && OF_THE_PAST.test(question) && !FOR_OTHERS.test(question);

/** So many of the best messages are spread over so many equal stretches of time, from the oldest of them to the newest. */
const [SPREAD, STRETCHES] = [50, 5];

/** Overview questions: the best of each stretch of time first, then the second of each. Any other question: `ranked` as it is. */
export function covering<C extends Rankable, S extends Scored<C>>(
  question: string,
  ranked: readonly (S & Scored<C>)[],
): (S & Scored<C>)[] {
  if (!asksForCourse(question)) return [...ranked];
  const best = distinct<C, S & Scored<C>>(ranked, Number.POSITIVE_INFINITY, SPREAD);
  const times = best.map(({ candidate }) => candidate.createdAt);
  const from = Math.min(...times);
  const length = Math.max(...times) + 1 - from;
  const places = new Array<number>(STRETCHES).fill(0);
  const spread = best
    .map((one) => {
      const stretch = Math.floor((STRETCHES * (one.candidate.createdAt - from)) / length);
      const place = places[stretch] as number;
      places[stretch] = place + 1;
      return { one, place };
    })
    .sort((a, b) => a.place - b.place || b.one.scores.final - a.one.scores.final)
    .map(({ one }) => one);
  const first = new Set(spread);
  return [...spread, ...ranked.filter((one) => !first.has(one))];
}
