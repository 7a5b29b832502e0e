// A temporary conversation that is left or ended is in no list: a notice leads back to it.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { newTemporaryId } from '../../../src/domain/base/ids.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

async function talking() {
  const app = await createTestApp({ reply: () => [{ type: 'text-delta', text: 'In May.' }] });
  const id = newTemporaryId();
  await app.chat
    .send({ conversationId: id, parts: [{ type: 'text', text: 'When do I move?' }] })
    .catch(async () => {
      await app.documents.change(id, { meta: {} });
      await app.chat.send({ conversationId: id, parts: [{ type: 'text', text: 'When do I move?' }] });
    });
  await app.idle(id);
  await show(app, `/c/${id}`);
  await expect.element(page.getByText('In May.', { exact: true })).toBeVisible();
  return { app, id };
}
const act = (notice: string, name: string) =>
  page.getByRole('listitem').filter({ hasText: notice }).getByRole('button', { name });

it('says that it was left, and leads back to it', async () => {
  const { id } = await talking();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  const back = act('You left a temporary conversation. It ends with this tab.', 'Back to it');
  await expect.element(back).toBeVisible();
  await expectAccessible();
  await back.click();
  await expect.poll(() => location.pathname).toBe(`/c/${id}`);
  await expect.element(page.getByText('In May.', { exact: true })).toBeVisible();
});

it('is undone when it was ended, and says nothing of being left', async () => {
  const { app, id } = await talking();
  await page.getByRole('button', { name: 'End it now' }).click();
  const undo = act('The temporary conversation has ended', 'Undo');
  await expect.element(undo).toBeVisible();
  expect(await app.documents.read(id)).toBeUndefined();
  expect(page.getByText('You left a temporary conversation.').elements()).toEqual([]);
  await undo.click();
  await expect.element(page.getByText('In May.', { exact: true })).toBeVisible();
  await expect.element(page.getByText('Temporary: kept nowhere')).toBeVisible();
  expect(app.documents.library.get().entries).toEqual([]);
});
