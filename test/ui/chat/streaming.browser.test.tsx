// While an answer streams, only the answer is drawn: the list, the composer and the context panel stand still.

import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createTestApp, expectAccessible, held, show } from '../harness.tsx';
import { countRenders } from '../renders.ts';

const WORDS = Array.from({ length: 40 }, (_, at) => `word${at} `);

/** A conversation with one answer, and a second one that stops before each word until the test goes on. */
async function streaming() {
  const steps = WORDS.map(() => held());
  let asked = 0;
  const app = await createTestApp({
    *reply() {
      asked += 1;
      if (asked === 1) {
        yield { type: 'text-delta', text: 'The first answer.' };
        return;
      }
      for (const [at, text] of WORDS.entries()) {
        yield { type: 'text-delta', text };
        yield steps[at]?.promise ?? Promise.resolve();
      }
    },
  });
  const id = await app.say('The first question');
  await app.idle(id);
  await show(app, `/c/${id}`, { width: 1600, height: 900 });
  await page.getByRole('button', { name: 'Show context' }).click();
  await expect.element(page.getByRole('complementary', { name: 'Context' })).toBeVisible();
  await app.say('The second question', id);
  await expect.element(page.getByText('word0')).toBeVisible();
  return {
    app,
    id,
    /** Lets the next words come, and waits until the last of them is on the screen. */
    next: async (from: number, to: number) => {
      for (const step of steps.slice(from, to)) {
        step.release();
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      await expect.element(page.getByText(`word${to}`)).toBeVisible();
    },
    finish: async () => {
      for (const step of steps) step.release();
      await app.idle(id);
    },
  };
}

it('draws neither the message list, nor the composer, nor the context panel again', async () => {
  const { next, finish } = await streaming();
  // From the first word on: what the next message would cost is counted meanwhile, and draws its ring alone.
  const drawn = countRenders();
  await next(0, 33);
  expect(drawn('Answer'), 'the answer itself is drawn').toBeGreaterThan(3);
  expect({
    list: drawn('MessageList'),
    day: drawn('Day'),
    composer: drawn('Composer'),
    panel: drawn('ContextPanel'),
    screen: drawn('OpenedConversation'),
  }).toEqual({ list: 0, day: 0, composer: 0, panel: 0, screen: 0 });
  await finish();
  await expect.element(page.getByText('word39').first()).toBeVisible();
});

it('keeps the elements of an answer when it ends', async () => {
  const { next, finish } = await streaming();
  await next(0, 12);
  const words = page.getByText('word12').first().element();
  const message = words.closest('article');
  expect(message?.ariaBusy).toBe('true');
  await finish();
  await expect.element(page.getByText('word39').first()).toBeVisible();
  await expect.poll(() => message?.dataset.messageId).toBeTruthy();
  expect(message?.ariaBusy).toBeNull();
  expect(words.isConnected).toBe(true);
  expect(words.textContent).toContain('word39');
});

it('lays out only what is in sight of a long answer that grows, and is as tall after it ended', async () => {
  const [more, last] = [held(), held()];
  const paragraphs = Array.from(
    { length: 60 },
    (_, at) => `## Part ${at}\n\n${`Sentence ${at}. `.repeat(30)}\n\n`,
  );
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: paragraphs.join('').trimEnd() };
      yield more.promise;
      yield { type: 'text-delta', text: ' There is one thing more.' };
      yield last.promise;
      yield { type: 'text-delta', text: '\n\nThat was all.' };
    },
  });
  const id = await app.say('Tell me everything');
  await show(app, `/c/${id}`, { width: 900, height: 700 });
  await expect.element(page.getByText('Sentence 59.').first()).toBeVisible();
  const groups = () => [
    ...document.querySelectorAll<HTMLElement>('article[aria-busy] .prose > div, article .prose > div'),
  ];
  const laidOut = () =>
    groups().map((group) => group.querySelector('h2')?.checkVisibility({ contentVisibilityAuto: true }));
  // Between two pieces of it nothing is drawn: what is out of sight is skipped with the next words.
  for (let frame = 0; frame < 8; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  expect(laidOut()).not.toContain(false);
  more.release();
  await expect.poll(laidOut).toContain(false);
  expect(laidOut().at(-1)).toBe(true);
  await expect.element(page.getByText('There is one thing more.').first()).toBeVisible();
  const tall = () =>
    document.querySelector('article:last-of-type .prose')?.getBoundingClientRect().height ?? 0;
  const before = tall();
  last.release();
  await app.idle(id);
  await expect.poll(laidOut).not.toContain(false);
  // One more line at the end, and nothing in between has moved.
  expect(tall() - before).toBeGreaterThan(0);
  expect(tall() - before).toBeLessThan(60);
});

it('shows short code in its colours in the first frame that has it', async () => {
  const more = held();
  const block = (at: number) => `\`\`\`ts\nconst value${at} = 1;\n\`\`\`\n\nAfter ${at}.\n\n`;
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: block(0) };
      yield more.promise;
      yield { type: 'text-delta', text: block(1) };
    },
  });
  const id = await app.say('Write it.');
  await show(app, `/c/${id}`);
  const blocks = () => [...document.querySelectorAll('.code-block code')];
  const isColoured = (code: Element | undefined) => code?.querySelector('span[style]') != null;
  // The first waits for the grammar to load.
  await expect.poll(() => isColoured(blocks()[0])).toBe(true);
  more.release();
  while (blocks().length < 2) await new Promise((resolve) => requestAnimationFrame(resolve));
  expect(isColoured(blocks()[1])).toBe(true);
  await app.idle(id);
});

it('is accessible while it streams and after, and Stop keeps what arrived', async () => {
  const { app, id, next } = await streaming();
  await next(0, 5);
  await expectAccessible();
  await page.getByRole('button', { name: 'Stop' }).first().click();
  await app.idle(id);
  await expect.element(page.getByText('word5').first()).toBeVisible();
  await expect.element(page.getByText('word6')).not.toBeInTheDocument();
  await expectAccessible();
});

it('takes words while an answer streams, and queues them', async () => {
  const { next, finish } = await streaming();
  await next(0, 2);
  await userEvent.fill(page.getByRole('textbox', { name: 'Message' }), 'A third question');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('A third question')).toBeVisible();
  await expect.element(page.getByRole('textbox', { name: 'Message' })).toHaveValue('');
  await finish();
});
