// Unsent texts of the composer and of message editors, stored beside the log by place. Each tab has its own rows, so
// that sending in one tab deletes nothing of another; the next tab takes over the rows of a closed one.

import { z } from 'zod';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import { isOfTemporary } from '../../domain/base/ids.ts';
import { readJson } from '../../domain/base/json.ts';
import { attempt, log, orElse } from '../../domain/base/log.ts';
import { type PartOf, partSchema } from '../../domain/chat/message.ts';
import { isAbandoned, type LocksLike, NOTED_WORDS, type Tab, type TabMemory } from './tab.ts';

/** A file in the composer. `pasted`: the text it was made from, to turn it back. */
export interface DraftFile {
  readonly id: string;
  readonly part: PartOf<'file'>;
  readonly pasted: string | null;
}
export interface StoredDraft {
  readonly text: string;
  readonly files: readonly DraftFile[];
}

export interface ComposerDrafts {
  /** Returns the draft at a place, from this tab or taken over from closed ones. Null: none. */
  claim(place: string): Promise<StoredDraft | null>;
  /** Saves a draft; durable when resolved. Null, or a draft without words and files, deletes this tab's row. */
  save(place: string, draft: StoredDraft | null): Promise<void>;
  /** Notes the words at once, for a page that may end before a save is durable: this tab finds them after a reload. */
  saveOnUnload(place: string, text: string): void;
  /** Lists places with this prefix that have a draft. */
  places(prefix: string): Promise<string[]>;
  /**
   * Removes words from the drafts that this tab has in memory and in rows; `clean`
   * returns the same object if there are none.
   */
  takeOut(clean: <T>(value: T) => T): void;
}

const draftSchema = z.object({
  text: z.string(),
  files: z.array(z.object({ id: z.string(), part: partSchema, pasted: z.string().nullable() })),
});
const rowSchema = draftSchema.extend({ tab: z.string(), touchedAt: z.number() });
/** Words by place, of a page that was left. */
const leftSchema = z.record(
  z.string(),
  z.object({ tab: z.string(), touchedAt: z.number(), text: z.string() }),
);
type Left = z.infer<typeof leftSchema>;

/**
 * Wraps the memory of a tab on a locked device: it stores names of tabs, and never words. Those from before locking was
 * turned on go with the first read.
 */
export const withoutWords = (memory: TabMemory): TabMemory => ({
  getItem: (key) => {
    if (key !== NOTED_WORDS) return memory.getItem(key);
    if (memory.getItem(key) !== null) memory.setItem(key, '{}');
    return null;
  },
  setItem: (key, value) => memory.setItem(key, key === NOTED_WORDS ? '{}' : value),
});

const ROWS = 'written/';
/** Key of drafts of earlier versions: one for all tabs. */
const SHARED = 'item/';
/** A reloading page frees its lock within this time, ms. A copy of a living tab waits for it in vain. */
const RELOAD_MS = 1500;

const isEmpty = (draft: StoredDraft | null): boolean =>
  !draft || (draft.text === '' && draft.files.length === 0);
const joined = (drafts: readonly StoredDraft[]): StoredDraft => ({
  text: drafts.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n'),
  files: drafts.flatMap(({ files }) => files),
});
const draftOf = ({ text, files }: z.infer<typeof draftSchema>): StoredDraft => ({
  text,
  files: files.flatMap(({ part, ...rest }) => (part.type === 'file' ? [{ ...rest, part }] : [])),
});

interface ComposerDraftsDeps {
  readonly keyValues: KeyValues;
  readonly tab: Tab;
  readonly locks: LocksLike | undefined;
  readonly now: () => number;
  /** Opens the browser's storage for this tab, which writes at once. */
  readonly memory?: (() => TabMemory) | undefined;
  /**
   * Returns what is left of words noted at a time, ms since 1970, after all that was forgotten since; absent: nothing
   * ever is. No other tab can clean the notes of a page that is gone.
   */
  readonly withoutForgotten?: ((place: string, text: string, at: number) => Promise<string>) | undefined;
}

/**
 * Opens the drafts of this tab. Drafts of closed tabs are found by their Web Locks, or
 * by their age if the browser has none.
 */
