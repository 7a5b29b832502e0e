// Membership of an account: the list drops a device that leaves, and a device that joins
// learns if the relay has less than before.
import { describe, expect, it } from 'vitest';
import { cluster } from './cluster.ts';
import { eventually, newConversationId, settled, type TestDevice } from './device.ts';

const home = cluster();
const names = (device: TestDevice) =>
  device.status
    .get()
    .devices.map(({ name }) => name)
    .sort();

describe('a device that leaves', () => {
  it('is on no list any more, and holds nothing for anybody', async () => {
    const laptop = await home.create();
    const phone = await home.pair(laptop);
    const id = newConversationId();
    await laptop.say(id, 'one');
    await eventually(laptop, async () => (await laptop.sync.where(id)).devices.join() === 'Phone');
    await phone.sync.leave();
    await eventually(laptop, async () => names(laptop).join() === 'Laptop');
    expect(await laptop.sync.where(id)).toEqual({ place: 'relay', devices: [] });
    expect(await phone.texts(id)).toEqual(['one']);
    const tablet = await home.pair(laptop, home.make('Tablet'));
    await settled(tablet);
    expect(names(tablet)).toEqual(['Laptop', 'Tablet']);
    // The device that returns counts as another one.
    await home.pair(laptop, phone);
    await eventually(tablet, async () => names(tablet).join() === 'Laptop,Phone,Tablet');
  });

  it('while nobody hears it can be taken off the list; one that is still there comes back to it', async () => {
    const laptop = await home.create();
    const phone = await home.pair(laptop);
    const tablet = await home.pair(laptop, home.make('Tablet'));
    await eventually(laptop, async () => names(laptop).join() === 'Laptop,Phone,Tablet');
    phone.stop();
    const idOf = (name: string) =>
      laptop.status.get().devices.find((device) => device.name === name)?.id ?? '';
    await laptop.sync.takeOff(idOf('Phone'));
    for (const device of [laptop, tablet])
      await eventually(device, async () => names(device).join() === 'Laptop,Tablet');
    await laptop.sync.takeOff(idOf('Tablet'));
    await eventually(laptop, async () => names(laptop).join() === 'Laptop');
    await eventually(laptop, async () => names(laptop).join() === 'Laptop,Tablet');
  });
});

describe('the log', () => {
  /** Steps of the journal, oldest first, without the beginning of the account, which every device has. */
  const steps = async (device: TestDevice) =>
    (await device.sync.journal())
      .filter(({ kind }) => kind === 'note')
      .map((line) => [line.what, line.device])
      .reverse();
  const expectLines = (device: TestDevice, lines: readonly (readonly [string, string | null])[]) =>
    eventually(device, async () => JSON.stringify(await steps(device)) === JSON.stringify(lines));

  it('tells once who joined, who left, and who was taken off the list, to those who were there', async () => {
    const laptop = await home.create();
    const phone = await home.pair(laptop);
    await expectLines(laptop, [
      ['created', null],
      ['joined', 'Phone'],
    ]);
    const tablet = await home.pair(laptop, home.make('Tablet'));
    await expectLines(phone, [
      ['joined', null],
      ['joined', 'Tablet'],
    ]);
    await expectLines(tablet, [['joined', null]]);
    await phone.sync.leave();
    await expectLines(tablet, [
      ['joined', null],
      ['left', 'Phone'],
    ]);
    const id = laptop.status.get().devices.find(({ name }) => name === 'Tablet')?.id ?? '';
    await laptop.sync.takeOff(id);
    await expectLines(laptop, [
      ['created', null],
      ['joined', 'Phone'],
      ['joined', 'Tablet'],
      ['left', 'Phone'],
      ['unlisted', 'Tablet'],
      ['listed', 'Tablet'],
    ]);
    await laptop.sync.syncNow({ force: true });
    await settled(laptop, tablet);
    expect(await steps(laptop)).toHaveLength(6);
    expect(await steps(tablet)).toHaveLength(2);
  });
});

describe('a relay that shows a newcomer an older account', () => {
  it('is told of in the log', async () => {
    const laptop = await home.create();
    await settled(laptop);
    const older = new Map([...home.hub.rooms].map(([name, room]) => [name, new Map(room)]));
    await laptop.say(newConversationId(), 'since then');
    await settled(laptop);
    const { link } = await laptop.sync.pairing('https://app.example/');
    laptop.stop();
    for (const [name, room] of home.hub.rooms as Map<string, Map<string, Uint8Array>>) {
      room.clear();
      for (const [key, blob] of older.get(name) ?? []) room.set(key, blob);
    }
    const phone = home.make('Phone');
    await phone.sync.join(phone.sync.readOffer(link), { deviceName: 'Phone' });
    await settled(phone);
    expect(await phone.sync.journal()).toContainEqual(
      expect.objectContaining({ kind: 'error', what: 'sync-older' }),
    );
    const tablet = await home.joinTo(phone, home.make('Tablet'));
    await settled(tablet);
    expect((await tablet.sync.journal()).filter(({ kind }) => kind === 'error')).toEqual([]);
  });
});
