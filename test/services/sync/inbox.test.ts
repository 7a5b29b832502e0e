// The inbox of memory on two devices: a decision or its undo on one device holds on the other.
import { it } from 'vitest';
import { until } from '../../../src/domain/base/readable.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { cluster } from './cluster.ts';
import { eventually, settled, type TestDevice } from './device.ts';

const home = cluster();

/** Reads the notes as a tab of the device that opens now. */
async function withNotes<T>(
  device: TestDevice,
  work: (notes: ReturnType<typeof createNotes>) => Promise<T> | T,
): Promise<T> {
  const notes = createNotes({ store: device.store, now: Date.now });
  await until(notes.state, ({ ready }) => ready);
  await until(notes.inbox, ({ ready }) => ready);
  try {
    return await work(notes);
  } finally {
    notes.close();
  }
}
const shown = (device: TestDevice) =>
  withNotes(device, ({ state, inbox }) => ({
    asked: inbox.get().proposals.map(({ text }) => text),
    kept: state.get().notes.map(({ text, before = [] }) => [text, ...before.map((one) => one.text)]),
  }));
const shows = (device: TestDevice, asked: readonly string[], kept: readonly (readonly string[])[]) =>
  eventually(device, async () => JSON.stringify(await shown(device)) === JSON.stringify({ asked, kept }));

it('a decision is seen on the other device, and so is its undo', async () => {
  const laptop = await home.create();
  const phone = await home.pair(laptop);
  const source = { conversationId: 'c', messageId: 'm' };
  const port = await withNotes(laptop, async (notes) => {
    const note = await notes.write({ text: 'The port is 8080.', kind: 'fact' });
    await notes.propose([
      { text: 'The port is 8081 now.', kind: 'fact', source, at: 30, by: 'device', replaces: note.id },
      { text: 'Tests come first.', kind: 'rule', source, at: 20, by: 'device' },
      { text: 'I like tea.', kind: 'preference', source, at: 10, by: 'model' },
    ]);
    return note;
  });
  await settled(laptop);
  await shows(phone, ['The port is 8081 now.', 'Tests come first.', 'I like tea.'], [['The port is 8080.']]);

  // The person refuses a proposal on the phone and takes it back there.
  const [, , tea] = await withNotes(phone, ({ inbox }) => inbox.get().proposals);
  if (!tea) throw new Error('a proposal was expected');
  await withNotes(phone, (notes) => notes.refuse([tea.id]));
  await shows(laptop, ['The port is 8081 now.', 'Tests come first.'], [['The port is 8080.']]);
  await withNotes(phone, (notes) => notes.reopen(tea));
  await shows(laptop, ['The port is 8081 now.', 'Tests come first.', 'I like tea.'], [['The port is 8080.']]);

  // The fact is corrected on the laptop: the phone has what holds and what was before, and both come back as they were.
  const [fact] = await withNotes(laptop, ({ inbox }) => inbox.get().proposals);
  if (!fact) throw new Error('a proposal was expected');
  const corrected = await withNotes(laptop, (notes) => notes.accept(fact.id, { over: port.id }));
  await shows(phone, ['Tests come first.', 'I like tea.'], [['The port is 8081 now.', 'The port is 8080.']]);
  await withNotes(laptop, async (notes) => {
    await notes.remove(corrected?.id ?? '');
    await notes.bring({ notes: [port], feedback: [] });
    await notes.reopen(fact);
  });
  await shows(phone, ['The port is 8081 now.', 'Tests come first.', 'I like tea.'], [['The port is 8080.']]);

  // The person wants no more of a kind on one device; neither proposes it.
  await withNotes(phone, (notes) => notes.setWanted('preference', false));
  await shows(laptop, ['The port is 8081 now.', 'Tests come first.'], [['The port is 8080.']]);
  await withNotes(laptop, (notes) => notes.setWanted('preference', true));
  await shows(phone, ['The port is 8081 now.', 'Tests come first.', 'I like tea.'], [['The port is 8080.']]);
});
