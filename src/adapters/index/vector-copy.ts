// Keeps a copy of one model's vectors in memory, so that a search need not read them all from the
// table. Its owner reports every write, and it takes the changes over before the next answer; while it
// cannot answer, the table is searched.

import { z } from 'zod';
import { log, orElse } from '../../domain/base/log.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { yieldToEvents } from '../../domain/base/yielding.ts';
import { createNearest, type Likely, type Nearest } from './nearest.ts';
import { type Ask, fromHex, type SqlValue, toJson } from './statements.ts';

/** Number of vectors up to which a scan of the table is as fast. */
const HOLD_FROM = 4_000;
/** Most vectors in a copy, which would otherwise take too much memory. */
const HOLD_UP_TO = 250_000;
/** Vectors copied in one statement, which delays other statements by some 8 ms. */
const PAGE = 250;
/** Bytes of a vector's row beside its numbers (four bytes each); size of a page, and the usable part of it. */
const [ROW_BYTES, PAGE_BYTES, PAGE_SPACE] = [48, 8_192, 8_152];
/**
 * Estimates the number of vectors in a table of that size: the rest of each page stays unused, and larger vectors are
 * split.
 */
const vectorsIn = (bytes: number, dimensions: number): number => {
  const row = ROW_BYTES + 4 * dimensions;
  return row > PAGE_SPACE ? bytes / row : (bytes / PAGE_BYTES) * Math.floor(PAGE_SPACE / row);
};
/** Number of searches between two requests for the table's size. */
const ASK_SIZE_EVERY = 16;
/** Likely nearest chunks for each wanted one, and a minimum besides. */
const LIKELY = 4;
const LEAST_LIKELY = 150;

const MODEL = '(select n from models where id = $1 and dimensions = $2)';
const pageRow = z.object({ last: z.number().nullable(), rows: z.string().transform(fromHex).nullable() });
const goneRow = z.object({ n: z.number() });

export interface VectorCopy {
  /** Returns the chunks that can be among the nearest `limit`; null if the table must be searched. */
  likely(model: string, values: Float32Array, limit: number): Promise<Likely | null>;
  /**
   * True if `want` needs the size of the table: without a copy, and only now and then,
   * since that request takes a millisecond.
   */
  mayAskSize(model: string): boolean;
  /** Says that this model is or will be in use and how many bytes its table takes; starts a copy if that pays off. */
  want(model: string, dimensions: number, bytes: number): void;
  /** Too many of the likely chunks were gone: forgets those of `chunks` that no longer exist. */
  tidy(model: string, dimensions: number, chunks: readonly number[]): void;
  /** Reports new vectors of these chunks, and of all with an equal text. */
  changed(model: string, dimensions: number, chunks: readonly number[]): void;
  /** Reports new chunks, which may share vectors with equal ones. */
  grown(): void;
  /** Says that everything was removed. */
  clear(): void;
}

interface Held {
  readonly model: string;
  readonly dimensions: number;
  readonly nearest: Nearest;
  /** True once all vectors up to the newest chunk have been copied. */
  complete: boolean;
  last: number;
  /** Chunks whose vectors were written since. */
  readonly changed: Set<number>;
  /** True if new chunks have come since; their numbers are higher than all before. */
  grown: boolean;
  /** Serial queue of its reads: a search waits while changes are being copied. */
  readonly queue: SerialQueue;
}

/**
 * Makes a copy on demand, from `from` vectors on (default: 4,000). @param code `dot-products.wat`; may reject, and is
 * then called again
 */
export function createVectorCopy(
  ask: Ask,
  code: () => Promise<WebAssembly.Module>,
  from = HOLD_FROM,
): VectorCopy {
  return new PagedVectorCopy(ask, code, from);
}

class PagedVectorCopy implements VectorCopy {
  readonly #ask: Ask;
  readonly #code: () => Promise<WebAssembly.Module>;
  readonly #from: number;
  /** Model for whose copy the code is being read. */
  #wanted: string | undefined;
  #held: Held | undefined;
  /** Model for which no copy can be made. */
  #unheld: string | undefined;
  #searches = 0;

  constructor(ask: Ask, code: () => Promise<WebAssembly.Module>, from: number) {
    this.#ask = ask;
    this.#code = code;
    this.#from = from;
  }

  async likely(model: string, values: Float32Array, limit: number): Promise<Likely | null> {
    const copy = this.#heldOf(model, values.length);
    if (!copy?.complete) return null;
    await this.#inTurn(copy, () => this.#takeChanges(copy));
    return this.#held === copy
      ? copy.nearest.find(values, Math.max(limit * LIKELY, limit + LEAST_LIKELY))
      : null;
  }

