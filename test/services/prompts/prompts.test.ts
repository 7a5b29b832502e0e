// Prompts and personas: kept, changed, removed and brought back, the same in all tabs and devices.
import { describe, expect, it, vi } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { NOTES_DOCUMENT, newEntryId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { createPrompts } from '../../../src/services/prompts/prompts-service.ts';

const mail = { name: 'Mail', description: 'Short', text: 'Write to {{whom}}' };
const pirate = {
  name: 'Pirate',
  description: '',
  sign: '🏴',
  colour: 'red' as const,
  instructions: 'Arr.',
  model: null,
  parameters: {},
  memory: 'all' as const,
  project: null,
};

const open = (store = createInMemoryStore()) => {
  let at = 1_000;
  const onProblem = vi.fn();
  const now = () => {
    at += 1;
    return at;
  };
  return { store, onProblem, prompts: createPrompts({ store, now, onProblem }) };
};
const names = (prompts: ReturnType<typeof open>['prompts']) => [
  ...prompts.state.get().prompts.map(({ name }) => name),
  ...prompts.state.get().personas.map(({ name }) => name),
];

describe('prompts and personas', () => {
  it('are kept, changed and there again after a reload', async () => {
    const { store, prompts } = open();
    const { id, createdAt } = await prompts.savePrompt(mail);
    await prompts.savePersona(pirate);
    await prompts.savePrompt({ ...mail, name: 'Letter', id });
    const again = open(store).prompts;
    await until(again.state, ({ ready }) => ready);
    expect(again.state.get().prompts).toMatchObject([{ id, name: 'Letter', createdAt }]);
    expect(again.state.get().personas).toMatchObject([pirate]);
  });

  it('are refused without a name or words, and too long; nothing is changed', async () => {
    const { prompts } = open();
    await expect(prompts.savePrompt({ ...mail, text: '  ' })).rejects.toMatchObject({
      problem: { code: 'prompt-empty' },
    });
    await expect(prompts.savePersona({ ...pirate, name: '' })).rejects.toMatchObject({
      problem: { code: 'prompt-empty' },
    });
    await expect(prompts.savePrompt({ ...mail, text: 'x'.repeat(50_001) })).rejects.toMatchObject({
      problem: { code: 'prompt-too-long' },
    });
    await until(prompts.state, ({ ready }) => ready);
    expect(names(prompts)).toEqual([]);
  });

  it('are removed, and put back from the notice', async () => {
    const { prompts } = open();
    const { id } = await prompts.savePrompt(mail);
    const persona = await prompts.savePersona(pirate);
    const undo = await prompts.remove([id, persona.id]);
    expect(names(prompts)).toEqual([]);
    await undo();
    expect(prompts.state.get().prompts).toMatchObject([{ ...mail, id }]);
    expect(prompts.state.get().personas).toMatchObject([{ id: persona.id }]);
  });

  it('come from a file once, and go again', async () => {
    const { prompts } = open();
    await prompts.savePrompt(mail);
    const { added, known, undo } = await prompts.bring({
      prompts: [mail, { ...mail, name: 'B' }],
      personas: [pirate, pirate],
    });
    expect([added, known, names(prompts)]).toEqual([2, 2, ['B', 'Mail', 'Pirate']]);
    await undo();
    expect(names(prompts)).toEqual(['Mail']);
    await prompts.bring({
      prompts: [{ ...mail, id: 'old', text: 'x' }],
      personas: [{ ...pirate, id: 'mate' }],
    });
    await prompts.bring({
      prompts: [{ ...mail, id: 'old', text: 'y' }],
      personas: [{ ...pirate, id: 'mate' }],
    });
    const { prompts: all, personas } = prompts.state.get();
    expect([all.filter(({ id }) => id === 'old').length, all.length, personas.map(({ id }) => id)]).toEqual([
      1,
      3,
      ['mate'],
    ]);
  });

  it('that two devices changed at once are both there, the same on both', async () => {
    const [here, there] = [open(), open()];
    const { id } = await here.prompts.savePrompt(mail);
    const send = async (from: typeof here, to: typeof here) => {
      for (const { bytes } of await from.store.log.read(NOTES_DOCUMENT))
        await to.store.log.append([{ id: newEntryId(), document: NOTES_DOCUMENT, origin: 'remote', bytes }]);
    };
    await send(here, there);
    // Another tab of that device, which reads what came.
    const tab = open(there.store).prompts;
    await until(tab.state, ({ prompts }) => prompts.length === 1);
    await here.prompts.savePrompt({ ...mail, text: 'Here', id });
    await tab.savePrompt({ ...mail, text: 'There', id });
    await send(here, there);
    await send(there, here);
    const [one, other] = [open(here.store).prompts, open(there.store).prompts];
    for (const prompts of [one, other]) await until(prompts.state, (state) => state.prompts.length === 2);
    expect(
      one.state
        .get()
        .prompts.map(({ text }) => text)
        .sort(),
    ).toEqual(['Here', 'There']);
    expect(other.state.get()).toEqual(one.state.get());
  });

  it('lie beside the memory notes, and neither loses the other when the document is folded', async () => {
    const { store, prompts } = open();
    const notes = createNotes({ store, now: Date.now });
    await prompts.savePrompt(mail);
    const { id } = await notes.write({ text: 'The cat is called Ada.' });
    await prompts.savePersona(pirate);
    await notes.forget(['nobody']);
    await notes.remove(id);
    await notes.forget(['nobody']);
    expect((await store.log.read(NOTES_DOCUMENT)).length).toBe(1);
    const again = open(store).prompts;
    await until(again.state, ({ ready }) => ready);
    expect(names(again)).toEqual(['Mail', 'Pirate']);
    await prompts.savePrompt({ ...mail, name: 'After' });
    await vi.waitFor(async () => expect((await store.log.read(NOTES_DOCUMENT)).length).toBe(2));
  });
});
