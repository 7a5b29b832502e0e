// A plan that is carried out says so where the person reads: its divider may be far away.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { createTestApp, show } from '../harness.tsx';

it('says that it shortened, and takes it back, wherever the person reads', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer about the disks. '.repeat(40) };
    },
  });
  const id = await app.say('Which disk is for the photos?');
  await app.idle(id);
  for (const words of ['And for the videos?', 'How often?', 'Where do copies go?']) {
    await app.say(words, id);
    await app.idle(id);
  }
  await show(app, `/c/${id}`);
  await app.context.compact(id, { preview: true });
  const plan = page.getByRole('dialog', { name: 'Shorten older messages' });
  await plan.getByRole('button', { name: 'Shorten', exact: true }).click();
  const notice = page
    .getByRole('listitem')
    .filter({ hasText: /Shortened \d+ messages?: [\d,]+ → [\d,]+ tokens/ });
  await expect.element(notice).toBeVisible();
  await notice.getByRole('button', { name: 'Undo' }).click();
  const divider = page.getByRole('region', { name: 'Shortened', exact: true });
  await expect.element(divider).toHaveTextContent(/sent in full again/);
});
