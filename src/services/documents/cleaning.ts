// Redacts values that leave the device: secrets, in words and in attached texts, and
// quotes from conversations that stay here.
import { readJson } from '../../domain/base/json.ts';
import { log } from '../../domain/base/log.ts';
import { MEMORY_TOOLS } from '../../domain/memory/own-tools.ts';
import { REDACTED } from '../../domain/privacy/tokens.ts';
import { readHlc } from '../../domain/sync/hlc.ts';
import { utf16Of } from '../../domain/text/encoding.ts';

export interface Holdback {
  /** Returns the text without its secrets. */
  readonly hide: (text: string) => { readonly text: string; readonly redacted: number };
  /** True for conversations of which no passage may leave inside another document. */
  readonly isRedacted: (conversation: string) => boolean;
  /** True for messages that must leave neither as passages nor as a whole. Default: none. */
  readonly isRedactedMessage?: (message: string) => boolean;
  /**
   * Removes words for good, so only from people's words and names: field names reveal nothing, the app's own values
   * (ids, models, reasons) stay, and files are searched at any size. `all`: no value is the app's own.
   */
  readonly forgets?: 'words' | 'all';
  /** With `forgets`: true for values said later, which stay. Default: no value counts as later. */
  readonly isLater?: ((said: Occurrence) => boolean) | undefined;
  /** With `isLater`: only what later values quote is cleaned, and nothing that has no date, such as a title. */
  readonly quotesOnly?: boolean;
}

/**
 * Time at which something was said, ms since 1970, and a mark that identifies it; each wording of a thing has its own.
 */
export interface Occurrence {
  readonly mark: string;
  readonly at: number;
}

/** Makes the rules for forgetting: words, and whole items that are gone. */
export const holdbackOf = ({
  hide,
  isGone,
  isLater,
}: {
  readonly hide: Holdback['hide'];
  readonly isGone: (id: string) => boolean;
  readonly isLater?: Holdback['isLater'];
}): Holdback => ({ hide, isRedacted: isGone, isRedactedMessage: isGone, forgets: 'words', isLater });

/** Fields that no person writes and that hold no secrets; changing them could only break them. */
const PLAIN_FIELDS = new Set([
  'id',
  'parentId',
  'role',
  'kind',
  'type',
  'mediaType',
  'callId',
  'conversationId',
  'messageId',
]);
/** Further fields without people's words, which forgetting leaves unchanged. */
const APP_FIELDS = new Set([
  ...PLAIN_FIELDS,
  'at',
  'by',
  'checkpoint',
  'code',
  'compaction',
  'copyOf',
  'counter',
  'currency',
  'device',
  'edits',
  'endpoint',
  'endpointId',
  'finish',
  'form',
  'from',
  'hash',
  'head',
  'leftOut',
  'model',
  'quoting',
  'reason',
  'ref',
  'request',
  'reused',
  'side',
  'sourceId',
  'strategy',
  'titleBy',
  'to',
  'tool',
  'trigger',
  'verdict',
  'wanted',
  'why',
]);
/** A tool's name is the app's; a file's name is a person's. */
const NAMED_BY_APP = new Set<unknown>(['tool-call', 'tool-result']);
/** Fields with a foreign structure: content that an importer could not name, parameters of an endpoint. */
const FREE_FIELDS = new Set(['original', 'parameters']);
/** An id, also as the beginning of a key: `id/client`, `id:key`. */
const ID_KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:[/:][^\s]*)?$/;
/** Longer attached texts are not searched, which would take seconds. Their bytes stay on the device. Bytes. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
/** Beginning of a file that shows if it is text, base64 digits. */
const HEAD_DIGITS = 4096;
const CONVERSATION_ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Returns the cleaned value; the same one if nothing in it is hidden. `field`: name under which the value is stored.
 */
