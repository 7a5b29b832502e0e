// Lists long work for the person: one list for the work of all services.
import type { Activity } from '../../domain/base/activity.ts';
import { isAbort, toProblem } from '../../domain/base/errors.ts';
import { newEntryId } from '../../domain/base/ids.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';

/** Finished ones that are still shown. */
const KEPT = 20;
/** Least time between two announcements of progress, ms. */
const PACE = 100;

/** Progress of a piece of work, as it reports it. */
export interface ActivityProgress {
  /** Id of the activity. */
  readonly id: string;
  readonly signal: AbortSignal;
  add(done: number): void;
  setTotal(total: number): void;
}

export interface Activities {
  readonly list: Readable<readonly Activity[]>;
  cancel(id: string): void;
  dismiss(id: string): void;
  /** The person has seen how it ended. */
  acknowledge(id: string): void;
  /** Runs the work under an activity, which ends as the work does. Rejects as the work does. */
  run<T>(
    kind: Pick<Activity, 'label' | 'params'> & { total: number },
    work: (progress: ActivityProgress) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;
}

/** `others`: activities of other services, shown in the same list and cancelled through it. */
export function createActivities({
  now,
  others,
}: {
  now: () => number;
  others?: {
    readonly list: Readable<readonly Activity[]>;
    cancel(id: string): void;
    dismiss(id: string): void;
  };
}): Activities {
  const own = writable<readonly Activity[]>([]);
  const running = new Map<string, AbortController>();

  const patch = (id: string, change: Partial<Activity>) =>
    own.update((list) =>
      list.map((activity) => (activity.id === id ? { ...activity, ...change } : activity)),
    );

  let seen: { own: readonly Activity[]; others: readonly Activity[]; all: readonly Activity[] } | undefined;
  const list: Readable<readonly Activity[]> = others
    ? {
        get: () => {
          const [a, b] = [own.get(), others.list.get()];
          if (seen?.own !== a || seen.others !== b)
            seen = { own: a, others: b, all: [...a, ...b].sort((x, y) => y.startedAt - x.startedAt) };
          return seen.all;
        },
        subscribe: (listener) => {
          const stops = [own.subscribe(listener), others.list.subscribe(listener)];
          return () => {
            for (const stop of stops) stop();
          };
        },
      }
    : own;

  return {
    list,
    cancel: (id) => {
      const controller = running.get(id);
      if (controller) controller.abort();
      else others?.cancel(id);
    },
    dismiss: (id) => {
      if (!own.get().some((activity) => activity.id === id)) others?.dismiss(id);
      else if (!running.has(id)) own.update((all) => all.filter((activity) => activity.id !== id));
    },

    acknowledge: (id) => patch(id, { seen: true }),

    run: async ({ label, params, total }, work, signal) => {
      const id = newEntryId();
      const controller = new AbortController();
      running.set(id, controller);
      const activity: Activity = {
        id,
        label,
        ...(params ? { params } : {}),
        done: 0,
        total,
        startedAt: now(),
        state: 'running',
      };
      own.update((all) => [activity, ...all].slice(0, KEPT + running.size));
      let [done, whole, announced] = [0, total, performance.now()];
      const announce = (force: boolean) => {
        if (!force && performance.now() - announced < PACE) return;
        announced = performance.now();
        patch(id, { done: Math.min(done, whole), total: whole });
      };
      try {
        const result = await work({
          id,
          signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
          add: (more) => {
            done += more;
            announce(false);
          },
          setTotal: (value) => {
            whole = value;
            announce(true);
          },
        });
        patch(id, { done: whole, total: whole, state: 'finished' });
        return result;
      } catch (error) {
        announce(true);
        patch(id, isAbort(error) ? { state: 'cancelled' } : { state: 'failed', problem: toProblem(error) });
        throw error;
      } finally {
        running.delete(id);
      }
    },
  };
}
