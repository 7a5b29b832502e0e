// The tab's side of the index: starts the worker, reaches the leader through it, and survives a change of leader.
import { PGliteWorker } from '@electric-sql/pglite/worker';
import { type Problem, RecollectError, toError } from '../../domain/base/errors.ts';
import { ignore, orElse } from '../../domain/base/log.ts';
import { createRemoteIndex } from './calls.ts';
import type { EngineName, WantedEngine } from './engines.ts';
import type { MemoryIndex } from './memory-index.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { INDEX_ID, joinIndexNews, type News } from './worker-news.ts';

export interface IndexWorkerOptions {
  /** Engine to open if this tab's worker becomes the leader. */
  readonly wanted: WantedEngine;
  /** Another id is another index with its own leader and files. */
  readonly id?: string;
  /** Called once if the leader's open database turns out to be damaged: closing and opening again makes a new one. */
  readonly onDamaged?: (problem: Problem) => void;
  /**
   * Called once if Postgres crashed after opening: closing and opening again restores everything that was committed.
   */
  readonly onCrashed?: (problem: Problem) => void;
  /** Called if the database could not be opened and was replaced by a new one. */
  readonly onRemade?: () => void;
  /**
   * Called before the first answer of a new leader is delivered: it may not yet have read everything that its
   * predecessor had.
   */
  readonly onNewLeader?: () => void;
}

export interface IndexInWorker {
  /** Calls go to the leader, wherever it runs. `close` ends this tab's worker; if it led, another tab's takes over. */
  readonly index: MemoryIndex;
  /** Storage engine in which the current leader stores the files. */
  readonly engine: EngineName;
  isLeader(): boolean;
  /** Calls `listener` after the leader changed; returns a function that unsubscribes. */
  onLeaderChange(listener: () => void): () => void;
  /** Sends a message or a port to this tab's own worker. */
  post(message: unknown, transfer?: Transferable[]): void;
}

/** Error for a leader of another version, which this tab cannot use. */
const strangeLeader = (schema: number) =>
  schema > SCHEMA_VERSION
    ? new RecollectError(
        'newer-index',
        `Another tab leads with schema ${schema}, this one knows ${SCHEMA_VERSION}.`,
        {
          params: { found: schema, known: SCHEMA_VERSION },
        },
      )
    : new RecollectError('index-unavailable', 'Another tab still runs an older version of the app.', {
        retry: true,
      });

/** Rejects if the worker does not start. */
const startFailureOf = (worker: Worker) =>
  new Promise<never>((_, reject) => {
    worker.addEventListener(
      'error',
      ({ message }) =>
        reject(
          new RecollectError('index-unavailable', `The index's worker did not start: ${message}`, {
            params: { detail: message ?? '' },
            retry: true,
          }),
        ),
      { once: true },
    );
  });

/**
 * Starts the worker (its script calls `serveIndex`) and waits until a leader has the database open.
 * @throws RecollectError `newer-index` when a newer app made it; `index-damaged` or `index-crashed` while a leader has
 *   one that is damaged inside or stopped;
 * `index-unavailable` when no engine or the worker did not start.
 */