export function cleanValue(value: unknown, rules: Holdback, field = ''): unknown {
  let holdback = rules;
  if (typeof value === 'string') {
    if (holdback.quotesOnly) return value;
    if (isAppText(value, holdback, field)) return value;
    if (field !== 'url' || !/^data:/i.test(value)) return cleanText(value, holdback, field);
    const file = fileIn(value);
    return file ? cleanFile(value, file, holdback) : cleanUrl(value, holdback);
  }
  if (Array.isArray(value)) {
    const cleaned = value
      .filter((item) => !isRedactedPassage(item, holdback))
      .map((item) => cleanValue(item, holdback, field));
    return cleaned.length === value.length && cleaned.every((item, at) => item === value[at])
      ? value
      : cleaned;
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const said = holdback.isLater && saidOf(value);
  if (said && holdback.isLater?.(said)) return cleanQuotes(value, { ...holdback, quotesOnly: false });
  if (holdback.quotesOnly) return value;
  // Everything within a meant value was there with it, whatever its own date.
  if (said) holdback = { ...holdback, isLater: undefined };
  // Feedback quotes its passage, so both are removed together.
  if ('passage' in value && isRedactedPassage(value, holdback)) return null;
  if ('parts' in value && 'id' in value && isRedactedId(value.id, holdback)) return null;
  // The answer's card loses the passages that stay here, as any other card does.
  if (isRedactedAnswer(value, holdback)) return cleanValue({ ...value, text: REDACTED }, holdback, field);
  const isTool = holdback.forgets && 'type' in value && NAMED_BY_APP.has(value.type);
  let changed = false;
  const cleaned = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const isFree = holdback.forgets && FREE_FIELDS.has(key);
      // Earlier versions made the id of feedback from its question.
      const field = key === 'id' && 'verdict' in value ? 'query' : key;
      const next =
        isTool && key === 'name'
          ? inner
          : cleanValue(inner, isFree ? { ...holdback, forgets: 'all' } : holdback, field);
      const name = holdback.forgets === 'all' ? holdback.hide(key).text : key;
      changed ||= next !== inner || name !== key;
      return [name, next];
    }),
  );
  // The document's bytes hold the same words and cannot be edited, so they are dropped.
  if ('extract' in value && cleaned.extract !== value.extract) return { ...cleaned, url: undefined };
  return changed ? cleaned : value;
}

/** Fields of a recall, and of a memory tool's result, that quote what was said before. */
const QUOTES = ['passages', 'nearMisses', 'leftOut', 'applied'];

/**
 * Cleans what a value quotes that was said later itself: earlier wordings of a note, passages of memory on a card.
 * They were said earlier, unless their own date tells otherwise.
 */
function cleanQuotes(value: object, holdback: Holdback): object {
  const within = <T extends object>(whole: T, fields: readonly string[], clean: typeof cleanValue): T => {
    const changes = Object.entries(whole).flatMap(([key, inner]) => {
      const cleaned = fields.includes(key) ? clean(inner, holdback) : inner;
      return cleaned === inner ? [] : [[key, cleaned]];
    });
    return changes.length === 0 ? whole : { ...whole, ...Object.fromEntries(changes) };
  };
  const card = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if ((part as { type?: unknown }).type === 'recall') return within(part, QUOTES, cleanValue);
    const { recalled } = part as { recalled?: unknown };
    if (typeof recalled !== 'object' || recalled === null) return part;
    // The text of a tool's result says the same as its passages.
    const isClean = within(recalled, QUOTES, cleanValue) === recalled && !isRedactedAnswer(part, holdback);
    return isClean ? part : cleanValue(part, { ...holdback, isLater: undefined });
  };
  const cards = (parts: unknown): unknown => {
    if (!Array.isArray(parts)) return parts;
    const cleaned = parts.map(card);
    return cleaned.every((part, at) => part === parts[at]) ? parts : cleaned;
  };
  if ('verdict' in value) {
    const { passage, question } = quotedBy(value);
    const quotes = holdback.isLater?.(passage) ? [] : ['passage', 'title'];
    return within(value, holdback.isLater?.(question) ? quotes : [...quotes, 'query'], cleanValue);
  }
  return within(within(value, ['before', 'neighbours'], cleanValue), ['parts'], cards);
}

