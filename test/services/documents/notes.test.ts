// Memory notes and feedback: durable before they are shown, the same in every tab, nothing lost by a damaged entry.
import { describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { NOTES, NOTES_DOCUMENT, newEntryId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createNotes, MAX_NOTE, readNotes } from '../../../src/services/documents/notes.ts';
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
    expect(there.sort()).toEqual(['five', 'four', 'one']);
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
    for (const { id } of feedback) await notes.takeBack(id);
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
    // Taken back first: nothing is shown of it, and yet it lies in the log.
    const verdict = await notes.judge({ ...passage, verdict: 'never' });
    await notes.takeBack(verdict.id);
    expect(await bytes()).toContain('The lease ends in May.');
    await notes.forget(['c']);
    expect(await bytes()).not.toContain('The lease ends');
  });
});
