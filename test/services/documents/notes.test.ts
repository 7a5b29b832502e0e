// Memory notes and feedback: durable before they are shown, the same in every tab, nothing lost by a damaged entry.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { type DocumentId, NOTES, NOTES_DOCUMENT, newEntryId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { MAX_NOTE } from '../../../src/services/documents/note-maps.ts';
import { createNotes, readNotes } from '../../../src/services/documents/notes.ts';
import { readWhole } from '../../../src/services/documents/shared.ts';
import { runs } from '../../scale.ts';
import { cutWhenRead } from './said.ts';

const clock = () => {
  let at = 1000;
  return () => (at += 1);
};
const ready = (notes: ReturnType<typeof createNotes>) => until(notes.state, (state) => state.ready);
const passage = {
  conversationId: 'c',
  messageId: 'm',
  passage: 'The lease ends in May.',
  title: 'Flat',
  query: null,
};

describe('memory notes', () => {
  it('are kept, rewritten and removed, and read again by the next tab', async () => {
    const store = createInMemoryStore();
    const notes = createNotes({ store, now: clock() });
    const first = await notes.write({ text: '  I am allergic to nuts. ' });
    const second = await notes.write({
      text: '车牌尾号 7',
      by: 'model',
      source: { conversationId: 'c', messageId: 'm' },
    });
    await notes.write({ id: first.id, text: 'I am allergic to nuts and shellfish.' });
    const next = createNotes({ store, now: clock() });
    await ready(next);
    expect(next.state.get().notes.map(({ text, by }) => [text, by])).toEqual([
      ['I am allergic to nuts and shellfish.', 'person'],
      ['车牌尾号 7', 'model'],
    ]);
    expect(next.state.get().notes[0]?.createdAt).toBe(first.createdAt);
    await next.remove(second.id);
    const third = createNotes({ store, now: clock() });
    await ready(third);
    expect(third.state.get().notes).toHaveLength(1);
  });

  it('are not kept a second time word for word', async () => {
    const notes = createNotes({ store: createInMemoryStore(), now: clock() });
    const first = await notes.write({ text: 'Call me Ada.' });
    expect(await notes.write({ text: ' Call me Ada.\n', by: 'model' })).toEqual(first);
    await notes.write({ text: 'Call me Ada' });
    const both = [notes.write({ text: 'Tea, not coffee.' }), notes.write({ text: 'Tea, not coffee.' })];
    const [one, other] = await Promise.all(both);
    expect(one?.id).toBe(other?.id);
    expect(notes.state.get().notes.map(({ text }) => text)).toEqual([
      'Tea, not coffee.',
      'Call me Ada',
      'Call me Ada.',
    ]);
  });

  it('refuse emptiness and too many words before anything is changed', async () => {
    const store = createInMemoryStore();
    const notes = createNotes({ store, now: clock() });
    await expect(notes.write({ text: ' \n' })).rejects.toMatchObject({ problem: { code: 'note-empty' } });
    await expect(notes.write({ text: 'x'.repeat(MAX_NOTE + 1) })).rejects.toMatchObject({
      problem: { code: 'note-too-long', params: { limit: MAX_NOTE } },
    });
    expect(await store.log.head()).toBe(0);
  });

  it('show nothing that could not be written', async () => {
    const store = createInMemoryStore();
    const failing = {
      ...store,
      log: { ...store.log, append: () => Promise.reject(new Error('full')) },
    };
    const notes = createNotes({ store: failing, now: clock() });
    await ready(notes);
    await expect(notes.write({ text: 'lost?' })).rejects.toThrow('full');
    expect(notes.state.get().notes).toEqual([]);
  });

  it('are not taken for none where the log could not be read at first', async () => {
    const store = createInMemoryStore();
    const before = createNotes({ store, now: clock() });
    await before.write({ text: 'kept since long ago' });
    const judged = await before.judge({ ...passage, verdict: 'never' });
    let failures = 1;
    const log = {
      ...store.log,
      read: async (document: DocumentId) => {
        if (failures-- > 0) throw new RecollectError('storage-failed', 'not now');
        return await store.log.read(document);
      },
    };
    const notes = createNotes({ store: { ...store, log }, now: clock() });
    expect((await notes.known()).feedback).toEqual([judged]);
    failures = 2;
    const next = createNotes({ store: { ...store, log }, now: clock() });
    await expect(next.write({ text: 'new' })).rejects.toThrow('not now');
    expect(next.state.get()).toEqual({ ready: false, notes: [], feedback: [] });
    await next.write({ text: 'new' });
    expect(next.state.get()).toMatchObject({ ready: true, notes: [{ text: 'new' }, {}], feedback: [judged] });
  });

  it('fold a long history without losing a note', async () => {
    const store = createInMemoryStore();
    const notes = createNotes({ store, now: clock() });
    const { id } = await notes.write({ text: 'kept' });
    for (let i = 0; i < 220; i++) await notes.write({ id, text: `kept ${i}` });
    expect((await store.log.read(NOTES_DOCUMENT)).length).toBeLessThan(60);
    const next = createNotes({ store, now: clock() });
    await ready(next);
    expect(next.state.get().notes.map(({ text }) => text)).toEqual(['kept 219']);
  });

  it('survive a damaged entry, which is left where it is', async () => {
    const store = createInMemoryStore();
    const problems: string[] = [];
    await createNotes({ store, now: clock() }).write({ text: 'whole' });
    await store.log.append([
      { id: newEntryId(), document: NOTES_DOCUMENT, origin: 'user', bytes: new Uint8Array([9, 9, 9]) },
    ]);
    const notes = createNotes({ store, now: clock(), onProblem: ({ code }) => problems.push(code) });
    await ready(notes);
    expect(notes.state.get().notes.map(({ text }) => text)).toEqual(['whole']);
    expect(problems).toEqual(['damaged-entry']);
    expect(await store.log.read(NOTES_DOCUMENT)).toHaveLength(2);
  });

  it('written after one that was damaged are all there', async () => {
    const store = createInMemoryStore();
    const before = createNotes({ store, now: clock() });
    for (const text of ['one', 'two', 'three']) await before.write({ text });
    const damaged = await cutWhenRead(store, NOTES_DOCUMENT, 1);
    const notes = createNotes({ store: damaged, now: clock() });
    await ready(notes);
    expect(notes.state.get().notes.map(({ text }) => text)).toEqual(['three', 'one']);
    const kept = await damaged.log.read(NOTES_DOCUMENT);
    expect(readNotes(kept.map(({ bytes }) => bytes)).notes.map(({ text }) => text)).toEqual(['three', 'one']);
    // They are the person's as all others are.
    const [three] = notes.state.get().notes;
    const rewritten = await notes.write({ id: three?.id as string, text: 'three again' });
    expect(rewritten.createdAt).toBe(three?.createdAt);
    expect(notes.state.get().notes.map(({ text }) => text)).toEqual(['three again', 'one']);
    await notes.remove(rewritten.id);
    expect(notes.state.get().notes.map(({ text }) => text)).toEqual(['one']);
    const next = createNotes({ store: damaged, now: clock() });
    await ready(next);
    expect(next.state.get().notes.map(({ text }) => text)).toEqual(['one']);
    const whole = createNotes({ store, now: clock() });
    await ready(whole);
    expect(whole.state.get().notes.map(({ text }) => text)).toEqual(['two', 'one']);
  });

  it('written after one behind a gap was rewritten wait for nothing', async () => {
    const store = createInMemoryStore();
    const before = createNotes({ store, now: clock() });
    for (const text of ['one', 'two', 'three']) await before.write({ text });
    const cut = await cutWhenRead(store, NOTES_DOCUMENT, 1);
    const notes = createNotes({ store: cut, now: clock() });
    await ready(notes);
    await notes.write({ id: notes.state.get().notes[0]?.id as string, text: 'three again' });
    for (const text of ['four', 'five']) await notes.write({ text });
    // Another device never got the damaged piece, and does not know that there was one.
    const reached = (await store.log.read(NOTES_DOCUMENT)).filter((_, at) => at !== 1);
    const there = readNotes(reached.map(({ bytes }) => bytes)).notes.map(({ text }) => text);
    expect(there.sort()).toEqual(['five', 'four', 'one', 'three again']);
  });

  it('are no conversation', async () => {
    const store = createInMemoryStore();
    await createNotes({ store, now: clock() }).write({ text: 'note' });
    const documents = createDocuments({ store });
    const { entries } = await until(documents.library, (library) => library.ready);
    expect(entries).toEqual([]);
    await documents.close();
  });
});

