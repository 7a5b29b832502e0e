// Sets a rule for all that follows, states a preference, or asks about the past.
/** Matches a sentence that sets a rule for the future. */
export const STANDING = new RegExp(
  [
    '^(?:(?:please|and|but|so|also|then|just|ok(?:ay)?),? )*(?:always|never|from now on|make sure (?:to|you))\\b',
    '\\bwhen(?:ever)? i ask\\b',
    '^(?:请)?(?:以后|今后|从现在起|每次|始终|永远|一律|总是|务必)',
  ].join('|'),
  'iu',
);
export const PREFERENCE =
  /\bi(?:['’]d| would)? (?:really |much |usually |always |generally )?(?:prefer|rather|favou?r)\b|\blike i prefer\b|我(?:们)?(?:就|更|最|比较|一直|平时|宁可|宁愿)?(?:偏爱|习惯|倾向|更喜欢|宁愿|宁可)/iu;

/** Asks about the past, which earlier words answer and no rule applies to. */
export const ASKS_OF_THE_PAST =
  /\b(?:did|had|was|were|have|has) (?:i|we|my|our)\b|\b(?:i|we)(?:['’]ve| have| had)\b|我们?.{0,12}(?:过|了|来着)|上次|之前/iu;
