// Last-writer-wins values, robust against wrong clocks. Yjs settles two writes of one key by the ids of their clients,
// and the loser's value is lost with its time. So each client writes under a key of its own, with a hybrid time;
// readers take the latest; a writer removes older values, so that only concurrent ones lie side by side.
import type * as Y from 'yjs';
import { z } from 'zod';
import { type Hlc, nextHlc, readHlc } from '../../domain/sync/hlc.ts';

const rowSchema = z.object({ v: z.unknown(), t: z.string().refine((time) => readHlc(time) !== null) });

interface LastWriterWins {
  /** Key → the latest value. */
  values(): Record<string, unknown>;
  /** Key → time of that value. */
  times(): Record<string, Hlc>;
  /** Writes with one time for all. Call within a transaction. */
  set(values: readonly (readonly [string, unknown])[]): void;
  /** Writes a value from elsewhere with its time, unless a later one is here. Call within a transaction. */
  bring(key: string, value: unknown, time: Hlc): void;
}

/**
 * Opens the values in the map `w` of a document. A time is a hybrid logical clock (Kulkarni et al., "Logical Physical
 * Clocks", 2014): `now` (ms since 1970), but later than every time in the map.
 */
export function createLastWriterWins(doc: Y.Doc, now: () => number): LastWriterWins {
  const w = doc.getMap<unknown>('w');

  const rows = () => {
    const found: { key: string; name: string; value: unknown; time: string }[] = [];
    for (const [name, raw] of w) {
      const row = rowSchema.safeParse(raw);
      if (row.success)
        found.push({ key: name.slice(0, name.lastIndexOf('/')), name, value: row.data.v, time: row.data.t });
    }
    return found.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.name < b.name ? -1 : 1));
  };

  // Read each time: Yjs changes the id if another device has the same.
  const node = () => doc.clientID.toString(36);
  /** Replaces the values `before`. */
  const put = (before: readonly { key: string; name: string }[], key: string, v: unknown, t: Hlc) => {
    const mine = `${key}/${node()}`;
    for (const row of before) if (row.key === key && row.name !== mine) w.delete(row.name);
    w.set(mine, { v, t });
  };

  return {
    values: () => (w.size === 0 ? {} : Object.fromEntries(rows().map(({ key, value }) => [key, value]))),
    times: () => Object.fromEntries(rows().map(({ key, time }) => [key, time])),
    set: (values) => {
      if (values.length === 0) return;
      const before = rows();
      const time = nextHlc(now(), node(), before.at(-1)?.time ?? null);
      for (const [key, value] of values) put(before, key, value, time);
    },
    bring: (key, value, time) => {
      const before = rows();
      if (!before.some((row) => row.key === key && row.time >= time)) put(before, key, value, time);
    },
  };
}
