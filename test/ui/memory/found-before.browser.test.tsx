// What memory found and shows while something is forgotten: above the composer, for a command, in a trial. It neither
// shows nor sends what goes.
import { afterEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { asConversationId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import type { Message, RecalledPassage } from '../../../src/domain/chat/message.ts';
import type { Sought } from '../../../src/domain/forget/sought.ts';
import type { RecallResult } from '../../../src/services/memory/memory.ts';
import { createTestApp, expectAccessible, held, show, type TestApp } from '../harness.tsx';

const CANARY = 'Quillfeather';
const PHRASE: Sought = { kind: 'phrase', words: [CANARY], whole: false };

afterEach(() => vi.restoreAllMocks());

async function said(app: TestApp, text: string) {
  const id = await app.say(text);
  await app.idle(id);
  const [message] = (await app.documents.read(id))?.messages.values() ?? [];
  return { id, message: message as Message };
}

/** An app whose memory answers with two passages as soon as the gate opens. */
async function remembering(title = 'Garden') {
  const app = await createTestApp({ undoMs: 0, reply: () => [{ type: 'text-delta', text: 'Indeed.' }] });
  const neighbour = await said(app, `My neighbour ${CANARY} lost the garden.`);
  const gate = await said(app, 'The garden gate is green.');
  const passages = [neighbour, gate].map(
    ({ id, message }): RecalledPassage => ({
      conversationId: id,
      messageId: message.id,
      title,
      createdAt: message.createdAt,
      role: 'user',
      passage: message.parts[0]?.type === 'text' ? message.parts[0].text : '',
      neighbours: [],
      scores: { vector: 0.8, keyword: 0.5, hybrid: 0.7, decay: 1, final: 0.95 },
      tokens: 9,
    }),
  );
  const answering = held();
  const recall = vi
    .spyOn(app.memory, 'recall')
    .mockImplementation(async ({ text }): Promise<RecallResult> => {
      await answering.promise;
      return {
        ...{ query: text ?? '', passages, nearMisses: [], threshold: 0.75, tokens: 18 },
        ...{ mode: 'hybrid', degraded: null, tookMs: 1 },
      };
    });
  const forget = async (sought: Sought) => {
    await app.forget.begin(await app.forget.seek(sought, new AbortController().signal));
    await until(app.forget.state, ({ step }) => step === 'done', AbortSignal.timeout(15_000));
    app.forget.dismiss();
  };
  return { app, recall, answering, neighbour, forget };
}
const chip = () => page.getByRole('region', { name: 'Passages from other conversations' });
const composer = () => page.getByRole('textbox', { name: 'Message', exact: true });

/** Asks something that memory has two passages for, and opens them. */
async function showOffer(app: Parameters<typeof show>[0]): Promise<void> {
  await show(app, '/');
  await composer().fill('What became of the garden?');
  await chip()
    .getByRole('button', { name: /^2 passages may help/ })
    .click();
}

it('loses the words from the passages that it shows, and sends none of them', async () => {
  const { app, recall, answering, forget } = await remembering();
  answering.release();
  await showOffer(app);
  await expect.element(chip().getByText(CANARY)).toBeVisible();
  await forget(PHRASE);
  await expect.element(chip().getByText('My neighbour •••')).toBeVisible();
  await expect.element(chip().getByText(CANARY)).not.toBeInTheDocument();
  await expectAccessible();
  // Who leaves something out is given the rest as it was shown.
  await chip().getByRole('checkbox').nth(1).click();
  recall.mockRejectedValue(new Error('Memory was asked again'));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.element(page.getByText('Indeed.').last()).toBeVisible();
  await expect.poll(() => location.pathname).toMatch(/^\/c\//);
  const id = asConversationId(location.pathname.slice('/c/'.length));
  const sent = JSON.stringify([...((await app.documents.read(id))?.messages.values() ?? [])]);
  expect(sent).toContain('My neighbour •••');
  expect(sent).not.toContain(CANARY);
});

it('loses the passage of a message that goes as a whole', async () => {
  const { app, answering, neighbour, forget } = await remembering();
  answering.release();
  await showOffer(app);
  await forget({ kind: 'message', conversation: neighbour.id, message: neighbour.message.id });
  await expect.element(chip().getByRole('button', { name: /^1 passage may help/ })).toBeVisible();
  await expect.element(chip().getByText('The garden gate is green.')).toBeVisible();
  await expect.element(chip().getByText(CANARY)).not.toBeInTheDocument();
});

it('shows nothing of it either where memory was asked before and answers after', async () => {
  const { app, recall, answering, forget } = await remembering();
  await show(app, '/');
  await composer().fill('What became of the garden?');
  await expect.poll(() => recall.mock.calls.length).toBe(1);
  await forget(PHRASE);
  answering.release();
  await chip()
    .getByRole('button', { name: /^2 passages may help/ })
    .click();
  await expect.element(chip().getByText('My neighbour •••')).toBeVisible();
  await expect.element(chip().getByText(CANARY)).not.toBeInTheDocument();
});

it('a dry run shows whole titles on a narrow phone', async () => {
  const title = 'The garden behind the house';
  const { app, answering } = await remembering(title);
  answering.release();
  await show(app, '/', { width: 320, height: 640 });
  await composer().fill('/recall --explain garden');
  await userEvent.keyboard('{Enter}');
  const first = page.getByRole('button', { name: `Open the message in “${title}”` }).first();
  await expect.element(first).toBeVisible();
  expect(first.element().clientWidth).toBeGreaterThanOrEqual(100);
  await expectAccessible();
});

it('what a command shows of it loses it, and what was not meant stays', async () => {
  const { app, answering, forget } = await remembering();
  answering.release();
  await show(app, '/');
  await composer().fill('/recall garden');
  await userEvent.keyboard('{Enter}');
  const outcome = page.getByRole('region', { name: '/recall garden' });
  await expect.element(outcome.getByText(CANARY).first()).toBeVisible();
  await forget(PHRASE);
  await expect.element(outcome.getByText('My neighbour •••').first()).toBeVisible();
  await expect.element(outcome.getByText('The garden gate is green.').first()).toBeVisible();
  await expect.poll(() => document.body.textContent).not.toContain(CANARY);
});

it('what was tried in memory loses it, also where the answer comes after', async () => {
  const { app, recall, answering, forget } = await remembering();
  await show(app, '/memory/index');
  await page.getByRole('searchbox').first().fill('What became of the garden?');
  await expect.poll(() => recall.mock.calls.length).toBe(1);
  await forget(PHRASE);
  answering.release();
  await expect.element(page.getByText('My neighbour •••').first()).toBeVisible();
  await expect.poll(() => document.body.textContent).not.toContain(CANARY);
});
