// Calls between threads and tabs: one message there and one back, over anything that posts messages. Both ends name the
// same contract, and each checks what it receives.
//
//   caller ──── { from, asked: { call, verb, given } } ───► server
//          ◄─── { call, to, leader, progress }, as often as it likes
//          ◄─── { call, to, leader, value } or { call, to, leader, problem }
//          ──── { from, cancelled: call } ───► if the caller's signal is aborted before
//
// Tabs of different versions share one index through such calls: each version must understand the
// messages of the one before and after.
import { z } from 'zod';
import { RecollectError, toError, toProblem } from '../base/errors.ts';
import { ignore } from '../base/log.ts';
import { problemSchema } from '../base/problem-schema.ts';
import type { Cancellation } from '../base/readable.ts';
import { type MessageEndpoint, transferOf } from './endpoint.ts';

/** The platform's own type of signal, if the compiler knows the platform. */
type Signal = typeof globalThis extends { AbortController: { prototype: { signal: infer Own } } }
  ? Own
  : Cancellation;
declare const AbortController: new () => { readonly signal: Signal; abort(): void };

interface Verb {
  readonly given: z.ZodType;
  readonly answer: z.ZodType;
  /** Schema of reports that come before the answer. */
  readonly progress?: z.ZodType;
}
/** All verbs that can be called, by name. */
export type Contract = Readonly<Record<string, Verb>>;
export type GivenOf<V extends Verb> = z.output<V['given']>;
export type AnswerOf<V extends Verb> = z.output<V['answer']>;
export type ProgressOf<V extends Verb> = V['progress'] extends z.ZodType ? z.output<V['progress']> : never;

const askedSchema = z.object({
  from: z.string(),
  asked: z.object({ call: z.number().int(), verb: z.string(), given: z.unknown().optional() }),
});
const cancelledSchema = z.object({ from: z.string(), cancelled: z.number().int() });
const answerSchema = z.object({
  call: z.number().int(),
  /** The caller, and the leader that answered; older versions do not send it. */
  to: z.string().optional(),
  leader: z.string().default(''),
  value: z.unknown().optional(),
  problem: z.unknown().optional(),
  progress: z.unknown().optional(),
});

const notUnderstood = (what: string) => new RecollectError('unexpected', `${what} was not understood`);

// ---------------------------------------------------------------------------------------------- the caller

export interface CallOptions<P> {
  readonly signal?: Cancellation | undefined;
  readonly onProgress?: ((progress: P) => void) | undefined;
}

export interface Caller<C extends Contract> {
  /**
   * Rejects with the server's problem as a RecollectError, with the signal's reason,
   * or with the error given to `refuse`.
   */
  readonly call: {
    readonly [V in keyof C]: (
      given: GivenOf<C[V]>,
      options?: CallOptions<ProgressOf<C[V]>>,
    ) => Promise<AnswerOf<C[V]>>;
  };
  /** Calls another server from now on, and repeats unanswered calls there; calls wait while it is null. */
  connect(endpoint: MessageEndpoint | null): void;
  /** Repeats unanswered calls: another server may answer now. */
  repeat(): void;
  /** The server is gone: rejects all waiting calls. */
  refuse(why: unknown): void;
}

interface Waiting {
  readonly verb: string;
  readonly given: unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  progress(value: unknown): void;
}

/**
 * @param options.from distinguishes callers on one channel
 * @param options.onLeader called with the leader that answered, before its answer is passed on
 */
