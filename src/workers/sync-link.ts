// How tabs and the engine that syncs talk: one channel per origin, since sync runs in one tab's worker and every tab needs it. Messages
// carry no content and no keys, and are checked before they are believed. A question is asked again until it is answered: the thread
// that leads may have ended, and the next one not begun.
//
//   tab ──starts, once sync is wanted──► its thread ──waits──► LEADERSHIP ──► ALIVE held ──► status ──► all tabs
//    └── waits for ALIVE to be free: then the thread that led is gone, and nothing that it said counts any more
import { z } from 'zod';
import { isAbort, type Problem, RecollectError, toProblem } from '../domain/base/errors.ts';
import { log } from '../domain/base/log.ts';
import { type Readable, type Writable, writable } from '../domain/base/readable.ts';
import type { Config } from '../domain/settings/config.ts';
import { type SyncAnswer, type SyncRequest, syncRequestSchema } from '../services/sync/requests.ts';
import { SYNC_OFF, type SyncStatus } from '../services/sync/sync.ts';
import { problemSchema } from './engine-link.ts';

const CHANNEL = 'recollect-sync';
/** The lock that a thread waits for in order to lead. */
export const LEADERSHIP = 'recollect-sync';
/** Held by the leader besides: tabs may wait for this one without ever keeping the next leader waiting. */
const ALIVE = 'recollect-sync:alive';
const REPEAT_MS = 1_000;
/** Joining asks a relay, which may take its time. */
const REQUEST_TIMEOUT_MS = 90_000;

const statusSchema = z.object({
  mode: z.enum(['disabled', 'local', 'remote', 'managed']),
  state: z.enum(['disabled', 'local', 'unpaired', 'connecting', 'offline', 'syncing', 'synced', 'stopped']),
  account: z
    .object({
      fingerprint: z.string(),
      endpoint: z.string(),
      // A leader of an earlier version does not tell.
      managed: z.boolean().default(false),
      since: z.number(),
    })
    .nullable(),
  waiting: z.number(),
  fetching: z.number(),
  syncedAt: z.number().nullable(),
  unreadable: z.number(),
  withheld: z.number(),
  devices: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      here: z.boolean(),
      pairedAt: z.number(),
      seenAt: z.number(),
      missing: z.number(),
    }),
  ),
  problem: problemSchema.nullable(),
}) as z.ZodType<SyncStatus>;

const answerSchema: z.ZodType<SyncAnswer> = z.union([
  z.object({ place: z.enum(['here', 'relay', 'withheld']), devices: z.array(z.string()) }),
  z.string(),
  z.null(),
]);

const messageSchema = z.discriminatedUnion('type', [
  /** A tab asks how things stand. */
  z.object({ type: z.literal('hello') }),
  z.object({ type: z.literal('status'), status: statusSchema }),
  z.object({ type: z.literal('ask'), id: z.string(), request: syncRequestSchema }),
  z.object({
    type: z.literal('answer'),
    id: z.string(),
    answer: answerSchema.optional(),
    problem: problemSchema.optional(),
  }),
]);
type Message = z.infer<typeof messageSchema>;

function joinChannel(listener: (message: Message) => void, signal: AbortSignal): (message: Message) => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', ({ data }) => {
    const parsed = messageSchema.safeParse(data);
    if (parsed.success) listener(parsed.data);
  });
  signal.addEventListener('abort', () => channel.close(), { once: true });
  return (message) => {
    if (!signal.aborted) channel.postMessage(message);
  };
}

/** What a tab hears from its own thread where that cannot run. */
const failureSchema = z.object({ type: z.literal('failed'), problem: problemSchema });
export type ThreadFailure = { readonly type: 'failed'; readonly problem: Problem };

/** What is known while no thread speaks. */
const initialStatus = (mode: SyncStatus['mode'], problem: Problem | null = null): SyncStatus => ({
  ...SYNC_OFF,
  mode,
  state: mode === 'disabled' || mode === 'local' ? mode : problem ? 'stopped' : 'connecting',
  problem,
});

export interface SyncLink {
  readonly status: Readable<SyncStatus>;
  ask(request: SyncRequest): Promise<SyncAnswer>;
}

/** A thread that does not speak for so long does not run, ms. */
const START_MS = 30_000;
/** After the leader ended another tab's thread leads within this time; where none does, this tab's own has ended, ms. */
const SUCCESSION_MS = 3_000;
/** One that ended or failed soon after its start is not started again before this time, ms. */
const RETRY_MS = 60_000;

interface TabSyncLinkDeps {
  readonly startThread: () => Worker;
  readonly config: Readable<Config>;
  readonly signal: AbortSignal;
  readonly startMs?: number;
  readonly retryMs?: number;
}

/**
 * The tab's end, until the signal. `startThread` is called once sync is wanted or asked for, and again where the thread has ended by itself.
 * The status is what the leading thread says; where none speaks it says so, and nothing that a thread that ended had said.
 */
export function connectSync(deps: TabSyncLinkDeps): SyncLink {
  return new TabSyncLink(deps);
}

class TabSyncLink implements SyncLink {
  readonly #deps: TabSyncLinkDeps;
  readonly #startMs: NonNullable<TabSyncLinkDeps['startMs']>;
  readonly #retryMs: NonNullable<TabSyncLinkDeps['retryMs']>;
  readonly status: Writable<SyncStatus>;
  readonly #pending = new Map<string, (message: Extract<Message, { type: 'answer' }>) => void>();
  #thread: Worker | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  /** A thread leads, in this tab or another. */
  #isLed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #send: ReturnType<typeof joinChannel>;

