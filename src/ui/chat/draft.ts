// Unsent text, kept per conversation so that a reload loses none of it; for a temporary one as long as its tab lives.
import type { ConversationId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import type { ComposerDrafts, Draft, DraftFile } from '../../services/chat/composer-drafts.ts';

/**
 * Text and caret of a field after words were put in. Plain words go to the caret. A command needs the field for itself: `former` is the
 * text it replaced, to be brought back after it; empty if there was none worth keeping.
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
    // A command without a word of its own is one choice in the palette away.
    const bare = /^(?:\/\S*)?$/.test(value.trim());
    return { text: words, caret: words.length, former: bare ? '' : value };
  }
  const before = value.slice(0, selectionStart);
  // Words of a script with spaces stand apart from what is before them.
  const gap = /[^\s\p{Script=Han}\p{Punctuation}]$/u.test(before) || /[.,;:!?]$/.test(before) ? ' ' : '';
  const start = before + gap + words;
  return { text: start + value.slice(selectionEnd), caret: start.length, former: '' };
}

/** Words that go below those that are there, with an empty line between. */
export const below = (there: string, words: string): string =>
  there.trim() === '' ? words : `${there.trimEnd()}\n\n${words}`;

/**
 * Texts of a field to keep: a command gives way to the words it replaced (`aside`, newest last), other words stand after them.
 */
export const keptWords = (shown: string, isCommand: boolean, aside: readonly string[]): string =>
  (isCommand && aside.length > 0 ? aside : [...aside, shown]).filter((words) => words !== '').join('\n\n');

const placeOf = (id: ConversationId | null): string => `composer.${id ?? 'new'}`;
/** Writing pauses this long before the draft is kept, ms. */
const PAUSE = 400;

/** Draft from this tab, or from a closed one; null if there is none. */
export const takeDraft = (drafts: ComposerDrafts, id: ConversationId | null): Promise<Draft | null> =>
  drafts.claim(placeOf(id));

/**
 * Adds a file to what is written at a place that was left. `attach` is asked first, when nothing is waited for any more: true where the place is
 * on the screen again, whose draft is kept from there. Durable when resolved; rejects where it could not be kept.
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
 * Keeps a draft shortly after the last change, and at once when the page goes away. `move` makes it the draft of another conversation, and
 * resolves when it is kept there or could not be. `keep` tells whether it is durable. `close` ends it.
 */
export function createDraftKeeper(
  drafts: ComposerDrafts,
  conversation: ConversationId | null,
  read: () => Draft,
): {
  changed(): void;
  flush(): void;
  keep(): Promise<boolean>;
  move(to: ConversationId | null): Promise<void>;
  close(): void;
} {
  let id = conversation;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const put = async (draft: Draft | null): Promise<boolean> => {
    clearTimeout(timer);
    timer = undefined;
    try {
      await drafts.save(placeOf(id), draft);
      return true;
    } catch (error) {
      // The words are still on the screen; the status line speaks of storage.
      log.warn('The draft could not be kept', error);
      return false;
    }
  };
  const flush = () => {
    if (timer !== undefined) void put(read());
  };
  // Nobody waits for what a page that is left still writes: the words are noted first.
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
