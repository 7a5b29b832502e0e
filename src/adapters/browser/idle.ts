// Waits until the page is idle.

/**
 * Resolves when the browser is idle, after `withinMs` (ms) at the latest, or when the signal aborts. In browsers that
 * do not report idleness (Safari), it resolves after the work now due.
 */
export function whenIdle(withinMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const hasIdle = 'requestIdleCallback' in globalThis;
    const handle = hasIdle
      ? requestIdleCallback(() => resolve(), { timeout: withinMs })
      : setTimeout(resolve, 0);
    signal.addEventListener(
      'abort',
      () => {
        if (hasIdle) cancelIdleCallback(handle as number);
        else clearTimeout(handle);
        resolve();
      },
      { once: true },
    );
  });
}

/** Resolves after `ms` (ms) or when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
