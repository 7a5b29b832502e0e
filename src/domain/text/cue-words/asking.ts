// Asks, with or without a question mark; and courtesies, which say nothing.
/** Closing quotes and the like may follow the question mark. */
export const MARK = /[?？][\s"'”’」』)）*]*$/u;
export const PARTICLE = /(?:吗|呢|么)[。.]?\s*$/u;

export const COURTESY =
  /\b(?:sorry|apolog|thank|thanks|hello|hi there|hey|good (?:morning|afternoon|evening|question)|great question|happy to help)\b|抱歉|对不起|不好意思|谢谢|感谢|您好|你好|好问题|嗨/iu;

export const OPENS = new RegExp(
  [
    '^\\W*(?:(?:and|so|ok|hey|hi|please|remind me|tell me|do you (?:know|remember))\\W+)?' +
      '(?:what|which|when|where|who|whose|whom|why|how|is|are|was|were|do|does|did|has|have|had|can|could|should|will|would|' +
      'give me|show me|tell me|list|find|summari[sz]e|recap|remind me)\\b',
    '^(?:帮我|请|给我|告诉我|总结|概括|回顾|列)',
    '什么|哪|谁|几(?:点|号|天|个|月|岁|次)|多少|多久|多大|怎么|如何|为什么|[吗呢][。]?$',
  ].join('|'),
  'iu',
);

export const VERB = new RegExp(
  [
    '\\b(?:is|are|was|were|am|has|have|had|will|can|cannot|do|does|did|use|uses|want|wants|need|needs|takes?|said|told)\\b',
    "n['’]t\\b|\\b(?:I|we|he|she|they|it)['’](?:m|ve|ll|re|d|s)\\b",
    '[是在有要用改说]|不(?:能|要|是|吃|用)(?!.*的)|了',
  ].join('|'),
  'iu',
);
