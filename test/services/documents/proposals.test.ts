// The inbox of memory: decided once, on all devices; what a note was before stays with it.
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { NOTES_DOCUMENT, newEntryId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { type Proposal, proposalId } from '../../../src/domain/memory/notes.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';

const sentence = (text: string, more: Partial<Proposal> = {}): Omit<Proposal, 'id'> => ({
  text,
  kind: 'rule',
  source: { conversationId: 'c', messageId: `m of ${text}` },
  at: 10,
  by: 'device',
  ...more,
});

function device(name: number) {
  const store = createInMemoryStore();
  let at = name;
  const notes = createNotes({ store, now: () => (at += 10) });
  return { store, notes };
}
type Device = ReturnType<typeof device>;

/** What sync does: each takes the entries of the other that it lacks. */
async function exchange(a: Device, b: Device): Promise<void> {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    const there = new Set((await to.store.log.read(NOTES_DOCUMENT)).map(({ id }) => id));
    const lacking = (await from.store.log.read(NOTES_DOCUMENT)).filter(({ id }) => !there.has(id));
    if (lacking.length > 0)
      await to.store.log.append(
        lacking.map(({ id, document, bytes }) => ({ id, document, bytes, origin: 'remote' as const })),
      );
  }
  // The tab that follows the log has read it by now.
  for (const one of [a, b]) {
    const fresh = createNotes({ store: one.store, now: () => 1 });
    await until(fresh.inbox, ({ ready }) => ready);
    Object.assign(one, { notes: fresh });
  }
}
const open = ({ notes }: Device) => notes.inbox.get().proposals.map(({ text }) => text);

