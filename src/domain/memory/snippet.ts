// Finds the stretch of a passage that has the question's words.
import { cutToTokens, estimateTokens } from '../context/tokens.ts';
import { asHiragana, foldedWithOrigin, withPlainDigits } from '../text/fold.ts';
import { languageOf, type TextLanguage } from '../text/language-stems.ts';
import { spacedIn } from '../text/spellings.ts';
import { endOf, startOf } from '../text/whole-characters.ts';
import { queryWords, words } from '../text/words.ts';

/** Most places examined for the best stretch. */
const MAX_MATCHES = 200;
const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`;
const IS_CJK = new RegExp(`[${CJK}]`, 'u');
/** Signs and invisible characters that stand within a name or a number: `Node.js`, `1,299.00`, `snake_case`. */
const WITHIN = String.raw`[.,'’_\u2010\u2011\u2212\u00ad\u200b-\u200d\u2060-]`;
const LETTER = String.raw`(?:(?![${CJK}ー々])[\p{L}\p{M}\p{N}])`;
const NAME = `${LETTER}+(?:${WITHIN}${LETTER}+)*`;
/** Letters and figures with the signs within; or symbols, which are emoji, `㎏` and `㈱`. */
const TOKEN = new RegExp(String.raw`${NAME}|\p{So}[\p{So}\p{Sk}\u200d\ufe0f]*`, 'gu');
/** Several of them with a sign between, found as a whole: `CI/CD`, `20:00`. */
const JOINED = new RegExp(String.raw`(?<!${LETTER}${WITHIN}?)${NAME}(?:[/:@\\+#]${NAME})+`, 'gu');
const PART = /[\p{L}\p{M}\p{N}]+/gu;

/** Most tokens whose search words are cached: the same ones return with each passage and each key. */
const KNOWN_TOKENS = 4_000;

/** Caches the query's words, since many texts are searched for the same query. */
const wordsOfQuery = (() => {
  let known = { query: '', words: new Set<string>() };
  return (query: string): ReadonlySet<string> => {
    if (known.query !== query)
      known = { query, words: new Set(queryWords(query).split(' ').filter(Boolean)) };
    return known.words;
  };
})();

const wordsOfToken = (() => {
  const known = new Map<string, readonly string[]>();
  return (token: string, language: TextLanguage | undefined): readonly string[] => {
    const key = language === undefined ? token : `${language} ${token}`;
    let found = known.get(key);
    if (!found) {
      found = words(token, language).split(' ');
      if (known.size >= KNOWN_TOKENS) known.clear();
      known.set(key, found);
    }
    return found;
  };
})();

/** Full-width signs and digits of any script as keyboards have them, of the same length. */
function asTyped(text: string): string {
  const typed = withPlainDigits(text).replace(/[\uff01-\uff5e]/g, (sign) =>
    String.fromCharCode(sign.charCodeAt(0) - 0xfee0),
  );
  return typed.length === text.length ? typed : text;
}

export interface TextMatch {
  /** Characters of the text, as [start, end). */
  readonly start: number;
  readonly end: number;
  /** The word of the query, as the index writes it. */
  readonly term: string;
}

/**
 * Lists every place of a query's word, in order, as the index finds it: ignoring accents, capitals and script, a name
 * or number only as a whole if the whole is the word. `half`: also tokens that begin with it, in lower case.
 */
export function matchesIn(
  text: string,
  query: string,
  half = '',
  most = Number.POSITIVE_INFINITY,
): TextMatch[] {
  const wanted = wordsOfQuery(query);
  const found: TextMatch[] = [];
  const language = languageOf(text) ?? languageOf(query);
  const wordIn = (token: string) =>
    (half !== '' && token.toLowerCase().startsWith(half) ? half : undefined) ??
    wordsOfToken(token, language).find((word) => wanted.has(word));
  const typed = asTyped(text);
  if (wanted.size > 0 || half !== '')
    for (const { 0: token, index } of typed.matchAll(TOKEN)) {
      if (found.length >= most) break;
      const whole = wordIn(token);
      if (whole === undefined) continue;
      const parts = [...token.matchAll(PART)].flatMap(({ 0: part, index: at }): TextMatch[] => {
        const term = wordIn(part);
        return term === undefined ? [] : [{ start: index + at, end: index + at + part.length, term }];
      });
      found.push(...(parts.length > 0 ? parts : [{ start: index, end: index + token.length, term: whole }]));
    }
  if (wanted.size > 0)
    for (const { 0: name, index } of typed.matchAll(JOINED)) {
      if (found.length >= most) break;
      const term = wordIn(name);
      if (term !== undefined && ![...name.matchAll(PART)].some(([part]) => wordIn(part) !== undefined))
        found.push({ start: index, end: index + name.length, term });
    }
  for (const { start, end, words: spellings } of spacedIn(typed)) {
    if (found.length >= most) break;
    const term = spellings.find((word) => wanted.has(word));
    if (term !== undefined) found.push({ start, end, term });
  }
  const joined = [...wanted].filter((word) => IS_CJK.test(word));
  if (joined.length > 0 && IS_CJK.test(text)) {
    const { folded, origin } = foldedWithOrigin(text);
    const form = asHiragana(folded);
    for (const term of joined) {
      const sought = asHiragana(term);
      for (let at = form.indexOf(sought), count = 0; at >= 0 && count < most; count++) {
        found.push({ start: origin(at), end: origin(at + term.length), term });
        at = form.indexOf(sought, at + 1);
      }
    }
  }
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Earliest place from which `width` characters hold the most different words of the query. */
function bestStart(text: string, query: string, width: number): number {
  const matches = matchesIn(text, query, '', MAX_MATCHES);
  const byEnd = [...matches].sort((a, b) => a.end - b.end);
  const reach = width * 0.8;
  /** Count of each word in the present stretch. */
  const held = new Map<string, number>();
  let [best, most] = [0, 0];
  let [entered, left] = [0, 0];
  for (const { start } of matches) {
    for (let next = byEnd[entered]; next && next.end <= start + reach; next = byEnd[++entered])
      if (next.start >= start) held.set(next.term, (held.get(next.term) ?? 0) + 1);
    for (let gone = matches[left]; gone && gone.start < start; gone = matches[++left]) {
      if (gone.end > gone.start + reach) continue;
      const count = (held.get(gone.term) ?? 0) - 1;
      if (count > 0) held.set(gone.term, count);
      else held.delete(gone.term);
    }
    if (held.size > most) [best, most] = [start, held.size];
  }
  return best;
}

/**
 * Cuts a snippet of at most `width` characters, on one line, around the words of the
 * query, with an ellipsis for omissions.
 */
export function snippetOf(text: string, query: string, width = 240): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= width) return line;
  const at = bestStart(line, query, width);
  let start = Math.max(0, Math.min(at - Math.floor(width / 5), line.length - width + 2));
  if (start > 0) {
    const space = line.indexOf(' ', start);
    if (space >= 0 && space < at && space - start < 24) start = space + 1;
  }
  const end = Math.min(line.length, start + width - (start > 0 ? 2 : 1));
  const cut = startOf(endOf(line, line.length - start), end - start).trim();
  return `${start > 0 ? '…' : ''}${cut}${end < line.length ? '…' : ''}`;
}

/** Cuts a passage to at most `tokens`, keeping the stretch with the query's words. */
export function excerptOf(text: string, query: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  if (tokens < 4) return '';
  const width = Math.max(8, Math.floor((text.length * tokens) / estimateTokens(text)) - 4);
  const at = Math.max(0, bestStart(text, query, width) - Math.floor(width / 8));
  if (at === 0 || estimateTokens(text.slice(0, at)) < 12) return cutToTokens(text, tokens);
  const rest = text.slice(Math.min(at, Math.max(0, text.length - width))).replace(/^[\udc00-\udfff]/, '');
  return cutToTokens(`… ${rest.trimStart()}`, tokens);
}