/** Removes private words from a value; the same value if there are none. */
export const withoutPrivateWords = (value: unknown, hide: Holdback['hide']): unknown =>
  cleanValue(value, { hide, isRedacted: () => false });

/** Adds to `quoted` the conversations that the value quotes: those about which `cleanValue` asks. */
export function addQuoted(value: unknown, quoted: Set<string>): void {
  const add = (conversation: string) => {
    quoted.add(conversation);
    return false;
  };
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  isRedactedPassage(value, { isRedacted: add });
  isRedactedAnswer(value, { isRedacted: add });
  for (const inner of Object.values(value)) addQuoted(inner, quoted);
}

/** True for text that no person wrote. */
const isAppText = (text: string, { forgets }: Holdback, field: string): boolean => {
  if (field === 't' && readHlc(text) !== null) return true;
  if (forgets === 'all') return false;
  return forgets ? APP_FIELDS.has(field) || ID_KEY.test(text) : PLAIN_FIELDS.has(field);
};

function cleanText(text: string, { hide, forgets }: Holdback, field: string): string {
  const hidden = hide(text);
  if (hidden.redacted > 0 || forgets) return hidden.text;
  // {"password": "…"}: the value is sensitive because of its name.
  if (field === '' || text === '') return text;
  const lead = `${field}: `;
  const named = hide(lead + JSON.stringify(text));
  if (named.redacted === 0) return text;
  const value = named.text.startsWith(lead) ? readJson(named.text.slice(lead.length)) : undefined;
  return typeof value === 'string' ? value : REDACTED;
}

/** Time of a message, passage, list entry, note, prompt, verdict or proposal; undefined for values without one. */
export function saidOf(value: object): Occurrence | undefined {
  const { id, messageId, createdAt, updatedAt, at } = value as Readonly<Record<string, unknown>>;
  // Feedback on a passage has the time of the feedback, `at`.
  const isPassage =
    typeof messageId === 'string' && typeof createdAt === 'number' && ('passage' in value || 'text' in value);
  const isOfConversation = isPassage || 'parts' in value || 'deletedAt' in value;
  const time = isOfConversation ? createdAt : (updatedAt ?? at);
  if (typeof time !== 'number') return undefined;
  const name = isPassage ? messageId : typeof id === 'string' ? id : '';
  // A message never changes its words; other records may be reworded.
  return { mark: isOfConversation ? name : `${name}@${time}`, at: time };
}

/**
 * Passage and question that feedback quotes: both came before it. A passage without a date counts as said before any
 * request.
 */
export function quotedBy(feedback: object): { readonly passage: Occurrence; readonly question: Occurrence } {
  const { messageId, said, asked } = feedback as Readonly<Record<string, unknown>>;
  const given = saidOf(feedback) ?? { mark: '', at: Number.NEGATIVE_INFINITY };
  return {
    passage: {
      mark: typeof messageId === 'string' ? messageId : '',
      at: typeof said === 'number' ? said : Number.NEGATIVE_INFINITY,
    },
    question: typeof asked === 'number' ? { ...given, at: asked } : given,
  };
}

const isRedactedId = (id: unknown, { isRedactedMessage }: Pick<Holdback, 'isRedactedMessage'>): boolean =>
  typeof id === 'string' && isRedactedMessage?.(id) === true;

type WithholdsPassages = Pick<Holdback, 'isRedacted' | 'isRedactedMessage'>;

const isRedactedPassage = (item: unknown, holdback: WithholdsPassages): boolean => {
  const { conversationId, messageId } = (typeof item === 'object' && item !== null ? item : {}) as {
    conversationId?: unknown;
    messageId?: unknown;
  };
  return (
    (typeof conversationId === 'string' && holdback.isRedacted(conversationId)) ||
    isRedactedId(messageId, holdback)
  );
};

