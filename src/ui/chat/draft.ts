// Keeps unsent text per conversation so that a reload loses none of it; for a temporary
// conversation as long as its tab lives.
import type { ConversationId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import type { ComposerDrafts, DraftFile, StoredDraft } from '../../services/chat/composer-drafts.ts';

/**
 * Text and caret of a field after an insertion. Plain words go to the caret. A command replaces the field's text;
 * `former` is that text, to be restored afterwards, or empty.
 */
export function inserted(
  words: string,
  {
    value,
    selectionStart,
    selectionEnd,
  }: Pick<HTMLTextAreaElement, 'value' | 'selectionStart' | 'selectionEnd'>,
): { readonly text: string; readonly caret: number; readonly former: string } {
  if (words.startsWith('/')) {
    // A command without arguments can easily be chosen again from the palette.
    const bare = /^(?:\/\S*)?$/.test(value.trim());
    return { text: words, caret: words.length, former: bare ? '' : value };
  }
  const before = value.slice(0, selectionStart);
  // Inserts a space before words of scripts that use spaces.
  const gap = /[^\s\p{Script=Han}\p{Punctuation}]$/u.test(before) || /[.,;:!?]$/.test(before) ? ' ' : '';
  const start = before + gap + words;
  return { text: start + value.slice(selectionEnd), caret: start.length, former: '' };
}

/** Puts `words` below the existing text, with an empty line between. */
export const below = (there: string, words: string): string =>
  there.trim() === '' ? words : `${there.trimEnd()}\n\n${words}`;

/**
 * Text to keep of a field: a command is dropped for the words it replaced (`aside`, newest
 * last); other words stay and follow them.
 */
export const keptWords = (shown: string, isCommand: boolean, aside: readonly string[]): string =>
  (isCommand && aside.length > 0 ? aside : [...aside, shown]).filter((words) => words !== '').join('\n\n');

const placeOf = (id: ConversationId | null): string => `composer.${id ?? 'new'}`;
/** Pause in typing before the draft is saved, ms. */
const PAUSE = 400;

/** Reads the draft of this tab or of a closed one; null if there is none. */
export const takeDraft = (drafts: ComposerDrafts, id: ConversationId | null): Promise<StoredDraft | null> =>
  drafts.claim(placeOf(id));

/**
 * Adds a file to the draft of a page that was left. `attach` is asked once all waiting is done: true if the page is
 * shown again and keeps the file itself. Durable when resolved; rejects if it could not be kept.
 */
export async function addToDraft(
  drafts: ComposerDrafts,
  id: ConversationId | null,
  file: DraftFile,
  attach: () => boolean,
): Promise<void> {
  const there = await takeDraft(drafts, id);
  if (attach()) return;
  await drafts.save(placeOf(id), { text: there?.text ?? '', files: [...(there?.files ?? []), file] });
}

/**
 * Saves a draft shortly after the last change, and at once when the page is left. `move` gives it to another
 * conversation and resolves when it is kept or could not be. `keep` reports if it is durable. `close` stops saving.
 */
export function createDraftKeeper(
  drafts: ComposerDrafts,
  conversation: ConversationId | null,
  read: () => StoredDraft,
): {
  changed(): void;
  flush(): void;
  keep(): Promise<boolean>;
  move(to: ConversationId | null): Promise<void>;
  close(): void;
} {
  let id = conversation;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const put = async (draft: StoredDraft | null): Promise<boolean> => {
    clearTimeout(timer);
    timer = undefined;
    try {
      await drafts.save(placeOf(id), draft);
      return true;
    } catch (error) {
      // The words are still on screen; the status line reports the storage problem.
      log.warn('The draft could not be stored', error);
      return false;
    }
  };
  const flush = () => {
    if (timer !== undefined) void put(read());
  };
  // A page that is being left cannot await a write, so the words are noted synchronously first.
  const leave = () => {
    if (timer === undefined) return;
    drafts.saveOnUnload(placeOf(id), read().text);
    flush();
  };
  const onHide = () => document.visibilityState === 'hidden' && leave();
  document.addEventListener('visibilitychange', onHide);
  window.addEventListener('pagehide', leave);
  return {
    changed: () => {
      clearTimeout(timer);
      timer = setTimeout(flush, PAUSE);
    },
    flush,
    keep: () => put(read()),
    move: async (to) => {
      if (to === id) return;
      const left = put(null);
      id = to;
      await Promise.all([left, put(read())]);
    },
    close: () => {
      flush();
      document.removeEventListener('visibilitychange', onHide);
      window.removeEventListener('pagehide', leave);
    },
  };
}
