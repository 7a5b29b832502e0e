// The verbs of the index between threads: one message there and one back for each call, whichever worker leads. A statement sent through
// PGlite's own worker takes a dozen messages by way of every tab.
//
//   tab ──port──► its own worker ──► the index, if this worker leads
//                     └──channel──► the leader's worker, if another one does
//
// A call that a vanished leader left unanswered is repeated to the next one: every verb may be repeated.
import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { createCaller, serveCalls } from '../../domain/threads/calls.ts';
import type { MemoryIndex } from './memory-index.ts';

/** Answers of the index are not parsed: the index has already checked them, and has the same schema version. */
const verb = { given: z.array(z.unknown()), answer: z.unknown() };
/** Every verb of the index; the compiler checks that none is missing. */
const VERBS: { readonly [name in Exclude<keyof MemoryIndex, 'close'>]: typeof verb } = {
  bookmark: verb,
  apply: verb,
  conversationIds: verb,
  messageIds: verb,
  describe: verb,
  stale: verb,
  waiting: verb,
  put: verb,
  look: verb,
  maxSim: verb,
  meanings: verb,
  neighbours: verb,
  clear: verb,
  purge: verb,
  stats: verb,
  overview: verb,
};
type Verb = keyof typeof VERBS;
const each = <T>(make: (name: Verb) => T) =>
  Object.fromEntries((Object.keys(VERBS) as Verb[]).map((name) => [name, make(name)])) as Record<Verb, T>;

// ---------------------------------------------------------------------------------------------- the tab

interface RemoteIndex {
  readonly index: Omit<MemoryIndex, 'close'>;
  /** Rejects all waiting calls and all new ones, until it is called with `undefined`. */
  refuse(problem: RecollectError | undefined): void;
}

/** Makes the index at the other end of a port. `onNewLeader` is called before the first answer of a new leader is delivered. */
export function createRemoteIndex(port: MessagePort, onNewLeader: () => void = () => {}): RemoteIndex {
  let refusal: RecollectError | undefined;
  let known: string | undefined;
  const { call, refuse } = createCaller(VERBS, port, {
    onLeader: (leader) => {
      if (known !== undefined && known !== leader) onNewLeader();
      known = leader;
    },
  });
  const ask = async (name: Verb, given: unknown[]) => {
    if (refusal) throw refusal;
    return await call[name](given);
  };
  return {
    index: each(
      (name) =>
        (...given: unknown[]) =>
          ask(name, given),
    ) as unknown as RemoteIndex['index'],
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
    VERBS,
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
  const served = each((name) => async (given: unknown[]) => {
    const run = own?.index[name] as ((...given: unknown[]) => Promise<unknown>) | undefined;
    return await (run ? run(...given) : remote.call[name](given));
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
    accept: (port) => serveCalls(VERBS, port, served, { leader: () => (own ? self : leader) }),
    lead: (index) => {
      own = { index, asked: open('calls') };
      serveCalls(VERBS, own.asked, served, {
        replyTo: channelTo,
        leader: () => self,
        strange: new RecollectError(
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
