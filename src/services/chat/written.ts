// What a person has written and neither sent nor saved: in the composer, in the editor of a message. Kept beside the log, by place; each
// tab has rows of its own, so that sending in one deletes nothing of another. What a tab that is gone has left is taken by the next that looks.
import { z } from 'zod';
import type { Drawer } from '../../adapters/log/conversation-log.ts';
import { isOfTemporary } from '../../domain/base/ids.ts';
import { type PartOf, partSchema } from '../../domain/chat/message.ts';
import { ABANDONED_MS, type LocksLike, type Tab, type TabMemory } from './tab.ts';

/** A file in the composer. `pasted`: the words it was made from, to turn it back. */
export interface DraftFile {
  readonly id: string;
  readonly part: PartOf<'file'>;
  readonly pasted: string | null;
}
export interface Draft {
  readonly text: string;
  readonly files: readonly DraftFile[];
}

export interface Written {
  /** What stands at a place: written in this tab, or in tabs that are gone, and then this tab's from now on. Null: nothing. */
  take(place: string): Promise<Draft | null>;
  /** Durable when resolved. Null, or neither words nor files: this tab has nothing there any more. */
  keep(place: string, draft: Draft | null): Promise<void>;
  /** Notes the words at once, for a page that may be gone before anything is durable: this tab finds them after a reload. */
  leave(place: string, text: string): void;
  /** Places that begin so, at which anybody has written. */
  places(prefix: string): Promise<string[]>;
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

const LEFT = 'recollect.left';
const ROWS = 'written/';
/** Drafts of earlier versions: one for all tabs. */
const SHARED = 'item/';
/** A page that is loaded again lets go of its lock within this time, ms. A copy of a living tab waits for it in vain. */
const RELOAD_MS = 1500;

const isEmpty = (draft: Draft | null): boolean => !draft || (draft.text === '' && draft.files.length === 0);
const joined = (drafts: readonly Draft[]): Draft => ({
  text: drafts.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n'),
  files: drafts.flatMap(({ files }) => files),
});
const draftOf = ({ text, files }: z.infer<typeof draftSchema>): Draft => ({
  text,
  files: files.flatMap(({ part, ...rest }) => (part.type === 'file' ? [{ ...rest, part }] : [])),
});

export function createWritten({
  drawer,
  tab,
  locks,
  now,
  memory,
}: {
  drawer: Drawer;
  tab: Tab;
  locks: LocksLike | undefined;
  now: () => number;
  /** What the browser keeps for this tab, written at once. */
  memory?: (() => TabMemory) | undefined;
}): Written {
  const prefixOf = (place: string) => `${ROWS}${place}/`;
  const keyOf = (place: string) => prefixOf(place) + tab.id;
  /** Of this tab, by place. */
  const own = new Map<string, Draft>();
  /** Noted by this page and not yet durable: the number of the note, by place. */
  const notes = new Map<string, number>();
  let noteNumber = 0;
  /** Places that are being looked at: what is kept there meanwhile comes after. */
  const looking = new Map<string, Promise<unknown>>();

  async function set(place: string, draft: Draft | null): Promise<void> {
    if (!draft || isEmpty(draft)) own.delete(place);
    else own.set(place, draft);
    const noted = notes.get(place);
    await tab.locked;
    await looking.get(place)?.catch(() => undefined);
    await write(place);
    // What is durable need not be noted any more; what was noted since is later.
    if (noted === undefined || notes.get(place) !== noted) return;
    notes.delete(place);
    note(place, undefined);
  }
  function left(): Left {
    try {
      return leftSchema.safeParse(JSON.parse(memory?.().getItem(LEFT) ?? '{}')).data ?? {};
    } catch {
      return {};
    }
  }
  function note(place: string, words: Left[string] | undefined): void {
    const { [place]: _, ...others } = left();
    try {
      memory?.().setItem(LEFT, JSON.stringify(words ? { ...others, [place]: words } : others));
    } catch {
      // No room, or a browser that keeps nothing for a tab: what was kept before holds.
    }
  }
  function write(place: string): Promise<void> {
    const draft = own.get(place);
    return drawer.set(keyOf(place), draft && { ...draft, tab: tab.id, touchedAt: now() });
  }

  /** Does the work where the owner of a row is gone, and nobody else does it meanwhile. */
  async function ifGone(owner: string, touchedAt: number, work: () => Promise<void>): Promise<void> {
    if (!(await tab.locked) || !locks) {
      if (owner === tab.before || now() - touchedAt > ABANDONED_MS) await work();
      return;
    }
    const name = tab.lockOf(owner);
    const done = await locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await work();
      return lock !== null;
    });
    // This tab, as it was before it was loaded again, may just be ending.
    if (!done && owner === tab.before)
      await locks.request(name, { signal: AbortSignal.timeout(RELOAD_MS) }, work).catch(() => undefined);
  }

  async function look(place: string): Promise<Draft | null> {
    // What is kept while one looks is on the screen already.
    const before = own.get(place);
    const there = before ? [before] : [];
    /** Where the row is still there: joined with what is here, and gone only when that is kept. */
    const take = async (key: string, schema: z.ZodType<z.infer<typeof draftSchema>>) => {
      const row = schema.safeParse(await drawer.get(key)).data;
      // Noted when the page was left, so later than the row.
      const text = key === leftKey ? noted?.text : undefined;
      if (!row && text === undefined) return;
      const draft = { files: row ? draftOf(row).files : [], text: text ?? row?.text ?? '' };
      there.unshift(draft);
      const here = own.get(place);
      own.set(place, here ? joined([draft, here]) : draft);
      await write(place);
      await drawer.set(key, undefined);
      if (text !== undefined) note(place, undefined);
    };
    const noted = left()[place];
    const leftKey = noted && noted.tab !== tab.id ? prefixOf(place) + noted.tab : null;
    const rows: { key: string; owner: string; touchedAt: number }[] = [];
    for (const key of await drawer.keys(prefixOf(place))) {
      const row = key === keyOf(place) ? undefined : rowSchema.safeParse(await drawer.get(key)).data;
      if (row) rows.push({ key, owner: row.tab, touchedAt: row.touchedAt });
    }
    if (noted && leftKey !== null && rows.every(({ key }) => key !== leftKey))
      rows.push({ key: leftKey, owner: noted.tab, touchedAt: noted.touchedAt });
    // Each goes before what is there: the latest first, so that the oldest stands at the top.
    for (const { key, owner, touchedAt } of rows.sort((a, b) => b.touchedAt - a.touchedAt))
      await ifGone(owner, touchedAt, () => take(key, rowSchema));
    await take(SHARED + place, draftSchema);
    const all = joined(there);
    return isEmpty(all) ? null : all;
  }

  return {
    take: async (place) => {
      const earlier = looking.get(place);
      const looked = earlier ? earlier.catch(() => undefined).then(() => look(place)) : look(place);
      looking.set(place, looked);
      try {
        return await looked;
      } finally {
        if (looking.get(place) === looked) looking.delete(place);
      }
    },
    keep: set,
    leave: (place, text) => {
      // Of a temporary conversation nothing is left behind.
      if (isOfTemporary(place)) return;
      noteNumber += 1;
      notes.set(place, noteNumber);
      note(place, { tab: tab.id, touchedAt: now(), text });
    },
    places: async (prefix) => {
      const kept = (await drawer.keys(ROWS + prefix)).map((key) =>
        key.slice(ROWS.length, key.lastIndexOf('/')),
      );
      // Those of a temporary conversation, and those of a page that was just left, are listed nowhere else.
      const others = [...own.keys(), ...Object.keys(left())];
      return [...new Set([...kept, ...others.filter((place) => place.startsWith(prefix))])];
    },
  };
}
