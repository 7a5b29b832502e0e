// What is said of an answer that was stopped: whether anything had arrived.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { createTestApp, held, show } from '../harness.tsx';

it.each([
  ['nothing', [], 'Stopped before anything arrived.'],
  ['blank words', [{ type: 'text-delta' as const, text: '\n\n' }], 'Stopped before anything arrived.'],
  ['a thought', [{ type: 'reasoning-delta' as const, text: 'Hm.' }], 'Stopped. What had arrived is kept.'],
])('of an answer stopped after %s', async (_, arrived, sentence) => {
  const gate = held();
  const app = await createTestApp({
    *reply() {
      yield* arrived;
      yield gate.promise;
    },
  });
  const id = await app.say('Which bird is tallest?');
  await show(app, `/c/${id}`);
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect.element(page.getByText(sentence)).toBeVisible();
  // Asked for again by one button, not by two.
  await expect.element(page.getByRole('button', { name: 'Try again' })).toBeVisible();
  expect(page.getByRole('button', { name: 'Answer again' }).elements()).toEqual([]);
});

const cut = new RecollectError('model-cut', 'The connection ended before the answer did.', { retry: true });
it.each([
  ['nothing', [], 'error', 'before anything of the answer had arrived', false],
  [
    'a thought',
    [{ type: 'reasoning-delta' as const, text: 'Hm.' }],
    'cut',
    'What had arrived is kept',
    false,
  ],
  ['words', [{ type: 'text-delta' as const, text: 'The' }], 'cut', 'What had arrived is kept', true],
] as const)(
  'of an answer cut after %s: what is there of it, and what can be done',
  async (_, arrived, finish, sentence, goesOn) => {
    const app = await createTestApp({
      *reply() {
        yield* arrived;
        yield { type: 'end', finish, problem: cut.problem };
      },
    });
    const id = await app.say('Which bird is tallest?');
    await show(app, `/c/${id}`);
    const notice = page.getByRole('alert');
    await expect.element(notice).toHaveTextContent(sentence);
    await expect.element(notice.getByRole('button', { name: 'Try again' })).toBeVisible();
    await expect
      .poll(() => notice.getByRole('button', { name: 'Continue' }).elements())
      .toHaveLength(goesOn ? 1 : 0);
    expect(notice.element().textContent?.includes('ask the model to continue')).toBe(goesOn);
  },
);

it('of an answer at its length limit that says nothing', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'reasoning-delta', text: 'Hm.' };
      yield { type: 'end', finish: 'length' };
    },
  });
  const id = await app.say('Which bird is tallest?');
  await show(app, `/c/${id}`);
  await expect.element(page.getByText('before it began to answer')).toBeVisible();
});
