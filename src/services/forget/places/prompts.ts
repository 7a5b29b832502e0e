// Saved prompts and personas.
import { NOTES_DOCUMENT } from '../../../domain/base/ids.ts';
import { until } from '../../../domain/base/readable.ts';
import { startOf } from '../../../domain/text/whole-characters.ts';
import { saidOf } from '../../documents/cleaning.ts';
import { itemWithout } from '../../documents/taking-out.ts';
import type { Eraser } from '../eraser.ts';
import type { CreatePlace, Find, PlaceDeps } from '../place.ts';

/** Returns prompts and personas that contain something of what is forgotten. */
async function heldIn({ prompts: { state }, signal }: PlaceDeps, eraser: Eraser) {
  const { prompts, personas } = await until(state, ({ ready }) => ready, signal);
  const isHeld = <T extends { readonly updatedAt: number }>(item: T) =>
    itemWithout(item, eraser, eraser.record.whole) !== item;
  return { prompts: prompts.filter(isHeld), personas: personas.filter(isHeld) };
}

/** Cleans saved prompts and personas, and then the log of their document. */
export const prompts: CreatePlace = (deps) => ({
  id: 'prompts',
  find: async (eraser) => {
    const find = (what: Find['what'], of: object, title: string, text: string): Find => ({
      place: 'prompts',
      what,
      conversation: null,
      message: null,
      title,
      excerpt: startOf(text, 160),
      count: 1,
      said: [saidOf(of) ?? []].flat(),
    });
    const held = await heldIn(deps, eraser);
    return [
      ...held.prompts.map((one) => find('prompt', one, one.name, one.text)),
      ...held.personas.map((one) => find('persona', one, one.name, one.instructions)),
    ];
  },
  remove: async (eraser) => {
    await deps.prompts.takeOut(eraser, eraser.record.whole);
    // Earlier wordings stay in the log until a snapshot replaces the document.
    await deps.documents.purge(eraser, [NOTES_DOCUMENT]);
  },
  verify: async (eraser) => {
    const held = await heldIn(deps, eraser);
    return { left: held.prompts.length + held.personas.length, waiting: false };
  },
});
