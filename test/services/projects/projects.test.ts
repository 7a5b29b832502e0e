// Projects over real documents: what they hold, what moves, and that nothing is lost when they go.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileOf } from '../../../src/adapters/importers/source-file.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { asConversationId, type ConversationId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import type { PartOf } from '../../../src/domain/chat/message.ts';
import type { ProjectId } from '../../../src/domain/projects/project.ts';
import { createProjectWords } from '../../../src/services/context/project-words.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createLibrary } from '../../../src/services/library/library-service.ts';
import { createProjects } from '../../../src/services/projects/projects-service.ts';
import { englishWords } from '../../fixtures/words.ts';
import { said } from '../documents/said.ts';

function home(store = createInMemoryStore()) {
  let at = 1000;
  const now = () => {
    at += 1;
    return at;
  };
  const documents = createDocuments({ store });
  const library = createLibrary({ documents, words: englishWords, now });
  const projects = createProjects({ documents, now });
  const listed = () => until(documents.library, ({ ready }) => ready);
  const project = async (id: ProjectId) => (await listed()).projects.find((one) => one.id === id);
  const begin = async (name: string, workDir: string | null = null) => {
    const id = asConversationId(name);
    await documents.change(id, {
      messages: [said(`Said in ${name}`)],
      meta: { title: name, createdAt: 1, workDir },
    });
    return id;
  };
  const placeOf = async (id: ConversationId) =>
    (await listed()).entries.find((one) => one.id === id)?.projectId;
  return { store, documents, library, projects, listed, project, begin, placeOf };
}
type Home = ReturnType<typeof home>;
let at: Home;
beforeEach(() => {
  at = home();
});
afterEach(async () => {
  await at.documents.close();
});
const file = (name: string, text: string): PartOf<'file'> => ({
  type: 'file',
  mediaType: 'text/plain',
  name,
  url: `data:text/plain;charset=utf-8;base64,${btoa(text)}`,
});

describe('a project', () => {
  it('is listed beside the conversations, with all that was said of it', async () => {
    const id = await at.projects.create({
      name: '  Acme ',
      instructions: 'Be brief.',
      face: { emoji: '🛠', colour: 'green' },
      scope: 'only',
      model: { endpointId: 'e', model: 'm' },
      workDirs: ['/w/acme'],
    });
    await at.projects.addFiles(id, [file('a.txt', 'alpha'), file('b.txt', 'beta')]);
    await at.projects.pinNote(id, 'Port 8081');
    const { entries } = await at.listed();
    expect(entries).toEqual([]);
    expect(await at.project(id)).toMatchObject({
      title: 'Acme',
      project: {
        face: { emoji: '🛠', colour: 'green' },
        scope: 'only',
        model: { endpointId: 'e', model: 'm' },
        workDirs: ['/w/acme'],
        instructions: 'Be brief.',
        notes: [{ text: 'Port 8081' }],
        files: 2,
      },
    });
    // And is there again at the next start.
    const again = home(at.store);
    expect(await again.project(id)).toEqual(await at.project(id));
    await again.documents.close();
  });

  it('keeps what a change does not speak of', async () => {
    const id = await at.projects.create({ name: 'Acme', instructions: 'Be brief.' });
    await at.projects.change(id, { scope: 'everything' });
    await at.projects.change(id, { name: 'Acme 2' });
    expect(await at.project(id)).toMatchObject({
      title: 'Acme 2',
      project: { scope: 'everything', instructions: 'Be brief.' },
    });
  });

  it('refuses a name that shows nothing, too long words, and a project that is not there', async () => {
    const id = await at.projects.create({ name: 'Acme' });
    await expect(at.projects.create({ name: ' \u200b ' })).rejects.toMatchObject({
      problem: { code: 'project-name' },
    });
    await expect(at.projects.change(id, { name: 'x'.repeat(121) })).rejects.toMatchObject({
      problem: { code: 'project-name' },
    });
    await expect(at.projects.change(id, { instructions: 'x'.repeat(20_001) })).rejects.toMatchObject({
      problem: { code: 'project-text' },
    });
    await expect(at.projects.pinNote(id, '  ')).rejects.toMatchObject({ problem: { code: 'project-text' } });
    const conversation = await at.begin('c');
    await expect(at.projects.move([conversation], asConversationId('nowhere'))).rejects.toMatchObject({
      problem: { code: 'project-missing' },
    });
    expect(await at.placeOf(conversation)).toBe(null);
  });

  it('is nested one level', async () => {
    const [outer, inner, third] = [
      await at.projects.create({ name: 'Outer' }),
      await at.projects.create({ name: 'Inner' }),
      await at.projects.create({ name: 'Third' }),
    ];
    await at.projects.change(inner, { within: outer });
    expect((await at.project(inner))?.projectId).toBe(outer);
    const nested = { problem: { code: 'project-nested' } };
    await expect(at.projects.change(third, { within: inner })).rejects.toMatchObject(nested);
    await expect(at.projects.change(outer, { within: third })).rejects.toMatchObject(nested);
    await expect(at.projects.change(third, { within: third })).rejects.toMatchObject(nested);
    await at.projects.change(inner, { within: null });
    expect((await at.project(inner))?.projectId).toBe(null);
  });

  it('takes files and notes out, and back', async () => {
    const id = await at.projects.create({ name: 'Acme' });
    await at.projects.addFiles(id, [file('a.txt', 'alpha')]);
    await at.projects.pinNote(id, 'first');
    const [note] = (await at.project(id))?.project.notes ?? [];
    await at.projects.pinNote(id, 'second', note?.id as never);
    expect((await at.project(id))?.project.notes.map(({ text }) => text)).toEqual(['second']);
    const items = [...((await at.documents.read(id))?.messages.keys() ?? [])];
    const undo = await at.projects.takeOut(id, items);
    expect((await at.project(id))?.project).toMatchObject({ notes: [], files: 0 });
    await undo();
    expect((await at.project(id))?.project).toMatchObject({ notes: [{ text: 'second' }], files: 1 });
  });
});

