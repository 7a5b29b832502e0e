// Asks for a fact about the person, which nothing but memory can know; and what only sounds so: asking for advice, or
// about something that stands in the message.
const LEAD =
  '^\\W*(?:(?:and|so|ok|okay|hey|hi|but|well|please|by the way|actually|again|do you (?:still )?(?:know|remember)|(?:can|could) you tell me|tell me|i forgot|i wonder),? +)*';
const IS = "(?:['’]s|['’]re| is| are| was| were| will be)";
const MEASURE = 'old|many|much|tall|long|big|far|often|late|early|heavy|high|large';
const HABIT =
  'have|own|drive|live|work|like|love|hate|prefer|usually|normally|always|mostly|play|study|teach|eat|drink|earn|weigh|wear|sleep|wake|get up|speak|go running|run|swim|train|commute|pay for|do for a living|do for work|keep|park|bank|shop';

export const ASKS_OF_OWN_FACTS = new RegExp(
  [
    `${LEAD}(?:what|who|where|when|which|whose|how (?:${MEASURE}))${IS} (?:my|our)\\b`,
    `${LEAD}(?:what|which|how (?:${MEASURE}))(?: [\\p{L}-]+){1,3}${IS} (?:my|our)\\b`,
    `${LEAD}(?:what|which|who|where|when|how (?:${MEASURE}))(?: [\\p{L}-]+){0,3} (?:does|do|did|has|have|had|will) (?:my|our)\\b`,
    `${LEAD}(?:what|which|who|where|when|how (?:${MEASURE}))(?: [\\p{L}-]+){0,3} (?:am|was|were|did) (?:i|we)\\b`,
    `${LEAD}(?:what|which|who|where|when|how (?:${MEASURE}))(?: [\\p{L}-]+){0,3} do (?:i|we) (?:${HABIT})\\b`,
    `${LEAD}(?:do (?:i|we) (?:have|own)|am i allergic)\\b`,
    '^[^？?]{0,8}(?:我|咱)[^？?，,。]{0,24}(?:什么|哪|谁|几|多少|多大|多高|多重|多久|多长)[^？?，,。]{0,12}[？?]?\\s*$',
  ].join('|'),
  'iu',
);
export const ASKS_FOR_ADVICE = new RegExp(
  [
    '\\b(?:should|shall|could|can|must|ought|need|supposed|have to|best|better|next|ideal|options?|choices?|chances?|rights|odds|mistakes?|errors?|bugs?|faults?|problems?|issues?|code|function|quer(?:y|ies)|script|regex|loop|essay|paragraph|sentence|text|grammar|missing|wrong|doing|alternatives?|if i|means?)\\b',
    '应该|该|要不要|能|可以|需要|必须|想|怎么|怎样|如何|为什么|为何|合适|更?好[？?]?$|错|问题|毛病|办法|选择|权利|代码|函数|报错|意思|缺|这(?:段|句|篇|个|样)|下面|以下|帮|给我|如果',
  ].join('|'),
  'iu',
);
