// Keeps one model's vectors in the memory of whoever writes the index, so that a search need not read them all from the table. It is told
// what was written and takes that over before it answers next; while it cannot answer, the table is searched.
import { z } from 'zod';
import { createNearest, type Likely, type Nearest } from './nearest.ts';
import { type Ask, fromHex, toJson } from './statements.ts';

/** Up to so many vectors a scan of the table is as fast. */
const HOLD_FROM = 4_000;
/** For more it would take too much memory. */
const HOLD_UP_TO = 250_000;
/** Vectors copied in one statement: others wait for it. */
const PAGE = 1_000;
/** Changed vectors that are followed one by one; for more the copy is made again. */
const CHANGED = 5_000;
/** Searches from one look at the table's size to the next. */
const WONDER_EVERY = 16;
/** Likely nearest for each one that is wanted, and least besides. */
const LIKELY = 4;
const LEAST_LIKELY = 150;

const MODEL = '(select n from models where id = $1 and dimensions = $2)';
const pageRow = z.object({ last: z.number().nullable(), rows: z.string().transform(fromHex).nullable() });
const goneRow = z.object({ n: z.number() });

export interface VectorCopy {
  /** The chunks that can be among the nearest `limit`; null where the table must be searched. */
  likely(model: string, values: Float32Array, limit: number): Promise<Likely | null>;
  /** Whether `want` would like to know how large the table is: where none is made, now and then, since telling it takes a millisecond. */
  wonders(model: string): boolean;
  /** This model was asked for, and the table has about so many vectors: begins to copy where that pays. */
  want(model: string, dimensions: number, vectors: number): void;
  /** Too few of these were left: forgets those that are gone. */
  tidy(model: string, dimensions: number, chunks: readonly number[]): void;
  /** Vectors of these chunks were put, and of all that are equal. */
  changed(model: string, dimensions: number, chunks: readonly number[]): void;
  /** Chunks came, maybe with vectors of equal ones. */
  grown(): void;
  /** Everything is gone. */
  clear(): void;
}

interface Held {
  readonly model: string;
  readonly dimensions: number;
  readonly nearest: Nearest;
  /** All there were have been taken, up to this chunk. */
  complete: boolean;
  last: number;
  /** Chunks whose vectors were put since. */
  readonly changed: Set<number>;
  /** Chunks came since; they have higher numbers than any before. */
  grown: boolean;
  /** Its reading, one after another: what asks while another one takes over changes waits for them too. */
  turn: Promise<void>;
}

/** A copy that is made when it is wanted, from `from` vectors on (default: 4,000). */
export function createVectorCopy(ask: Ask, from = HOLD_FROM): VectorCopy {
  let held: Held | undefined;
  /** Of this model no copy can be made. */
  let unheld: string | undefined;
  let searches = 0;

  const heldOf = (model: string, dimensions: number): Held | null =>
    held?.model === model && held.dimensions === dimensions ? held : null;

  const inTurn = (copy: Held, work: () => Promise<void>): Promise<void> => {
    copy.turn = copy.turn.then(work).catch((error: unknown) => {
      if (held === copy) giveUp(copy.model, error);
    });
    return copy.turn;
  };
  const giveUp = (model: string, error: unknown) => {
    [held, unheld] = [undefined, model];
    console.info('Vectors are searched on disk', error instanceof Error ? error.message : error);
  };
  const created = (model: string, dimensions: number): Nearest | null => {
    try {
      return createNearest(dimensions);
    } catch (error) {
      giveUp(model, error);
      return null;
    }
  };

  /** Takes the chosen vectors; the last chunk among them. */
  const take = async (copy: Held, chosen: string, parameter: unknown): Promise<number | null> => {
    const [page] = await ask(
      pageRow,
      `select max(chunk) as last, string_agg(int4send(chunk) || halfvec_send(v::halfvec), '')::text as rows
       from (select chunk, v from vectors where model = ${MODEL} and ${chosen}) as page`,
      [copy.model, copy.dimensions, parameter],
    );
    if (page?.rows) copy.nearest.take(page.rows);
    return page?.last ?? null;
  };
  const takeNew = async (copy: Held): Promise<void> => {
    while (held === copy) {
      const last = await take(copy, `chunk > $3 order by chunk limit ${PAGE}`, copy.last);
      if (last === null) return;
      copy.last = last;
      if (!copy.complete) await new Promise((resolve) => setTimeout(resolve, 0));
    }
  };
  const takeChanges = async (copy: Held): Promise<void> => {
    if (copy.grown) {
      copy.grown = false;
      await takeNew(copy);
    }
    if (copy.changed.size > 0) {
      const chunks = toJson([...copy.changed]);
      copy.changed.clear();
      await take(
        copy,
        `chunk in (select s.n from chunks c join chunks s on s.hash = c.hash
         where c.n in (select json_array_elements_text($3::json)::integer))`,
        chunks,
      );
    }
  };

  return {
    likely: async (model, values, limit) => {
      const copy = heldOf(model, values.length);
      if (!copy?.complete) return null;
      await inTurn(copy, () => takeChanges(copy));
      return held === copy ? copy.nearest.find(values, Math.max(limit * LIKELY, limit + LEAST_LIKELY)) : null;
    },

    wonders: (model) => held?.model !== model && unheld !== model && searches++ % WONDER_EVERY === 0,

    want: (model, dimensions, vectors) => {
      if (held?.model === model || unheld === model || vectors < from || vectors > HOLD_UP_TO) return;
      const nearest = created(model, dimensions);
      if (!nearest) return;
      const copy: Held = {
        model,
        dimensions,
        nearest,
        complete: false,
        last: 0,
        changed: new Set(),
        grown: false,
        turn: Promise.resolve(),
      };
      held = copy;
      void inTurn(copy, async () => {
        await takeNew(copy);
        copy.complete = true;
      });
    },

    tidy: (model, dimensions, chunks) => {
      const copy = heldOf(model, dimensions);
      if (!copy) return;
      void inTurn(copy, async () => {
        const gone = await ask(
          goneRow,
          `select likely::integer as n from json_array_elements_text($3::json) as likely
           where not exists (select from vectors x where x.chunk = likely::integer and x.model = ${MODEL})`,
          [model, dimensions, toJson(chunks)],
        );
        copy.nearest.remove(gone.map(({ n }) => n));
      });
    },

    changed: (model, dimensions, chunks) => {
      if (held?.model !== model) return;
      for (const chunk of chunks) held.changed.add(chunk);
      if (held.dimensions !== dimensions || held.changed.size > CHANGED) held = undefined;
    },

    grown: () => {
      if (held) held.grown = true;
    },

    clear: () => {
      [held, unheld] = [undefined, undefined];
    },
  };
}
