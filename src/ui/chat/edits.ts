// Keeps unsaved edits as the composer's draft is kept, each of a message, or of a field of a project, so that
// leaving, a reload or another editor loses nothing.
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import type { ComposerDrafts } from '../../services/chat/composer-drafts.ts';

/** `Id`: names what is edited. */
export interface Edits<Id extends string = MessageId> {
  /** Everything with an unsaved edit, in the order in which the edits began. */
  readonly unsaved: Readable<readonly Id[]>;
  textOf(message: Id): string | undefined;
  /** Saved shortly after the last change. */
  write(message: Id, text: string): void;
  drop(message: Id): void;
  /** Hands the words over once `saving` resolves; if it rejects, the edit is kept again. */
  save(message: Id, text: string, saving: Promise<unknown>): Promise<void>;
  /** Removes forgotten words; `clean` returns the text unchanged if it has none. */
  takeOut(clean: (text: string) => string): void;
  /** Reads the kept edits, and saves pending ones at once when the page is left. Returns a function that stops this. */
  open(): () => void;
}

/** Pause in typing before an edit is saved, ms. */
const PAUSE = 400;

/**
 * Creates the edits of one conversation or project. Each is saved as a draft 400 ms after the last
 * key, and at once when the page is left.
 */
export function createEdits<Id extends string = MessageId>(
  drafts: ComposerDrafts,
  conversation: ConversationId,
): Edits<Id> {
  const prefix = `edit.${conversation}.`;
  const texts = new Map<Id, string>();
  const unsaved = writable<readonly Id[]>([]);
  /** Changed since the last save. */
  const changed = new Set<Id>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOpen = false;
  const notify = () => {
    const now = [...texts.keys()];
    const before = unsaved.get();
    if (now.length !== before.length || now.some((id, at) => id !== before[at])) unsaved.set(now);
  };
  const keep = (message: Id) => {
    changed.delete(message);
    const text = texts.get(message);
    drafts.save(prefix + message, text === undefined ? null : { text, files: [] }).catch((error: unknown) => {
      // The words are still here; the status line reports the storage problem.
      log.warn('The edit could not be stored', error);
    });
  };
  const flush = () => {
    clearTimeout(timer);
    for (const message of [...changed]) keep(message);
  };
  const write = (message: Id, text: string) => {
    texts.set(message, text);
    changed.add(message);
    notify();
    clearTimeout(timer);
    if (isOpen) timer = setTimeout(flush, PAUSE);
    else flush();
  };
  const drop = (message: Id) => {
    if (!texts.delete(message)) return;
    notify();
    keep(message);
  };
  const read = async () => {
    for (const place of await drafts.places(prefix)) {
      const message = place.slice(prefix.length) as Id;
      const draft = await drafts.claim(place);
      // Does not replace what the person has already started to write.
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
      // A page that is being left cannot await a write, so the words are noted synchronously first.
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
