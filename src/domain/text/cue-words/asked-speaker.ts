// Asks for what one speaker said: a tool, the assistant, the person, or all of them.
const TOOLS = 'command|script|tests?|build|query|tool|run|terminal|logs?|ci|pipeline|search|linter|compiler';
export const ASKS_FOR_TOOL = new RegExp(
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
export const ASKS_FOR_ASSISTANT = new RegExp(
  [
    `\\b(?:did|have|had) you (?:\\w+ )?(?:${ANSWERING_VERBS}|say|tell|write|give|find|come up|said|told|written|given|${ANSWERING_VERBS.replaceAll('|', 'e?d|')}e?d)\\b`,
    `\\byou (?:\\w+ )?(?:${ANSWERING_VERBS.replaceAll('|', 'e?d|')}e?d|said|told|wrote|gave|came up)\\b`,
    '\\byour (?:\\w+ )?(?:suggestions?|recommendations?|advice|answers?|explanations?|proposals?|reply|replies)\\b',
    '你(?:\\p{Script=Han}{0,4})?(?:建议|推荐|说过|提过|提到|告诉|解释|列出|列过|写的|给过|给的|给了|回答|讲过|提议)',
  ].join('|'),
  'iu',
);
export const ASKS_FOR_PERSON = new RegExp(
  [
    '\\b(?:did|have|had|was|were|am) (?:i|we)\\b',
    "\\b(?:i|we)(?:'ve| have| had)? (?:\\w+ )?(?:said|told|mentioned|decided|chose|picked|wanted|asked|brought|planned|agreed|wrote|described|shared)\\b",
    '我们?(?:\\p{Script=Han}{0,4})?(?:说过|提过|提到|决定|选了|选的|问过|打算|想要|定了|定的|讲过|是不是|有没有)',
  ].join('|'),
  'iu',
);
/**
 * Asks what "you" did, chose or want: within one conversation that is the assistant. Courtesies ("do
 * you know …") ask for something else.
 */
export const ASKS_WHAT_YOU_DID = new RegExp(
  [
    '\\b(?:did|had|have|were|do|would|will) you\\b(?! (?:know|remember|recall|think|mind|see|have|still|please|tell|say|show|like|need|help)\\b)',
    "\\b(?:which|what|whom?|where|when|how \\p{L}+|why)\\b.{0,40}(?<!\\b(?:gave|told|give|tell|show|showed|sent|send|for|to|with|of|from|about|by|ask|asked|want|wanted) )\\byou(?:['’](?:d|ve|ll|re))? \\p{L}",
    '(?<![给诉跟对和让请叫问向求])你(?!知道|还?记得|能|可以|看|帮|好|们|再?告诉)',
  ].join('|'),
  'iu',
);
export const ASKS_FOR_ALL = /\b(?:summar(?:y|ies|i[sz]e)|recap|overview)\b|总结|概括|回顾|梳理/iu;
