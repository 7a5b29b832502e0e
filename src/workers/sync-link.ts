// Messages between tabs and the sync engine: one BroadcastChannel for the origin, since sync runs in one tab's worker
// and every tab needs it. They carry no content and no keys, and each receiver checks them by a schema. A tab repeats
// its request until it is answered, since the leading thread may have ended before the next one leads.
//
//   tab ──starts, once sync is wanted──► its thread ──waits for──► LEADERSHIP ──► holds ALIVE ──► tells all tabs
//    └── waits until ALIVE is free: the leading thread is then gone, and its last status no longer counts
import { z } from 'zod';
import { isAbort, type Problem, RecollectError, toError } from '../domain/base/errors.ts';
import { ignore, log } from '../domain/base/log.ts';
import { problemSchema } from '../domain/base/problem-schema.ts';
import { type Readable, type Writable, writable } from '../domain/base/readable.ts';
import { isTimeout, withTimeLimit } from '../domain/base/time-limit.ts';
import type { Config } from '../domain/settings/config.ts';
import { type Caller, createCaller, serveCalls } from '../domain/threads/calls.ts';
import type { MessageEndpoint } from '../domain/threads/endpoint.ts';
import { joinNews } from '../domain/threads/news.ts';
import { type SyncAnswer, type SyncRequest, syncRequestSchema } from '../services/sync/requests.ts';
import { SYNC_OFF, type SyncLocation, type SyncStatus } from '../services/sync/sync.ts';

const CHANNEL = 'recollect-sync';
/** Web Lock that a thread waits for in order to lead. */
export const LEADERSHIP = 'recollect-sync';
/** Second Web Lock of the leader, for which tabs can wait without ever delaying the next leader. */
const ALIVE = 'recollect-sync:alive';
/** Time between two repetitions of an unanswered request, ms. */
const REPEAT_MS = 1_000;
/** Longest wait for an answer, ms. Joining an account asks a relay, which may take a while. */
const REQUEST_TIMEOUT_MS = 90_000;

