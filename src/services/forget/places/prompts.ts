// Saved prompts and personas.
import { until } from '../../../domain/base/readable.ts';
import type { Persona } from '../../../domain/prompts/persona.ts';
import type { Prompt } from '../../../domain/prompts/prompt.ts';
import type { Eraser } from '../eraser.ts';
import type { CreatePlace, Find, PlaceDeps } from '../place.ts';

/** Those with something of what goes. */
async function heldIn({ prompts: { state }, signal }: PlaceDeps, { clean }: Eraser) {
  const { prompts, personas } = await until(state, ({ ready }) => ready, signal);
  const isHeld = (item: Prompt | Persona) => clean(item) !== item;
  return { prompts: prompts.filter(isHeld), personas: personas.filter(isHeld) };
}

export const prompts: CreatePlace = (deps) => ({
  id: 'prompts',
  find: async (eraser) => {
    const find = (what: Find['what'], title: string, text: string): Find => ({
      place: 'prompts',
      what,
      conversation: null,
      message: null,
      title,
      excerpt: text.slice(0, 160),
      count: 1,
    });
    const held = await heldIn(deps, eraser);
    return [
      ...held.prompts.map(({ name, text }) => find('prompt', name, text)),
      ...held.personas.map(({ name, instructions }) => find('persona', name, instructions)),
    ];
  },
  remove: async (eraser) => {
    await deps.prompts.rewrite((item) =>
      eraser.record.whole && eraser.cleanOfWords(item) !== item ? null : eraser.clean(item),
    );
    // What they said before lies in the log until their document is folded.
    await deps.documents.purge(eraser);
  },
  verify: async (eraser) => {
    const held = await heldIn(deps, eraser);
    return { left: held.prompts.length + held.personas.length, waiting: false };
  },
});
