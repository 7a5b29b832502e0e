// A dialog that is still coming, and one that cannot be drawn: both have its title, and the focus goes as in any other.
import { expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { expectHeld, expectShown, pressed } from '../dialogs/dialogs.ts';
import { createTestApp, held, show } from '../harness.tsx';

it('says that a dialog is loading, and gives the focus back from there, from what came and from what could not be drawn', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const app = await createTestApp();
  const id = await app.say('Bread for breakfast');
  await show(app, `/c/${id}`, { width: 320, height: 640 });
  const { forget } = app;
  let drawn = () => forget.state;
  // Stands for code that comes late: React waits for a promise that is thrown while it draws.
  Object.assign(app, { forget: Object.create(forget, { state: { get: () => drawn() } }) });
  const dialog = page.getByRole('dialog');
  const loading = async () => {
    const { promise, release } = held();
    drawn = () => {
      throw promise;
    };
    const home = await pressed(
      page.getByRole('main').getByRole('button', { name: 'More' }).first(),
      page.getByRole('menuitem', { name: 'Forget for good…' }),
    );
    await expect.element(dialog.getByText('Loading')).toBeVisible();
    return { home, release };
  };

  const { home } = await loading();
  await expectHeld(await expectShown('Forget for good'), home);

  const coming = await loading();
  await expectShown('Forget for good');
  drawn = () => forget.state;
  coming.release();
  await expect.element(dialog.getByText('Loading')).not.toBeInTheDocument();
  await expectHeld(await expectShown('Forget for good'), home);

  const broken = await loading();
  drawn = () => {
    throw new Error('The dialog cannot be drawn');
  };
  broken.release();
  await expect.element(dialog.getByRole('alert')).toBeVisible();
  await expectHeld(await expectShown('Forget for good'), home);
  vi.restoreAllMocks();
});