export function createComposerDrafts(deps: ComposerDraftsDeps): ComposerDrafts {
  return new StoredComposerDrafts(deps);
}

class StoredComposerDrafts implements ComposerDrafts {
  readonly #deps: ComposerDraftsDeps;
  /** Drafts of this tab, by place. */
  readonly #own = new Map<string, StoredDraft>();
  /** Places whose row equals `#own`, except for words forgotten since, which are in neither. */
  readonly #durable = new Set<string>();
  /** Notes of this page that are not durable yet: number of the note, by place. */
  readonly #notes = new Map<string, number>();
  #noteNumber = 0;
  /** Places that are being claimed: saves there wait for that. */
  readonly #reading = new Map<string, Promise<unknown>>();

  constructor(deps: ComposerDraftsDeps) {
    this.#deps = deps;
  }

  async claim(place: string): Promise<StoredDraft | null> {
    const earlier = this.#reading.get(place);
    const claimed = earlier
      ? orElse(earlier, null, 'an earlier look at a draft; it is looked at again').then(() =>
          this.#readDraft(place),
        )
      : this.#readDraft(place);
    this.#reading.set(place, claimed);
    try {
      return await claimed;
    } finally {
      if (this.#reading.get(place) === claimed) this.#reading.delete(place);
    }
  }

  async save(place: string, draft: StoredDraft | null): Promise<void> {
    this.#durable.delete(place);
    if (!draft || isEmpty(draft)) this.#own.delete(place);
    else this.#own.set(place, draft);
    const noted = this.#notes.get(place);
    await this.#deps.tab.locked;
    const reading = this.#reading.get(place);
    if (reading) await orElse(reading, null, 'reading a draft that is being replaced');
    await this.#write(place);
    // Remove the note of a durable draft, unless a later note replaced it.
    if (noted === undefined || this.#notes.get(place) !== noted) return;
    this.#notes.delete(place);
    this.#note(place, undefined);
  }

  saveOnUnload(place: string, text: string): void {
    // Temporary conversations leave nothing behind.
    if (isOfTemporary(place)) return;
    this.#noteNumber += 1;
    this.#notes.set(place, this.#noteNumber);
    this.#note(place, { tab: this.#deps.tab.id, touchedAt: this.#deps.now(), text });
  }

  async places(prefix: string): Promise<string[]> {
    const kept = (await this.#deps.keyValues.keys(ROWS + prefix)).map((key) =>
      key.slice(ROWS.length, key.lastIndexOf('/')),
    );
    // Drafts of temporary conversations, and of a page that was just left, are listed nowhere else.
    const others = [...this.#own.keys(), ...Object.keys(this.#left())];
    return [...new Set([...kept, ...others.filter((place) => place.startsWith(prefix))])];
  }

  takeOut(clean: <T>(value: T) => T): void {
    for (const [place, draft] of this.#own) this.#own.set(place, clean(draft));
    for (const [place, noted] of Object.entries(this.#left())) {
      const cleaned = clean(noted);
      if (cleaned !== noted) this.#note(place, cleaned);
    }
  }

  #prefixOf(place: string): string {
    return `${ROWS}${place}/`;
  }

  #keyOf(place: string): string {
    return this.#prefixOf(place) + this.#deps.tab.id;
  }

  #left(): Left {
    const kept = attempt(
      () => this.#deps.memory?.().getItem(NOTED_WORDS),
      null,
      'what this tab noted before',
    );
    return leftSchema.safeParse(readJson(kept ?? '{}')).data ?? {};
  }

  /** Returns the note of a place, without what was forgotten since; cleans it in the tab's memory, too. */
  async #noted(place: string): Promise<Left[string] | undefined> {
    const noted = this.#left()[place];
    const { withoutForgotten } = this.#deps;
    if (!noted || noted.tab === this.#deps.tab.id || !withoutForgotten) return noted;
    const text = await withoutForgotten(place, noted.text, noted.touchedAt);
    if (text === noted.text) return noted;
    const cleaned = { ...noted, text };
    this.#note(place, cleaned);
    return cleaned;
  }

  #note(place: string, words: Left[string] | undefined): void {
    const { [place]: _, ...others } = this.#left();
    try {
      this.#deps
        .memory?.()
        .setItem(NOTED_WORDS, JSON.stringify(words ? { ...others, [place]: words } : others));
    } catch (error) {
      // No space, or a browser that stores nothing for a tab: the earlier save holds.
      log.debug('Words on their way to the log could not be noted', error);
    }
  }

  async #write(place: string): Promise<void> {
    const draft = this.#own.get(place);
    await this.#deps.keyValues.set(
      this.#keyOf(place),
      draft && { ...draft, tab: this.#deps.tab.id, touchedAt: this.#deps.now() },
    );
    if (draft && this.#own.get(place) === draft) this.#durable.add(place);
  }

  /** Reads the row again, so that words removed from it meanwhile do not return. */
  async #kept(place: string): Promise<StoredDraft | undefined> {
    const row = rowSchema.safeParse(await this.#deps.keyValues.get(this.#keyOf(place))).data;
    if (!row) return this.#own.get(place);
    const draft = draftOf(row);
    if (this.#durable.has(place)) this.#own.set(place, draft);
    return draft;
  }

  /** Runs the work if the owner of a row is gone, while no other tab does so. */
  async #ifGone(owner: string, touchedAt: number, work: () => Promise<void>): Promise<void> {
    if (!(await this.#deps.tab.locked) || !this.#deps.locks) {
      if (owner === this.#deps.tab.before || isAbandoned(touchedAt, this.#deps.now())) await work();
      return;
    }
    const name = this.#deps.tab.lockOf(owner);
    const done = await this.#deps.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await work();
      return lock !== null;
    });
    // Waits for this tab's former page: during a reload it may still hold the lock.
    if (!done && owner === this.#deps.tab.before)
      await orElse(
        this.#deps.locks.request(name, { signal: AbortSignal.timeout(RELOAD_MS) }, work),
        undefined,
        'the drafts of this tab before it was loaded again',
      );
  }

  async #readDraft(place: string): Promise<StoredDraft | null> {
    // The known text is read first: a text saved during the claim is on the screen already.
    const before = this.#durable.has(place) ? await this.#kept(place) : this.#own.get(place);
    const there = before ? [before] : [];
    /** Takes over a row, if it still exists: joins it with the draft here, and deletes it once the result is saved. */
    const take = async (key: string, schema: z.ZodType<z.infer<typeof draftSchema>>) => {
      const row = schema.safeParse(await this.#deps.keyValues.get(key)).data;
      // Noted when the page was left, so later than the row.
      const text = key === leftKey ? noted?.text : undefined;
      if (!row && text === undefined) return;
      const draft = { files: row ? draftOf(row).files : [], text: text ?? row?.text ?? '' };
      there.unshift(draft);
      const here = this.#own.get(place);
      this.#own.set(place, here ? joined([draft, here]) : draft);
      await this.#write(place);
      await this.#deps.keyValues.set(key, undefined);
      if (text !== undefined) this.#note(place, undefined);
    };
    const noted = await this.#noted(place);
    const leftKey = noted && noted.tab !== this.#deps.tab.id ? this.#prefixOf(place) + noted.tab : null;
    const rows: { key: string; owner: string; touchedAt: number }[] = [];
    for (const key of await this.#deps.keyValues.keys(this.#prefixOf(place))) {
      const row =
        key === this.#keyOf(place)
          ? undefined
          : rowSchema.safeParse(await this.#deps.keyValues.get(key)).data;
      if (row) rows.push({ key, owner: row.tab, touchedAt: row.touchedAt });
    }
    if (noted && leftKey !== null && rows.every(({ key }) => key !== leftKey))
      rows.push({ key: leftKey, owner: noted.tab, touchedAt: noted.touchedAt });
    // Puts each before the present text, latest first, so that the oldest ends up on top.
    for (const { key, owner, touchedAt } of rows.sort((a, b) => b.touchedAt - a.touchedAt))
      await this.#ifGone(owner, touchedAt, () => take(key, rowSchema));
    await take(SHARED + place, draftSchema);
    const all = joined(there);
    return isEmpty(all) ? null : all;
  }
}
