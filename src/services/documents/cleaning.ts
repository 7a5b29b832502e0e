// What is held back from a value that leaves the device: secrets, and what is quoted from conversations that stay here.
import { MEMORY_TOOLS } from '../../domain/memory/own-tools.ts';
import { REDACTED } from '../../domain/memory/privacy.ts';

export interface Holdback {
  /** The text without its secrets. */
  readonly hide: (text: string) => { readonly text: string; readonly redacted: number };
  /** Conversations of which no passage may leave inside another document. */
  readonly isWithheld: (conversation: string) => boolean;
}

/** Fields that no person writes and no secret stands in; looking into them could only break them. */
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
const CONVERSATION_ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The same value where nothing is to be hidden in it. `field`: under which name it stands. */
export function cleanValue(value: unknown, holdback: Holdback, field = ''): unknown {
  if (typeof value === 'string') {
    if (PLAIN_FIELDS.has(field)) return value;
    if (field !== 'url' || !/^data:/i.test(value)) return cleanText(value, holdback, field);
    // Bytes of a file are no words, and a hit in them would break the file.
    return hasBytes(value) ? value : cleanUrl(value, holdback);
  }
  if (Array.isArray(value)) {
    const cleaned = value
      .filter((item) => !isWithheldPassage(item, holdback))
      .map((item) => cleanValue(item, holdback, field));
    return cleaned.length === value.length && cleaned.every((item, at) => item === value[at])
      ? value
      : cleaned;
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  // What was said of a passage quotes it.
  if ('passage' in value && isWithheldPassage(value, holdback)) return null;
  if (isWithheldAnswer(value, holdback)) return { ...value, text: REDACTED };
  let changed = false;
  const cleaned = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const next = cleanValue(inner, holdback, key);
      changed ||= next !== inner;
      return [key, next];
    }),
  );
  return changed ? cleaned : value;
}

function cleanText(text: string, { hide }: Holdback, field: string): string {
  const hidden = hide(text);
  if (hidden.redacted > 0) return hidden.text;
  // {"password": "…"}: the value is sensitive because of its name.
  const named = field === '' ? hidden : hide(`${field}: ${JSON.stringify(text)}`);
  return named.redacted > 0 && text !== '' ? REDACTED : text;
}

const isWithheldPassage = (item: unknown, { isWithheld }: Holdback): boolean => {
  const { conversationId } = (typeof item === 'object' && item !== null ? item : {}) as {
    conversationId?: unknown;
  };
  return typeof conversationId === 'string' && isWithheld(conversationId);
};

/** What a tool of memory answered, where it quotes a conversation that stays here. */
const isWithheldAnswer = (value: object, { isWithheld }: Holdback): boolean => {
  const { type, name, text } = value as { type?: unknown; name?: unknown; text?: unknown };
  if (type !== 'tool-result' || typeof name !== 'string' || typeof text !== 'string') return false;
  return MEMORY_TOOLS.includes(name) && (text.match(CONVERSATION_ID) ?? []).some(isWithheld);
};

/** A URL with bytes in base64: words that only begin like one are words. */
function hasBytes(url: string): boolean {
  const comma = url.indexOf(',');
  return (
    comma > 0 &&
    /^data:[^,]*;base64$/i.test(url.slice(0, comma)) &&
    !/[^A-Za-z0-9+/=\r\n]/.test(url.slice(comma + 1))
  );
}

/** Words as a URL: as they stand, or percent-encoded. */
function cleanUrl(url: string, { hide }: Pick<Holdback, 'hide'>): string {
  const hidden = hide(url);
  if (hidden.redacted > 0) return hidden.text;
  const start = url.indexOf(',') + 1;
  try {
    const words = hide(decodeURIComponent(url.slice(start)));
    return words.redacted > 0 ? url.slice(0, start) + encodeURIComponent(words.text) : url;
  } catch {
    // No percent-encoding: the words are as they stand.
    return url;
  }
}
