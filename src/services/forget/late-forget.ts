// Forgetting, whose code is loaded after the first screen or with the first call (decision 1115). Its state is there
// at once.
import { ignore } from '../../domain/base/log.ts';
import { lazily } from '../../domain/base/part.ts';
import { writable } from '../../domain/base/readable.ts';
import type { Forget, ForgetState } from './forget.ts';
import type { ForgetDeps } from './forget-service.ts';

/** Requests that an earlier page left, and what it was carrying out; reports are in a folder below. */
const PENDING = /^forgetting\/[^/]+$/;

type Listener = Parameters<Forget['onForgetting']>[0];

/** Web Lock of imports. */
export const IMPORTING = 'recollect:import';

/**
 * Runs forgetting in one tab at a time, and once every import that had begun has ended: that would write what its file
 * says after its places were cleaned. One that begins later knows what is forgotten.
 */
export const forgettingAlone =
  (exclusively: <T>(name: string, work: () => Promise<T>) => Promise<T>): ForgetDeps['exclusive'] =>
  (work) =>
    exclusively('recollect:forget', async () => {
      await exclusively(IMPORTING, async () => undefined);
      return await work();
    });

/** Times at which the service begins by itself. */
interface Begins {
  /** With what an earlier page left: whoever closes a page early each time must not put it off for ever. */
  readonly firstScreen: Promise<void>;
  /** With all else, such as requests of other devices. */
  readonly due: Promise<void>;
}

/**
 * Makes the service, which carries out what is left to be forgotten at these times. Rejects with `part-missing` if its
 * code cannot be loaded; the next call tries again.
 */
export function createLateForget(deps: ForgetDeps, { firstScreen, due }: Begins): Forget {
  const state = writable<ForgetState>({ step: 'idle' });
  let made: ReturnType<typeof import('./forget-service.ts').createForget> | undefined;
  /** Listeners from before the code is there, with what stops each. */
  const early = new Map<Listener, () => void>();
  const service = lazily(async () => {
    const { createForget } = await import('./forget-service.ts');
    made = createForget(deps, state);
    // Before it removes anything: they hold words in memory.
    for (const listener of early.keys()) early.set(listener, made.onForgetting(listener));
    return made;
  });
  const begin = async (isDue: () => Promise<boolean>) => {
    if (!deps.signal.aborted && (await isDue())) await service();
  };
  const isPending = async () => (await deps.keyValues.keys('forgetting/')).some((key) => PENDING.test(key));
  for (const begun of [firstScreen.then(() => begin(isPending)), due.then(() => begin(async () => true))])
    ignore(begun, 'what is left to be forgotten; the next start carries it out');
  return {
    state,
    records: deps.notes.forgotten,
    seek: async (...asked) => (await service()).seek(...asked),
    begin: async (plan) => (await service()).begin(plan),
    undo: async () => (await service()).undo(),
    reportOf: async (id) => (await service()).reportOf(id),
    reopen: (report) => {
      const { step } = state.get();
      if (step === 'idle' || step === 'done') state.set({ step: 'done', report });
    },
    dismiss: () => {
      const { step } = state.get();
      if (step === 'done' || step === 'failed') state.set({ step: 'idle' });
    },
    onForgetting: (listener) => {
      if (made) return made.onForgetting(listener);
      early.set(listener, () => {});
      return () => {
        early.get(listener)?.();
        early.delete(listener);
      };
    },
  };
}
