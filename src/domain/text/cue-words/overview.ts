// Asks for a course of events, for everything of a kind, or for a summary of earlier talk.
/** Verbs for what a person did in a conversation. */
const SAID =
  'said|say|told|tell|mention(?:ed)?|discuss(?:ed)?|talked?|spoken?|speak|brought|bring|raised?|cover(?:ed)?|ask(?:ed)?|decided?|wrote|write|written|described?|planned|plan|' +
  'shared?|chose|agreed|took|taken|reached|made|tried|try|went (?:over|through)|gone (?:over|through)|had|owned|come up with|came up with';
const TALKS = 'conversations?|chats?|discussions?|sessions|talks';
/** "I told", "we've talked", "have I mentioned", "I have complained". */
const BY_US = `(?:\\b(?:i|we)(?:['’]ve|['’]d| have| had)? (?:\\w+ )?(?:${SAID})\\b|\\b(?:did|have|had) (?:i|we) (?:\\w+ )?(?:${SAID})\\b|\\b(?:(?:i|we)(?:['’]ve| have| had)?|(?:have|had) (?:i|we)) (?:\\w+ )?\\w{3,}(?:ed|nt)\\b)`;
const either = (...parts: readonly string[]): RegExp => new RegExp(parts.join('|'), 'iu');

/** Verbs of trade: an order that is placed and shipped is no order of events. */
const TRADED =
  '(?:\\w+ly )?(?:plac|cancel|ship|deliver|receiv|paid|pay|return|refund|confirm|charg|bought|buy|sen[dt]|sign|submit|track|lost|got|get|ma[dk]e|took|wrote|gave|complain|process)';