describe('feedback', () => {
  it('has one of pinned and never a message, and as many not-related as there are questions', async () => {
    const store = createInMemoryStore();
    const notes = createNotes({ store, now: clock() });
    await notes.judge({ ...passage, verdict: 'pinned' });
    await notes.judge({ ...passage, verdict: 'never' });
    await notes.judge({ ...passage, verdict: 'not-related', query: 'When does  the lease end' });
    await notes.judge({ ...passage, verdict: 'not-related', query: 'when does the lease end' });
    await notes.judge({ ...passage, verdict: 'not-related', query: 'bread' });
    const { feedback } = notes.state.get();
    expect(feedback.map(({ verdict, query }) => [verdict, query])).toEqual([
      ['not-related', 'bread'],
      ['not-related', 'when does the lease end'],
      ['never', null],
    ]);
    // A key outlives what is removed, so that it holds no words.
    expect(feedback.map(({ id }) => id).join()).not.toMatch(/bread|lease/);
    for (const { id } of feedback) await notes.takeBack(id);
    expect(notes.state.get().feedback).toEqual([]);
  });

  it('is taken back also where another device stored it under another key', async () => {
    const store = createInMemoryStore();
    const doc = new Y.Doc();
    const one = { ...passage, id: 'm bread', verdict: 'not-related', query: 'bread', at: 1 };
    doc.getMap('f').set('•••1:0', one);
    doc.getMap('f').set('m bread', one);
    const bytes = Y.encodeStateAsUpdate(doc);
    await store.log.append([{ id: newEntryId(), document: NOTES_DOCUMENT, origin: 'remote', bytes }]);
    const notes = createNotes({ store, now: clock() });
    await ready(notes);
    const [kept] = notes.state.get().feedback;
    await notes.takeBack(kept?.id as string);
    expect(notes.state.get().feedback).toEqual([]);
  });

  it('goes with its note, in whatever words that was judged, and comes back with it', async () => {
    const store = createInMemoryStore();
    const notes = createNotes({ store, now: clock() });
    const note = await notes.write({ text: 'The lease ends in May.' });
    const other = await notes.write({ text: 'Rye.' });
    const of = ({ id, updatedAt }: typeof note) => ({
      ...passage,
      conversationId: NOTES,
      messageId: `${id}@${updatedAt}`,
    });
    await notes.judge({ ...of(note), verdict: 'not-related', query: 'bread' });
    const rewritten = await notes.write({ id: note.id, text: 'The lease ends in June.' });
    await notes.judge({ ...of(rewritten), verdict: 'pinned' });
    await notes.judge({ ...of(other), verdict: 'never' });
    await notes.judge({ ...passage, verdict: 'never' });
    const before = notes.state.get();
    const removed = await notes.remove(note.id);
    const next = createNotes({ store, now: clock() });
    await ready(next);
    for (const one of [notes, next]) {
      expect(one.state.get().notes.map(({ id }) => id)).toEqual([other.id]);
      expect(one.state.get().feedback.map(({ messageId }) => messageId)).toEqual(['m', of(other).messageId]);
    }
    await notes.bring(removed);
    expect(notes.state.get()).toEqual(before);
    expect(await notes.remove('unknown')).toEqual({ notes: [], feedback: [] });
  });

  it('goes with a conversation that is erased, and its words are nowhere in the log', async () => {
    const store = createInMemoryStore();
    const notes = createNotes({ store, now: clock() });
    const note = await notes.write({ text: 'Kept.', source: { conversationId: 'c', messageId: 'm' } });
    await notes.judge({ ...passage, verdict: 'never' });
    await notes.judge({ ...passage, verdict: 'not-related', query: 'bread' });
    await notes.judge({
      ...passage,
      conversationId: 'other',
      messageId: 'n',
      verdict: 'pinned',
      passage: 'Rye.',
    });
    const bytes = async () =>
      (await store.log.read(NOTES_DOCUMENT)).map((entry) => new TextDecoder().decode(entry.bytes)).join();
    expect(await bytes()).toContain('The lease ends in May.');
    await notes.forget(['c', 'unknown']);
    const next = createNotes({ store, now: clock() });
    await ready(next);
    for (const one of [notes, next]) {
      expect(one.state.get().feedback.map(({ messageId }) => messageId)).toEqual(['n']);
      expect(one.state.get().notes.map(({ id }) => id)).toEqual([note.id]);
    }
    expect(await bytes()).not.toContain('The lease ends');
    expect(await bytes()).toContain('Rye.');
    const before = await store.log.head();
    await notes.forget(['unknown']);
    expect(await store.log.head()).toBe(before);
    // The person took it back first: the state hides it, but the log has it.
    const verdict = await notes.judge({ ...passage, verdict: 'never' });
    await notes.takeBack(verdict.id);
    expect(await bytes()).toContain('The lease ends in May.');
    await notes.forget(['c']);
    expect(await bytes()).not.toContain('The lease ends');
  });
});