describe('conversations', () => {
  it('move, several at once, and back to where each was', async () => {
    const [one, other] = [
      await at.projects.create({ name: 'One' }),
      await at.projects.create({ name: 'Other' }),
    ];
    const [a, b, c] = [await at.begin('a'), await at.begin('b'), await at.begin('c')];
    await at.projects.move([a], one);
    const undo = await at.projects.move([a, b, c], other);
    expect([await at.placeOf(a), await at.placeOf(b), await at.placeOf(c)]).toEqual([other, other, other]);
    await undo();
    expect([await at.placeOf(a), await at.placeOf(b), await at.placeOf(c)]).toEqual([one, null, null]);
    await at.projects.move([a], null);
    expect(await at.placeOf(a)).toBe(null);
  });

  it('of a folder are in its project, those that come later too, unless one was taken out', async () => {
    const [a, b] = [await at.begin('a', '/w/acme'), await at.begin('b', '/w/acme/api')];
    const undo = await at.projects.adopt(['/w/acme']);
    const [made] = (await at.listed()).projects;
    expect(made?.title).toBe('acme');
    const later = await at.begin('later', '/w/acme');
    await at.projects.move([b], null);
    expect([await at.placeOf(a), await at.placeOf(b), await at.placeOf(later)]).toEqual([
      made?.id,
      null,
      made?.id,
    ]);
    await undo();
    expect((await at.listed()).projects).toEqual([]);
    expect([await at.placeOf(a), await at.placeOf(later)]).toEqual([null, null]);
  });

  it('stand outside when their project goes, and are in it again when it comes back', async () => {
    const id = await at.projects.create({ name: 'Acme' });
    const inner = await at.projects.create({ name: 'Inner', within: id });
    const [a, b] = [await at.begin('a'), await at.begin('b')];
    await at.projects.move([a], id);
    await at.projects.move([b], inner);
    const undo = await at.projects.remove(id, 'outside');
    expect((await at.project(id))?.deletedAt).not.toBe(null);
    expect([await at.placeOf(a), await at.placeOf(b)]).toEqual([null, inner]);
    expect((await at.project(inner))?.projectId).toBe(null);
    expect((await at.listed()).entries.every(({ deletedAt }) => deletedAt === null)).toBe(true);
    await undo();
    expect([await at.placeOf(a), (await at.project(inner))?.projectId]).toEqual([id, id]);
    // Erased for good it lets them go as well.
    await at.projects.remove(id, 'outside');
    await at.library.erase([id]);
    expect([await at.placeOf(a), (await at.listed()).entries.length]).toEqual([null, 2]);
  });

  it('go to the trash with it where that is wanted, and come back; what lay there stays', async () => {
    const id = await at.projects.create({ name: 'Acme' });
    const [a, b, c] = [await at.begin('a'), await at.begin('b'), await at.begin('c')];
    await at.projects.move([a, b], id);
    await at.library.remove([b]);
    const undo = await at.projects.remove(id, 'trash');
    const gone = async () =>
      (await at.listed()).entries.filter(({ deletedAt }) => deletedAt !== null).map((one) => one.id);
    expect(new Set(await gone())).toEqual(new Set([a, b]));
    expect(await gone()).not.toContain(c);
    await undo();
    expect(await gone()).toEqual([b]);
    expect(await at.placeOf(a)).toBe(id);
  });

  it('of projects in it go with it as well: into the archive and the trash, and back', async () => {
    const id = await at.projects.create({ name: 'Acme' });
    const inner = await at.projects.create({ name: 'Inner', within: id });
    const [a, b, c] = [await at.begin('a'), await at.begin('b'), await at.begin('c')];
    await at.projects.move([a], id);
    await at.projects.move([b, c], inner);
    await at.library.setMeta([c], { archived: true });
    const archived = async () => [
      ...(await at.listed()).projects.filter((one) => one.archived).map((one) => one.id),
      ...(await at.listed()).entries.filter((one) => one.archived).map((one) => one.id),
    ];
    const back = await at.projects.archive(id, true);
    expect(new Set(await archived())).toEqual(new Set([id, inner, a, b, c]));
    await back();
    expect(await archived()).toEqual([c]);
    const undo = await at.projects.remove(id, 'trash');
    const living = async () => [
      ...(await at.listed()).projects.filter((one) => one.deletedAt === null).map((one) => one.id),
      ...(await at.listed()).entries.filter((one) => one.deletedAt === null).map((one) => one.id),
    ];
    expect(await living()).toEqual([]);
    await undo();
    expect(new Set(await living())).toEqual(new Set([id, inner, a, b, c]));
    expect([(await at.project(inner))?.projectId, await at.placeOf(b)]).toEqual([id, inner]);
  });
});

