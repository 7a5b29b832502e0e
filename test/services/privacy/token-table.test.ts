import { describe, expect, it, vi } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { SerialQueue } from '../../../src/domain/base/serial-queue.ts';
import type { Category } from '../../../src/domain/privacy/categories.ts';
import { TokenTable } from '../../../src/services/privacy/token-table.ts';

const opened = () => {
  const { keyValues } = createInMemoryStore();
  const queue = new SerialQueue();
  const table = () => new TokenTable({ keyValues: keyValues, exclusively: (_name, work) => queue.run(work) });
  return { keyValues, table };
};
const token = (table: TokenTable, words: string, category: Category = 'phones') =>
  table.withTokens((tokenOf) => tokenOf(category, words));

describe('the token table', () => {
  it('gives the same words the same token, in every tab and after a start', async () => {
    const { table } = opened();
    const [one, other] = [table(), table()];
    const words = Array.from({ length: 20 }, (_, at) => `+1 415 555 01${at + 10}`);
    const given = await Promise.all(words.flatMap((said) => [token(one, said), token(other, said)]));
    for (const [at] of words.entries()) expect(given[at * 2]).toBe(given[at * 2 + 1]);
    expect(new Set(given).size).toBe(words.length);
    expect(given).toContain('[phone-1]');
    const later = table();
    for (const [at, said] of words.entries()) {
      expect(await token(later, said)).toBe(given[at * 2]);
      expect(later.privateWordsOf(given[at * 2] ?? '')).toBe(said);
    }
    expect(await token(later, 'a@b.example', 'emails')).toBe('[email-1]');
  });

  it('keeps more than a page of words', async () => {
    const { table, keyValues } = opened();
    const one = table();
    await one.withTokens((tokenOf) => {
      for (let at = 0; at < 600; at++) tokenOf('emails', `p${at}@x.example`);
    });
    expect((await keyValues.keys('privacy/tokens/emails/')).length).toBe(3);
    const later = table();
    await later.ready();
    expect(later.privateWordsOf('[email-600]')).toBe('p599@x.example');
    expect(later.privateWordsOf('[email-601]')).toBeUndefined();
  });

  it('forgets words, and gives their number to nothing else', async () => {
    const { table, keyValues } = opened();
    const [one, other] = [table(), table()];
    await token(one, '13800138000');
    await token(one, '13900139000');
    await one.forget(['My number is 13800138000.']);
    expect(one.privateWordsOf('[phone-1]')).toBeUndefined();
    expect(one.privateWordsOf('[phone-2]')).toBe('13900139000');
    expect(await token(one, '15012349876')).toBe('[phone-3]');
    await vi.waitFor(() => expect(other.privateWordsOf('[phone-1]')).toBeUndefined());
    const kept = await Promise.all((await keyValues.keys('privacy/')).map((key) => keyValues.get(key)));
    expect(JSON.stringify(kept)).not.toContain('13800138000');
  });

  it('hides without a number where nothing can be kept', async () => {
    const { keyValues } = opened();
    const table = new TokenTable({
      keyValues: { ...keyValues, set: () => Promise.reject(new Error('full')) },
    });
    expect(await token(table, '13800138000')).toBe('[phone]');
    expect(table.tokenOf('phones', '13800138000')).toBeUndefined();
  });

  it('does not take the token of another device for its own', async () => {
    const { table } = opened();
    const one = table();
    const own = await token(one, '13800138000');
    expect(one.abroad(own)).toMatch(/^\[phone-1@[0-9a-z]{4}\]$/);
    expect(one.privateWordsOf(one.abroad(own))).toBeUndefined();
  });
});
