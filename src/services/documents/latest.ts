// Values of which the later one counts, however wrong the clocks are that say so. Yjs settles two writes of one key by the ids of their
// clients, and the loser's value is gone with its time. So each client writes under a key of its own, with a hybrid time; who reads takes
// the latest; who writes takes out what was there before, so that only what was written at once lies side by side.
import type * as Y from 'yjs';
import { z } from 'zod';
import { nextHlc, readHlc } from '../../domain/sync/hlc.ts';

const rowSchema = z.object({ v: z.unknown(), t: z.string().refine((time) => readHlc(time) !== null) });

export interface Latest {
  /** Key → the latest value. */
  values(): Record<string, unknown>;
  /** Writes with one time for all. Call within a transaction. */
  set(values: readonly (readonly [string, unknown])[]): void;
}

export function createLatest(doc: Y.Doc, now: () => number): Latest {
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

  return {
    values: () => (w.size === 0 ? {} : Object.fromEntries(rows().map(({ key, value }) => [key, value]))),
    set: (values) => {
      if (values.length === 0) return;
      const before = rows();
      const node = doc.clientID.toString(36);
      const time = nextHlc(now(), node, before.at(-1)?.time ?? null);
      for (const [key, value] of values) {
        const mine = `${key}/${node}`;
        for (const row of before) if (row.key === key && row.name !== mine) w.delete(row.name);
        w.set(mine, { v: value, t: time });
      }
    },
  };
}
