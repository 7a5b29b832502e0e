// The verbs of the index between threads: one message there and one back for each call, whichever worker leads. A
// statement sent through PGlite's own worker takes a dozen messages by way of every tab.
//
//   tab ──port──► its own worker ──► the index, if this worker leads
//                     └──channel──► the leader's worker, if another one does
//
// A call that a vanished leader left unanswered is repeated to the next one: every verb may be repeated.
import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { createCaller, serveCalls } from '../../domain/threads/calls.ts';
import type { MemoryIndex } from './memory-index.ts';
import { readFound, readQuery, type SentFound, type SentQuery, sentFound, sentQuery } from './sent-names.ts';

/** Answers of the index are not parsed: the index has already checked them, and has the same schema version. */
const verb = { given: z.array(z.unknown()), answer: z.unknown() };
type Method = Exclude<keyof MemoryIndex, 'close'>;
/**
 * Method of the index → name by which it is called between threads, as tabs of earlier versions call it. The
 * compiler checks that none is missing.
 */
const VERBS = {
  bookmark: 'bookmark',
  apply: 'apply',
  conversationIds: 'conversationIds',
  messageIds: 'messageIds',
  describe: 'describe',
  pendingChunks: 'stale',
  pendingCounts: 'waiting',
  put: 'put',
  search: 'look',
  maxSim: 'maxSim',
  meanings: 'meanings',
  neighbours: 'neighbours',
  clear: 'clear',
  purge: 'purge',
  stats: 'stats',
  overview: 'overview',
} as const satisfies Record<Method, string>;
type Verb = (typeof VERBS)[Method];
const METHODS = Object.keys(VERBS) as Method[];
const byMethod = <T>(make: (method: Method) => T) =>
  Object.fromEntries(METHODS.map((method) => [method, make(method)])) as Record<Method, T>;
const byVerb = <T>(make: (method: Method) => T) =>
  Object.fromEntries(METHODS.map((method) => [VERBS[method], make(method)])) as Record<Verb, T>;
const CALLS = byVerb(() => verb);

// ---------------------------------------------------------------------------------------------- the tab

interface RemoteIndex {
  readonly index: Omit<MemoryIndex, 'close'>;
  /** Rejects all waiting calls and all new ones, until it is called with `undefined`. */
  refuse(problem: RecollectError | undefined): void;
}

/**
 * Makes the index at the other end of a port. `onNewLeader` is called before the first
 * answer of a new leader is delivered.
 */
export function createRemoteIndex(port: MessagePort, onNewLeader: () => void = () => {}): RemoteIndex {
  let refusal: RecollectError | undefined;
  let known: string | undefined;
  const { call, refuse } = createCaller(CALLS, port, {
    onLeader: (leader) => {
      if (known !== undefined && known !== leader) onNewLeader();
      known = leader;
    },
  });
  const ask = async (method: Method, given: unknown[]) => {
    if (refusal) throw refusal;
    return await call[VERBS[method]](given);
  };
  return {
    index: {
      ...(byMethod(
        (method) =>
          (...given: unknown[]) =>
            ask(method, given),
      ) as unknown as RemoteIndex['index']),
      search: async (query) => readFound((await ask('search', [sentQuery(query)])) as SentFound),
    },
    refuse: (problem) => {
      refusal = problem;
      if (problem) refuse(problem);
    },
  };
}

// ---------------------------------------------------------------------------------------------- the worker

export interface Exchange {
  /** Serves the tab at the other end of the port. */
  accept(port: MessagePort): void;
  /** Makes this worker the leader, which answers its own tab and every other. */
  lead(index: MemoryIndex): void;
  /** Another leader has opened the database: repeats waiting calls to it. */
  leaderChanged(): void;
  close(): void;
}

/** Most tabs whose answer channels are kept open; others are reopened when they call. */
const MOST_TABS = 32;

/** Builds this worker's part in the index `id`. Tabs of other versions use the same channels. */
export function createExchange(id: string): Exchange {
  const self = crypto.randomUUID();
  const open = (name: string) => new BroadcastChannel(`${id}:${name}`);
  const [asking, answers, others] = [
    open('calls'),
    open(`answers:${self}`),
    new Map<string, BroadcastChannel>(),
  ];
  let own: { readonly index: MemoryIndex; readonly asked: BroadcastChannel } | undefined;
  /** Name of the leader that gave the latest answer. */
  let leader = '';
  const remote = createCaller(
    CALLS,
    {
      postMessage: (message) => asking.postMessage(message),
      addEventListener: (type, listener) => answers.addEventListener(type, listener),
    },
    {
      from: self,
      onLeader: (now) => {
        leader = now;
      },
    },
  );
  const served = byVerb((method) => async (given: unknown[]) => {
    if (!own) return await remote.call[VERBS[method]](given);
    if (method === 'search') return sentFound(await own.index.search(readQuery(given[0] as SentQuery)));
    return await (own.index[method] as (...given: unknown[]) => Promise<unknown>)(...given);
  });

  const channelTo = (tab: string): BroadcastChannel => {
    const known = others.get(tab);
    if (known) return known;
    for (const [oldest, channel] of others) {
      if (others.size < MOST_TABS) break;
      channel.close();
      others.delete(oldest);
    }
    const channel = open(`answers:${tab}`);
    others.set(tab, channel);
    return channel;
  };

  return {
    accept: (port) => serveCalls(CALLS, port, served, { leader: () => (own ? self : leader) }),
    lead: (index) => {
      own = { index, asked: open('calls') };
      serveCalls(CALLS, own.asked, served, {
        replyTo: channelTo,
        leader: () => self,
        versionError: new RecollectError(
          'index-unavailable',
          'Another tab still runs another version of the app.',
          { retry: true },
        ),
      });
      // A leader, perhaps a new one, can now answer this tab's waiting calls.
      remote.repeat();
    },
    leaderChanged: remote.repeat,
    close: () => {
      for (const channel of [asking, answers, ...others.values()]) channel.close();
      own?.asked.close();
    },
  };
}