const COURSE = '(?:things|it all|it|everything|events|all (?:of )?(?:this|that))';
export const ORDER = either(
  '\\border (?:in which|of how)\\b',
  `\\border (?:that )?(?:${COURSE}|(?:i|we)(?:['’]ve|['’]d| have| had)? (?!${TRADED}|\\w+(?: you)?(?: about)?\\W*$))`,
  '\\bin (?:which|what) order\\b',
  `\\b(?:which|what) order (?:did ${COURSE}\\b|.{0,80}\\bin(?=\\W*$| when\\b))`,
  '\\blist\\b.{0,60}\\bin order\\b(?! (?:to|for|that)\\b)',
  '\\b(?:timeline|chronology|sequence) (?:of|in which)\\b|\\bin (?:what|which) sequence\\b|\\b(?:oldest|newest|earliest|latest) first\\b',
  '\\bchronological|\\bin (?:order of (?:time|date)|(?:time|date) order)\\b',
  '\\b(?:did|have) (?:i|we) (?:\\w+ )?first\\b.{0,60}\\bwhat (?:came|happened|followed|next)\\b',
  '\\bwhat\\b.{0,40}\\bfirst\\b.{0,20}\\bthen\\b|\\bfirst,? and (?:what|then)\\b',
  '\\bfrom (?:the )?(?:beginning|start|first) to (?:the )?(?:end|finish|last)\\b|\\bstart to finish\\b|\\bfrom the (?:very )?first\\b.{0,40}\\b(?:until|till|to|up to) (?:now|today|the (?:final|last|latest))\\b|\\bsince (?:i|we) first\\b|\\b(?:give|tell) me the whole (?:story|saga|course)\\b|\\b(?:story|history|saga) of (?:my|our)\\b|\\bearliest first\\b|\\b(?:step by step|day by day|week by week|month by month|year by year)\\b',
  '\\bhow did (?:i|we) get (?:from|to)\\b',
  '(?:什么|先后|时间)(?:的)?顺序|依次|按时间|时间线|先后|从头到尾|来龙去脉|一步步|我们?先(?:说|提|问|聊|讲).{0,24}(?:后来|然后|接着|再)|从第一(?:个|次|条|句).{0,6}到(?:最后|最近|现在)|从(?:第一次|最初|一开始|最早).{0,12}到(?:现在|今天|后来|最后)|(?:一开始|最初|起初|最早|第一次).{0,24}(?:后来|现在|最后)|前前?后后?(?:都|一共|总共)?(?:说|聊|谈|提|讲|讨论)',
  '(?:一共|总共|都|分别)(?:\\p{Script=Han}{0,4})?(?:聊|谈|说|提|讨论)过',
);
export const OF_THE_PAST = either(
  "\\b(?:did|have|had|has|was|were|brought|mentioned|discussed|described|talked|told|raised|came up|ran into|asked|went|happened|throughout|across|my|our)\\b|['’]ve\\b",
  '过|了|提到|[说聊提讲问谈]的|以来|对话|这件事|这个项目|我们?的\\p{Script=Han}{0,8}(?:做|列|画|排)',
);
/** Asks for everything of a kind that was said. */
export const WHOLE = either(
  `\\b(?:everything|all|every(?: single)? \\w+|what all)\\b.{0,40}${BY_US}`,
  `\\bwhat (?:all )?(?:have|had) (?:i|we) (?:\\w+ )?(?:${SAID})\\b`,
  '\\bwhat (?:have|had) (?:i|we) (?:\\w+ )?\\w{3,}ed (?:about|on|over)\\b|\\b(?:which|what) \\w+s\\b.{0,40}\\b(?:have|had) come up\\b',
  '\\ball (?:of )?(?:the|your) \\w+.{0,30}\\byou(?:.ve| have)? (?:recommended|suggested|proposed|mentioned|listed|named|gave|told|showed)\\b',
  `\\b(?:which|what(?: are| were)?|list|the (?:different|various|several)) (?:\\w+ ){0,3}(?!(?:was|is|has|does|this|us|as|its|his)\\b)\\w+s (?:that )?${BY_US}`,
  `\\b(?:which|what|the) (?:different|various|several)\\b.{0,40}\\b(?:i|we)\\b`,
  `\\b(?:which|what) (?:\\w+ ){0,3}\\w+s (?:came up|come up|(?:did|have) (?:our|my|these))\\b.{0,40}\\b(?:${TALKS})\\b`,
  '我们?(?:\\p{Script=Han}{0,10})?(?:说|聊|谈|提|讲|讨论|问|写|记)(?:到|起)?(?:过|了)(?:\\p{Script=Han}{0,4})?(?:哪些|哪几|多少种|多少个|些什么|所有|每一)',
  '我们?(?:\\p{Script=Han}{0,4})?都(?:\\p{Script=Han}{0,6})过(?:些)?什么',
  '我们?(?:一起|曾经)?\\p{Script=Han}{1,2}过(?:哪些|哪几)|你(?:给我)?(?:推荐|建议|介绍|提|说|讲)过的.{0,16}(?:列|全|汇总|收集)',
  '我们?(?:一共|总共|先后)(?:\\p{Script=Han}{0,4})?[过了](?:\\p{Script=Han}{0,4})?(?:哪些|哪几|什么)',
  '我们?(?:\\p{Script=Han}{0,4})?(?:抱怨|吐槽|念叨|担心|说|聊|提|问)得最多',
  '(?:哪些|哪几|每一|所有|全部)(?:\\p{Script=Han}{0,12})?我们?(?:\\p{Script=Han}{0,8})?(?:说|聊|谈|提|讲|讨论|问|写|记)(?:到|起)?(?:过|了)',
  '我们?(?:\\p{Script=Han}{0,8})?(?:说|聊|谈|提|讲|讨论|问|写|记|遇|想)(?:到|起)?(?:过|了)?(?:你|想)?(?:\\p{Script=Han}{0,6})?的(?:\\p{Script=Han}{0,8})?(?:每|所有|全部|(?:都)?有(?:哪些|什么|谁)|(?:都)?(?:列|排|汇总|收集|整理|归纳|梳理|总结))',
);
const SUMS_UP =
  '\\b(?:summar(?:y|i[sz]e|ies)|recap|overview|outline|sum up|lay out|history|story|everything|go over|run (?:me )?through|walk me through|catch me up|bring together|put together|trace|look back)\\b';