export function createCaller<C extends Contract>(
  contract: C,
  first: MessageEndpoint | null,
  { from = '', onLeader }: { readonly from?: string; readonly onLeader?: (leader: string) => void } = {},
): Caller<C> {
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let endpoint: MessageEndpoint | null = null;

  const take = (call: number): Waiting | undefined => {
    const mine = waiting.get(call);
    waiting.delete(call);
    return mine;
  };
  const post = (call: number, { verb, given }: Waiting) => {
    try {
      endpoint?.postMessage({ from, asked: { call, verb, given } }, transferOf(given));
    } catch (error) {
      take(call)?.reject(error);
    }
  };
  const repeat = () => {
    for (const [call, asked] of [...waiting]) post(call, asked);
  };
  const receive = (data: unknown) => {
    const parsed = answerSchema.safeParse(data);
    const known = parsed.success && waiting.get(parsed.data.call);
    if (!known) return;
    const { call, to = from, leader, ...answer } = parsed.data;
    if (to !== from) return;
    const verb = contract[known.verb] as Verb;
    if ('progress' in (data as object)) {
      const progress = verb.progress?.safeParse(answer.progress);
      if (progress?.success) known.progress(progress.data);
      return;
    }
    onLeader?.(leader);
    waiting.delete(call);
    if ('problem' in (data as object)) {
      const problem = problemSchema.safeParse(answer.problem);
      return known.reject(problem.success ? toError(problem.data) : notUnderstood('What went wrong'));
    }
    const value = verb.answer.safeParse(answer.value);
    if (value.success) known.resolve(value.data);
    else known.reject(notUnderstood(`The answer to ${known.verb}`));
  };
  const connect = (next: MessageEndpoint | null) => {
    endpoint = next;
    next?.addEventListener('message', ({ data }) => next === endpoint && receive(data));
    next?.start?.();
    repeat();
  };
  const ask = (verb: string, given: unknown, { signal, onProgress }: CallOptions<never> = {}) =>
    new Promise<unknown>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const call = ++calls;
      const onAbort = () => {
        take(call)?.reject(signal?.reason);
        endpoint?.postMessage({ from, cancelled: call }, []);
      };
      const settled = () => signal?.removeEventListener('abort', onAbort);
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting.set(call, {
        verb,
        given,
        resolve: (value) => {
          settled();
          resolve(value);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
        progress: (value) => onProgress?.(value as never),
      });
      post(call, waiting.get(call) as Waiting);
    });
  connect(first);
  return {
    call: Object.fromEntries(
      Object.keys(contract).map((verb) => [
        verb,
        (given: unknown, options?: CallOptions<never>) => ask(verb, given, options),
      ]),
    ) as Caller<C>['call'],
    connect,
    repeat,
    refuse: (why) => {
      for (const call of [...waiting.keys()]) take(call)?.reject(why);
    },
  };
}

// ---------------------------------------------------------------------------------------------- the leader

export type Served<C extends Contract> = {
  readonly [V in keyof C]: (
    given: GivenOf<C[V]>,
    context: {
      /** Aborted when the caller no longer wants an answer. */
      readonly signal: Signal;
      readonly progress: (progress: ProgressOf<C[V]>) => void;
    },
  ) => Promise<AnswerOf<C[V]>> | AnswerOf<C[V]>;
};

interface ServerOptions {
  /** Picks the endpoint for this caller's answers. Default: the one its calls arrive at. */
  readonly replyTo?: (from: string) => Pick<MessageEndpoint, 'postMessage'>;
  /** Name of the leader at the time of the answer. */
  readonly leader?: () => string;
  /** Error for a verb that this contract lacks: a caller of another version must not wait for ever. */
  readonly versionError?: RecollectError;
}

/** How many calls are remembered, so that a repeated call is answered once. */
const REMEMBERED = 1000;

/** Answers the calls that arrive at the endpoint, for as long as it is open. */
export function serveCalls<C extends Contract>(
  contract: C,
  endpoint: MessageEndpoint,
  served: Served<C>,
  { replyTo = () => endpoint, leader = () => '', versionError }: ServerOptions = {},
): void {
  const taken = new Set<string>();
  const running = new Map<string, InstanceType<typeof AbortController>>();

  const perform = async (
    verb: string,
    given: unknown,
    signal: Signal,
    progress: (value: unknown) => void,
  ) => {
    const parsed = Object.hasOwn(contract, verb) ? contract[verb]?.given.safeParse(given) : undefined;
    if (!parsed?.success) throw versionError ?? notUnderstood(`The call ${verb}`);
    return await served[verb as keyof C](parsed.data as never, { signal, progress });
  };
  const answer = async ({ from, asked: { call, verb, given } }: z.infer<typeof askedSchema>) => {
    const id = `${from} ${call}`;
    if (taken.has(id)) return;
    taken.add(id);
    for (const oldest of taken) {
      if (taken.size <= REMEMBERED) break;
      taken.delete(oldest);
    }
    const control = new AbortController();
    running.set(id, control);
    const post = (said: object, transfer: object[]) => {
      if (!control.signal.aborted)
        replyTo(from).postMessage({ call, to: from, leader: leader(), ...said }, transfer);
    };
    try {
      const progress = (value: unknown) => post({ progress: value }, transferOf(value));
      const value = await perform(verb, given, control.signal, progress);
      post({ value }, transferOf(value));
    } catch (error) {
      post({ problem: toProblem(error) }, []);
    } finally {
      running.delete(id);
    }
  };
  endpoint.addEventListener('message', ({ data }) => {
    const asked = askedSchema.safeParse(data);
    if (asked.success) return ignore(answer(asked.data), 'an answer to a caller that is gone');
    const cancelled = cancelledSchema.safeParse(data);
    if (cancelled.success) running.get(`${cancelled.data.from} ${cancelled.data.cancelled}`)?.abort();
  });
  endpoint.start?.();
}