export async function openIndexInWorker(
  startWorker: () => Worker,
  { wanted, id = INDEX_ID, onDamaged, onCrashed, onRemade, onNewLeader }: IndexWorkerOptions,
): Promise<IndexInWorker> {
  let engine: EngineName | undefined;
  let problem: RecollectError | undefined;
  const listeners = new Set<() => void>();
  const receive = (news: News) => {
    if (news.type === 'ask') return;
    problem =
      news.type !== 'opened'
        ? toError(news.problem)
        : news.schema === SCHEMA_VERSION
          ? undefined
          : strangeLeader(news.schema);
    if (news.type === 'opened') engine = news.engine;
    if (news.type === 'opened' && news.remade) onRemade?.();
    for (const listener of [...listeners]) listener();
  };
  const on = (listener: () => void) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  };

  const closing = new AbortController();
  const notify = joinIndexNews(id, receive, closing.signal);
  const worker = startWorker();
  const broken = startFailureOf(worker);
  ignore(broken, 'the end of the index worker after its start, which its crash reports');

  let database: PGliteWorker | undefined;
  try {
    // Do not post to the worker before this resolves: PGlite reads the first message as its own.
    database = await Promise.race([PGliteWorker.create(worker, { id, meta: { wanted } }), broken]);
    const known = new Promise<void>((resolve) => {
      if (engine !== undefined || problem) return resolve();
      const stop = on(() => {
        stop();
        resolve();
      });
    });
    notify({ type: 'ask' });
    await Promise.race([known, broken]);
    if (problem) throw problem;
    // Waits until PGlite stops probing the leader: closing it before that would be an error.
    await Promise.race([database.waitReady, broken]);
  } catch (error) {
    closing.abort();
    if (database) await closeProbing(database);
    else worker.terminate();
    throw error;
  }

  const pglite = database;
  // After each change of leader PGlite probes by timer, and would continue on a closed channel.
  let probed = Promise.resolve();
  pglite.onLeaderChange(() => {
    probed = answered(pglite);
  });
  const { port1, port2 } = new MessageChannel();
  const remote = createRemoteIndex(port1, onNewLeader);
  worker.postMessage({ type: 'calls', id }, [port2]);
  // A new leader that could not open the database will not answer either.
  on(() => remote.refuse(problem));
  const index: MemoryIndex = {
    ...remote.index,
    close: async () => {
      closing.abort();
      remote.refuse(new RecollectError('index-unavailable', 'The index was closed.'));
      port1.close();
      await probed;
      await pglite.close();
    },
  };
  // PGlite's own first calls to the leader must end too: if the leader disappears meanwhile, their rejections would
  // be uncaught.
  const quiet = new Promise<void>((resolve) => {
    pglite.onLeaderChange(() => resolve());
    pglite.query('select 1').then(
      () => resolve(),
      () => resolve(),
    );
  });
  await Promise.all([index.bookmark(), quiet]).catch(async (error: unknown) => {
    await index.close();
    throw error;
  });
  let notified = false;
  const notifyLost = () => {
    const lost = problem?.problem;
    const notify = { 'index-damaged': onDamaged, 'index-crashed': onCrashed }[String(lost?.code)];
    if (notified || !lost || !notify) return;
    notified = true;
    notify(lost);
  };
  on(notifyLost);
  notifyLost();
  return {
    index,
    get engine() {
      return engine ?? 'memory';
    },
    isLeader: () => pglite.isLeader,
    onLeaderChange: (listener) => pglite.onLeaderChange(listener),
    post: (message, transfer = []) => worker.postMessage(message, transfer),
  };
}

/** Longer than the pause between two of PGlite's probes, in ms. */
const LAST_PROBE_MS = 200;

/**
 * Closes a connection that never reached a leader. It probes by timer, once more after its channel was closed, which
 * fails uncaught.
 */
async function closeProbing(pglite: PGliteWorker): Promise<void> {
  const hush = (event: PromiseRejectionEvent) => {
    if ((event.reason as { name?: unknown } | null)?.name === 'InvalidStateError') event.preventDefault();
  };
  addEventListener('unhandledrejection', hush);
  try {
    await pglite.close();
    await new Promise((resolve) => setTimeout(resolve, LAST_PROBE_MS));
  } finally {
    removeEventListener('unhandledrejection', hush);
  }
}

/** Probes before a silent leader counts as gone, and time for each, in ms. */
const PROBES = 40;
const PROBE_MS = 50;

/**
 * Resolves when the leader answers this tab, at the latest after two seconds: what was asked
 * before it listened is never answered.
 */
async function answered(pglite: PGliteWorker): Promise<void> {
  for (let tries = 0; tries < PROBES; tries++) {
    const answer = orElse(
      pglite.query('select 1').then(() => true),
      false,
      'a question to the leader of the index; it is asked again',
    );
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), PROBE_MS));
    if (await Promise.race([answer, late])) return;
  }
}
