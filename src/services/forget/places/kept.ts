// Small things beside the log: drafts of the composer, answers that are being written, messages that wait, session memories, the words of tokens.
import type { ConversationId } from '../../../domain/base/ids.ts';
import { TOKENS } from '../../privacy/token-table.ts';
import type { Eraser } from '../eraser.ts';
import type { CreatePlace, Find } from '../place.ts';

/** Sealed, ids, or the app's own marks; settings are the person's own, and shown where they are made. */
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
      // Drafts and memories lie under the id of their conversation, or are of a message by its id.
      const isOfGone = inside.has(key) || key.split(/[/.:]/).some(eraser.isGone);
      const cleaned = key.startsWith(TOKENS) ? withoutWords(value, eraser) : eraser.clean(value);
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
              : 'draft',
          conversation: (key.split(/[/.:]/).find(eraser.isGone) ?? null) as ConversationId | null,
          message: null,
          title: '',
          excerpt: textIn(value).slice(0, 160),
          count: 1,
        });
      return found;
    },
    remove: async (eraser) => {
      // A session memory without some of its words would be believed to be whole: it is made anew.
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
 * The words of tokens without those that go. Which of them a forgotten message had is not written down anywhere: then all of them go, and what
 * is met again gets a new token.
 */
function withoutWords(page: unknown, { record, hide }: Eraser): unknown {
  if (!Array.isArray(page)) return page;
  const goes = (words: unknown): boolean =>
    typeof words === 'string' && (record.ids.length > 0 || hide(words).redacted > 0);
  return page.some(goes) ? page.map((words: unknown) => (goes(words) ? null : words)) : page;
}

const textIn = (value: unknown): string => {
  const text = typeof value === 'object' && value !== null ? (value as { text?: unknown }).text : value;
  return typeof text === 'string' ? text : '';
};
