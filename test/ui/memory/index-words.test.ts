// The memory screen says no more than is so.
import { expect, it } from 'vitest';
import { wordsOfIndex } from '../../../src/ui/memory/index-words.ts';

const READY = { state: 'ready', unread: 0, waiting: 0, embedding: { status: 'idle' } } as const;
const keys = (...given: Parameters<typeof wordsOfIndex>) => {
  const { state, settled, details } = wordsOfIndex(...given);
  return [state, settled, ...details.map(({ key }) => key)];
};

it('speaks of nothing to read only where nothing was said', () => {
  expect(keys(READY, 0, 0)).toEqual(['ready', true, 'empty']);
  expect(keys(READY, 0, 2)).toEqual(['ready', true]);
  expect(keys(READY, 2, 2)).toEqual(['ready', true, 'ready']);
  expect(keys(READY, null, 2)).toEqual(['ready', true, 'ready']);
});

it('claims nothing while something is left, or while it starts', () => {
  expect(keys({ ...READY, unread: 2 }, 0, 2)).toEqual(['indexing', false, 'unread']);
  expect(keys({ ...READY, waiting: 1 }, 2, 2)).toEqual(['indexing', false, 'waiting']);
  expect(keys({ ...READY, state: 'starting' }, 0, 2)).toEqual(['starting', false, 'starting']);
  expect(keys({ ...READY, state: 'failed', unread: 2 }, 0, 2)).toEqual(['failed', false]);
});
