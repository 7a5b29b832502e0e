// Refers to earlier talk between the person and the app ("as we agreed", 上次说的), and what is said for or to others.
/** Code, quotations and quoted lines are words of others. */
export const OTHERS_WORDS =
  /(?:^|\n)(?:```|~~~)[\s\S]*?(?:\n(?:```|~~~)|$)|^[ \t]*>.*$|`[^`\n]*`|"[^"\n]{1,200}"|“[^”\n]{1,200}”|‘[^’\n]{1,200}’|(?<![\p{L}\p{N}])'[^'\n]{1,200}'(?![\p{L}\p{N}])|「[^」\n]{1,200}」|『[^』\n]{1,200}』/gmu;

const FICTION =
  'story|tale|poem|song|lyrics|dialogue|dialog|scene|script|sketch|joke|haiku|essay|novel|limerick|tweet|caption|quote';
/**
 * From here on a sentence holds words for another person: text to translate, to put into
 * a letter or into a character's mouth.
 */
export const FOR_OTHERS = new RegExp(
  [
    '\\b(?:translate|proofread|rewrite|rephrase|reword|correct|paraphrase|edit|shorten|polish|fix|improve)\\b[^:]{0,60}:',
    '\\b(?:translate|rephrase|reword|proofread|conjugate|parse)\\s+(?!(?:the|that|this|my|our|it|these|those|what)\\b)',
    `\\b(?:writ(?:e|ing)|compose|draft|make|invent|need|want|give me)\\b.{0,40}\\b(?:${FICTION})s?\\b(?! (?:i|we|you)\\b)`,
    '\\b(?:(?:saying|says)\\s*[:,]|saying (?=(?:i|we|you|as)\\b)|(?:said|goes)\\s*:)',
    '\\b(?:saying|say|says|replying|write|tell(?:ing)? (?!me\\b|us\\b)(?:(?:the|my|our|his|her|their) )?\\p{L}+) that (?=(?:i|we|you|as)\\b)',
    '\\btell(?:ing)? (?!me\\b|us\\b|you\\b)(?:(?:the|my|our|his|her|their) )?\\p{L}+ (?=(?:i|we|as)\\b)',
    '\\b(?:in a sentence|the (?:words?|phrase|expression|function|method|variable|class|event|string|title))\\b',
    '(?:翻译|译成|润色|改写|校对|修改|改错|朗读|写(?:一)?(?:句|封|段|条|篇)).{0,20}[：:]',
    '对(?!我|你|您|咱)\\p{Script=Han}{1,4}说道?[：:]',
    '写.{0,12}(?:诗|歌|歌词|故事|小说|对话|剧本|段子|台词|作文)',
  ].join('|'),
  'iu',
);
/** The sentence is about words instead of using them. */
export const ABOUT_WORDS =
  /\b(?:how (?:do|would|can|should) (?:you|i|we|one) (?:say|spell|pronounce)|what(?: does|'s)? .{1,80} means?|in (?:french|german|spanish|italian|chinese|english|japanese|latin)\?)|(?:用|的)?(?:英语|英文|日语|日文|法语|德语|韩语|中文|粤语)(?:里|中)?(?:怎么|如何|该怎么)(?:说|讲|写|读|翻)|的(?:英文|英语|拼音|日语)|(?:是什么意思|什么含义|怎么翻译|翻译成|造(?:个|一个)?句)/iu;

const ADVERB =
  "(?: (?:already|once|never|ever|just|even|definitely|clearly|only|both|also|always|all|originally|actually|previously|repeatedly|finally|eventually|recently|probably|have|had|has|'ve|'d))*";
const PAST =
  '(?:said|told|talked|spoke|spoken|discussed|agreed|decided|mentioned|planned|settled|chose|chosen|picked|explained|described|shared|shown|showed|gave|given|sent|suggested|recommended|proposed|made|built|did|wrote|written|drafted|listed|asked|promised|taught|called|named|laid out|came up with|worked out|figured out|put together|set up|went (?:over|through|with|for)|gone (?:over|through)|been (?:over|through|saying|talking|discussing|planning|working on)|ended up|landed on|covered|sketched|compared|brought up|complained|done|(?:talked|spoke) (?:through|over))';
const PLAIN =
  '(?:say|tell|talk|speak|discuss|agree|decide|mention|plan|settle|choose|pick|explain|describe|share|show|give|send|suggest|recommend|propose|make|build|write|draft|list|ask|promise|call|name|lay out|come up with|work out|figure out|put together|set up|go (?:over|through|with|for)|end up|cover|bring up|complain)';
/** Excludes other listeners in the same clause: "I mentioned it to my boss", "we talked with the bank". */
const TO_NOBODY_ELSE =
  '(?![^,;:.?!]{0,40}\\b(?:to|with|at|from|by) (?!you\\b|me\\b|us\\b|this\\b|that\\b|each other\\b|start\\b|do\\b|use\\b|go\\b|be\\b|get\\b|buy\\b|make\\b|have\\b|keep\\b|take\\b|move\\b|the (?:start|beginning|end)\\b)(?:(?:the|my|our|his|her|their|a|an) )?\\p{L}+)(?!(?<=\\b(?:told|tell|asked?|gave|given?|sent|send|show|showed|shown|promised?|taught)) (?:him|her|them|everyone|everybody|people|my|the|his|our|their)\\b)';
const ME = "(?<!\\b(?:and|or|if|when|before|after|until|once|because) )\\b(?:i|we)(?:'ve|'d| have| had)?";
const BACK =
  '(?:before|earlier|previously|last (?:time|week|month|year|night|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|yesterday|the other (?:day|week|night)|(?:a|some) (?:while|time) (?:ago|back)|(?:ages|long) ago|(?:a|two|three|few|a few|some|several) (?:days?|weeks?|months?|years?) (?:ago|back)|back then|in (?:another|an earlier|a previous|our last|a different|the other) (?:chat|conversation|session|thread)|already|a million times|so many times|again and again|once|in the past|way back)';
const TALK =
  '(?:chats?|conversations?|discussions?|sessions?|talks?|threads?|exchanges?|brainstorm(?:ing)?|notes)';
/** End of a talk's name: keeps out nouns of something else, as in "the previous discussion section". */
const TALK_ENDS =
  "(?=\\s*(?:[.,;:?!)–—-]|$)|['’]s? |\\s+(?:about|on|of|over|where|when|with you|we|i|you|from|and|to|was|is|as|for|in|that|yesterday|last|today|earlier)\\b)";

const EN = [
  // Asks if the app still remembers; or asks it to, with something of "us" or a question behind it.
  "\\b(?:do|can|did|don't|didn't|you(?:'ll|'d)?|surely you|if you)(?: (?:you|still|even|happen to|just|perhaps|might|may|should|must|will|would|can))* (?:remember|recall|recollect)\\b",
  "(?:^|[,;:–—-] *|\\b(?:and|so|but|please|also|now|then|ok|okay|hey|hi|well) )(?:remember|recall|recollect) (?:our|when (?:i|we|you)|what (?:i|we|you)|where (?:i|we|you)|which|how (?:i|we|you)|who|my|(?:the|that|those|all) .{1,60}\\b(?:i|we|you)(?:'ve|'d)? " +
    `(?:have |had |already |once )?${PAST})\\b`,
  // "as we agreed", "the list you gave me", "what I told you".
  `\\b(?:as|like|what|which|where|how|why|that|whatever|everything|all|the way|than|the (?:one|ones|thing|things)) (?:i|we|you)(?:'ve|'d)?${ADVERB} ${PAST}\\b${TO_NOBODY_ELSE}`,
  `\\b(?:the|that|those|these|your|this|all|any|a|one) (?:[\\p{L}\\p{N}'’-]+ ){1,4}(?:that |which )?(?:i|we|you)(?:'ve|'d)?${ADVERB} ${PAST}\\b${TO_NOBODY_ELSE}`,
  '\\b(?:as|like) (?:discussed|agreed|mentioned|planned|decided|before|ever|always|usual|last time|i was saying|we were saying|you know)\\b(?! in (?:the|this) (?:paper|article|chapter|book))',
  // "I told you …", "you suggested …".
  "\\b(?:i|we)(?:'ve|'d| have| had)?(?: (?:already|once|ever|never|just|have|had|must have|might have|definitely))* (?:told|showed|shown|gave|given|sent|asked|promised) you\\b",
  "\\byou(?:'ve|'d| have| had)?(?: (?:already|once|ever|just|yourself|have|had))* (?:told|gave|given|showed|shown|sent|wrote|promised|taught|asked) me\\b",
  `\\byou(?:'ve|'d)?(?: (?:already|once|ever|have|had))* (?:said|suggested|recommended|proposed|mentioned|explained|drafted|listed|came up with|put together)\\b`,
  `\\b(?:i|we)(?:'ve|'d| have| had)?${ADVERB} (?:said|explained|described|mentioned|shown|sent|given)\\b.{0,60}\\bto you\\b`,
  // "we talked about this before".
  `${ME}${ADVERB} ${PAST}\\b${TO_NOBODY_ELSE}.{0,60}\\b${BACK}\\b`,
  `\\b${BACK},? (?:when )?(?:i|we|you)(?:'ve|'d)?${ADVERB} ${PAST}\\b${TO_NOBODY_ELSE}`,
  "(?<!\\band )\\b(?:we|i)(?:'ve| have|'d| had)(?: (?:already|both|just|all|surely))* (?:been (?:over|through|there|talking about)|covered|gone (?:over|through)) (?:this|that|it|all this|all that|these)\\b",
  // "did I tell you …?", "which one did we choose?", "have we ever talked about …?"
  `\\b(?:did|didn't|didnt)(?: not)? (?:i|we|you)(?: (?:ever|not|already|really|finally|eventually|originally|once|both|just|even))* ${PLAIN}\\b${TO_NOBODY_ELSE}`,
  `\\b(?:have|haven't|had|hadn't) (?:i|we|you)(?: (?:ever|not|already|really|both|just|even|finally))* ${PAST}\\b${TO_NOBODY_ELSE}`,
  `\\bwere (?:we|you) (?:saying|talking|discussing|planning|thinking|working|at)\\b|\\bwhere (?:were we|(?:did )?we (?:le(?:ft|ave)) off|was i)\\b|\\b(?:left|leave) off\\b`,
  `\\b(?:did|had|were) (?:you|we)\\b.{2,60}\\b(?:${BACK}|back in)\\b|\\byou (?:had|found|fixed|helped|used|ran|tried|picked|counted)\\b.{2,60}\\b(?:${BACK}|back in)\\b`,
  "\\b(?:didn't|haven't|hadn't) (?:i|we|you) (?:already|just|once|agree|rule|drop|have)\\b|\\bwe (?:talked|went|walked) (?:it |this )?(?:through|over)\\b|\\b(?:what|which|where|when|who) (?:was|were) (?:our|my|your)\\b",
  `\\b(?:the|that|those|these) (?:[\\p{L}\\p{N}'’-]+ ){1,4}(?:you (?:used|made|did|had|found|ran|built|chose|liked|helped)|(?:we|you) both \\p{L}+ed)\\b`,
  // "like last time", "the usual way", "as always".
  '\\b(?:like|as|same as|same thing as|than|just as|since|from|unlike|it) (?:we did )?(?:last|the other|the last|the previous|all the other|every other) time\\b',
  `\\blast time (?:(?:i|we|you)(?:'ve|'d)? ${PAST}|we (?:did|used|had|tried|made|met|went|were|worked|spoke)|you (?:did|used|made|helped|were))\\b${TO_NOBODY_ELSE}`,
  '\\b(?:(?:my|our) usual\\b|(?:the|same) (?:usual|old) (?:way|style|form|format|order|rules?|routine|template|tone|layout|setup|signature|recipe|thing|one|length|settings?|conditions?|terms)(?! (?:of|to|in which|that|for (?:a|an|the)|people|one)\\b)|same (?:as|like) (?:always|usual|ever|before)|as (?:always|usual|ever|before)|like (?:before|always|(?:we|i|you) (?:always |usually )?(?:do|did)\\b|the (?:last|previous) (?:one|ones))|(?:the )?same [\\p{L}-]+(?: [\\p{L}-]+)? as (?:before|always|usual|last (?:time|week|month|year)))\\b',
  '\\b(?:from|like|as|than) (?:before|earlier|last (?:time|week|month))(?=\\s*(?:[.,;:?!–—-]|$))',
  "\\bback when (?:i|we|you)\\b|\\b(?:get|go|getting|going|come|coming|circle|turn|returning|return) back to (?:our|what (?:i|we|you))\\b|\\b(?:pick|picking|take|carry|continue|resume|go on)(?: up| on| it| this| that)* (?:from )?where (?:we|you|i)\\b|\\b(?:continue|continuing|resume|resuming|pick up|picking up|following up on|follow up on|building on|based on|go on with|carry on with|per|going by|according to|stick to|stay with|keep to|using|use|apply|follow|see|check|look (?:at|in|up|through)) (?:our|what (?:i|we|you)(?:'ve|'d)?(?: (?:already|have|had))* (?:said|told|know|agreed|decided|discussed|settled|planned|learned))\\b",
  `\\b(?:our|my|in (?:an?|another|the|some|that)|from (?:an?|another|the|some|that)|see (?:the|that)|to (?:the|that)|remember (?:the|that)) (?:[\\p{L}'-]+ ){0,2}${TALK}${TALK_ENDS}`,
  `\\b(?:previous|earlier|past|other|last|old) (?:chats?|conversations?) (?:we|i|you|with you)\\b`,
  // "give me that list again", "our colours once more", "yesterday's session".
  '\\b(?:give|show|send|tell|list|read|post|paste) (?:me |us )?(?:that|those|the|your|my|our) .{2,40}\\b(?:again|once more|one more time)\\W*$',
  '\\b(?:our|my|your) .{2,60}\\b(?:once more|one more time)\\W*$',
  `\\b(?:yesterday|(?:last |mon|tues|wednes|thurs|fri|satur|sun)\\p{L}+)'s ${TALK}(?=\\W*$|[.,;:?!])`,
  '\\b(?:just|exactly|same|much) (?:like|as) the (?:last|previous|other) (?:one|ones|two|three|few)\\b',
  // "continue with the list we started", "the recipe from the other day".
  '\\b(?:continue|go on|carry on|finish|resume|keep going)\\b.{0,20}\\b(?:the|that|our) .{1,40}\\b(?:we|you) (?:started|began|were (?:at|on))\\b',
  '\\b(?:the|that|those|your) (?:[\\p{L}-]+ ){1,3}from (?:the other (?:day|week|night)|before\\b(?! (?:the (?:war|flood)|the industrial|christ\\b))|last time)\\b',
  // "remind me what we …", "what's that port again?", "what do you know about me?"
  '\\b(?:remind|refresh) (?:me|my memory)\\b.{0,12}\\b(?:what|which|where|when|who|how|why|of|about)\\b.{0,60}\\b(?:i|we|our|my|you|your|again)\\b',
  "^(?:[\\p{L}, ]{0,24})?\\b(?:what|who|which|where|when|how)(?:'s|'re| is| was| were| did| are)? .{2,80}\\bagain ?\\?+$",
  '\\byou (?:already|still|surely) know (?:how|what|where|which|who|when) (?:i|we)\\b|\\byou (?:(?:already|still|must|should|do|probably|surely|all) )*know (?:my|our|(?:about|that) (?:my|our)|where (?:i|we)|who (?:i|we)|how (?:i|we) (?:like|want|do)|what (?:i|we) (?:like|want|prefer|do|eat|drive|use))\\b|\\bwhat (?:do|else do|did) you (?:already |still )?(?:know|have|remember|learn) (?:on|about|of) (?:me|us|my|our)\\b|\\b(?:knowing|given) what you know\\b|\\b(?:everything|what|all) you know (?:about|of) (?:me|us|my|our)\\b',
  "\\bwhat (?:was|were|is|had) (?:it|that|the [\\p{L}-]+(?: [\\p{L}-]+)?)(?: that)? (?:i|we|you)(?:'ve|'d)?\\b(?: had| have)?\\b.{0,20}\\b(?:wanted|used|had|liked|" +
    PAST.slice(3),
];

// Chinese: a time in the past, with "us" or no subject before it; or "us", a verb of
// speaking, 过/的/了, and no other listener.
const THEN =
  '(?:上一?次|上一?回|之前|以前|先前|那次|那回|那天|前几天|前两天|前阵子|前段时间|前面|早先|早前|昨天|前天|上周|上个?月|上个?星期|去年|当时|当初|曾经|刚才|最初|一开始|原来|最后|过去)';
const US = '(?:我们|咱们|咱俩|咱|我|你|您|我俩)';
const SPOKE =
  '(?:说|聊|提|讲|讨论|商量|决定|敲定|定|约|谈|问|告诉|推荐|建议|教|给|写|做|列|选|挑|起|发|画|拟|算|整理|描述|解释|形容|交代|提供|答应|介绍|分析|总结|规划|计划|安排|用|改|看|查|弄|帮)';
const HOW =
  '(?:不是|是不是|是|有没有|没有|好像|应该|肯定|已经|曾经|曾|就|都|还|也|才|又|一起|可能|到底|具体|究竟|明明|早就|一共|总共|好|刚|先|最后|最终|怎么|跟你|跟您|和你|和您|对你|给你|给您|向你|同你|跟我|和我|给我|帮我|为我|替我|让你|请你|叫你|要你)';
/** Excludes another speaker: no noun right before. */
const NO_OTHER =
  '(?<=^|[\\s，,。；;：:、？?！!（(“"]|我|你|您|们|咱|俩|按|照|像|跟|和|同|用|把|从|着|续|据|对|到|就|是|在|问|了|的|得|下|请|与|给|进|入|比|看|查|找|记|知道|关于|么|将|回|一|还|都|帮|于|啊|呀|哎|嗯|诶|欸|想|哦|对了)';
const NOT_AFTER = '(?!.{0,8}(?:跟|和|对|给|向|同|告诉)(?!你|您|我|咱))';
const THING =
  '(?:个|份|本|家|段|次|种|篇|张|封|条|件|位|部|套|款|首|道|项|些|版|台|组|句|支|只|间|趟|场|门|回|笔|批|样)';
const ZH = [
  '还记不?记?得(?!要|吃|带)|记不记得|记得不记得|(?:你|您)(?:[还应该是否不会肯定]{0,4})记得|(?:^|[，,。；;？?！!\\s])记得(?:我|我们|咱们?|咱俩|上次|之前|那)(?!要|得|带)|有印象吗|还有印象|没忘吧|忘了没|(?:你|您).{0,4}记着|别忘了我(?:是|对|不|在|的)|想不起来?我',
  `${NO_OTHER}${THEN}(?:的时候)?${US}?(?:${HOW}){0,4}(?:跟|和|对)?(?:你|您|我)?(?:${HOW}){0,2}${SPOKE}(?:了|过|好|到|的|定|论|成|出|给|下|完|起|我|你|什么|哪|几)`,
  `${NO_OTHER}${THEN}${US}(?:${HOW}){0,3}${SPOKE}`,
  `${US}(?:上次|上回|之前|以前|当时|当初)的(?!同事|朋友|老板|公司)|${NO_OTHER}(?:上次|上回|之前|那天|昨天|上周)\\p{Script=Han}{0,6}(?:你|您)(?:${HOW}){0,3}(?:${SPOKE}|记|背)`,
  `我们?${THEN}(?:${HOW}){0,4}(?:描述|解释|告诉|说|聊|提|讲|讨论)${NOT_AFTER}`,
  `${NO_OTHER}${THEN}[我你您]们?.{0,12}(?:${SPOKE})(?:的|过|了)`,
  `${US}(?:${HOW}){0,4}(?:${THEN})?(?:${HOW}){0,3}(?:说|聊|提|讲|讨论|商量|谈|告诉|问|推荐|建议|介绍|给|写|列|教|发|答应|描述|解释|交代)(?:到|起)?过${NOT_AFTER}(?!(?:他|她|它|老师|老板|爸|妈|别人|大家|同事|朋友))`,
  `${US}(?:${HOW}){1,3}(?:跟你|和你|告诉|说|提|讲)(?:过|了|的)`,
  `(?:我们|咱们?|咱俩)(?:${HOW}){0,3}(?:说|约|商量|谈|定|聊|讨论|讲)(?:好|定|妥|过|到)|(?:我们|咱们?)(?:${HOW}){0,3}(?:决定|定|选|挑|敲定|商量|约|讨论)(?:了|的|出)?.{0,12}(?:什么|哪|几|多少|谁|来着|吗|没)`,
  `(?:你|您)(?:${HOW}){0,3}(?:写|列|推荐|建议|给|做|设计|起|选|挑|说|提|讲|教|画|拟)(?:给我)?的?(?:那|这)${THING}|那${THING}(?:你|您|我们|咱们?)(?:${HOW}){0,2}${SPOKE}过?的`,
  `(?:你|您)(?:${HOW}){1,3}(?:写|列|推荐|建议|做|设计|起|选|挑|画|拟|整理|改|算)(?:好|过|出来)?的`,
  `我(?:给你|发你|发给你|告诉你|跟你说|教你)(?:的|过)(?!话)`,
  `${NO_OTHER}(?:上一?次|上一?回|之前|以前|先前|那天|昨天|上周|前几天|前面|早先)(?:的)?那${THING}`,
  '(?:按|照|按照|跟|像|和|同|用|依|沿用|延续|接着|继续|接|回到|参考|根据|与|比)(?:着|我们?|咱们?|你)?(?:的)?(?:上一?次|上一?回|之前|以前|先前|往常|平时|以往|从前|老|一贯)(?!的(?:经验|研究|数据|文献|报道|新闻))(?:[，,。；;！!\\s]|$|一样|那样|那么|来|的|说|聊|规矩|样子|做法|格式|写|办|继续|讲)',
  '(?:接着|继续|回到|延续|接上)(?:昨天|前天|上周|上个?月|昨晚|那天|我们|咱们?)的?(?:话题|讨论|聊天|对话|计划|聊|说|讲|写|往下)',
  '老(?:规矩|样子|地方|时间|办法)(?!的)|(?:我们|咱们?)不是(?:已经|都|早就|早)[^，,。]{1,14}(?:了|过)吗|照旧|照(?:我|咱们?|你)(?:说|讲|定)过的|(?:按|照|根据|依照|据)(?:我们?|咱们?|你)(?:之前|上次|说好|定好|商量|讨论|约定|聊|谈|对我)',
  // 按咱俩定的来, 三月份咱们聊的; 没列完的接着列; 你以前有个更好的说法.
  `(?:按|照|按照|依|据|根据)(?:我们|咱们?|咱俩|我俩)${SPOKE}(?:好|过)?的`,
  `(?:月份?|周[一二三四五六日末天]|星期[一二三四五六日天]|春天|夏天|秋天|冬天|年初|年底|节)(?:的时候|前|后|那会儿)?(?:我们|咱们?|咱俩)(?:${HOW}){0,3}${SPOKE}(?:过|好)?的`,
  '(?:继续|接着).{0,16}(?:开了?头|没(?:写|列|做|说|聊|讲|弄|画)完)|(?:开了?头|没(?:写|列|做|说|聊|讲|弄|画)完)的.{0,12}(?:继续|接着)',
  `那${THING}.{1,16}再(?:给|发|说|讲|列|念|贴)(?:我)?(?:一)?(?:次|遍|下)|(?:这|那)(?:事|个|话|些|件事)?(?:我们|咱们?|都|已经|早就?){0,2}(?:说|讲|聊|谈|讨论|提)过`,
  '(?:你|您)(?:给|为|帮|替)\\p{Script=Han}{1,6}(?:写|做|画|列|设计|起|拟|编)的|(?:跟|和|像|同|照|按)着?前(?:几|两|三)?(?:次|回|版|份)',
  '(?:我们|咱们?|咱俩)\\p{Script=Han}{0,4}(?:弄|做|写|聊|说|讲|谈|讨论|进行|搞|算|排|改|看)到哪',
  `(?:你|您)${THEN}(?!的)|那${THING}.{0,10}(?:调|翻)出来`,
  '(?:你|您)(?:[应该已经都还也肯定]{1,6})(?:知道|清楚|了解)(?:我|咱)|对我的了解|你(?:都)?(?:知道|了解|记得|记住|记了)(?:了)?(?:关于)?我(?:的)?(?:哪些|什么)|你(?:都)?了解我(?:多少|什么)',
  '(?:我|咱|你).{0,14}来着|(?:叫什么|是什么|是谁|在哪|哪个|哪家|哪天|多少|几点)来着',
];

export const CALL = new RegExp([...EN, ...ZH].join('|'), 'iu');
