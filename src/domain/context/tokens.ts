// How many tokens a text costs, near enough to plan with: exact counts belong to the endpoint, and come back as its usage.
import type { Part } from '../chat/message.ts';

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;

/** Tokens one character costs: four ASCII characters share one, a Han, kana or Hangul character takes one, others half. */
function cost(character: string): number {
  const code = character.codePointAt(0) as number;
  if (code < 0x80) return 0.25;
  return WIDE.test(character) ? 1 : 0.5;
}

/** Estimated tokens of a text; 0 for the empty one. Linear, never below a quarter of its ASCII characters. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let ascii = 0;
  for (const character of text) {
    if (character.length === 1 && character.charCodeAt(0) < 0x80) ascii += 1;
    else tokens += cost(character);
  }
  return Math.ceil(tokens + ascii / 4);
}

/** What a file costs where nobody knows its measures: about one picture of 1024 pixels. */
const FILE_TOKENS = 1000;

/** Estimated tokens of a message's parts as they would be sent. Recall parts are counted by whoever injects them. */
export function tokensOfParts(parts: readonly Part[]): number {
  let tokens = 0;
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning') tokens += estimateTokens(part.text);
    else if (part.type === 'tool-call')
      tokens += estimateTokens(part.name) + estimateTokens(part.arguments) + 8;
    else if (part.type === 'tool-result') tokens += estimateTokens(part.text) + 8;
    else if (part.type === 'file') tokens += FILE_TOKENS;
  }
  return tokens;
}

/**
 * The longest beginning of `text` that costs at most `limit` tokens, cut after a sentence or between words where one ends in its
 * last fifth, with an ellipsis when something was left out. Never splits a character.
 */
export function cutToTokens(text: string, limit: number): string {
  if (estimateTokens(text) <= limit) return text;
  const room = Math.max(0, limit - 1);
  let tokens = 0;
  let end = 0;
  for (const character of text) {
    tokens += cost(character);
    if (tokens > room) break;
    end += character.length;
  }
  const kept = text.slice(0, end);
  const from = Math.floor(end * 0.8);
  const tail = kept.slice(from);
  const sentence = Math.max(
    ...['. ', '! ', '? ', '。', '！', '？', '\n'].map((mark) => tail.lastIndexOf(mark)),
  );
  if (sentence >= 0) return `${kept.slice(0, from + sentence + 1).trimEnd()} …`;
  const space = tail.lastIndexOf(' ');
  return `${(space >= 0 ? kept.slice(0, from + space) : kept).trimEnd()}…`;
}
