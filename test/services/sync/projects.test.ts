// Projects on two devices: they rename, move and delete at once, meet, and say the same; no conversation is lost.
import { describe, expect, it } from 'vitest';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { projectOf } from '../../../src/domain/projects/filing.ts';
import { cluster } from './cluster.ts';
import { eventually, newConversationId, settled, type TestDevice } from './device.ts';

const home = cluster();

/** Each project by name, and each conversation by the project it is in, as a device lists them. */
async function listedBy(device: TestDevice) {
  const all = await device.library();
  const projects = all.filter(({ project }) => project !== null);
  const placeOf = projectOf(projects);
  const nameOf = (id: string | null) => projects.find((one) => one.id === id)?.title ?? null;
  return {
    projects: projects
      .map(({ title, deletedAt, project }) => [title, deletedAt !== null, project?.scope])
      .sort(),
    places: Object.fromEntries(
      all
        .filter(({ project }) => project === null)
        .map((entry) => [entry.title, [nameOf(placeOf(entry)), entry.deletedAt !== null]])
        .sort(),
    ),
  };
}

async function pairWith(names: readonly string[]) {
  const laptop = await home.create();
  const project = newConversationId();
  await laptop.change(project, { meta: { project: true, title: 'Acme', titleBy: 'person', createdAt: 1 } });
  const ids: ConversationId[] = [];
  for (const title of names) {
    const id = newConversationId();
    ids.push(id);
    await laptop.change(id, { meta: { title, createdAt: 1 } });
    await laptop.say(id, `said in ${title}`);
  }
  await settled(laptop);
  const phone = await home.pair(laptop);
  await eventually(phone, async () => (await phone.library()).length === names.length + 1);
  return { laptop, phone, project, ids };
}

describe('two devices at once', () => {
  it('rename, move and delete, and then list the same', async () => {
    const { laptop, phone, project, ids } = await pairWith(['a', 'b']);
    const [a, b] = ids as [ConversationId, ConversationId];
    home.hub.setOnline(false);
    await laptop.change(project, { meta: { title: 'Acme shop' } });
    await laptop.change(project, { meta: { deletedAt: 99 } });
    await phone.change(project, { meta: { memoryScope: 'only' } });
    await phone.change(a, { meta: { projectId: project } });
    await laptop.change(b, { meta: { projectId: project } });
    home.hub.setOnline(true);
    await settled(laptop);
    await settled(phone);
    const apart = { a: [null, false], b: [null, false] };
    for (const device of [laptop, phone])
      await eventually(device, async () => {
        const { projects, places } = await listedBy(device);
        return (
          JSON.stringify(projects) === JSON.stringify([['Acme shop', true, 'only']]) &&
          JSON.stringify(places) === JSON.stringify(apart)
        );
      });
    // After one device restores it, both show what either filed in it.
    await phone.change(project, { meta: { deletedAt: null } });
    for (const device of [laptop, phone])
      await eventually(device, async () => {
        const { places } = await listedBy(device);
        return (
          JSON.stringify(places) === JSON.stringify({ a: ['Acme shop', false], b: ['Acme shop', false] })
        );
      });
  });

  it('erase a project for good, and what was filed in it meanwhile stands outside', async () => {
    const { laptop, phone, project, ids } = await pairWith(['a']);
    home.hub.setOnline(false);
    await phone.change(ids[0] as ConversationId, { meta: { projectId: project } });
    await laptop.erase(project);
    home.hub.setOnline(true);
    await settled(laptop);
    await settled(phone);
    for (const device of [laptop, phone]) {
      await eventually(device, async () => (await listedBy(device)).places.a?.[0] === null);
      expect((await listedBy(device)).places).toEqual({ a: [null, false] });
    }
  });
});

it('of a project that stays on a device nothing is sent from there, nor of what moves into it', async () => {
  const { laptop, phone, project, ids } = await pairWith(['a', 'b']);
  const [a, b] = ids as [ConversationId, ConversationId];
  await laptop.change(a, { meta: { projectId: project } });
  await settled(laptop);
  const config = laptop.config.get();
  laptop.config.set({ ...config, sync: { ...config.sync, exclude_projects: [project] } });
  await eventually(laptop, async () => (await laptop.sync.where(a)).place === 'localOnly');
  await eventually(laptop, async () => (await laptop.sync.where(project)).place === 'localOnly');
  await laptop.say(a, 'stays here');
  await laptop.change(b, { meta: { projectId: project } });
  await laptop.say(b, 'stays here, too');
  await settled(laptop);
  await phone.sync.syncNow({ force: true });
  await settled(phone);
  expect((await phone.texts(a)).join()).not.toContain('stays here');
  expect((await phone.texts(b)).join()).not.toContain('stays here');
  // Moved out of the excluded project, the whole conversation goes to the relay.
  await laptop.change(b, { meta: { projectId: '' } });
  await eventually(phone, async () => (await phone.texts(b)).includes('stays here, too'));
  laptop.config.set(config);
  await eventually(phone, async () => (await phone.texts(a)).includes('stays here'));
});
