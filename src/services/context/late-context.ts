// The context service, whose code is loaded with the first call (decision 1113). States and
// events of conversations are there at once.
import { ignore } from '../../domain/base/log.ts';
import { lazily } from '../../domain/base/part.ts';
import type { ContextControl } from './context.ts';
import type { ContextDependencies } from './context-service.ts';
import { createSessions } from './sessions.ts';
import type { TurnContext } from './turn-context.ts';

type Service = ContextControl & TurnContext;

/**
 * Makes the service. Each call that needs its code rejects with `part-missing` if that cannot
 * be loaded; the next call tries again.
 */
export function createLateContext(deps: ContextDependencies): Service {
  const sessions = createSessions();
  let made: Service | undefined;
  let isClosed = false;
  const service = lazily(async (): Promise<Service> => {
    const { createContext } = await import('./context-service.ts');
    made = createContext(deps, sessions);
    // Its code came after the end: nothing of it may go on.
    if (isClosed) await made.close();
    return made;
  });
  const late = <K extends keyof Service>(name: K): Service[K] =>
    (async (...asked: unknown[]) => {
      const made = await service();
      return Reflect.apply(made[name], made, asked);
    }) as unknown as Service[K];
  return {
    state: (id) => sessions.of(id).state,
    onEvent: sessions.onEvent,
    compact: late('compact'),
    adjust: late('adjust'),
    apply: late('apply'),
    cancel: (id) => {
      if (made) made.cancel(id);
      // The work to cancel may still wait for its code, and begins before this.
      else
        ignore(
          service().then((made) => made.cancel(id)),
          'what is cancelled; it did not begin',
        );
    },
    undo: late('undo'),
    redo: late('redo'),
    rewrite: late('rewrite'),
    again: late('again'),
    memoryFile: late('memoryFile'),
    saveMemoryFile: late('saveMemoryFile'),
    remakeMemoryFile: late('remakeMemoryFile'),
    next: late('next'),
    manifest: late('manifest'),
    checkpoints: late('checkpoints'),
    find: late('find'),
    checkpoint: late('checkpoint'),
    removeCheckpoint: late('removeCheckpoint'),
    renameCheckpoint: late('renameCheckpoint'),
    restore: late('restore'),
    diff: late('diff'),
    close: async () => {
      isClosed = true;
      await made?.close();
    },
    pressure: late('pressure'),
    prepare: late('prepare'),
    compactAfterCutOff: late('compactAfterCutOff'),
    learn: (...answer) => made?.learn(...answer),
    settled: (id) =>
      ignore(
        service().then((made) => made.settled(id)),
        'work after an answer; the next answer does it',
      ),
  };
}
