// The worker's side of the index: waits to become the leader, opens the database, serves it to all tabs.
import { worker } from '@electric-sql/pglite/worker';
import { z } from 'zod';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import type { RecordCipher } from '../../domain/base/record-cipher.ts';
import type { ReadIndexCode } from './assembled.ts';
import { createExchange, type Exchange } from './calls.ts';
import { type EngineName, type EngineOptions, openEngine, type WantedEngine } from './engines.ts';
import type { MemoryIndex } from './memory-index.ts';
import { createPgliteIndex } from './pglite.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { type Database, isDamaged, PostgresCrash } from './statements.ts';
import { INDEX_ID, joinIndexNews, type News } from './worker-news.ts';

/** Parameters that the tab sends along when it starts the worker. */
const metaSchema = z.object({ wanted: z.enum(['auto', 'opfs', 'indexeddb', 'memory']).default('auto') });

/** Message of a tab to its own worker, with the port on which it will call. */
const callsSchema = z.object({ type: z.literal('calls'), id: z.string() });

/**
 * State of the files: `damaged` means that the next opening deletes them; an engine's name, that they have been open
 * and were whole.
 */
export const conditionSchema = z.enum(['damaged', 'opfs', 'indexeddb', 'memory']);
export type Condition = z.infer<typeof conditionSchema>;

interface IndexHost {
  /**
   * Returns the engine wanted when this worker becomes the leader, which may be long after its start. Default: the
   * tab's parameter.
   */
  readonly wanted?: () => Promise<WantedEngine>;
  /** Stores the known state of the files across workers. Default: not stored. */
  readonly condition?: { get(): Promise<Condition | undefined>; set(condition: Condition): Promise<void> };
  /** Called once, when this worker leads and the database is open. Calls to the index need no other thread. */
  readonly onOpened?: (opened: { index: MemoryIndex; engine: EngineName }) => void;
  /** Address of the packed empty database (`EngineOptions`). */
  readonly cluster?: string | undefined;
  /** See `PgliteIndexOptions`. */
  readonly readAssembly?: ReadIndexCode;
  /** Returns the cipher of a locked device when this worker becomes the leader. Default: nothing is sealed. */
  readonly cipher?: () => Promise<RecordCipher | null>;
  /** See `EngineOptions`. Called once the cipher is there. */
  readonly startReader?: EngineOptions['startReader'];
  /** Called instead if opening failed; tabs learn of it by the news channel. */
  readonly onFailed?: (error: unknown) => void;
}

/**
 * Wraps a database. `onLost` is called once if it is damaged or Postgres crashed, and has stored that before the
 * statement fails.
 */
function watched(database: Database, onLost: (error: unknown) => Promise<void>): Database {
  let received = false;
  return {
    query: async (...given: Parameters<Database['query']>) => {
      try {
        return (await database.query(...given)) as never;
      } catch (error) {
        if (!received && (isDamaged(error) || error instanceof PostgresCrash)) {
          received = true;
          await onLost(error);
        }
        throw error;
      }
    },
    close: () => database.close(),
  };
}

/**
 * Serves the index to tabs. Call it first in a worker, since PGlite's greeting must be the first message either way.
 * Resolves when this worker leads with the database open; otherwise waits until its tab closes.
 */
export async function serveIndex({
  wanted,
  condition,
  cluster,
  readAssembly,
  cipher,
  startReader,
  onOpened,
  onFailed,
}: IndexHost = {}): Promise<void> {
  let exchange: Exchange | undefined;
  const exchangeOf = (id: string): Exchange => {
    if (exchange) return exchange;
    const mine = createExchange(id);
    // Only waiting workers receive this: a leader does not receive its own news.
    joinIndexNews(id, ({ type }) => type === 'opened' && mine.leaderChanged());
    exchange = mine;
    return mine;
  };
  self.addEventListener('message', ({ data, ports }: MessageEvent<unknown>) => {
    const hello = callsSchema.safeParse(data);
    if (hello.success && ports[0]) exchangeOf(hello.data.id).accept(ports[0]);
  });
  await worker({
    init: async (options) => {
      const id = options.id ?? INDEX_ID;
      let state: News | undefined;
      const notify = joinIndexNews(id, ({ type }) => {
        if (type === 'ask' && state) notify(state);
      });
      const announce = (next: News) => {
        state = next;
        notify(next);
      };
      try {
        const meta = metaSchema.parse(options.meta ?? {});
        const engine = (await wanted?.()) ?? meta.wanted;
        /** Errors are ignored: without the stored state the next opening finds the damage itself. */
        const remember = async (now: Condition) =>
          condition
            ?.set(now)
            .catch((failed: unknown) => log.warn('The state of the index could not be stored', failed));
        const before = await condition?.get();
        const opened = await openEngine({
          wanted: engine,
          name: id,
          fresh: before === 'damaged',
          cluster,
          cipher: (await cipher?.()) ?? null,
          startReader,
        });
        if (before !== opened.engine) await remember(opened.engine);
        for (const { engine: other, reason } of opened.passedOver)
          log.info(`The memory index is not kept in ${other}`, reason);
        const onLost = async (error: unknown) => {
          const { message } = toProblem(error);
          const crashed = error instanceof PostgresCrash;
          log.warn(crashed ? 'The memory index stopped' : 'The memory index is damaged', error);
          if (!crashed) await remember('damaged');
          const { problem } = new RecollectError(crashed ? 'index-crashed' : 'index-damaged', message, {
            params: { detail: message },
            retry: true,
          });
          announce({ type: crashed ? 'crashed' : 'damaged', problem });
        };
        const index = createPgliteIndex(watched(opened.database, onLost), readAssembly && { readAssembly });
        exchangeOf(id).lead(index);
        const said = { type: 'opened', engine: opened.engine, schema: SCHEMA_VERSION } as const;
        // Files that were never open come from an interrupted first start, so nothing was lost.
        announce({ ...said, remade: opened.remade && before === opened.engine });
        state = { ...said, remade: false };
        onOpened?.({ index, engine: opened.engine });
        return opened.database;
      } catch (error) {
        announce({ type: 'failed', problem: toProblem(error) });
        onFailed?.(error);
        // The tabs have been notified, and this worker stays the leader so that no other repeats the attempt. PGlite
        // must not see the error: it would reject again, uncaught, for every tab that probes.
        return new Promise<never>(() => {});
      }
    },
  });
}
