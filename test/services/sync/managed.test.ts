// An operator's account: the words carry the key, the token comes beside them.
import { expect, it } from 'vitest';
import { toText } from '../../../src/domain/sync/bytes.ts';
import { cluster } from './cluster.ts';
import { has, isSynced, newConversationId } from './device.ts';

const home = cluster();

it('is joined by its words and the token that the operator gave, and not by the words alone', async () => {
  const token = toText(crypto.getRandomValues(new Uint8Array(32)));
  const endpoint = 'wss://relay.example';
  const laptop = home.make('Laptop');
  await laptop.sync.create({ endpoint, deviceName: 'Laptop', mode: 'managed', token });
  const id = newConversationId();
  await laptop.say(id, 'hello');
  await isSynced(laptop);
  expect(laptop.sync.account.get()).toMatchObject({ managed: true });
  expect(laptop.status.get().account).toMatchObject({ managed: true });

  const { phrase } = await laptop.sync.pairing('https://app.example/');
  const phone = home.make('Phone');
  const offer = phone.sync.readOffer(phrase);
  for (const wrong of [{}, { token: ' ' }, { token: toText(crypto.getRandomValues(new Uint8Array(32))) }])
    await expect(phone.sync.join(offer, { deviceName: 'Phone', endpoint, ...wrong })).rejects.toMatchObject({
      problem: { code: 'sync-no-account' },
    });
  expect(await phone.vault.names()).toEqual([]);
  await phone.sync.join(offer, { deviceName: 'Phone', endpoint, token: ` ${token} ` });
  await has(phone, id, ['hello']);
  expect(phone.config.get().sync.mode).toBe('managed');
  expect(phone.status.get().account).toMatchObject({ managed: true });
  // The pairing link carries the token, as before.
  const { link } = await phone.sync.pairing('https://app.example/');
  expect(phone.sync.readOffer(link).token).toBe(token);
});

it('an account of one key alone is no operator’s', async () => {
  const laptop = await home.create();
  expect(laptop.sync.account.get()).toMatchObject({ managed: false });
});
