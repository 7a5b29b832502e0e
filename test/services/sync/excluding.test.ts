// A folder that is excluded later: from then on nothing more of it leaves, whatever was on its way or is asked for.
import { describe, expect, it } from 'vitest';
import { eventually, newConversationId, settled, type TestDevice } from './device.ts';
import { household } from './household.ts';

const home = household();
const { make, create } = home;
const FOLDER = '/home/someone/private/x';
const exclude = (device: TestDevice, folders: readonly string[]) => {
  const config = device.config.get();
  device.config.set({ ...config, privacy: { ...config.privacy, exclude_work_dirs: [...folders] } });
};
const begin = async (device: TestDevice) => {
  const id = newConversationId();
  await device.change(id, { meta: { title: 'Begun', createdAt: 1, workDir: FOLDER } });
  await device.say(id, 'first');
  await settled(device);
  return id;
};
const roomsOf = () => new Map([...home.hub.rooms].map(([name, blobs]) => [name, blobs.size]));

describe('a folder that is excluded later', () => {
  it('is not uploaded anew when the relay has lost it', async () => {
    const desk = await create();
    const index = new Set(home.hub.rooms.keys());
    const id = await begin(desk);
    const name = [...home.hub.rooms.keys()].find((room) => !index.has(room)) ?? '';
    exclude(desk, ['*/private/*']);
    await eventually(desk, async () => (await desk.sync.where(id)).place === 'withheld');
    // What lies on the relay stays there.
    expect(roomsOf().get(name)).toBeGreaterThan(0);
    home.hub.setOnline(false);
    (home.hub.rooms.get(name) as Map<string, Uint8Array>).clear();
    home.hub.setOnline(true);
    await desk.sync.syncNow({ force: true });
    await settled(desk);
    await desk.say(id, 'second');
    await settled(desk);
    expect(roomsOf().get(name)).toBe(0);
    expect(desk.status.get().withheld).toBe(1);
    // Let in again, all of it goes.
    exclude(desk, []);
    await eventually(desk, async () => (await desk.sync.where(id)).place === 'relay');
    const phone = await home.pair(desk);
    await eventually(phone, async () => (await phone.texts(id)).length === 2);
  });

  it('takes back what was on its way', async () => {
    const desk = await create();
    const id = await begin(desk);
    const before = [...home.hub.rooms.values()].reduce((sum, room) => sum + room.size, 0);
    home.hub.setOnline(false);
    await desk.say(id, 'not for the relay');
    await eventually(desk, async () => (await desk.store.drawer.keys(`sync/out/${id}`)).length > 0);
    exclude(desk, ['*/private/*']);
    await eventually(desk, async () => (await desk.sync.where(id)).place === 'withheld');
    home.hub.setOnline(true);
    await settled(desk);
    expect([...home.hub.rooms.values()].reduce((sum, room) => sum + room.size, 0)).toBe(before);
    expect(await desk.store.drawer.keys(`sync/out/${id}`)).toEqual([]);
    const phone = await home.pair(desk, make('Phone'));
    await eventually(phone, async () => (await phone.texts(id)).length > 0);
    expect(await phone.texts(id)).toEqual(['first']);
  });
});
