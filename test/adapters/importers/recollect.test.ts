// Our own JSON with what our exporter would not write.
import { describe, expect, it } from 'vitest';
import { json } from '../../../src/adapters/exporters/json.ts';
import { recollect } from '../../../src/adapters/importers/recollect.ts';
import { sourceOf } from '../../fixtures/files.ts';
import { sampleArchive } from '../../fixtures/recollect.ts';
import { readAll } from '../../suites/importer.suite.ts';

describe('times that no calendar names', () => {
  it('become the nearest that one does, and are counted', async () => {
    for (const wild of ['1e20', '-1e20', '1e308']) {
      const archive = Buffer.from(await sampleArchive(json))
        .toString()
        .replaceAll(/"createdAt":\s*\d+/g, `"createdAt":${wild}`);
      const { conversations, skipped } = await readAll(
        recollect,
        sourceOf('own.json', { 'own.json': archive }),
      );
      const [conversation] = conversations;
      const times = [
        conversation?.meta.createdAt,
        ...(conversation?.messages ?? []).map(({ createdAt }) => createdAt),
      ];
      expect(times.length).toBeGreaterThan(2);
      for (const time of times) expect(() => new Date(time ?? Number.NaN).toISOString()).not.toThrow();
      expect(skipped['impossible-time']).toBeGreaterThan(1);
    }
  });
});

describe('a file of our own', () => {
  const read = async (change: (archive: Record<string, unknown>) => void) => {
    const archive = JSON.parse(Buffer.from(await sampleArchive(json)).toString());
    change(archive);
    return readAll(recollect, sourceOf('own.json', { 'own.json': JSON.stringify(archive) }));
  };
  type Archived = { meta: object; checkpoints: object; messages: Record<string, unknown>[] };
  const first = (archive: Record<string, unknown>) => (archive.conversations as Archived[])[0] as Archived;

  it.each<[string, unknown, object]>([
    ['a newer version', 2, { code: 'import-newer', params: { version: 2, known: 1 } }],
    ['a version that is no number', '2', { code: 'import-broken' }],
    ['no version', undefined, { code: 'import-broken' }],
  ])('of %s is refused', async (_, version, problem) => {
    await expect(
      read((archive) => {
        archive.version = version;
      }),
    ).rejects.toMatchObject({ problem });
  });

  it('keeps what it does not know, at every level', async () => {
    const { conversations, skipped } = await read((archive) => {
      archive.mood = 'calm';
      Object.assign(first(archive), { weather: 'rain' });
    });
    expect(conversations[0]?.meta).toMatchObject({ colour: 'amber' });
    expect(conversations[0]?.messages[0]).toMatchObject({ fromTheFuture: { n: 10 } });
    expect(skipped).toEqual({});
  });

  it('loses of what is damaged only that, and counts it', async () => {
    const { conversations, skipped } = await read((archive) => {
      const one = first(archive);
      Object.assign(one.meta, { pinned: 'very' });
      Object.assign(one.checkpoints, { bad: 7 });
      // What answers it hangs on nothing then.
      Object.assign(one.messages[0] ?? {}, { role: 'critic' });
      (archive.conversations as unknown[]).push(7, { id: 'no uuid', messages: [] });
    });
    const [conversation] = conversations;
    expect(conversations).toHaveLength(1);
    expect(conversation?.meta).toMatchObject({ title: 'Own 对话', pinned: false });
    expect(Object.keys(conversation?.checkpoints ?? {})).toEqual(['start']);
    expect(conversation?.messages.map(({ role, parentId }) => [role, parentId])).toEqual([
      ['assistant', null],
      ['assistant', null],
    ]);
    expect(skipped).toEqual({ 'malformed-line': 5 });
  });
});