it('goes out with a backup and comes in with it, conversations in their places', async () => {
  const id = await at.projects.create({ name: 'Acme', instructions: 'Be brief.', scope: 'only' });
  const empty = await at.projects.create({ name: 'Empty' });
  await at.projects.addFiles(id, [file('a.txt', 'alpha')]);
  const a = await at.begin('00000000-0000-7000-8000-000000000001');
  await at.projects.move([a], id);
  const backup = await at.library.exportConversations('all', 'json');
  const other = home();
  const [report] = await other.library.importFiles([fileOf(new File([backup.blob], backup.name))]);
  expect(report?.problem).toBe(null);
  expect(await other.project(id)).toMatchObject({
    title: 'Acme',
    project: { instructions: 'Be brief.', scope: 'only', files: 1 },
  });
  expect((await other.project(empty))?.title).toBe('Empty');
  expect(await other.placeOf(a)).toBe(id);
  await other.documents.close();
});

it('is told to a model with the project it is in, and the same array while nothing of it changes', async () => {
  const wordsOf = createProjectWords(at.documents.library);
  const outer = await at.projects.create({ name: 'Acme', instructions: 'Be brief.' });
  const inner = await at.projects.create({ name: 'API', within: outer });
  await at.projects.pinNote(inner, 'Port 8081');
  const [a, b] = [await at.begin('a'), await at.begin('b')];
  await at.projects.move([a], inner);
  await at.listed();
  const sent = wordsOf(a);
  expect(sent).toEqual([
    { name: 'Acme', words: 'Project “Acme”:\nBe brief.' },
    { name: 'API', words: 'Project “API”:\nNotes:\n- Port 8081' },
  ]);
  expect(wordsOf(b)).toEqual([]);
  await at.library.setMeta([b], { title: 'Renamed' });
  expect(wordsOf(a)).toBe(sent);
  await at.projects.change(outer, { instructions: 'Be long.' });
  expect(wordsOf(a)[0]?.words).toContain('Be long.');
  await at.projects.remove(inner, 'outside');
  expect(wordsOf(a)).toEqual([]);
});
