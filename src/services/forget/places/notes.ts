// Memory notes that came from what goes or name it, sentences in the inbox, and what the person said of its passages.
import { NOTES_DOCUMENT } from '../../../domain/base/ids.ts';
import { saidOf } from '../../documents/cleaning.ts';
import { feedbackWithout, isProposalTakenOut, noteWithout } from '../../documents/taking-out.ts';
import type { Eraser } from '../eraser.ts';
import type { CreatePlace, Find, PlaceDeps } from '../place.ts';

async function heldIn({ notes: { known, inbox } }: PlaceDeps, eraser: Eraser) {
  const { whole } = eraser.record;
  const { notes, feedback } = await known();
  return {
    notes: notes.filter((note) => noteWithout(note, eraser, whole) !== note),
    proposals: inbox.get().proposals.filter((one) => isProposalTakenOut(one, eraser)),
    feedback: feedback.filter((one) => feedbackWithout(one, eraser, whole) !== one),
  };
}

/** Cleans memory notes, proposals and feedback, and then the log of their document. */
export const notes: CreatePlace = (deps) => ({
  id: 'notes',
  find: async (eraser) => {
    const find = (what: Find['what'], of: object, excerpt: string): Find => ({
      place: 'notes',
      what,
      conversation: null,
      message: null,
      title: '',
      excerpt,
      count: 1,
      said: [saidOf(of) ?? []].flat(),
    });
    const isNamed = (text: string) => eraser.hide(text).redacted > 0;
    const held = await heldIn(deps, eraser);
    return [
      ...held.notes.map((note) => {
        const { text, before = [] } = note;

        // If only an earlier wording has the words, that wording is shown.
        const past = isNamed(text) ? undefined : before.find((one) => isNamed(one.text));
        return find('note', note, past?.text ?? text);
      }),
      ...held.proposals.map((one) => find('proposal', one, one.text)),
      ...held.feedback.map((one) => find('feedback', one, one.passage)),
    ];
  },
  remove: async (eraser) => {
    await deps.notes.takeOut(eraser, eraser.record.whole);
    // They are folded with their document.
    await deps.documents.purge(eraser, [NOTES_DOCUMENT]);
  },
  verify: async (eraser) => {
    const { notes, proposals, feedback } = await heldIn(deps, eraser);
    return { left: notes.length + proposals.length + feedback.length, waiting: false };
  },
});
