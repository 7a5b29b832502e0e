// Categories of private words, and the places they are kept out of.

export const CATEGORIES = [
  'secrets',
  'keywords',
  'cards',
  'bank_accounts',
  'ids',
  'emails',
  'phones',
  'names',
  'addresses',
  'words',
] as const;
export type Category = (typeof CATEGORIES)[number];

/** Places that private words may be kept out of: the memory index, requests to models, sync. */
export const PRIVACY_PLACES = ['index', 'prompts', 'sync'] as const;
export type PrivacyPlace = (typeof PRIVACY_PLACES)[number];

/** Labels of the categories in tokens. Models and the index read them, so they are the same in every language. */
export const LABELS: Readonly<Record<Category, string>> = {
  secrets: 'key',
  keywords: 'secret',
  cards: 'card',
  bank_accounts: 'account',
  ids: 'id',
  emails: 'email',
  phones: 'phone',
  names: 'name',
  addresses: 'address',
  words: 'word',
};

/** Categories that a new configuration keeps out of the index and of sync: secrets and the person's own lists. */
export const KEPT_OUT: readonly Category[] = ['secrets', 'keywords', 'names', 'addresses', 'words'];
/**
 * Categories that a new configuration keeps out of requests: only the person's own lists, since a model asked about a
 * key must see it.
 */
export const KEPT_OUT_OF_PROMPTS: readonly Category[] = ['names', 'addresses', 'words'];