describe('proposals', () => {
  it('become notes with their kind and source, in other words where the person has other words', async () => {
    const { notes } = device(0);
    expect(
      await notes.propose([sentence('Tests come first.'), sentence('I am vegan.', { kind: 'fact', at: 20 })]),
    ).toBe(2);
    expect(notes.inbox.get().proposals.map(({ text }) => text)).toEqual(['I am vegan.', 'Tests come first.']);
    const [vegan, tests] = notes.inbox.get().proposals;
    await notes.accept(vegan?.id ?? '');
    await notes.accept(tests?.id ?? '', { text: 'Tests first, always.', kind: 'preference', project: 'p1' });
    expect(notes.inbox.get().proposals).toEqual([]);
    expect(notes.state.get().notes).toMatchObject([
      { text: 'Tests first, always.', kind: 'preference', project: 'p1', since: 10, by: 'person' },
      { text: 'I am vegan.', kind: 'fact', source: { messageId: 'm of I am vegan.' } },
    ]);
  });

  it('are known by hashes that nobody else can make, and that two devices agree on', async () => {
    const [a, b] = [device(1), device(2)];
    const refused = async (one: Device, text: string) => {
      await one.notes.propose([sentence(text)]);
      await one.notes.refuse(one.notes.inbox.get().proposals.map(({ id }) => id));
    };
    // Each begins apart, and says one thing that the other says, too.
    await refused(a, 'I am vegan.');
    await b.notes.propose([sentence('I am vegan.'), sentence('Tests come first.')]);
    const bytes = await Promise.all(
      [a, b].map(async ({ store }) =>
        Buffer.concat((await store.log.read(NOTES_DOCUMENT)).map((one) => one.bytes)),
      ),
    );
    for (const text of ['I am vegan.', 'Tests come first.'])
      for (const one of bytes) expect(one.includes(proposalId(text))).toBe(false);
    await exchange(a, b);
    expect([open(a), open(b)]).toEqual([['Tests come first.'], ['Tests come first.']]);
    expect(await b.notes.propose([sentence('I am vegan.')])).toBe(0);
    const [other] = b.notes.inbox.get().proposals;
    await b.notes.refuse([other?.id ?? '']);
    await exchange(a, b);
    expect(await a.notes.propose([sentence('Tests come first.'), sentence('I am vegan.')])).toBe(0);
    expect([open(a), open(b)]).toEqual([[], []]);
    if (other) await a.notes.reopen(other);
    await exchange(a, b);
    expect([open(a), open(b)]).toEqual([['Tests come first.'], ['Tests come first.']]);
  });

  it('that an earlier version decided on, without a salt, stay decided', async () => {
    const { store } = device(0);
    const doc = new Y.Doc();
    doc.getMap('d').set(proposalId('I am vegan.'), { as: 'refused', at: 5 });
    const waiting = { ...sentence('Tests come first.'), id: proposalId('Tests come first.') };
    doc.getMap('p').set(waiting.id, waiting);
    await store.log.append([
      { id: newEntryId(), document: NOTES_DOCUMENT, bytes: Y.encodeStateAsUpdate(doc), origin: 'remote' },
    ]);
    const notes = createNotes({ store, now: () => 20 });
    await until(notes.inbox, ({ ready }) => ready);
    expect(await notes.propose([sentence('I am vegan.'), sentence('Tests come first.')])).toBe(0);
    await notes.refuse([waiting.id]);
    expect(notes.inbox.get().proposals).toEqual([]);
    expect(await notes.propose([sentence('Tests come first.')])).toBe(0);
  });

  it('come only once: not twice from one message, not for a note that is there, never after they were refused', async () => {
    const { notes } = device(0);
    await notes.write({ text: 'I am vegan.' });
    await notes.propose([sentence('Tests come first.'), sentence('i am vegan')]);
    await notes.propose([sentence('Tests come first!', { source: { conversationId: 'd', messageId: 'm' } })]);
    expect(open({ notes } as Device)).toEqual(['Tests come first.']);
    const [one] = notes.inbox.get().proposals;
    await notes.refuse([one?.id ?? '']);
    expect(await notes.propose([sentence('Tests come first.')])).toBe(0);
    expect(notes.inbox.get().proposals).toEqual([]);
    if (one) await notes.reopen(one);
    expect(open({ notes } as Device)).toEqual(['Tests come first.']);
    await notes.setWanted('rule', false);
    expect(notes.inbox.get()).toMatchObject({ proposals: [], never: ['rule'] });
    await notes.setWanted('rule', true);
    expect(open({ notes } as Device)).toEqual(['Tests come first.']);
  });

  it('are decided on one device and gone on the other, also where both noticed them', async () => {
    const [laptop, phone] = [device(0), device(5)];
    await laptop.notes.propose([sentence('Tests come first.'), sentence('No deploys on Fridays.')]);
    await exchange(laptop, phone);
    expect(open(phone).sort()).toEqual(['No deploys on Fridays.', 'Tests come first.']);
    const [first, second] = laptop.notes.inbox.get().proposals;
    await laptop.notes.accept(first?.id ?? '');
    await phone.notes.refuse([second?.id ?? '']);
    // The phone proposes once more what the laptop has decided on meanwhile.
    await phone.notes.propose([sentence('Tests come first.'), sentence('No deploys on Fridays.')]);
    await exchange(laptop, phone);
    await exchange(laptop, phone);
    for (const one of [laptop, phone]) {
      expect(open(one)).toEqual([]);
      expect(one.notes.state.get().notes.map(({ text }) => text)).toEqual([first?.text]);
    }
    expect(await phone.notes.accept(first?.id ?? '')).toBeNull();
  });

  it('take the place of a note, which keeps what it was, or stand beside it with both named', async () => {
    const { notes } = device(0);
    const port = await notes.write({ text: 'The port is 8080.', kind: 'fact' });
    await notes.propose([
      sentence('No, the port is 8081.', { replaces: port.id, at: 50, kind: 'fact' }),
      sentence('On the laptop the port is 9000.', { replaces: port.id, at: 40, kind: 'fact' }),
    ]);
    const [now, beside] = notes.inbox.get().proposals;
    const made = await notes.accept(now?.id ?? '', { over: port.id });
    expect(made).toMatchObject({
      id: port.id,
      text: 'No, the port is 8081.',
      since: 50,
      before: [{ text: 'The port is 8080.', since: port.updatedAt }],
    });
    expect(await notes.accept(beside?.id ?? '')).toMatchObject({ against: [port.id] });
    expect(notes.state.get().notes).toHaveLength(2);
  });

  it('go with the words they were taken from', async () => {
    const { notes, store } = device(0);
    await notes.propose([
      sentence('Tests come first.', { source: { conversationId: 'gone', messageId: 'm1' } }),
      sentence('I am vegan.', { source: { conversationId: 'here', messageId: 'm2' } }),
      sentence('I like tea.', { source: { conversationId: 'here', messageId: 'm3' } }),
    ]);
    await notes.forget(['gone']);
    await notes.withdraw(({ messageId }) => messageId === 'm3');
    expect(open({ notes } as Device)).toEqual(['I am vegan.']);
    await notes.forget(['gone']);
    const kept = await store.log.read(NOTES_DOCUMENT);
    expect(kept.map(({ bytes }) => new TextDecoder().decode(bytes)).join('')).not.toContain(
      'Tests come first',
    );
  });
});

describe('notes', () => {
  it('can be ended, held back and made one, and lose no word by it', async () => {
    const { notes } = device(0);
    const one = await notes.write({ text: 'We use npm.', kind: 'decision' });
    const other = await notes.write({ text: 'We use pnpm.', kind: 'decision' });
    await notes.revise(one.id, { applies: false, until: 500 });
    expect(notes.state.get().notes.find(({ id }) => id === one.id)).toMatchObject({
      applies: false,
      until: 500,
      updatedAt: one.updatedAt,
    });
    await notes.revise(one.id, { until: undefined });
    expect(notes.state.get().notes.find(({ id }) => id === one.id)?.until).toBeUndefined();
    await notes.merge(other.id, one.id, 'We use pnpm.');
    expect(notes.state.get().notes).toMatchObject([
      { id: other.id, text: 'We use pnpm.', before: [{ text: 'We use npm.' }] },
    ]);
  });
});
