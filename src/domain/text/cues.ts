// Small hints in the words of a question and of a passage: who is named, what is asked for, what is only a question itself.

const NAME =
  /^\s*(?:\*\*|【)?((?:[\p{Lu}][\p{L}'’.-]*(?: [\p{Lu}][\p{L}'’.-]*){0,2})|\p{Script=Han}{2,4})(?:\*\*|】)?\s?(?:：|:\s)/u;

/** Who says this, where the text opens with a name and a colon, as chats of several people do. */
export function speakerIn(text: string): string | null {
  const start = text.slice(0, 64);
  return start.includes(':') || start.includes('：') ? (NAME.exec(start)?.[1] ?? null) : null;
}

/** Whether the question names this person. */
export function isNamed(speaker: string, question: string): boolean {
  const wanted = speaker.toLowerCase();
  const asked = question.toLowerCase();
  for (let at = asked.indexOf(wanted); at >= 0; at = asked.indexOf(wanted, at + 1)) {
    if (/^\p{Script=Han}/u.test(wanted)) return true;
    const [before, after] = [asked[at - 1] ?? ' ', asked[at + wanted.length] ?? ' '];
    if (!/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

/** Whether a text ends in a question mark: it asks, and seldom answers. Marks of pictures and quotes behind it do not count. */
export function asks(text: string): boolean {
  const end = text.slice(-400);
  // Most texts have none: a hundred are looked at for each question.
  if (!end.includes('?') && !end.includes('？')) return false;
  const lines = end.split('\n');
  while (lines.length > 1 && /^(?:\[image:[^\]]*\]?)?$/.test((lines.at(-1) as string).trim())) lines.pop();
  return /[?？][\s"”'’)）*]*$/u.test(lines.join('\n'));
}

const OPENS = new RegExp(
  [
    '^\\W*(?:(?:and|so|ok|hey|hi|please|remind me|tell me|do you (?:know|remember))\\W+)?' +
      '(?:what|which|when|where|who|whose|whom|why|how|is|are|was|were|do|does|did|has|have|had|can|could|should|will|would|' +
      'give me|show me|tell me|list|find|summari[sz]e|recap|remind me)\\b',
    '^(?:帮我|请|给我|告诉我|总结|概括|回顾|列)',
    '什么|哪|谁|几(?:点|号|天|个|月|岁|次)|多少|多久|多大|怎么|如何|为什么|[吗呢][。]?$',
  ].join('|'),
  'iu',
);
/** Key words are at most so many words, Han by characters, and no sentence. */
const [KEY_WORDS, KEY_CHARACTERS] = [6, 14];
const VERB = new RegExp(
  [
    '\\b(?:is|are|was|were|am|has|have|had|will|can|cannot|do|does|did|use|uses|want|wants|need|needs|takes?|said|told)\\b',
    "n['’]t\\b|\\b(?:I|we|he|she|they|it)['’](?:m|ve|ll|re|d|s)\\b",
    '[是在有要用改说]|不(?:能|要|是|吃|用)(?!.*的)|了',
  ].join('|'),
  'iu',
);
/** Whether a text is typed to ask, with or without a mark: a question, a request to tell or to sum up, or a few key words. */
export function asksInWords(text: string): boolean {
  const line = text.trim();
  if (asks(line)) return true;
  if (line.length > 160 || /[.!。！;；]\s*\S/u.test(line)) return false;
  if (OPENS.test(line)) return true;
  if (/[.!。！:：]$/u.test(line) || VERB.test(line)) return false;
  const words = line.match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}'’-])+/gu) ?? [];
  return words.length <= (/\p{Script=Han}/u.test(line) ? KEY_CHARACTERS : KEY_WORDS);
}

const WHEN =
  /^\W*(?:when|since when|what (?:date|day|month|year|time)|how long|which (?:day|month|year|date))\b|什么时候|哪天|哪一天|几号|几月|何时|多久|哪年/iu;
/** Whether a question asks for a time. */
export const asksWhen = (question: string): boolean => WHEN.test(question);

const TIME =
  /\b(?:yesterday|today|tonight|tomorrow|recently|ago|since|weekend|(?:last|next|this) (?:night|week|weekend|month|year|morning|evening|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:in|on|since|until|by) (?:january|february|march|april|may|june|july|august|september|october|november|december)|\d{4}|\d{1,2}(?:st|nd|rd|th))\b|昨天|今天|明天|前天|后天|昨晚|今晚|上周|下周|这周|本周|上个?月|下个?月|这个月|去年|今年|明年|最近|周末|\d\s?[年月日号天]/iu;
/** Whether a text speaks of a time. */
export const tellsTime = (text: string): boolean => TIME.test(text);
