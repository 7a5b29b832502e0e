// Makes a short title from the person's first words; and matches a given title with a question.
import { type Message, textOf } from '../chat/message.ts';
import { cleanHead } from '../privacy/scan.ts';
import { plainText } from '../text/markdown.ts';
import { cjkShare, sentencesOf, squeezed } from '../text/sentences.ts';
import { words } from '../text/words.ts';
import { digestOf } from './digest.ts';
import { keywordsOf } from './keywords.ts';

/** Longest title, in columns: a Han character takes two. */
const MAX_COLUMNS = 56;
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;

const GREETING =
  /^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|dear \w+)(?: there| everyone| all)?|你好|您好|嗨|哈喽|早上好|晚上好|下午好)[\s,，.。!！~～:：、]*/iu;
const COURTESY =
  /^(?:(?:so|ok|okay|well|please|just|quick question|i have a question)[\s,:]+|(?:can|could|would) you (?:please |kindly )?(?:help me(?: to| with)? |tell me |explain (?:to me )?)?|help me (?:to |with )?|please |i(?:'d| would) like (?:you )?to |i want (?:you )?to |i need (?:you )?to |请问一下|请问|请你|请帮我|请|麻烦你?|帮我|帮忙|能不能|可以帮我|你能帮我|你可以帮我|我想问一下|我想问|想问一下)[\s,，:：]*/iu;

const columns = (text: string): number => {
  let sum = 0;
  for (const character of text) sum += WIDE.test(character) ? 2 : 1;
  return sum;
};

function shorten(text: string): string {
  if (columns(text) <= MAX_COLUMNS) return text;
  let kept = '';
  let sum = 0;
  for (const character of text) {
    sum += WIDE.test(character) ? 2 : 1;
    if (sum > MAX_COLUMNS - 1) break;
    kept += character;
  }
  const pause = Math.max(...[' ', '，', ',', '、', '：', '；'].map((mark) => kept.lastIndexOf(mark)));
  return `${(pause > kept.length * 0.6 ? kept.slice(0, pause) : kept).replace(/(?<![\s,，、:：;；\-–—(（])[\s,，、:：;；\-–—(（]+$/u, '')}…`;
}

/**
 * Makes a title of at most 56 columns from the first thing the person said, without Markdown, greetings and line
 * breaks; where that says nothing, from later messages, then the keywords. Empty if nothing does.
 */
export function titleOf(
  messages: readonly Pick<Message, 'role' | 'kind' | 'parts'>[],
  redact: (text: string) => string,
): string {
  const users = messages
    .filter((message) => message.role === 'user' && message.kind === 'message')
    .slice(0, 5);
  // A sentence with content is preferred to an opening phrase.
  let fallback = '';
  for (const message of users) {
    for (const sentence of sentencesOf(plainText(cleanHead(textOf(message), 4_000, redact))).slice(0, 8)) {
      let text = sentence
        .replace(/https?:\/\/(?:www\.)?([^\s/?#]+)\S*/gi, '$1')
        .replace(/\s+/g, ' ')
        .trim();
      const greeted = text.replace(GREETING, '').trim();
      let bared = greeted !== text;
      text = greeted;
      let asked = false;
      for (let i = 0; i < 2; i++) {
        const bare = text.replace(COURTESY, '').trim();
        if (bare === text || columns(bare) < 8) break;
        text = bare;
        bared = true;
        asked = true;
      }
      text = text
        .replace(/(?<![\s.。,，;；:：])[\s.。,，;；:：]+$/u, '')
        .replace(/^["'“”‘’「」『』\s•·\-–—]+|(?<!["“”「」『』\s])["“”「」『』\s]+$/gu, '');
      if (asked) text = text.replace(/[?？]$/u, '');
      const said = (text.match(/\p{L}/gu) ?? []).length;
      if (said < (cjkShare(text) > 0.5 ? 2 : 4) || columns(text) < 4) continue;
      const first = text.codePointAt(0) as number;
      const initial = String.fromCodePoint(first);
      // A name keeps its own case ("iPhone", "npm install"); a sentence that lost its courtesy gets a capital.
      const capital =
        !bared || /^\S*[\p{Lu}.]/u.test(text) ? text : initial.toUpperCase() + text.slice(initial.length);
      const title = shorten(capital);
      if (words(text).split(' ').length >= (cjkShare(text) > 0.5 ? 5 : 3)) return title;
      fallback ||= title;
    }
  }
  return fallback || shorten(keywordsOf(digestOf(messages, redact), 4).join(', '));
}

/** Fewer words than this may match by chance. */
const LEAST_FROM_WORDS = 3;

/** Search words of a title, each once, and how many there are with repetitions. */
interface TitleWords {
  readonly words: ReadonlySet<string>;
  readonly count: number;
}
/**
 * Caches search words of recent titles: splitting sixty titles takes a millisecond, and
 * each recall asks for many of the same.
 */
const ofTitles = new Map<string, TitleWords>();
const [MOST_TITLES, LONGEST_KEPT] = [2_000, 200];
function titleWords(title: string): TitleWords {
  const made = (): TitleWords => {
    const all = words(title).split(' ');
    return { words: new Set(all), count: all.length };
  };
  if (title.length > LONGEST_KEPT) return made();
  const known = ofTitles.get(title) ?? made();
  ofTitles.delete(title);
  ofTitles.set(title, known);
  for (const [oldest] of ofTitles) {
    if (ofTitles.size <= MOST_TITLES) break;
    ofTitles.delete(oldest);
  }
  return known;
}

/** A title followed by a number, which tells it from an earlier one with the same words. */
export const numberedTitle = (title: string, count: number): string => `${title} (${count})`;
const NUMBER = / \(\d{1,6}\)$/;

/** True if a title only repeats words of the conversation, as `titleOf` does; a number behind them is no word. */
export function isTitleFromWords(title: string, said: readonly string[]): boolean {
  if (titleWords(title).count < LEAST_FROM_WORDS) return false;
  const bare = squeezed(title.replace(NUMBER, ''));
  return said.some((text) => squeezed(text).includes(bare));
}

/**
 * Returns which of the question's search words a conversation's title or description (`described`) has, in order.
 * Undefined for none, or a title made from `said` (read only when needed): then the passages have them.
 */
export function titleMatches<Id>(
  asked: readonly string[],
  said: (conversation: Id) => readonly string[],
  described: ReadonlyMap<Id, readonly boolean[]> = new Map(),
): (conversation: Id, title: string) => readonly boolean[] | undefined {
  const known = new Map<Id, readonly boolean[] | undefined>();
  return (conversation, title) => {
    if (known.has(conversation)) return known.get(conversation);
    const { words: has } = titleWords(title);
    const titled = asked.map((word) => has.has(word));
    const counts = titled.includes(true) && !isTitleFromWords(title, said(conversation));
    const about = described.get(conversation);
    const made = about ? about.map((one, at) => one || (counts && titled[at] === true)) : titled;
    known.set(conversation, about || counts ? made : undefined);
    return known.get(conversation);
  };
}