  constructor(deps: TabSyncLinkDeps) {
    this.#deps = deps;
    const { startMs = START_MS, retryMs = RETRY_MS } = deps;
    this.#startMs = startMs;
    this.#retryMs = retryMs;
    this.status = writable<SyncStatus>(initialStatus(this.#mode()));
    this.#send = joinChannel((message) => {
      if (message.type === 'status') {
        if (!this.#isLed) this.#watchLeader();
        this.status.set(message.status);
      } else if (message.type === 'answer') this.#pending.get(message.id)?.(message);
    }, deps.signal);
    const stopConfig = deps.config.subscribe(() => {
      if (!this.#isLed && this.status.get().mode !== this.#mode())
        this.status.set(initialStatus(this.#mode()));
      if (this.#isWanted()) this.#start();
    });
    deps.signal.addEventListener(
      'abort',
      () => {
        clearTimeout(this.#timer);
        stopConfig();
      },
      { once: true },
    );
    this.#send({ type: 'hello' });
    if (this.#isWanted()) this.#start();
  }

  ask(request: SyncRequest): Promise<SyncAnswer> {
    return new Promise((resolve, reject) => {
      const id = crypto.randomUUID();
      const post = () => this.#send({ type: 'ask', id, request });
      const again = setInterval(post, REPEAT_MS);
      const end = () => {
        clearInterval(again);
        clearTimeout(timer);
        this.#pending.delete(id);
        this.#deps.signal.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        end();
        reject(this.#deps.signal.reason);
      };
      const timer = setTimeout(() => {
        end();
        reject(new RecollectError('sync-offline', 'The thread that syncs does not answer', { retry: true }));
      }, REQUEST_TIMEOUT_MS);
      this.#deps.signal.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, ({ answer, problem }) => {
        end();
        if (problem)
          reject(
            new RecollectError(problem.code, problem.message, {
              retry: problem.retry,
              ...(problem.params ? { params: problem.params } : {}),
            }),
          );
        else resolve(answer ?? null);
      });
      post();
      this.#start();
    });
  }

  #mode() {
    return this.#deps.config.get().sync.mode;
  }

  #isWanted(): boolean {
    return this.#mode() === 'remote' || this.#mode() === 'managed';
  }

  #later(ms: number, work: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(work, ms);
  }

  /** Hears of the end of the thread that leads. */
  #watchLeader(): void {
    this.#isLed = true;
    clearTimeout(this.#timer);
    navigator.locks
      .request(ALIVE, { mode: 'shared', signal: this.#deps.signal }, () => {})
      .then(
        () => this.#onLeaderGone(),
        (error: unknown) => {
          if (!isAbort(error)) log.warn('The end of the syncing thread cannot be noticed', error);
        },
      );
  }

  #onLeaderGone(): void {
    this.#isLed = false;
    this.status.set(initialStatus(this.#mode()));
    this.#send({ type: 'hello' });
    const young = performance.now() - this.#startedAt < this.#retryMs;
    this.#later(young ? this.#retryMs : SUCCESSION_MS, () => {
      this.#stop();
      if (this.#isWanted()) this.#start();
    });
  }

  #stop(): void {
    this.#thread?.terminate();
    this.#thread = undefined;
  }

  #fail(problem: Problem): void {
    this.#stop();
    if (this.#isLed) return;
    this.status.set(initialStatus(this.#mode(), problem));
    for (const [id, receive] of this.#pending) receive({ type: 'answer', id, problem });
    this.#later(this.#retryMs, () => this.#isWanted() && this.#start());
  }

  #start(): void {
    if (this.#thread || this.#deps.signal.aborted) return;
    this.#startedAt = performance.now();
    const mine = this.#deps.startThread();
    this.#thread = mine;
    const broken = (detail: string): Problem => ({
      code: 'sync-thread',
      message: `The thread that syncs does not run: ${detail}`,
      params: { detail },
      retry: true,
    });
    mine.addEventListener('error', ({ message }) => {
      if (mine === this.#thread && !this.#isLed) this.#fail(broken(message ?? ''));
    });
    mine.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      const failure = failureSchema.safeParse(data);
      if (failure.success && mine === this.#thread) this.#fail(failure.data.problem as Problem);
    });
    if (!this.#isLed) this.#later(this.#startMs, () => this.#fail(broken('it does not answer')));
  }
}

/** Lets tabs hear of the end of this thread, which leads. To be called before it says anything. */
export function holdAliveLock(): void {
  void navigator.locks.request(ALIVE, () => new Promise<never>(() => {}));
}

/** The engine's end, until the signal. Returns how to tell the status. A question that is asked again is answered once. */
export function serveSync(
  ask: (request: SyncRequest) => Promise<SyncAnswer>,
  signal: AbortSignal,
): (status: SyncStatus) => void {
  let last: SyncStatus | undefined;
  const answered = new Set<string>();
  const send = joinChannel((message) => {
    if (message.type === 'hello' && last) send({ type: 'status', status: last });
    if (message.type !== 'ask' || answered.has(message.id)) return;
    answered.add(message.id);
    if (answered.size > 1000) for (const oldest of [...answered].slice(0, 500)) answered.delete(oldest);
    ask(message.request).then(
      (answer) => send({ type: 'answer', id: message.id, answer }),
      (error: unknown) => send({ type: 'answer', id: message.id, problem: toProblem(error) }),
    );
  }, signal);
  return (status) => {
    last = status;
    send({ type: 'status', status });
  };
}
