// Memory notes that came from forgotten messages or contain their words, proposals in the
// inbox, and feedback on their passages.
import { asConversationId, NOTES_DOCUMENT } from '../../../domain/base/ids.ts';
import type { Feedback } from '../../../domain/memory/notes.ts';
import { quotedBy, saidOf } from '../../documents/cleaning.ts';
import { feedbackWithout, isProposalTakenOut, noteWithout } from '../../documents/taking-out.ts';
import type { Eraser } from '../eraser.ts';
import type { CreatePlace, Find, PlaceDeps } from '../place.ts';
import { feedbackTitled, titlesSince } from '../titles.ts';
import { tracesIn } from '../traces.ts';

async function heldIn({ notes: { known, inbox } }: PlaceDeps, eraser: Eraser) {
  const { whole } = eraser.record;
  const { notes, feedback } = await known();
  return {
    notes: notes.filter((note) => noteWithout(note, eraser, whole) !== note),
    proposals: inbox.get().proposals.filter((one) => isProposalTakenOut(one, eraser)),
    feedback: feedback.filter((one) => feedbackWithout(one, eraser, whole) !== one),
  };
}

/** Updates feedback that stays but shows a title made from removed messages. */
async function renamedIn(
  { notes, documents }: PlaceDeps,
  eraser: Eraser,
  held: ReadonlySet<Feedback>,
): Promise<readonly Feedback[]> {
  const stays = (await notes.known()).feedback.filter((one) => !held.has(one));
  const titles = new Map<string, string>();
  for (const id of new Set(stays.map(({ conversationId }) => conversationId))) {
    const conversation = await documents.read(asConversationId(id));
    if (conversation && tracesIn(conversation, eraser).change?.meta?.title === '') titles.set(id, '');
  }
  return stays.filter((one) => feedbackTitled(one, titles, eraser) !== one);
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
    const renamed = await renamedIn(deps, eraser, new Set(held.feedback));
    return [
      ...held.notes.map((note) => {
        const { text, before = [] } = note;

        // If only an earlier wording contains the words, the preview shows that wording.
        const past = isNamed(text) ? undefined : before.find((one) => isNamed(one.text));
        return find('note', note, past?.text ?? text);
      }),
      ...held.proposals.map((one) => find('proposal', one, one.text)),
      ...held.feedback.map((one) => ({
        ...find('feedback', one, one.passage),
        said: [saidOf(one) ?? [], Object.values(quotedBy(one))].flat(),
      })),
      ...renamed.map((one) => find('feedback', one, one.title)),
    ];
  },
  remove: async (eraser) => {
    const titles = await titlesSince(eraser.record, deps.documents);
    await deps.notes.takeOut(eraser, eraser.record.whole, (one) => feedbackTitled(one, titles, eraser));
    // Replaces the document by a snapshot, so that earlier wordings leave the log.
    await deps.documents.purge(eraser, [NOTES_DOCUMENT]);
  },
  verify: async (eraser) => {
    const { notes, proposals, feedback } = await heldIn(deps, eraser);
    return { left: notes.length + proposals.length + feedback.length, waiting: false };
  },
});
