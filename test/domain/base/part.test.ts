import { expect, it } from 'vitest';
import { loadPart } from '../../../src/domain/base/part.ts';

it('a part that is there is handed on', async () => {
  expect(await loadPart(async () => 7)).toBe(7);
});

it('one that fails once is fetched again', async () => {
  let tries = 0;
  const flawed = loadPart(async () => {
    tries += 1;
    if (tries === 1) throw new TypeError('Failed to fetch');
    return 7;
  });
  expect(await flawed).toBe(7);
});

it('one that cannot be had says so, with what the browser said', async () => {
  const gone = loadPart(() => Promise.reject(new TypeError('Failed to fetch')));
  await expect(gone).rejects.toMatchObject({
    problem: { code: 'part-missing', params: { detail: 'TypeError: Failed to fetch' } },
  });
});
