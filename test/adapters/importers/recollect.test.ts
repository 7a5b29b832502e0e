// Our own JSON with what our exporter would not write.
import { describe, expect, it } from 'vitest';
import { json } from '../../../src/adapters/exporters/json.ts';
import { recollect } from '../../../src/adapters/importers/recollect.ts';
import { sourceOf } from '../../fixtures/files.ts';
import { sampleArchive } from '../../fixtures/recollect.ts';
import { readAll } from '../../suites/importer.suite.ts';

const never = new AbortController().signal;

/** The same value with its keys in order. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
};

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

  it('is read whatever the order of its keys, as jq -S leaves it', async () => {
    const text = Buffer.from(await sampleArchive(json)).toString();
    const plain = await readAll(recollect, sourceOf('own.json', { 'own.json': text }));
    for (const space of [undefined, 2]) {
      const source = sourceOf('own.json', {
        'own.json': JSON.stringify(sorted(JSON.parse(text)), null, space),
      });
      expect(await recollect.sniff(source, never)).toBe(1);
      const read = await readAll(recollect, source);
      expect(JSON.stringify(sorted(read))).toBe(JSON.stringify(sorted(plain)));
    }
    const empty = sourceOf('own.json', {
      'own.json': JSON.stringify(
        sorted({ format: 'recollect', version: 1, exportedAt: 1, conversations: [] }),
      ),
    });
    expect(await recollect.sniff(empty, never)).toBe(1);
  });

  it('is refused with sorted keys as well where it is newer, or of somebody else', async () => {
    const archive = JSON.parse(Buffer.from(await sampleArchive(json)).toString());
    const text = (more: object) => JSON.stringify(sorted({ ...archive, ...more }));
    await expect(
      readAll(recollect, sourceOf('own.json', { 'own.json': text({ version: 2 }) })),
    ).rejects.toMatchObject({ problem: { code: 'import-newer' } });
    await expect(
      readAll(recollect, sourceOf('own.json', { 'own.json': text({ format: 'other' }) })),
    ).rejects.toMatchObject({ problem: { code: 'import-broken' } });
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
      // No role of ours, and a part that is none: the words stay, as a note.
      Object.assign(one.messages[0] ?? {}, { role: 'critic', parts: [{ type: 'text', text: 'kept' }, 7] });
      // Without an id nothing of it has a place, and what answers it hangs on nothing.
      Object.assign(one.messages[1] ?? {}, { id: 7 });
      Object.assign(one.messages[2] ?? {}, { createdAt: 'soon', usage: 'much' });
      (archive.conversations as unknown[]).push(7, { id: 'no uuid', messages: [] });
    });
    const [conversation] = conversations;
    expect(conversations).toHaveLength(1);
    expect(conversation?.meta).toMatchObject({ title: 'Own 对话', pinned: false });
    expect(Object.keys(conversation?.checkpoints ?? {})).toEqual(['start']);
    const [note, answer] = conversation?.messages ?? [];
    expect(conversation?.messages).toHaveLength(2);
    expect([note?.role, note?.kind, note?.parts]).toEqual([
      'system',
      'note',
      [
        { type: 'text', text: 'kept' },
        { type: 'unknown', original: 7 },
      ],
    ]);
    expect([answer?.role, answer?.parentId, answer?.createdAt, answer?.usage]).toEqual([
      'assistant',
      note?.id,
      note?.createdAt,
      undefined,
    ]);
    expect(skipped).toEqual({
      // the title's flag, a checkpoint, two conversations, a message without an id, a usage
      'malformed-line': 6,
      'unknown-role': 1,
      'unknown-part': 1,
      'impossible-time': 1,
    });
  });
});
