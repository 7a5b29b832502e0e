// Lanes by speaker: the person, the assistant, a tool, named others in a chat of friends. Long answers crowd out the few words that they
// answer, so a lane with most of the results shares the usual demand for it, and a question may ask for one lane.
import type { Role } from '../chat/message.ts';
import { speakerIn } from '../text/cues.ts';
import type { Fit } from './fit.ts';

export type Lane = 'person' | 'assistant' | 'tool' | 'others';

/** Fields of a candidate that show its lane. */
interface Said {
  readonly messageId: string;
  readonly text: string;
  readonly role?: Role;
}

/** A name that opens so many of the messages found is a speaker; fewer times it is a word with a colon. */
const LEAST_MESSAGES = 3;

const TOOLS = 'command|script|tests?|build|query|tool|run|terminal|logs?|ci|pipeline|search|linter|compiler';
const ASKS_FOR_TOOL = new RegExp(
  [
    `\\b(?:output|results?|logs?|stack ?trace|exit code|error message|printed) (?:of|from|in|by) (?:the |that |my |our |this )?(?:\\w+ ){0,2}(?:${TOOLS})\\b`,
    `\\bwhat did (?:the|that|my|our) (?:\\w+ ){0,2}(?:${TOOLS})\\b.{0,60}\\b(?:say|show|print|return|report|output|give|find)`,
    '\\b(?:came|come|comes) out of (?:the|that|my|our)\\b',
    '(?:命令|脚本|测试|构建|查询|工具|终端|日志|流水线)(?:的)?(?:输出|结果|打印|显示|返回|报)',
    '(?:命令|脚本|终端|日志)(?:里|中|上)',
  ].join('|'),
  'iu',
);
const ANSWERING_VERBS =
  'suggest|recommend|propose|advise|explain|mention|describe|list|answer|point|outline|show';
const ASKS_FOR_ASSISTANT = new RegExp(
  [
    `\\b(?:did|have|had) you (?:\\w+ )?(?:${ANSWERING_VERBS}|say|tell|write|give|find|come up|said|told|written|given|${ANSWERING_VERBS.replaceAll('|', 'e?d|')}e?d)\\b`,
    `\\byou (?:\\w+ )?(?:${ANSWERING_VERBS.replaceAll('|', 'e?d|')}e?d|said|told|wrote|gave|came up)\\b`,
    '\\byour (?:\\w+ )?(?:suggestions?|recommendations?|advice|answers?|explanations?|proposals?|reply|replies)\\b',
    '你(?:\\p{Script=Han}{0,4})?(?:建议|推荐|说过|提过|提到|告诉|解释|列出|列过|写的|给过|给的|给了|回答|讲过|提议)',
  ].join('|'),
  'iu',
);
const ASKS_FOR_PERSON = new RegExp(
  [
    '\\b(?:did|have|had|was|were|am) (?:i|we)\\b',
    "\\b(?:i|we)(?:'ve| have| had)? (?:\\w+ )?(?:said|told|mentioned|decided|chose|picked|wanted|asked|brought|planned|agreed|wrote|described|shared)\\b",
    '我们?(?:\\p{Script=Han}{0,4})?(?:说过|提过|提到|决定|选了|选的|问过|打算|想要|定了|定的|讲过|是不是|有没有)',
  ].join('|'),
  'iu',
);
const ASKS_FOR_ALL = /\b(?:summar(?:y|ies|i[sz]e)|recap|overview)\b|总结|概括|回顾|梳理/iu;

/** Lane that a question asks for: `all` for a summary, null if it does not say. A question that names the assistant's part may still say "I". */
export function askedFor(question: string): Exclude<Lane, 'others'> | 'all' | null {
  if (ASKS_FOR_ALL.test(question)) return 'all';
  if (ASKS_FOR_TOOL.test(question)) return 'tool';
  if (ASKS_FOR_ASSISTANT.test(question)) return 'assistant';
  return ASKS_FOR_PERSON.test(question) ? 'person' : null;
}

/** Returns each candidate's lane, and its worth for this question in log odds. */
export function lanesOf(
  candidates: readonly Said[],
  question: string,
  { lanes: fit }: Fit,
): { readonly of: (candidate: Said) => Lane; readonly logOdds: (lane: Lane) => number } {
  const names = new Map<string, Set<string>>();
  for (const { text, messageId } of candidates) {
    const name = speakerIn(text);
    if (name !== null) names.set(name, (names.get(name) ?? new Set()).add(messageId));
  }
  const of = ({ text, role }: Said): Lane => {
    if (role === 'tool') return 'tool';
    const name = speakerIn(text);
    if (name !== null && (names.get(name)?.size ?? 0) >= LEAST_MESSAGES) return 'others';
    return role === 'assistant' ? 'assistant' : 'person';
  };
  const { usual } = fit;
  const count = { person: usual, assistant: usual * fit.assistant, tool: usual * fit.tool, others: 0 };
  for (const candidate of candidates) count[of(candidate)] += 1;
  const asked = askedFor(question);
  const logOdds = (lane: Lane): number => {
    if (lane === 'others' || asked === 'all') return 0;
    // The requested lane gains nothing: a question about something else must stay without an answer.
    if (lane === asked) return 0;
    const crowded = lane === 'person' ? 0 : Math.log((fit[lane] * count.person) / count[lane]);
    return Math.min(0, crowded) - (asked === null ? 0 : fit.asked);
  };
  return { of, logOdds };
}
