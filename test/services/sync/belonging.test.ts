// Who belongs to the account: who leaves is listed no more, and who joins is told where the relay shows less than there was.
import { describe, expect, it } from 'vitest';
import { household } from './cluster.ts';
import { eventually, newConversationId, settled, type TestDevice } from './device.ts';

const home = household();
const names = (device: TestDevice) =>
  device.status
    .get()
    .devices.map(({ name }) => name)
    .sort();

describe('a device that leaves', () => {
  it('is on no list any more, and holds nothing for anybody', async () => {
    const desk = await home.create();
    const phone = await home.pair(desk);
    const id = newConversationId();
    await desk.say(id, 'one');
    await eventually(desk, async () => (await desk.sync.where(id)).devices.join() === 'Phone');
    await phone.sync.leave();
    await eventually(desk, async () => names(desk).join() === 'Desk');
    expect(await desk.sync.where(id)).toEqual({ place: 'relay', devices: [] });
    expect(await phone.texts(id)).toEqual(['one']);
    const tablet = await home.pair(desk, home.make('Tablet'));
    await settled(tablet);
    expect(names(tablet)).toEqual(['Desk', 'Tablet']);
    // Back again, it is another one.
    await home.pair(desk, phone);
    await eventually(tablet, async () => names(tablet).join() === 'Desk,Phone,Tablet');
  });

  it('while nobody hears it can be taken off the list; one that is still there comes back to it', async () => {
    const desk = await home.create();
    const phone = await home.pair(desk);
    const tablet = await home.pair(desk, home.make('Tablet'));
    await eventually(desk, async () => names(desk).join() === 'Desk,Phone,Tablet');
    phone.stop();
    const idOf = (name: string) => desk.status.get().devices.find((device) => device.name === name)?.id ?? '';
    await desk.sync.takeOff(idOf('Phone'));
    for (const device of [desk, tablet])
      await eventually(device, async () => names(device).join() === 'Desk,Tablet');
    await desk.sync.takeOff(idOf('Tablet'));
    await eventually(desk, async () => names(desk).join() === 'Desk');
    await eventually(desk, async () => names(desk).join() === 'Desk,Tablet');
  });
});

describe('the log', () => {
  /** Oldest first, without what every account has: how it began here. */
  const steps = async (device: TestDevice) =>
    (await device.sync.journal())
      .filter(({ kind }) => kind === 'note')
      .map((line) => [line.what, line.device])
      .reverse();
  const told = (device: TestDevice, lines: readonly (readonly [string, string | null])[]) =>
    eventually(device, async () => JSON.stringify(await steps(device)) === JSON.stringify(lines));

  it('tells once who joined, who left, and who was taken off the list, to those who were there', async () => {
    const desk = await home.create();
    const phone = await home.pair(desk);
    await told(desk, [
      ['created', null],
      ['joined', 'Phone'],
    ]);
    const tablet = await home.pair(desk, home.make('Tablet'));
    await told(phone, [
      ['joined', null],
      ['joined', 'Tablet'],
    ]);
    await told(tablet, [['joined', null]]);
    await phone.sync.leave();
    await told(tablet, [
      ['joined', null],
      ['left', 'Phone'],
    ]);
    const id = desk.status.get().devices.find(({ name }) => name === 'Tablet')?.id ?? '';
    await desk.sync.takeOff(id);
    await told(desk, [
      ['created', null],
      ['joined', 'Phone'],
      ['joined', 'Tablet'],
      ['left', 'Phone'],
      ['unlisted', 'Tablet'],
      ['listed', 'Tablet'],
    ]);
    await desk.sync.syncNow({ force: true });
    await settled(desk, tablet);
    expect(await steps(desk)).toHaveLength(6);
    expect(await steps(tablet)).toHaveLength(2);
  });
});

describe('a relay that shows a newcomer an older account', () => {
  it('is told of in the log', async () => {
    const desk = await home.create();
    await settled(desk);
    const older = new Map([...home.hub.rooms].map(([name, room]) => [name, new Map(room)]));
    await desk.say(newConversationId(), 'since then');
    await settled(desk);
    const { link } = await desk.sync.pairing('https://app.example/');
    desk.stop();
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
