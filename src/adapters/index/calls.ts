// The verbs of the index between threads: one message there and one back for each call, whoever leads. A statement sent through
// PGlite's own worker takes a dozen messages by way of every tab.
//
//   tab ──port──► its own worker ──► the index, if this worker leads
//                       └──channel──► the leader's worker, if another one does
//
// What a leader that went away has not answered is asked again of the next: every verb may be repeated.
import { z } from 'zod';
import { PROBLEM_CODES, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import type { MemoryIndex } from './memory-index.ts';

/** Every verb that is served; the compiler sees to it that none is forgotten. */
const VERBS: { readonly [verb in Exclude<keyof MemoryIndex, 'close'>]: true } = {
  bookmark: true,
  apply: true,
  conversationIds: true,
  messageIds: true,
  describe: true,
  stale: true,
  waiting: true,
  put: true,
  look: true,
  maxSim: true,
  meanings: true,
  neighbours: true,
  clear: true,
  purge: true,
  stats: true,
  overview: true,
};
type Verb = keyof typeof VERBS;
const verb = z.custom<Verb>((value) => typeof value === 'string' && Object.hasOwn(VERBS, value));

export const problemSchema: z.ZodType<Problem> = z.object({
  code: z.enum(PROBLEM_CODES),
  message: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  retry: z.boolean(),
}) as z.ZodType<Problem>;
export const toError = ({ code, message, params, retry }: Problem): RecollectError =>
  new RecollectError(code, message, { retry, ...(params ? { params } : {}) });

const callSchema = z.object({ call: z.number().int(), verb, given: z.array(z.unknown()) });
type Call = z.infer<typeof callSchema>;
/** `leader`: whoever answered; an app of before does not say. */
const leader = z.string().default('');
/** What the index itself gave is believed: it has checked it, and comes from the same schema version. */
const answerSchema = z.union([
  z.object({ call: z.number().int(), leader, problem: problemSchema }),
  z.object({ call: z.number().int(), leader, value: z.unknown() }),
]);
type Answer = z.infer<typeof answerSchema>;
const askedSchema = z.object({ from: z.string(), asked: callSchema });

// ---------------------------------------------------------------------------------------------- the tab

interface RemoteIndex {
  readonly index: Omit<MemoryIndex, 'close'>;
  /** Refuses what waits and, until `undefined` is given, all that is asked. */
  refuse(problem: RecollectError | undefined): void;
}

/** The index at the other end of a port. `onNewLeader` is called before the first answer of another leader than before is handed over. */
export function createRemoteIndex(port: MessagePort, onNewLeader: () => void = () => {}): RemoteIndex {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  let calls = 0;
  let refusal: RecollectError | undefined;
  let known: string | undefined;
  port.onmessage = ({ data }) => {
    const received = answerSchema.safeParse(data);
    if (!received.success) return log.warn('An answer of the index was not understood', received.error);
    const answer = received.data;
    if (known !== undefined && known !== answer.leader) onNewLeader();
    known = answer.leader;
    const caller = waiting.get(answer.call);
    waiting.delete(answer.call);
    if ('problem' in answer) caller?.reject(toError(answer.problem));
    else caller?.resolve(answer.value);
  };
  const ask = (verb: Verb, given: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (refusal) return reject(refusal);
      const call = ++calls;
      waiting.set(call, { resolve, reject });
      port.postMessage({ call, verb, given } satisfies Call);
    });
  const index = Object.fromEntries(
    (Object.keys(VERBS) as Verb[]).map((verb) => [verb, (...given: unknown[]) => ask(verb, given)]),
  ) as unknown as RemoteIndex['index'];
  return {
    index,
    refuse: (problem) => {
      refusal = problem;
      if (!problem) return;
      for (const caller of waiting.values()) caller.reject(problem);
      waiting.clear();
    },
  };
}

// ---------------------------------------------------------------------------------------------- the worker

export interface Exchange {
  /** Serves the tab at the other end. */
  accept(port: MessagePort): void;
  /** This worker leads now: it answers its own tab and every other's. */
  lead(index: MemoryIndex): void;
  /** Another leader has opened the database: what waits is asked of it. */
  leaderChanged(): void;
  close(): void;
}

/** Answers of so many other tabs are kept open; more are opened as they ask. */
const MOST_TABS = 32;

/** Makes this worker's part in the index `id`. */
export function createExchange(id: string): Exchange {
  const self = crypto.randomUUID();
  const asking = new BroadcastChannel(`${id}:calls`);
  const answering = new BroadcastChannel(`${id}:answers:${self}`);
  const others = new Map<string, BroadcastChannel>();
  /** Calls of this worker's tab that are with another leader. */
  const waiting = new Map<number, { readonly port: MessagePort; readonly asked: Call }>();
  let index: MemoryIndex | undefined;
  let numbers = 0;

  const perform = async (from: MemoryIndex, { call, verb, given }: Call): Promise<Answer> => {
    try {
      const run = from[verb] as (...given: unknown[]) => Promise<unknown>;
      return { call, leader: self, value: await run(...given) };
    } catch (error) {
      const { code, message, params, retry } = toProblem(error);
      return {
        call,
        leader: self,
        problem: { code, message, retry, ...(params ? { params: { ...params } } : {}) },
      };
    }
  };
  const answerHere = async (from: MemoryIndex, port: MessagePort, asked: Call) =>
    port.postMessage(await perform(from, asked));
  const send = (number: number, asked: Call) =>
    asking.postMessage({ from: self, asked: { ...asked, call: number } });

  const channelTo = (tab: string): BroadcastChannel => {
    const known = others.get(tab);
    if (known) return known;
    for (const [oldest, channel] of others) {
      if (others.size < MOST_TABS) break;
      channel.close();
      others.delete(oldest);
    }
    const channel = new BroadcastChannel(`${id}:answers:${tab}`);
    others.set(tab, channel);
    return channel;
  };

  asking.onmessage = async ({ data }) => {
    if (!index) return;
    const received = askedSchema.safeParse(data);
    if (received.success) {
      const answer = await perform(index, received.data.asked);
      return channelTo(received.data.from).postMessage(answer);
    }
    // A tab of another version wants what this one does not know: it must not wait for ever.
    const strange = z
      .object({ from: z.string(), asked: z.object({ call: z.number().int() }) })
      .safeParse(data);
    if (!strange.success) return;
    const problem = new RecollectError(
      'index-unavailable',
      'Another tab still runs another version of the app.',
      {
        retry: true,
      },
    );
    const { call } = strange.data.asked;
    channelTo(strange.data.from).postMessage({ call, leader: self, problem: problem.problem });
  };
  answering.onmessage = ({ data }) => {
    const received = answerSchema.safeParse(data);
    const caller = received.success ? waiting.get(received.data.call) : undefined;
    if (!received.success || !caller) return;
    waiting.delete(received.data.call);
    caller.port.postMessage({ ...received.data, call: caller.asked.call });
  };

  return {
    accept: (port) => {
      port.onmessage = ({ data }) => {
        const received = callSchema.safeParse(data);
        if (!received.success) return log.warn('A call of the index was not understood', received.error);
        if (index) return void answerHere(index, port, received.data);
        const number = ++numbers;
        waiting.set(number, { port, asked: received.data });
        send(number, received.data);
      };
    },
    lead: (own) => {
      index = own;
      for (const { port, asked } of waiting.values()) void answerHere(own, port, asked);
      waiting.clear();
    },
    leaderChanged: () => {
      for (const [number, { asked }] of waiting) send(number, asked);
    },
    close: () => {
      for (const channel of [asking, answering, ...others.values()]) channel.close();
    },
  };
}
