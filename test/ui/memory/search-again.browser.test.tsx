// A question that memory could answer only in part, because it was still starting: asked
// again by itself, and shown in place.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { STARTING } from '../../../src/services/memory/memory.ts';
import { passage } from '../../services/chat/setup.ts';
import { createTestApp, show } from '../harness.tsx';

const QUESTION = 'Where is the spare key?';
const ASLEEP = { ...STARTING, state: 'indexing', waiting: 40, embedding: { status: 'idle' } } as const;
const READY = { ...STARTING, state: 'ready', embedding: { status: 'ready' } } as const;
const behind = { code: 'memory-behind', message: 'No vectors yet', retry: true } as const;

/**
 * An app whose memory finds `early` as long as it is starting, and `late` once it is ready;
 * `asked` counts how often it was asked.
 */
async function starting({ reply }: { reply?: string } = {}) {
  const app = await createTestApp({
    undoMs: 0,
    ...(reply ? { reply: () => [{ type: 'text-delta', text: reply }] } : {}),
  });
  await app.idle(await app.say('The spare key hangs behind the clock.'));
  app.states.memory.set(ASLEEP);
  const asked: string[] = [];
  let isThere = true;
  const found = passage('m1', 'The spare key hangs behind the clock.');
  Object.assign(app.memory, {
    recall: async ({ text }: { text: string }) => {
      asked.push(text);
      const { state, waiting } = app.states.memory.get();
      const ready = state === 'ready' && waiting === 0;
      return {
        query: text,
        threshold: 0.75,
        passages: ready && isThere ? [found] : [],
        nearMisses: ready ? [] : [found],
        tokens: 0,
        mode: ready ? 'hybrid' : 'keyword',
        degraded: ready ? null : behind,
        tookMs: 1,
      };
    },
  });
  const id = await app.say(QUESTION);
  await app.idle(id);
  const forgets = (is = true) => {
    isThere = !is;
  };
  return { app, id, asked, forgets };
}
const note = () => page.getByText(/Memory is still getting ready/);
const card = () => page.getByRole('region', { name: 'Recalled from other conversations' });

it('without a model the card says that it will look again, and takes what is found in its place', async () => {
  const { app, id, asked } = await starting();
  await show(app, `/c/${id}`);
  await expect.element(note()).toBeVisible();
  await expect.element(card()).toHaveTextContent('weaker match');
  app.states.memory.set(READY);
  await expect.element(card()).toHaveTextContent('1 passage');
  await expect.element(card()).not.toHaveTextContent('weaker match');
  await expect.element(page.getByText('Memory is ready now, and was asked again.')).toBeVisible();
  await expect.element(note()).not.toBeInTheDocument();
  expect(new Set(asked)).toEqual(new Set([QUESTION]));
});

it('looks again when the last messages have their vectors, of memory that rested meanwhile', async () => {
  const { app, id, asked } = await starting();
  await show(app, `/c/${id}`);
  await expect.element(note()).toBeVisible();
  const before = asked.length;
  app.states.memory.set({ ...READY, waiting: 2 });
  await expect.poll(() => asked.length).toBeGreaterThan(before);
  await expect.element(note()).toBeVisible();
  app.states.memory.set(READY);
  await expect.element(card()).toHaveTextContent('1 passage');
});

it('looks again when something is read after nothing was found', async () => {
  const { app, id, asked, forgets } = await starting({ reply: 'I do not know.' });
  forgets();
  await show(app, `/c/${id}`);
  app.states.memory.set(READY);
  await expect.element(page.getByText(/has nothing closer/)).toBeVisible();
  const before = asked.length;
  app.states.memory.set({ ...READY, unread: 1 });
  await expect.poll(() => asked.length).toBeGreaterThan(before);
  forgets(false);
  app.states.memory.set(READY);
  await expect.element(card()).toHaveTextContent('1 passage');
});

it('what a model was sent stays; what is found later stands beside it, with a way to ask again', async () => {
  const { app, id } = await starting({ reply: 'I do not know.' });
  await show(app, `/c/${id}`);
  await expect.element(note()).toBeVisible();
  app.states.memory.set(READY);
  await expect.element(page.getByText(/The model answered before that/)).toBeVisible();
  await expect.element(card()).toHaveTextContent('1 passage');
  await page.getByRole('button', { name: 'Answer again with this' }).click();
  await expect.element(page.getByText('2 / 2')).toBeVisible();
  // The new answer was sent what was found.
  const [second] = [...((await app.documents.read(id))?.messages.values() ?? [])].slice(-1);
  expect(second?.parts[0]).toMatchObject({ type: 'recall', passages: [{ messageId: 'm1' }] });
});

it('nothing is asked again for a question that is not the last any more', async () => {
  const { app, id, asked } = await starting();
  await app.say('And the bicycle?', id);
  await app.idle(id);
  await show(app, `/c/${id}`);
  const before = asked.length;
  app.states.memory.set(READY);
  await expect.element(page.getByText('Memory is ready now, and was asked again.')).toBeVisible();
  expect(asked.slice(before)).toEqual(['And the bicycle?']);
  await expect.element(page.getByText(/Memory was still starting/)).toBeVisible();
});

it('what was found goes when something is forgotten, and is asked for anew', async () => {
  const { app, id, asked, forgets } = await starting();
  await show(app, `/c/${id}`);
  app.states.memory.set(READY);
  await expect.element(card()).toHaveTextContent('1 passage');
  const before = asked.length;
  forgets();
  const sought = { kind: 'phrase', words: ['behind the clock'], whole: true } as const;
  await app.forget.begin(await app.forget.seek(sought, new AbortController().signal));
  await expect.poll(() => asked.length).toBeGreaterThan(before);
  await expect
    .poll(() => document.querySelector('[data-recall]')?.textContent ?? '')
    .not.toContain('1 passage');
});

it('nothing found while the library is still being read is no answer: it is asked once more', async () => {
  const { app, id, asked } = await starting();
  await show(app, `/c/${id}`);
  const { recall } = app.memory;
  // The model is ready before the library is read; a library this small does not count as behind.
  Object.assign(app.memory, {
    recall: async (request: Parameters<typeof recall>[0]) => ({ ...(await recall(request)), degraded: null }),
  });
  const before = asked.length;
  app.states.memory.set({ ...ASLEEP, embedding: { status: 'ready' } });
  await expect.poll(() => asked.length).toBeGreaterThan(before);
  await expect.element(note()).toBeVisible();
  app.states.memory.set(READY);
  await expect.element(card()).toHaveTextContent('1 passage');
});
