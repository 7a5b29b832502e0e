// What the system shares with the app, as the beginning of a message.
import { expect, it } from 'vitest';
import { sharedWords } from '../../../src/domain/chat/shared-words.ts';

it.each([
  ['', ''],
  ['?console', ''],
  ['?shared_title=A%20page&shared_url=https%3A%2F%2Fexample.org', 'A page\nhttps://example.org'],
  [
    '?shared_text=See%20https%3A%2F%2Fexample.org&shared_url=https%3A%2F%2Fexample.org',
    'See https://example.org',
  ],
  ['?shared_title=Same&shared_text=Same', 'Same'],
  ['?shared_title=%20&shared_text=%E4%BD%A0%E5%A5%BD', '你好'],
])('%s is %j', (query, words) => {
  expect(sharedWords((name) => new URLSearchParams(query).get(name))).toBe(words);
});