/** True for the answer of a memory tool that quotes a conversation which stays here. */
const isRedactedAnswer = (value: object, holdback: WithholdsPassages): boolean => {
  const { type, name, text, recalled } = value as Readonly<Record<string, unknown>>;
  if (type !== 'tool-result' || typeof name !== 'string' || typeof text !== 'string') return false;
  if (!MEMORY_TOOLS.includes(name) || text === REDACTED) return false;
  const ids: string[] = text.match(CONVERSATION_ID) ?? [];
  // The text names its passages, and not what it shows beside them.
  return (
    ids.some((id) => holdback.isRedacted(id) || isRedactedId(id, holdback)) ||
    shownBy(recalled).some((quoted) => isRedactedPassage(quoted, holdback))
  );
};

/** Lists the passages behind a memory tool's answer, with what stands beside each. */
function shownBy(recalled: unknown): readonly unknown[] {
  if (typeof recalled !== 'object' || recalled === null) return [];
  const listIn = (value: unknown, field: string): unknown[] => {
    const list = typeof value === 'object' && value !== null && (value as Record<string, unknown>)[field];
    return Array.isArray(list) ? list : [];
  };
  return ['passages', 'nearMisses']
    .flatMap((field) => listIn(recalled, field))
    .flatMap((passage) => [passage, ...listIn(passage, 'neighbours')]);
}

/** Parts of a `data:` URL; `head` ends with the comma. */
interface DataUrl {
  readonly head: string;
  readonly type: string;
  readonly base64: string;
}

/** Null for anything but a URL with base64 bytes: words that only begin like one are words. */
function fileIn(url: string): DataUrl | null {
  const comma = url.indexOf(',');
  const [, type] = (comma > 0 && /^data:([^;,]*)(?:;[^,]*)?;base64$/i.exec(url.slice(0, comma))) || [];
  const base64 = url.slice(comma + 1);
  if (type === undefined || /[^A-Za-z0-9+/=\r\n]/.test(base64)) return null;
  return { head: url.slice(0, comma + 1), type: type.toLowerCase(), base64 };
}

/**
 * Cleans a text file. A picture's bytes are no words, and a change in them would
 * break it. undefined: the bytes stay here.
 */
function cleanFile(
  url: string,
  { head, type, base64 }: DataUrl,
  { hide, forgets }: Pick<Holdback, 'hide' | 'forgets'>,
): string | undefined {
  const isNamedText = /^(?:text\/|application\/(?:.*[+-])?(?:json|xml|yaml)$)/.test(type);
  try {
    const isText = textIn(atob(base64.slice(0, HEAD_DIGITS)), true) !== null;
    if (!isText && !isNamedText) return url;
    if (!forgets && base64.length * 0.75 > MAX_TEXT_BYTES) return undefined;
    const binary = atob(base64);
    const text = textIn(binary);
    if (text === null && !isNamedText) return url;
    const hidden = hide(text ?? binary);
    if (hidden.redacted === 0) return url;
    // In an unknown encoding the bytes around the secret stay unchanged.
    return head + btoa(text === null ? hidden.text.replaceAll('•', '*') : utf8(hidden.text));
  } catch (error) {
    // Invalid base64.
    log.debug('An attachment in base64 could not be read', error);
    return cleanUrl(url, { hide });
  }
}

/** Cleans words in a URL, plain or percent-encoded. */
function cleanUrl(url: string, { hide }: Pick<Holdback, 'hide'>): string {
  const hidden = hide(url);
  if (hidden.redacted > 0) return hidden.text;
  const start = url.indexOf(',') + 1;
  try {
    const words = hide(decodeURIComponent(url.slice(start)));
    return words.redacted > 0 ? url.slice(0, start) + encodeURIComponent(words.text) : url;
  } catch (error) {
    // No percent-encoding: the words are as they stand.
    log.debug('An attachment is not percent-encoded', error);
    return url;
  }
}

/**
 * Decodes bytes (each a character), including a byte order mark; null if they are no
 * text. `cut`: the end may be missing.
 */
function textIn(binary: string, cut = false): string | null {
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
  try {
    const text = new TextDecoder(utf16Of(bytes) ?? 'utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: cut,
    });
    return text.includes('\0') ? null : text;
  } catch (error) {
    // Bytes of another encoding.
    if (!(error instanceof TypeError)) throw error;
    return null;
  }
}

/** Encodes a text, each byte as a character. */
function utf8(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192)
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return binary;
}
