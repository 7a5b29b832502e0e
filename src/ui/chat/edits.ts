// Edits of messages that were begun and neither saved nor dropped: kept as the composer's draft is, by message, so that going elsewhere, a
// reload or another message's editor loses none of their words.
import { asMessageId, type ConversationId, type MessageId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import type { ComposerDrafts } from '../../services/chat/composer-drafts.ts';

export interface Edits {
  /** Messages with such an edit, in the order in which they were begun. */
  readonly unsaved: Readable<readonly MessageId[]>;
  textOf(message: MessageId): string | undefined;
  /** Kept shortly after the last change. */
  write(message: MessageId, text: string): void;
  drop(message: MessageId): void;
  /** The words are the conversation's once `saving` resolves; where it rejects they stand here again. */
  save(message: MessageId, text: string, saving: Promise<unknown>): Promise<void>;
  /** Takes forgotten words out; `clean` gives the same text where there are none. */
  takeOut(clean: (text: string) => string): void;
  /** Reads what is kept, and keeps at once what is not when the page goes away. Returns how to stop. */
  open(): () => void;
}

/** Writing pauses this long before an edit is kept, ms. */
const PAUSE = 400;

/** Makes the edits of one conversation's messages. Each is saved as a draft 400 ms after the last key, and at once when the page is left. */
export function createEdits(drafts: ComposerDrafts, conversation: ConversationId): Edits {
  const prefix = `edit.${conversation}.`;
  const texts = new Map<MessageId, string>();
  const unsaved = writable<readonly MessageId[]>([]);
  /** Changed since they were kept. */
  const changed = new Set<MessageId>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOpen = false;
  const notify = () => {
    const now = [...texts.keys()];
    const before = unsaved.get();
    if (now.length !== before.length || now.some((id, at) => id !== before[at])) unsaved.set(now);
  };
  const keep = (message: MessageId) => {
    changed.delete(message);
    const text = texts.get(message);
    drafts.save(prefix + message, text === undefined ? null : { text, files: [] }).catch((error: unknown) => {
      // The words are still here; the status line speaks of storage.
      log.warn('The edit could not be kept', error);
    });
  };
  const flush = () => {
    clearTimeout(timer);
    for (const message of [...changed]) keep(message);
  };
  const write = (message: MessageId, text: string) => {
    texts.set(message, text);
    changed.add(message);
    notify();
    clearTimeout(timer);
    if (isOpen) timer = setTimeout(flush, PAUSE);
    else flush();
  };
  const drop = (message: MessageId) => {
    if (!texts.delete(message)) return;
    notify();
    keep(message);
  };
  const read = async () => {
    for (const place of await drafts.places(prefix)) {
      const message = asMessageId(place.slice(prefix.length));
      const draft = await drafts.claim(place);
      // Whoever writes already goes on with that.
      if (draft && !texts.has(message)) texts.set(message, draft.text);
    }
    notify();
  };
  return {
    unsaved,
    textOf: (message) => texts.get(message),
    write,
    drop,
    takeOut: (clean) => {
      for (const [message, text] of texts) if (clean(text) !== text) write(message, clean(text));
    },
    save: async (message, text, saving) => {
      texts.delete(message);
      changed.delete(message);
      notify();
      try {
        await saving;
      } catch (error) {
        write(message, text);
        throw error;
      }
      keep(message);
    },
    open: () => {
      isOpen = true;
      read().catch((error: unknown) => log.warn('Edits could not be read', error));
      // Nobody waits for what a page that is left still writes: the words are noted first.
      const leave = () => {
        for (const message of changed) drafts.saveOnUnload(prefix + message, texts.get(message) ?? '');
        flush();
      };
      const onHide = () => document.visibilityState === 'hidden' && leave();
      document.addEventListener('visibilitychange', onHide);
      window.addEventListener('pagehide', leave);
      return () => {
        isOpen = false;
        flush();
        document.removeEventListener('visibilitychange', onHide);
        window.removeEventListener('pagehide', leave);
      };
    },
  };
}
