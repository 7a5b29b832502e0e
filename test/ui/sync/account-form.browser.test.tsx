// The form of a new account: the address of this page's server is offered only where a relay answers there.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { SYNC_OFF } from '../../../src/services/sync/sync.ts';
import { createTestApp, expectAccessible, held, show } from '../harness.tsx';

async function opened(test: (endpoint: string) => Promise<void>) {
  const app = await createTestApp();
  const asked: string[] = [];
  Object.assign(app.sync, {
    test: (endpoint: string) => {
      asked.push(endpoint);
      return test(endpoint);
    },
  });
  await app.settings.set('sync.mode', 'remote');
  app.states.sync.set({ ...SYNC_OFF, state: 'unpaired' });
  await show(app, '/settings/sync');
  const field = page.getByRole('textbox', { name: 'Address of the relay' });
  await expect.element(field).toBeVisible();
  return { asked, field, offer: page.getByRole('button', { name: /where this page came from/ }) };
}

it('offers no address where no relay answers: the field is empty, with an example', async () => {
  const { asked, field, offer } = await opened(async () => {
    throw new RecollectError('sync-offline', 'Nobody is there');
  });
  await expect.poll(() => asked).toEqual([`ws://${location.host}`]);
  expect(offer.elements()).toEqual([]);
  await expect.element(field).toHaveValue('');
  await expect.element(field).toHaveAttribute('placeholder', 'wss://relay.example');
});

it('offers the address of this page once a relay has answered there', async () => {
  const gate = held();
  const { field, offer } = await opened(() => gate.promise);
  expect(offer.elements()).toEqual([]);
  gate.release();
  await offer.click();
  await expect.element(field).toHaveValue(`ws://${location.host}`);
  expect(offer.elements()).toEqual([]);
  await expectAccessible();
});