/** Asks for a summary of earlier talk, not of a text at hand. */
export const SUMMARY = either(
  `${SUMS_UP}.{0,80}\\b(?:everything|all)\\b.{0,12}\\b(?:about|on|with|of|around|regarding)\\b`,
  `${SUMS_UP}.{0,80}${BY_US}`,
  `\\b(?:summary|overview|recap) of (?:all (?:of )?)?(?:my|our) (?:\\w+ )?(?:questions|ideas|plans|thoughts|worries|complaints|notes|decisions|experiences)\\b`,
  `\\bsummar(?:y|i[sz]e)\\b.{0,10}\\b(?:my|our)\\b.{0,60}\\bso far\\b`,
  `${SUMS_UP}.{0,80}\\b(?:our|my|these|all) (?:\\w+ )?(?:${TALKS})\\b`,
  `${SUMS_UP}.{0,160}\\b(?:our|my) .{0,60}\\b(?:develop|progress|evolv|chang|unfold|improv|went|gone|so far|over time)`,
  `${SUMS_UP}.{0,120}\\b(?:in|through|throughout|across|over|from) (?:all )?(?:of )?(?:our|my) (?:\\w+ )?(?:${TALKS})\\b`,
  '(?:总结|概括|概述|回顾|梳理|汇总|盘点|归纳|整理|捋).{0,20}(?:几次|每次|所有|之前的?|以前的?)(?:对话|谈话|聊天|讨论)',
  '(?:对话|谈话|聊天|讨论).{0,8}(?:总结|概括|概述|回顾|梳理|汇总|盘点|归纳|整理|捋)(?:一遍|一下|成)|(?:我们|咱们?|关于).{0,16}(?:对话|谈话|聊天|讨论).{0,12}(?:概览|概述|小结)',
  '(?:总结|概括|概述|回顾|梳理|汇总|盘点|归纳|整理).{0,16}(?:我|咱|大家).{0,24}(?:说过|说的|聊|谈|提|讲|讨论|问|对话|进展|经历|想法|变化|决定|过程)',
  '(?:我|咱).{0,16}(?:说过|说的|聊|谈|提|讲|讨论|问过).{0,16}(?:总结|概括|概述|回顾|梳理|汇总|盘点|归纳|整理|捋)',
);
export const DEVELOPED = either(
  '\\bhow (?:has|have|did|had) (?:my|our)\\b.{0,80}\\b(?:develop|progress|evolv|unfold|come along|came about)',
  '\\bhow (?:has|have|did|had) (?:my|our)\\b.{0,80}\\b(?:chang|improv|go|gone|grow|grown|shift)\\w*\\b.{0,30}\\b(?:over|since|so far|across|throughout|during|months|weeks|years)\\b',
  '\\bhow far (?:have|had) (?:i|we)\\b|\\bwhat (?:have|had) (?:i|we)\\b.{0,80}\\b(?:so far|up to (?:now|today)|until now|to date)\\b',
  '\\bhow (?:the|my|our) (?:story|matter|case|plans?|ideas?) .{0,40}\\b(?:unfolded|developed|evolved|came about)',
  '我(?:\\p{Script=Han}{0,12})?的(?:整个|全部)?(?:过程|经过|历程)',
  '我们?(?:\\p{Script=Han}{0,16})?(?:是)?(?:(?:怎么|如何|怎样)(?:一步步)?(?:变化|演变|发展|转变|改变|变[的了])|(?:有|经历了|发生了)(?:过)?(?:什么|哪些|怎样的)(?:进展|变化|发展|转变))',
);
/** Plans and wishes, which were not said yet. */
export const TO_COME =
  /\b(?:should|shall|must|do) (?:i|we|you|one)\b|\bfrom now on\b|应该|该先|以后都|从现在起/iu;
/** The addressee of a request does not refer to earlier talk. */
export const TO_WHOM = /(?:请|帮|给|替|为)我(?!们?(?:说|提|聊|讲|问)过)/gu;
