// Key-value store: drafts of the composer, unfinished answers, queued and deleted messages, session memories, words of
// tokens.
import type { ConversationId } from '../../../domain/base/ids.ts';
import { startOf } from '../../../domain/text/whole-characters.ts';
import { DELETED } from '../../documents/deleted-rows.ts';
import { TOKENS } from '../../privacy/token-table.ts';
import type { Eraser } from '../eraser.ts';
import type { CreatePlace, Find } from '../place.ts';

/** Keys that are skipped: sealed values, ids and the app's own state; people see and change settings themselves. */
const PASSED_OVER = [
  'sync/',
  'settings/',
  'forgetting/',
  'erasing/',
  'calibration/',
  'context/',
  'vault/',
  'log/',
  'storage/',
  'memory.',
];
const SESSION_MEMORY = 'session-memory/';

/** Cleans drafts, queued messages, session memories and the words of privacy tokens in the key-value store. */
export const kept: CreatePlace = ({ keyValues }) => {
  const each = async function* (eraser: Eraser) {
    const inside = new Set(eraser.record.inside.map((id) => SESSION_MEMORY + id));
    for (const key of await keyValues.keys('')) {
      if (PASSED_OVER.some((prefix) => key.startsWith(prefix))) continue;
      const value = await keyValues.get(key);
      if (value === undefined) continue;
      const cleaned = key.startsWith(TOKENS) ? withoutWords(value, eraser) : eraser.clean(value);
      // Drafts, memories and deleted messages have the id of their conversation or message in their key.
      const isOfGone =
        inside.has(key) ||
        key.split(/[/.:]/).some(eraser.isGone) ||
        (key.startsWith(DELETED) && goesWhole(value, cleaned, eraser));
      if (isOfGone || cleaned !== value) yield { key, value, cleaned, isOfGone };
    }
  };
  return {
    id: 'kept',
    find: async (eraser) => {
      const found: Find[] = [];
      for await (const { key, value } of each(eraser))
        found.push({
          place: 'kept',
          what: key.startsWith(SESSION_MEMORY)
            ? 'session-memory'
            : key.startsWith(TOKENS)
              ? 'records'
              : key.startsWith(DELETED)
                ? 'deleted'
                : 'draft',
          conversation: (key.split(/[/.:]/).find(eraser.isGone) ?? null) as ConversationId | null,
          message: null,
          title: '',
          excerpt: startOf(textIn(value), 160),
          count: 1,
        });
      return found;
    },
    remove: async (eraser) => {
      // A session memory that lost some words would look complete, so it is made again.
      for await (const { key, cleaned, isOfGone } of each(eraser))
        await keyValues.set(key, isOfGone || key.startsWith(SESSION_MEMORY) ? undefined : cleaned);
    },
    verify: async (eraser) => {
      let left = 0;
      for await (const _ of each(eraser)) left += 1;
      return { left, waiting: false };
    },
  };
};

/**
 * True for a deleted message that must not come back at all. A record of a time span names only messages that were
 * there, so that everything deleted before it goes.
 */
function goesWhole(value: unknown, cleaned: unknown, { record }: Eraser): boolean {
  const { at } = value as { at?: unknown };
  if (record.kind === 'span' && !(typeof at === 'number' && at > record.at)) return true;
  return cleaned !== value && (record.whole || record.ids.length > 0);
}

/**
 * Removes words from the token table. If messages go as a whole, all words go, since nothing records which of them
 * the messages had; words found again get new tokens.
 */
function withoutWords(page: unknown, { record, hide }: Eraser): unknown {
  if (!Array.isArray(page)) return page;
  const goes = (words: unknown): boolean =>
    typeof words === 'string' && (record.ids.length > 0 || hide(words).redacted > 0);
  return page.some(goes) ? page.map((words: unknown) => (goes(words) ? null : words)) : page;
}

const textIn = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value : '';
  const { text, messages, parts } = value as { text?: unknown; messages?: unknown; parts?: unknown };
  if (typeof text === 'string') return text;
  const inner = Array.isArray(messages) ? messages : Array.isArray(parts) ? parts : [];
  return inner.map(textIn).filter(Boolean).join(' ');
};