  mayAskSize(model: string): boolean {
    return this.#held?.model !== model && this.#unheld !== model && this.#searches++ % ASK_SIZE_EVERY === 0;
  }

  want(model: string, dimensions: number, bytes: number): void {
    const vectors = vectorsIn(bytes, dimensions);
    if (vectors < this.#from || vectors > HOLD_UP_TO || this.#wanted === model) return;
    if (this.#held?.model === model || this.#unheld === model) return;
    this.#wanted = model;
    const code = orElse(this.#code(), null, 'the code that compares vectors; the table is searched');
    void code.then((loaded) => {
      if (this.#wanted !== model) return;
      this.#wanted = undefined;
      if (loaded) this.#begin(model, dimensions, loaded);
    });
  }

  #begin(model: string, dimensions: number, code: WebAssembly.Module): void {
    const nearest = this.#created(model, dimensions, code);
    if (!nearest) return;
    const copy: Held = {
      model,
      dimensions,
      nearest,
      complete: false,
      last: 0,
      changed: new Set(),
      grown: false,
      queue: new SerialQueue(),
    };
    this.#held = copy;
    void this.#inTurn(copy, async () => {
      await this.#takeNew(copy);
      copy.complete = true;
    });
  }

  tidy(model: string, dimensions: number, chunks: readonly number[]): void {
    const copy = this.#heldOf(model, dimensions);
    if (!copy) return;
    void this.#inTurn(copy, async () => {
      const gone = await this.#ask(
        goneRow,
        `select likely::integer as n from json_array_elements_text($3::json) as likely
           where not exists (select from vectors x where x.chunk = likely::integer and x.model = ${MODEL})`,
        [model, dimensions, toJson(chunks)],
      );
      copy.nearest.remove(gone.map(({ n }) => n));
    });
  }

  changed(model: string, dimensions: number, chunks: readonly number[]): void {
    if (this.#held?.model !== model) return;
    const copy = this.#held;
    if (copy.dimensions !== dimensions) {
      this.#held = undefined;
      return;
    }
    const before = copy.changed.size;
    for (const chunk of chunks) copy.changed.add(chunk);
    // Copies many changes early, so that no search waits for them.
    if (before < PAGE && copy.changed.size >= PAGE) void this.#inTurn(copy, () => this.#takeChanges(copy));
  }

  grown(): void {
    if (this.#held) this.#held.grown = true;
  }

  clear(): void {
    [this.#held, this.#unheld, this.#wanted] = [undefined, undefined, undefined];
  }

  #heldOf(model: string, dimensions: number): Held | null {
    return this.#held?.model === model && this.#held.dimensions === dimensions ? this.#held : null;
  }

  #inTurn(copy: Held, work: () => Promise<void>): Promise<void> {
    return copy.queue.run(work).catch((error: unknown) => {
      if (this.#held === copy) this.#giveUp(copy.model, error);
    });
  }

  #giveUp(model: string, error: unknown): void {
    [this.#held, this.#unheld] = [undefined, model];
    log.info('Vectors are searched on disk', error);
  }

  #created(model: string, dimensions: number, code: WebAssembly.Module): Nearest | null {
    try {
      return createNearest(dimensions, code);
    } catch (error) {
      this.#giveUp(model, error);
      return null;
    }
  }

  /** Copies the selected vectors; returns the last chunk among them. */
  async #take(copy: Held, chosen: string, parameter: SqlValue): Promise<number | null> {
    const [page] = await this.#ask.prepared(
      pageRow,
      `select max(chunk) as last, string_agg(int4send(chunk) || halfvec_send(v::halfvec), '')::text as rows
       from (select chunk, v from vectors where model = ${MODEL} and ${chosen}) as page`,
      [copy.model, copy.dimensions, parameter],
    );
    if (page?.rows) copy.nearest.take(page.rows);
    return page?.last ?? null;
  }

  async #takeNew(copy: Held): Promise<void> {
    while (this.#held === copy) {
      const last = await this.#take(copy, `chunk > $3 order by chunk limit ${PAGE}`, copy.last);
      if (last === null) return;
      copy.last = last;
      if (!copy.complete) await yieldToEvents();
    }
  }

  async #takeChanges(copy: Held): Promise<void> {
    if (copy.grown) {
      copy.grown = false;
      await this.#takeNew(copy);
    }
    while (this.#held === copy && copy.changed.size > 0) {
      const chunks = [...copy.changed].slice(0, PAGE);
      for (const chunk of chunks) copy.changed.delete(chunk);
      await this.#take(
        copy,
        `chunk in (select s.n from chunks c join chunks s on s.hash = c.hash
         where c.n in (select json_array_elements_text($3::json)::integer))`,
        toJson(chunks),
      );
    }
  }
}
