// When the page has nothing better to do.

/**
 * Resolves when the browser is idle, at the latest after `withinMs` (ms), and when the signal ends. Where a browser does not say that it is
 * idle (Safari), as soon as what is due now is done.
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

/** Resolves after `ms` (ms), and when the signal ends. */
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
