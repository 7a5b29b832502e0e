// Waiting for a page: what is asked of it has no timeout of its own, and an old build
// may never get where it is waited for.
import type { Page } from 'playwright';
import { isTimeout, withDeadline } from '../../src/domain/base/time-limit.ts';

/** What `work` gives. Rejects after `ms` with a sentence that says what was waited for. */
export async function inTime<T>(
  ms: number,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await withDeadline(new AbortController().signal, ms, work);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw new Error(`Waited ${ms / 1000} s in vain: ${what}. Is it a build of these sources?`);
  }
}

/**
 * Waits until an expression is true in the page, `timeout` ms; through the debugger,
 * because the page's policy forbids `eval`.
 */
export const settled = (page: Page, condition: string, timeout = 600_000): Promise<void> =>
  inTime(timeout, condition, async (signal) => {
    while (!(await page.evaluate(condition))) {
      signal.throwIfAborted();
      await page.waitForTimeout(50);
    }
  });