/** Devices with a store each; `meet` carries changes from one to another, as sync does. */
function devices(count: number, now = clock()) {
  const all = Array.from({ length: count }, () => {
    const store = createInMemoryStore();
    return { store, notes: createNotes({ store, now }) };
  });
  type Device = (typeof all)[number];
  const meet = async (from: Device, to: Device) => {
    const whole = await readWhole(from.store.log, NOTES_DOCUMENT);
    if (whole)
      await to.store.log.append([
        { id: newEntryId(), document: NOTES_DOCUMENT, origin: 'remote', bytes: whole.update },
      ]);
    to.notes.close();
    to.notes = createNotes({ store: to.store, now });
    await ready(to.notes);
  };
  const meetAll = async () => {
    for (const from of [...all, ...all].reverse())
      for (const to of all) if (from !== to) await meet(from, to);
  };
  const shown = ({ notes }: Device) => notes.state.get().notes;
  const texts = (device: Device) => shown(device).map(({ text }) => text);
  return { all, meet, meetAll, shown, texts };
}

describe('a note that two devices reworded at once', () => {
  const parted = async () => {
    const home = devices(3);
    const [desk, phone] = home.all as [Held, Held];
    const { id } = await desk.notes.write({ text: 'Heron, port 90.' });
    await home.meetAll();
    await desk.notes.write({ id, text: 'Heron, port 91.' });
    await phone.notes.write({ id, text: 'Egret, port 90.' });
    return { ...home, desk, phone, id };
  };
  type Held = ReturnType<typeof devices>['all'][number];

  it('is there in both wordings, the same on all devices, once', async () => {
    const { all, meetAll, shown, texts, desk, id } = await parted();
    await meetAll();
    expect(texts(desk)).toEqual(['Egret, port 90.', 'Heron, port 91.']);
    const [first, second] = shown(desk);
    expect([first?.id, first?.beside, second?.beside]).toEqual([id, undefined, id]);
    for (const device of all) expect(shown(device)).toEqual(shown(desk));
    const kept = await desk.store.log.read(NOTES_DOCUMENT);
    expect(readNotes(kept.map(({ bytes }) => bytes)).notes).toEqual(shown(desk));
    await meetAll();
    expect(texts(desk)).toHaveLength(2);
  });

  it('is one where both wrote the same', async () => {
    const { meetAll, texts, desk, phone, id } = await parted();
    await phone.notes.write({ id, text: 'Heron, port 91.' });
    await meetAll();
    expect(texts(desk)).toEqual(['Heron, port 91.']);
    await desk.notes.remove(id);
    await meetAll();
    expect(texts(phone)).toEqual([]);
  });

  it('is settled by a person: one of the two, or both as notes of their own', async () => {
    const { all, meetAll, shown, texts, desk, phone, id } = await parted();
    await meetAll();
    await desk.notes.settle(shown(desk)[1]?.id as string, 'apart');
    await phone.notes.settle(shown(phone)[1]?.id as string, 'apart');
    await meetAll();
    expect(texts(desk).sort()).toEqual(['Egret, port 90.', 'Heron, port 91.']);
    for (const device of all)
      expect(shown(device).map(({ beside }) => beside)).toEqual([undefined, undefined]);
    const again = await parted();
    await again.meetAll();
    await again.desk.notes.settle(again.shown(again.desk)[1]?.id as string, 'alone');
    await again.meetAll();
    for (const device of again.all) expect(again.texts(device)).toEqual(['Heron, port 91.']);
    expect(again.shown(again.phone)[0]?.id).toBe(again.id);
    expect(id).not.toBe(again.id);
  });

  it('keeps one wording where each device takes out the other, and brings back what was taken out', async () => {
    const { meetAll, shown, texts, desk, phone } = await parted();
    await meetAll();
    const both = shown(desk);
    const removed = await desk.notes.remove(both[0]?.id as string);
    expect(texts(desk)).toEqual(['Heron, port 91.']);
    await desk.notes.bring(removed);
    expect(texts(desk)).toEqual(['Egret, port 90.', 'Heron, port 91.']);
    await meetAll();
    await desk.notes.remove(shown(desk)[0]?.id as string);
    await phone.notes.remove(shown(phone)[1]?.id as string);
    await meetAll();
    expect(texts(desk)).toEqual(['Egret, port 90.', 'Heron, port 91.']);
    expect(shown(phone)).toEqual(shown(desk));
  });

  it('loses nothing that came in while somebody was writing', async () => {
    const { meet, texts, desk, phone, shown } = await parted();
    const [seen] = shown(desk);
    await meet(phone, desk);
    await desk.notes.write({ text: 'Heron, port 92.', ...(seen ? { over: seen } : {}) });
    expect(texts(desk)).toEqual(['Heron, port 92.', 'Egret, port 90.']);
    // Another tab rewrote the note: an edit begun on the old words becomes a note beside it.
    await desk.notes.write({ text: 'Heron, port 93.', ...(seen ? { over: seen } : {}) });
    expect(texts(desk)).toEqual(['Heron, port 93.', 'Heron, port 92.', 'Egret, port 90.']);
  });

  it('is the same after any order of writing and meeting', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            at: fc.nat(2),
            note: fc.nat(2),
            what: fc.constantFrom('write', 'write', 'write', 'remove', 'alone', 'apart', 'meet' as const),
            with: fc.nat(2),
            clock: fc.integer({ min: 1, max: 50 }),
          }),
          { maxLength: 14 },
        ),
        async (steps) => {
          let time = 0;
          const { all, meet, meetAll, shown } = devices(3, () => time);
          for (const text of ['a', 'b', 'c']) await all[0]?.notes.write({ text });
          await meetAll();
          /** Notes that no device replaced or removed on purpose. */
          const living = new Set(['a', 'b', 'c']);
          for (const [count, step] of steps.entries()) {
            const [device, other] = [all[step.at], all[step.with]];
            if (!device || !other) continue;
            time = step.clock;
            const seen = shown(device);
            const meant = seen[step.note];
            if (step.what === 'meet') {
              if (device !== other) await meet(device, other);
            } else if (!meant) continue;
            else if (step.what === 'write') {
              await device.notes.write({ id: meant.id, text: `${count}` });
              living.delete(meant.text);
              living.add(`${count}`);
            } else if (step.what === 'remove') {
              await device.notes.remove(meant.id);
              living.delete(meant.text);
            } else {
              await device.notes.settle(meant.id, step.what);
              const group = meant.beside ?? meant.id;
              if (step.what === 'alone')
                for (const one of seen)
                  if (one !== meant && (one.beside ?? one.id) === group) living.delete(one.text);
            }
          }
          await meetAll();
          const [first, ...rest] = all.map((device) =>
            [...shown(device)].sort((a, b) => (a.id < b.id ? -1 : 1)),
          );
          for (const one of rest) expect(one).toEqual(first);
          expect(new Set(first?.map(({ id }) => id)).size).toBe(first?.length);
          const there = new Set(first?.map(({ text }) => text));
          for (const text of living) expect(there).toContain(text);
        },
      ),
      { numRuns: runs(60, 20) },
    );
  });
});
