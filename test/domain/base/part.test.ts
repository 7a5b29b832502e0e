import { expect, it } from 'vitest';
import { part } from '../../../src/domain/base/part.ts';

it('a part that is there is handed on', async () => {
  expect(await part(async () => 7)).toBe(7);
});

it('one that cannot be had says so, with what the browser said', async () => {
  const gone = part(() => Promise.reject(new TypeError('Failed to fetch')));
  await expect(gone).rejects.toMatchObject({
    problem: { code: 'part-missing', params: { detail: 'TypeError: Failed to fetch' } },
  });
});
