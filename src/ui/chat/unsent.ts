// Unsent texts of a conversation: in its composer, in editors of its messages, queued behind an answer.
import type { ConversationId } from '../../domain/base/ids.ts';
import { textOf } from '../../domain/chat/message.ts';
import type { Chat } from '../../services/chat/chat.ts';
import type { StoredDraft } from '../../services/chat/composer-drafts.ts';
import { below, createDraftKeeper, takeDraft } from './draft.ts';

type UnsentTexts = Pick<Chat, 'composerDrafts' | 'turn' | 'editQueued'>;

const editsOf = (id: ConversationId): string => `edit.${id}.`;

/** All unsent texts as one draft, in the order in which they would have been sent; null if there are none. */
export async function takeUnsent(
  { composerDrafts, turn }: UnsentTexts,
  id: ConversationId,
): Promise<StoredDraft | null> {
  const edits = await Promise.all(
    (await composerDrafts.places(editsOf(id))).map((place) => composerDrafts.claim(place)),
  );
  const queued = turn(id)
    .get()
    .queue.map(({ id, parts }) => ({
      text: textOf({ parts }),
      files: parts.flatMap((part, at) =>
        part.type === 'file' ? [{ id: `${id}.${at}`, part, pasted: null }] : [],
      ),
    }));
  const all = [...edits, ...queued, await takeDraft(composerDrafts, id)].filter((draft) => draft !== null);
  const text = all.reduce((there, draft) => (draft.text === '' ? there : below(there, draft.text)), '');
  const files = all.flatMap((draft) => draft.files);
  return text === '' && files.length === 0 ? null : { text, files };
}

/** Adds them to the draft of a new conversation, below its text; resolves when that is kept or could not be. */
export async function takeUnsentAlong(
  { composerDrafts, turn, editQueued }: UnsentTexts,
  id: ConversationId,
  unsent: StoredDraft,
  to: ConversationId | null,
): Promise<void> {
  const there = await takeDraft(composerDrafts, to);
  const keeper = createDraftKeeper(composerDrafts, id, () => ({
    text: below(there?.text ?? '', unsent.text),
    files: [...(there?.files ?? []), ...unsent.files],
  }));
  await keeper.move(to);
  keeper.close();
  for (const queued of turn(id).get().queue) editQueued(id, queued.id, null);
  await Promise.all(
    (await composerDrafts.places(editsOf(id))).map((place) => composerDrafts.save(place, null)),
  );
}
