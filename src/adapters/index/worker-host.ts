// The worker's side of the index: waits to become the leader, opens the database, serves it to all tabs.
import { worker } from '@electric-sql/pglite/worker';
import { z } from 'zod';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import type { RecordCipher } from '../../domain/base/record-cipher.ts';
import type { ReadIndexCode } from './assembled.ts';
import { createExchange, type Exchange } from './calls.ts';
import { type EngineName, openEngine, type WantedEngine } from './engines.ts';
import type { MemoryIndex } from './memory-index.ts';
import { createPgliteIndex } from './pglite.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { type Database, isDamaged, PostgresCrash } from './statements.ts';
import { INDEX_ID, joinIndexNews, type News } from './worker-news.ts';

/** Parameters that the tab sends along when it starts the worker. */
const metaSchema = z.object({ wanted: z.enum(['auto', 'opfs', 'indexeddb', 'memory']).default('auto') });

/** Message of a tab to its own worker, with the port on which it will call. */
const callsSchema = z.object({ type: z.literal('calls'), id: z.string() });

/** `damaged`: inside, so they are given up at the next opening. An engine's name: its files have been open, so they were whole then. */
export const conditionSchema = z.enum(['damaged', 'opfs', 'indexeddb', 'memory']);
export type Condition = z.infer<typeof conditionSchema>;

interface IndexHost {
  /** The engine wanted now: asked at the moment of becoming the leader, which may be long after the start. Default: what the tab said. */
  readonly wanted?: () => Promise<WantedEngine>;
  /** Remembers across workers what is known of the files. Default: nothing does. */
  readonly condition?: { get(): Promise<Condition | undefined>; set(condition: Condition): Promise<void> };
  /** Called once, when this worker leads and the database is open. The index goes straight to it, without a thread in between. */
  readonly onOpened?: (opened: { index: MemoryIndex; engine: EngineName }) => void;
  /** Address of the packed empty database, see `EngineOptions`. */
  readonly cluster?: string | undefined;
  /** See `PgliteIndexOptions`. */
  readonly readAssembly?: ReadIndexCode;
  /** Cipher of a locked device, asked for at the moment of becoming the leader. Default: nothing is sealed. */
  readonly cipher?: () => Promise<RecordCipher | null>;
  /** Called instead when it could not be opened; tabs are told by themselves. */
  readonly onFailed?: (error: unknown) => void;
}

/** Wraps a database. `onLost` is called once, when a statement meets damage or Postgres ends, and has noted that before the statement fails. */
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
 * Serves the index to tabs. To be called at once when the worker starts: PGlite's greeting must be the first message
 * in either direction. Resolves when this worker leads with the database open; one that never does waits until its tab closes.
 */
export async function serveIndex({
  wanted,
  condition,
  cluster,
  readAssembly,
  cipher,
  onOpened,
  onFailed,
}: IndexHost = {}): Promise<void> {
  let exchange: Exchange | undefined;
  const exchangeOf = (id: string): Exchange => {
    if (exchange) return exchange;
    const mine = createExchange(id);
    // Only waiting workers hear this: a leader does not receive its own news.
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
        /** Errors are ignored: the next opening finds a lost state out by itself. */
        const remember = async (now: Condition) =>
          condition
            ?.set(now)
            .catch((failed: unknown) => log.warn('The state of the index could not be kept', failed));
        const before = await condition?.get();
        const opened = await openEngine({
          wanted: engine,
          name: id,
          fresh: before === 'damaged',
          cluster,
          cipher: (await cipher?.()) ?? null,
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
        // Files that never opened are those of a first start that was cut off: nothing was lost with them.
        announce({ ...said, remade: opened.remade && before === opened.engine });
        state = { ...said, remade: false };
        onOpened?.({ index, engine: opened.engine });
        return opened.database;
      } catch (error) {
        announce({ type: 'failed', problem: toProblem(error) });
        onFailed?.(error);
        // The news is out; this worker stays the leader, so that no other repeats the attempt. PGlite must not learn of it: it would
        // reject again, uncaught, for every tab that probes.
        return new Promise<never>(() => {});
      }
    },
  });
}
