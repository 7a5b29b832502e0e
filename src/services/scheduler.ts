// The one way background work runs. Level-triggered: a wake only says "look again", so doubled it
// costs nothing, and missed it is made good by the next. A job never runs twice at once, yields to
// the event loop, and ends with its signal.
//
//   wake ──► (gap since the last run) ──► run ──► woken meanwhile? ──yes──► run again
//                                          └─ throws ──► onError, again after a growing pause
import { isAbort } from '../domain/base/errors.ts';

interface JobOptions {
  /** Compares what is with what should be, and does the difference. Must stop soon after its signal. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  /**
   * Shortest time from the end of a run to the start of the next, ms; what is asked
   * for within it is one run. Default 0.
   */
  readonly gapMs?: number;
  /** Hears of a failed run. `pauseMs`: when it is tried again by itself. */
  readonly onError: (error: unknown, pauseMs: number) => void;
  /** Pause after the first failure, ms; doubles with each further one up to `maxPauseMs`. Default 1 s, 5 minutes. */
  readonly pauseMs?: number;
  readonly maxPauseMs?: number;
}

interface Job {
  /** Asks for a run as soon as possible. While pausing after a failure only `now` shortens the pause. */
  wake(now?: boolean): void;
  /** Asks for a run in `ms` at the latest. Several calls: the earliest counts. */
  wakeWithin(ms: number): void;
  /**
   * Resolves when nothing runs and nothing is asked for right away (later wakes may
   * be due). For tests and orderly ends.
   */
  settled(): Promise<void>;
}

/** Makes a job. It does nothing until it is woken, and nothing after its signal. */
export function createJob({
  run,
  signal,
  onError,
  gapMs = 0,
  pauseMs = 1_000,
  maxPauseMs = 300_000,
}: JobOptions): Job {
  let running = false;
  let wanted = false;
  let failures = 0;
  /** Earliest next start, by the monotonic clock. */
  let notBefore = 0;
  let timer: { handle: ReturnType<typeof setTimeout>; at: number; soon: boolean } | undefined;
  const waiters: (() => void)[] = [];

  const isSettled = () => signal.aborted || (!running && !wanted && !timer?.soon);
  const announce = () => {
    if (!isSettled()) return;
    for (const resolve of waiters.splice(0)) resolve();
  };

  const startAt = (at: number, soon: boolean) => {
    if (signal.aborted) return;
    if (timer) {
      timer.soon ||= soon;
      if (timer.at <= at) return;
      clearTimeout(timer.handle);
    }
    const handle = setTimeout(
      () => {
        timer = undefined;
        // A time that comes in the middle of a run may be too late for it: run again.
        if (running) wanted = true;
        else void start();
      },
      Math.max(0, at - performance.now()),
    );
    timer = { handle, at, soon: soon || (timer?.soon ?? false) };
  };

  const start = async () => {
    if (signal.aborted) return;
    running = true;
    wanted = false;
    try {
      await run(signal);
      failures = 0;
      notBefore = performance.now() + gapMs;
    } catch (error) {
      if (!isAbort(error) || !signal.aborted) {
        failures += 1;
        const pause = Math.min(maxPauseMs, pauseMs * 2 ** (failures - 1));
        notBefore = performance.now() + pause;
        onError(error, pause);
        startAt(notBefore, false);
      }
    } finally {
      running = false;
      if (wanted) startAt(notBefore, failures === 0);
      // After a failure the pause's own timer carries what was asked for.
      if (failures > 0) wanted = false;
      announce();
    }
  };

  signal.addEventListener(
    'abort',
    () => {
      if (timer) clearTimeout(timer.handle);
      timer = undefined;
      announce();
      for (const resolve of waiters.splice(0)) resolve();
    },
    { once: true },
  );

  return {
    wake: (now = false) => {
      if (now && failures > 0) {
        failures = 0;
        notBefore = 0;
      }
      if (running) wanted = true;
      else startAt(Math.max(performance.now(), notBefore), failures === 0);
    },
    wakeWithin: (ms) => startAt(performance.now() + ms, false),
    settled: () => {
      if (isSettled()) return Promise.resolve();
      return new Promise((resolve) => waiters.push(resolve));
    },
  };
}
