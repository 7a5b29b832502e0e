// The divider of a compaction: a person reads and edits the summary, undoes and repeats it.
// And the plan that waits for a decision.
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { deep } from '../../scale.ts';
import { pressed } from '../dialogs/dialogs.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const app = await createTestApp({
  *reply() {
    yield { type: 'text-delta', text: 'An answer about the disks. '.repeat(40) };
  },
});
let id: ConversationId;
const divider = () => page.getByRole('region', { name: 'Shortened', exact: true });
const button = (name: string) => divider().getByRole('button', { name, exact: true });

beforeAll(async () => {
  id = await app.say('Which disk is for the photos?');
  await app.idle(id);
  for (const words of ['And for the videos?', 'How often?', 'Where do copies go?']) {
    await app.say(words, id);
    await app.idle(id);
  }
});
beforeEach(() => show(app, `/c/${id}`));

it('shows the plan before it is carried out, and shortens nothing where it is cancelled', async () => {
  const result = await app.context.compact(id, { preview: true });
  expect(result.outcome).toBe('preview');
  const plan = page.getByRole('dialog', { name: 'Shorten older messages' });
  await expect.element(plan.getByRole('region').first()).toBeVisible();
  await expectAccessible();
  await page.viewport(320, 640);
  await expect.poll(() => document.documentElement.scrollWidth).toBe(320);
  await pressed(plan.getByRole('button', { name: 'Cancel' }));
  await expect.element(plan).not.toBeInTheDocument();
  await expect.element(divider()).not.toBeInTheDocument();
});

it('is read, edited, taken back and done again at its divider', async () => {
  const result = await app.context.compact(id);
  expect(result.outcome).toBe('applied');
  await button('View').click();
  await expect.element(button('Hide')).toHaveAttribute('aria-expanded', 'true');
  await expectAccessible();
  await page.viewport(320, 640);
  const mark = divider().element().querySelector('svg')?.getBoundingClientRect();
  const words = divider()
    .getByText(/^Shortened \d+ messages/)
    .element();
  const line = document.createRange();
  line.selectNodeContents(words);
  // The sign stands in the first line of the words, however narrow the page.
  const top = [...line.getClientRects()].find(({ width }) => width > 20)?.top;
  expect(Math.abs((mark?.top ?? 0) - (top ?? Number.NaN))).toBeLessThan(8);
  await page.viewport(640, 400);
  const rules = [...divider().element().querySelectorAll('span[aria-hidden].h-px')];
  await expect.poll(() => rules.map((rule) => rule.getBoundingClientRect().width > 0)).toEqual([true, true]);
  // One on each side of the words, at any width.
  expect(new Set(rules.map((rule) => rule.getBoundingClientRect().top)).size).toBe(1);
  await button('Rewrite').click();
  await expect.element(divider().getByRole('textbox')).toHaveFocus();
  await button('Undo').click();
  await expect.element(button('Shorten again')).toBeVisible();
  await button('Shorten again').click();
  await expect.element(button('Undo')).toBeVisible();
});

deep(
  'says what a model has spent on the memory of a conversation, and leaves it to rules with one click',
  async () => {
    await app.settings.set('context.session_memory.model_from_ratio', 0);
    await app.settings.set('context.session_memory.every_tokens', 100);
    await app.say('And who checks them?', id);
    await app.idle(id);
    await page.viewport(1280, 800);
    await page.getByRole('button', { name: 'Show context' }).click();
    const panel = page.getByRole('complementary', { name: 'Context' });
    await expect
      .element(panel.getByText(/keeps the session memory: [\d,]+ of 50,000 tokens spent/))
      .toBeVisible();
    const off = panel.getByRole('button', { name: 'Write it without a model' });
    await off.click();
    await expect.element(off).not.toBeInTheDocument();
    expect(app.settings.config.get().context.session_memory.by_model).toBe(false);
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await expect.element(off).toBeVisible();
    expect(app.settings.config.get().context.session_memory.by_model).toBe(true);
    await expectAccessible();
  },
);
