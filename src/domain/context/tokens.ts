// Estimates how many tokens a text costs, well enough for planning: exact counts come back from the endpoint as usage.
import { extractText } from '../chat/files.ts';
import type { Part, PartOf } from '../chat/message.ts';
import { endsSentence, sentenceSpans } from '../text/sentences.ts';

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;

/** Half tokens of the characters below U+10000 that are not ASCII, once they occurred; 0: not yet. */
const halves = new Uint8Array(0x10000);

/** Tokens of a character: four ASCII characters share one, a Han, kana or Hangul character takes one, others half. */
function cost(code: number): number {
  if (code < 0x80) return 0.25;
  if (code > 0xffff) return WIDE.test(String.fromCodePoint(code)) ? 1 : 0.5;
  halves[code] ||= WIDE.test(String.fromCharCode(code)) ? 2 : 1;
  return (halves[code] as number) / 2;
}

/** Estimated tokens of a text; 0 for the empty one. Linear, never below a quarter of its ASCII characters. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let ascii = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) ascii += 1;
    else {
      const code = unit >= 0xd800 && unit < 0xdc00 ? (text.codePointAt(at) as number) : unit;
      if (code > 0xffff) at += 1;
      tokens += cost(code);
    }
  }
  return Math.ceil(tokens + ascii / 4);
}

/** Cost of a file of unknown size: about one picture of 1024 pixels. */
const FILE_TOKENS = 1000;
/** Cost of a page of a PDF according to providers, words and picture. */
const PAGE_TOKENS = 2000;
/** Length of a PDF's page in base64, characters: between a page of words and a scanned one. Pages are not counted. */
const PAGE_LENGTH = 130_000;
/** Most pages that providers accept. */
const MAX_PAGES = 100;
/** Length of base64 from which the share of ASCII is estimated, characters. */
const SAMPLE = 4096;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * Estimates the tokens of a file as sent: a text or extracted text by its length, a PDF by
 * its size, anything else as one picture.
 */
export function estimateFileTokens({ mediaType, url, extract }: PartOf<'file'>): number {
  if (extract) return estimateTokens(extractText({ sections: extract.sections }));
  const comma = url?.indexOf(',') ?? -1;
  if (url === undefined || comma < 0 || !/;base64$/i.test(url.slice(0, comma))) return FILE_TOKENS;
  const length = url.length - comma - 1;
  if (mediaType === 'application/pdf')
    return PAGE_TOKENS * Math.min(MAX_PAGES, Math.max(1, Math.ceil(length / PAGE_LENGTH)));
  if (!/^text\/|^application\/(json|xml|yaml|x-yaml)$/.test(mediaType)) return FILE_TOKENS;
  const sample = url.slice(comma + 1, comma + 1 + SAMPLE);
  // The first of four characters has the upper six bits of a byte: its first bit says if that byte is beyond ASCII.
  let [firsts, beyond] = [0, 0];
  for (let at = 0; at < sample.length; at += 4) {
    firsts += 1;
    if (BASE64.indexOf(sample[at] as string) >= 32) beyond += 1;
  }
  const share = beyond / Math.max(1, firsts);
  // Four ASCII characters are about a token; so is any other character, of three bytes.
  return Math.ceil(length * 0.75 * ((1 - share) / 4 + share / 3));
}

/** Estimates the tokens of a message's parts as sent. Recall parts are counted by the code that injects them. */
export function tokensOfParts(parts: readonly Part[]): number {
  let tokens = 0;
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning') tokens += estimateTokens(part.text);
    else if (part.type === 'tool-call')
      tokens += estimateTokens(part.name) + estimateTokens(part.arguments) + 8;
    else if (part.type === 'tool-result') tokens += estimateTokens(part.text) + 8;
    else if (part.type === 'file') tokens += estimateFileTokens(part);
  }
  return tokens;
}

/**
 * Returns the longest beginning of `text` that costs at most `limit` tokens, cut after a sentence or between words if
 * one ends in its last fifth, with an ellipsis after a cut. Never splits a character.
 */
export function cutToTokens(text: string, limit: number): string {
  if (estimateTokens(text) <= limit) return text;
  const available = Math.max(0, limit - 1);
  let tokens = 0;
  let end = 0;
  for (const character of text) {
    tokens += cost(character.codePointAt(0) as number);
    if (tokens > available) break;
    end += character.length;
  }
  const kept = text.slice(0, end);
  const from = Math.floor(end * 0.8);
  const tail = kept.slice(from);
  if (endsSentence(kept)) return `${kept} …`;
  const sentences = sentenceSpans(tail);
  const last = sentences.at(-1);
  if (last && sentences.length > 1) return `${kept.slice(0, from + last[0]).trimEnd()} …`;
  const space = tail.lastIndexOf(' ');
  return `${(space >= 0 ? kept.slice(0, from + space) : kept).trimEnd()}…`;
}

/**
 * Returns the longest end of `text` that costs at most `limit` tokens; empty if
 * there is none. Never splits a character.
 */
export function endWithinTokens(text: string, limit: number): string {
  let tokens = 0;
  let kept = 0;
  for (const character of [...text].reverse()) {
    tokens += cost(character.codePointAt(0) as number);
    if (tokens > limit) break;
    kept += character.length;
  }
  return text.slice(text.length - kept);
}
