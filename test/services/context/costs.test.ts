// The cost of a summary that a person sees: every billed call, counted once in the record and in its end event.
import { describe, expect, it } from 'vitest';
import { until } from '../../../src/domain/base/readable.ts';
import { contextConfig, startTalks, words } from './talk.ts';

const { server, talk } = await startTalks();

const SUMMARY = '<current_focus>Importing the regions.</current_focus>';
const CALL = (900 * 3 + 50 * 15) / 1_000_000;
const priced = () =>
  talk({
    config: contextConfig({ strategy: 'summary' }),
    context: { priceOf: () => ({ currency: 'EUR', input: 3, output: 15 }) },
  });
const spent = (calls: number) => ({
  usage: { inputTokens: 900 * calls, outputTokens: 50 * calls },
  cost: expect.closeTo(CALL * calls, 9),
});

describe('the price of a plan that is shown first', () => {
  it('is that of every call it was made with, in the record and at its end', async () => {
    const { grown, context, compactions, paired } = priced();
    const id = await grown(8);
    server.answer(() => words(SUMMARY));
    await context.compact(id, { preview: true });
    await context.adjust(id, { guidance: 'keep the regions' });
    await context.adjust(id, { guidance: 'keep the timings' });
    expect(await context.apply(id)).toMatchObject({ outcome: 'applied' });
    expect(server.chats()).toHaveLength(3);
    expect(paired()).toMatchObject([
      { outcome: 'preview', ...spent(1) },
      { outcome: 'applied', ...spent(3) },
    ]);
    expect(await compactions(id)).toMatchObject([{ ...spent(3), currency: 'EUR' }]);
  });

  it('stays where the last way asks no model', async () => {
    const { grown, context, compactions } = priced();
    const id = await grown(8);
    server.answer(() => words(SUMMARY));
    await context.compact(id, { preview: true });
    await context.adjust(id, { strategy: 'session-memory' });
    await context.apply(id);
    expect(await compactions(id)).toMatchObject([{ strategy: 'session-memory', ...spent(1) }]);
  });

  it.each(['cancelled', 'replaced'])('is told where it is %s, too', async (how) => {
    const { grown, context, compactions, paired } = priced();
    const id = await grown(8);
    server.answer(() => words(SUMMARY));
    await context.compact(id, { preview: true });
    await context.adjust(id, { guidance: 'keep the regions' });
    if (how === 'cancelled') context.cancel(id);
    else await context.compact(id, { strategy: 'session-memory', preview: true });
    expect(paired().slice(0, 2)).toMatchObject([
      { outcome: 'preview', ...spent(1) },
      { outcome: 'cancelled', ...spent(2) },
    ]);
    expect(await compactions(id)).toEqual([]);
  });
});

describe('the price of an attempt that comes to nothing', () => {
  it('is told where a person stops it between two calls', async () => {
    const { grown, context, paired } = priced();
    const id = await grown(22);
    server.next({
      steps: [
        { text: '' },
        { finish: 'stop' },
        { usage: { prompt_tokens: 900, completion_tokens: 50, total_tokens: 950 } },
      ],
    });
    server.next({ steps: [{ text: 'I am' }, { hang: true }] });
    const running = context.compact(id);
    await expect.poll(() => server.chats().length).toBe(2);
    context.cancel(id);
    expect(await running).toEqual({ outcome: 'cancelled' });
    expect(paired()).toMatchObject([{ outcome: 'cancelled', ...spent(1) }]);
  });

  it('ends with what is applied instead: nothing is asked for any more', async () => {
    const { grown, context, paired } = priced();
    const id = await grown(8);
    server.next(words(SUMMARY));
    await context.compact(id, { preview: true });
    server.next({ steps: [{ text: 'I am' }, { hang: true }] });
    const asked = context.adjust(id, { guidance: 'keep the regions' });
    await until(context.state(id), (state) => state.pending?.busy === true);
    await expect.poll(() => server.chats().length).toBe(2);
    expect(await context.apply(id)).toMatchObject({ outcome: 'applied' });
    await asked;
    expect(context.state(id).get().pending).toBeNull();
    expect(paired().at(-1)).toMatchObject({ outcome: 'applied', ...spent(1) });
  });
});
