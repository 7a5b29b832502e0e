// Passages offered while one writes: a click opens the message, a checkbox chooses, numbers stand one level deeper,
// and a price only where a model is asked.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { RecalledPassage } from '../../../src/domain/chat/message.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const SAID = ['The spare key hangs behind the clock.', 'A second key is at the office.'];

/** An app whose memory offers what was said in two conversations. */
async function offering({ connected = true } = {}) {
  const app = await createTestApp(connected ? { reply: () => [{ type: 'text-delta', text: 'Yes.' }] } : {});
  const passages: RecalledPassage[] = [];
  for (const text of SAID) {
    const conversationId = await app.say(text);
    await app.idle(conversationId);
    const [source] = (await app.documents.read(conversationId))?.messages.values() ?? [];
    if (!source) throw new Error('Nothing was said');
    passages.push({
      conversationId,
      messageId: source.id,
      title: 'Keys',
      createdAt: source.createdAt,
      role: 'user',
      passage: text,
      neighbours: [],
      scores: { vector: 0.8, keyword: 0.5, hybrid: 0.7, decay: 1, final: 0.95 },
      tokens: 9,
    });
  }
  Object.assign(app.memory, {
    topicMoved: async () => true,
    recall: async ({ text }: { text: string }) => ({
      query: text,
      threshold: 0.75,
      passages,
      nearMisses: [],
      tokens: 18,
      mode: 'hybrid',
      degraded: null,
      tookMs: 1,
    }),
  });
  return { app, passages };
}
const chip = () => page.getByRole('region', { name: 'Passages from other conversations' });
const field = () => page.getByRole('textbox', { name: 'Message', exact: true });
const row = (words: string) => chip().getByRole('listitem').filter({ hasText: words });
const write = async () => {
  await field().fill('Where is the spare key?');
  await chip()
    .getByRole('button', { name: /may help/ })
    .click();
};

it.each([1280, 320])(
  'opens the message by a click on the passage, and keeps what was chosen, %d px',
  async (width) => {
    const { app, passages } = await offering();
    await show(app, '/', { width, height: 800 });
    await write();
    await row('office').getByRole('checkbox').click();
    await expect.element(row('office').getByRole('checkbox')).not.toBeChecked();
    await expectAccessible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    await row('clock').getByText('hangs behind the').click();
    await expect.poll(() => location.href).toContain(passages[0]?.messageId);
    await expect.element(page.getByText('Opened from memory.')).toBeVisible();
    await page.getByRole('button', { name: 'Back to where you were' }).click();
    await expect.element(field()).toHaveValue('Where is the spare key?');
    await chip().getByRole('button', { name: '1 passage may help · 9 tokens' }).click();
    await expect.element(row('clock').getByRole('checkbox')).toBeChecked();
    await expect.element(row('office').getByRole('checkbox')).not.toBeChecked();
  },
);

it('says in words why a passage is offered, with the numbers below', async () => {
  const { app } = await offering();
  await show(app, '/');
  await write();
  await expect.element(row('clock')).toHaveTextContent('very close');
  expect(row('clock').element().textContent).not.toMatch(/tokens|0\.\d/);
  await row('clock').getByRole('button', { name: 'Why this?' }).click();
  await expect.element(row('clock').getByText('Why it came up')).toBeVisible();
  await row('clock').getByText('Numbers', { exact: true }).click();
  await expect.element(row('clock').getByText('0.95')).toBeVisible();
  await expect.element(row('clock').getByText('9 tokens')).toBeVisible();
  await expectAccessible();
});

it('names no price where no model is asked, in the offer and on the card of the answer', async () => {
  const { app } = await offering({ connected: false });
  await show(app, '/');
  await write();
  await expect.element(chip().getByRole('button', { name: '2 passages may help' })).toBeVisible();
  expect(chip().element().textContent).not.toContain('token');
  await expect.element(chip().getByText('Selected passages are the answer.')).toBeVisible();
  await field().fill('Where is the spare key?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const card = page.getByRole('region', { name: 'Recalled from other conversations' });
  await expect.element(card).toHaveTextContent('2 passages');
  expect(card.getByRole('button').first().element().textContent).not.toContain('token');
});