const statusSchema = z.object({
  mode: z.enum(['disabled', 'local', 'remote', 'managed']),
  state: z.enum(['disabled', 'local', 'unpaired', 'connecting', 'offline', 'syncing', 'synced', 'stopped']),
  account: z
    .object({
      fingerprint: z.string(),
      endpoint: z.string(),
      // Absent from a leader of an earlier version.
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
}) as z.ZodType<SentStatus>;

/**
 * Status and answers by the names that tabs of every version send, since an old tab may be open beside an updated one.
 */
type SentStatus = Omit<SyncStatus, 'localOnly'> & { readonly withheld: number };
type SentAnswer =
  | Exclude<SyncAnswer, SyncLocation>
  | (Omit<SyncLocation, 'place'> & { readonly place: SentPlace });
type SentPlace = Exclude<SyncLocation['place'], 'localOnly'> | 'withheld';

const answerSchema: z.ZodType<SentAnswer> = z.union([
  z.object({ place: z.enum(['here', 'relay', 'withheld']), devices: z.array(z.string()) }),
  z.string(),
  z.null(),
]);
const readAnswer = (answer: SentAnswer): SyncAnswer =>
  answer === null || typeof answer === 'string'
    ? answer
    : { ...answer, place: answer.place === 'withheld' ? 'localOnly' : answer.place };
const sentAnswer = (answer: SyncAnswer): SentAnswer =>
  answer === null || typeof answer === 'string'
    ? answer
    : { ...answer, place: answer.place === 'localOnly' ? 'withheld' : answer.place };

const newsSchema = z.discriminatedUnion('type', [
  /** A tab asks for the status. */
  z.object({ type: z.literal('hello') }),
  /** The leading thread reports its status. */
  z.object({ type: z.literal('status'), status: statusSchema }),
]);
type News = z.infer<typeof newsSchema>;
const syncCalls = { ask: { given: syncRequestSchema, answer: answerSchema } };

// Requests and answers on the channel keep the format of earlier versions, since an old
// tab may be open beside an updated one.
const requestSchema = z.object({ type: z.literal('ask'), id: z.string(), request: z.unknown() });
const replySchema = z.object({
  type: z.literal('answer'),
  id: z.string(),
  answer: z.unknown().optional(),
  problem: z.unknown().optional(),
});

/** Makes the tab's end: translates calls to `ask` messages, and `answer` messages back. */
const toLeader = (channel: BroadcastChannel): MessageEndpoint => {
  const tab = crypto.randomUUID();
  return {
    postMessage: (message) => {
      const { asked } = message as { asked?: { call: number; given: unknown } };
      if (asked) channel.postMessage({ type: 'ask', id: `${tab} ${asked.call}`, request: asked.given });
    },
    addEventListener: (type, listener) =>
      channel.addEventListener(type, ({ data }) => {
        const { id = '', answer: value = null, problem } = replySchema.safeParse(data).data ?? {};
        const [to, call] = id.split(' ');
        if (to === tab) listener({ data: { call: Number(call), ...(problem ? { problem } : { value }) } });
      }),
  };
};
/** Makes the leader's end, until the signal aborts. */
const toTabs = (channel: BroadcastChannel, signal: AbortSignal): MessageEndpoint => ({
  postMessage: (message) => {
    const { to: id, value: answer, problem } = message as { to: string; value?: unknown; problem?: unknown };
    if (!signal.aborted) channel.postMessage({ type: 'answer', id, answer, problem });
  },
  addEventListener: (type, listener) =>
    channel.addEventListener(type, ({ data }) => {
      const { success, data: asked } = requestSchema.safeParse(data);
      if (success)
        listener({ data: { from: asked.id, asked: { call: 0, verb: 'ask', given: asked.request } } });
    }),
});

/** News from a tab's own thread that cannot run. */
const failureSchema = z.object({ type: z.literal('failed'), problem: problemSchema });
/** News that the thread sends to its tab when it cannot run. */
export type ThreadFailure = z.infer<typeof failureSchema>;

/** Returns the status to show while no thread leads. */
const initialStatus = (mode: SyncStatus['mode'], problem: Problem | null = null): SyncStatus => ({
  ...SYNC_OFF,
  mode,
  state: mode === 'disabled' || mode === 'local' ? mode : problem ? 'stopped' : 'connecting',
  problem,
});

/** Sync as a tab uses it. */
export interface SyncLink {
  readonly status: Readable<SyncStatus>;
  /**
   * Asks the leading thread, and starts this tab's thread if it has none.
   * @throws `sync-offline` if none answers in time, the problem of a thread that cannot run (mostly `sync-thread`) or
   *   of sync itself, or the reason of the link's signal
   */
  ask(request: SyncRequest): Promise<SyncAnswer>;
}

/** Silence after which a started thread counts as not running, ms. */
const START_MS = 30_000;
/** Time for another thread to take over after the leader, ms. If none does, this tab's own thread has ended as well. */
const SUCCESSION_MS = 3_000;
/** Delay before a thread that failed, or ended soon after its start, is started again, ms. */
const RETRY_MS = 60_000;

interface TabSyncLinkDeps {
  /** Starts the worker of sync. Called once sync is wanted or asked, and again if the worker has ended by itself. */
  readonly startThread: () => Worker;
  readonly config: Readable<Config>;
  readonly signal: AbortSignal;
  /** For tests: other values of `START_MS` and `RETRY_MS`. */
  readonly startMs?: number;
  readonly retryMs?: number;
}

/**
 * Connects a tab to sync until the signal aborts. The status is that of the leading thread; while none leads, it is
 * `connecting`, `stopped` with the problem after a failure, or the mode itself if sync is off.
 */
export function connectSync(deps: TabSyncLinkDeps): SyncLink {
  return new TabSyncLink(deps);
}

/** A tab waits for the first status of a thread, for another leader, or for whatever broke its thread to be over. */
type AwaitedEvent = 'answer' | 'successor' | 'recovery';

const notRunning = (detail: string): Problem => ({
  code: 'sync-thread',
  message: `The thread that syncs does not run: ${detail}`,
  params: { detail },
  retry: true,
});

class TabSyncLink implements SyncLink {
  readonly #deps: TabSyncLinkDeps;
  readonly #startMs: NonNullable<TabSyncLinkDeps['startMs']>;
  readonly #retryMs: NonNullable<TabSyncLinkDeps['retryMs']>;
  readonly status: Writable<SyncStatus>;
  #thread: Worker | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  /** True while a thread leads, in this tab or another. */
  #isLed = false;
  /** Runs while this tab waits for an event: for one at a time, and for none while a thread leads. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #send: (news: News) => void;
  readonly #leader: Caller<typeof syncCalls>;

  constructor(deps: TabSyncLinkDeps) {
    this.#deps = deps;
    const { startMs = START_MS, retryMs = RETRY_MS } = deps;
    this.#startMs = startMs;
    this.#retryMs = retryMs;
    this.status = writable<SyncStatus>(initialStatus(this.#mode()));
    const channel = new BroadcastChannel(CHANNEL);
    const receive = (news: News) => {
      if (news.type !== 'status') return;
      if (!this.#isLed) this.#watchLeader();
      const { withheld, ...status } = news.status;
      this.status.set({ ...status, localOnly: withheld });
    };
    this.#send = joinNews(channel, newsSchema, receive, deps.signal);
    this.#leader = createCaller(syncCalls, toLeader(channel));
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

  async ask(request: SyncRequest): Promise<SyncAnswer> {
    const again = setInterval(this.#leader.repeat, REPEAT_MS);
    try {
      return await withTimeLimit(this.#deps.signal, REQUEST_TIMEOUT_MS, (signal) => {
        const answer = this.#leader.call.ask(request, { signal });
        this.#start();
        return answer.then(readAnswer);
      });
    } catch (error) {
      if (!isTimeout(error)) throw error;
      throw new RecollectError('sync-offline', 'The thread that syncs does not answer', { retry: true });
    } finally {
      clearInterval(again);
    }
  }

  #mode() {
    return this.#deps.config.get().sync.mode;
  }

  #isWanted(): boolean {
    return this.#mode() === 'remote' || this.#mode() === 'managed';
  }

  /** Waits so many ms for something to happen, and no longer for anything else. */
  #waitFor(event: AwaitedEvent, ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onMissed(event), ms);
  }

  /** Acts on what did not happen in its time. */
  #onMissed(event: AwaitedEvent): void {
    if (event === 'answer') {
      this.#fail(notRunning('it does not answer'));
      return;
    }
    if (event === 'successor') this.#stop();
    if (this.#isWanted()) this.#start();
  }

  /** Waits for the end of the leading thread. */
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
    const isYoung = performance.now() - this.#startedAt < this.#retryMs;
    this.#waitFor('successor', isYoung ? this.#retryMs : SUCCESSION_MS);
  }

  #stop(): void {
    this.#thread?.terminate();
    this.#thread = undefined;
  }

  /**
   * Ends this tab's thread. While no other one leads, shows the problem, refuses
   * waiting requests, and plans another start.
   */
  #fail(problem: Problem): void {
    this.#stop();
    if (this.#isLed) return;
    this.status.set(initialStatus(this.#mode(), problem));
    this.#leader.refuse(toError(problem));
    this.#waitFor('recovery', this.#retryMs);
  }

  #start(): void {
    if (this.#thread || this.#deps.signal.aborted) return;
    this.#startedAt = performance.now();
    const mine = this.#deps.startThread();
    this.#thread = mine;
    mine.addEventListener('error', ({ message }) => {
      if (mine === this.#thread && !this.#isLed) this.#fail(notRunning(message ?? ''));
    });
    joinNews(mine, failureSchema, ({ problem }) => mine === this.#thread && this.#fail(problem));
    if (!this.#isLed) this.#waitFor('answer', this.#startMs);
  }
}

/**
 * Holds the lock by whose release tabs notice the end of this leading thread. Call it before the thread sends anything.
 */
export function holdAliveLock(): void {
  const held = navigator.locks.request(ALIVE, () => new Promise<never>(() => {}));
  ignore(held, 'the lock of this thread, which ends with it');
}

/**
 * Serves tabs from the leading thread until the signal aborts. `ask` answers each request once, however often a tab
 * repeats it; an error goes to the tab as a problem. Returns the function that sends the status to all tabs.
 */
export function serveSync(
  ask: (request: SyncRequest) => Promise<SyncAnswer>,
  signal: AbortSignal,
): (status: SyncStatus) => void {
  let last: SentStatus | undefined;
  const channel = new BroadcastChannel(CHANNEL);
  const notify = joinNews(
    channel,
    newsSchema,
    ({ type }) => type === 'hello' && last && notify({ type: 'status', status: last }),
    signal,
  );
  const versionError = new RecollectError('sync-thread', 'Another tab runs another version of the app.', {
    params: { detail: 'another version' },
    retry: true,
  });
  serveCalls(
    syncCalls,
    toTabs(channel, signal),
    { ask: async (request) => sentAnswer(await ask(request)) },
    { versionError },
  );
  return ({ localOnly, ...status }) => {
    last = { ...status, withheld: localOnly };
    notify({ type: 'status', status: last });
  };
}
