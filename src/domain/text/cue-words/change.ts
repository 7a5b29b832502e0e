// Says that something is not as it was.
/** Says that something has changed, which alone corrects nothing. */
export const NEW =
  /\b(?:now|already|these days|as of|from (?:today|tomorrow|now|next|january|february|march|april|may|june|july|august|september|october|november|december)|changed?|raised|lifted|lowered|new|instead|moved|switched)\b|现在|已经|改|换|涨|降|加量|从\S{1,6}起|以后/iu;
