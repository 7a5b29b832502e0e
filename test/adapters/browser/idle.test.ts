import { describe, it } from 'vitest';
import { whenIdle } from '../../../src/adapters/browser/idle.ts';

describe('waiting until the page is idle', () => {
  it('ends in a browser that does not say so', () => whenIdle(60_000, new AbortController().signal));

  it('ends with the signal', async () => {
    const closing = new AbortController();
    const waiting = whenIdle(60_000, closing.signal);
    closing.abort();
    await waiting;
    await whenIdle(60_000, closing.signal);
  });
});
