// Owners of rows beside the log. A tab holds a Web Lock for its whole life, so no
// other tab takes a row from a living one.

import { newEntryId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';

/** The members of `navigator.locks` that are used here. */
export interface LocksLike {
  request(
    name: string,
    options: { ifAvailable?: boolean; signal?: AbortSignal },
    callback: (lock: unknown) => Promise<unknown>,
  ): Promise<unknown>;
}

/** Storage that keeps a tab's name over a reload: `sessionStorage`. */
export type TabMemory = Pick<Storage, 'getItem' | 'setItem'>;

/** Without Web Locks, a row that was untouched for so long counts as abandoned, ms. */
const ABANDONED_MS = 30_000;
/**
 * `touchedAt`, `now`: ms since 1970. A row from the future was touched before the clock
 * was set back, and counts as abandoned.
 */
export const isAbandoned = (touchedAt: number, now: number): boolean =>
  Math.abs(now - touchedAt) > ABANDONED_MS;
const NAME = 'recollect.tab';
/** Key of the words that a page noted when it was left, in the same storage. */
export const NOTED_WORDS = 'recollect.left';

export interface Tab {
  readonly id: string;
  /** Name of this tab before its reload. In a copied tab it is the name of a living one. */
  readonly before: string | null;
  /** True once the lock is held; false if there are no locks, or the browser refuses them. */
  readonly locked: Promise<boolean>;
  lockOf(owner: string): string;
  /** Gives up the lock. */
  leave(): void;
}

/**
 * Names this tab and takes its Web Lock, which the browser frees when the tab ends.
 * @param locks undefined if the browser has none: `locked` is then false
 * @param memory keeps the name over a reload; absent or refused: rows of this tab then have no owner after a reload
 */
export function createTab(locks: LocksLike | undefined, memory?: () => TabMemory): Tab {
  const id: string = newEntryId();
  let before: string | null = null;
  try {
    const kept = memory?.();
    before = kept?.getItem(NAME) ?? null;
    kept?.setItem(NAME, id);
  } catch (error) {
    // Without an id that outlives a reload, the rows of this page then belong to no living tab.
    log.debug('This browser keeps nothing for a tab', error);
  }
  const lockOf = (owner: string) => `recollect-chat/${owner}`;
  let leave: () => void = () => undefined;
  const living = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const locked = new Promise<boolean>((resolve) => {
    if (!locks) return resolve(false);
    locks
      .request(lockOf(id), {}, () => {
        resolve(true);
        return living;
      })
      .catch((error: unknown) => {
        log.warn('This tab has no lock of its own', error);
        resolve(false);
      });
  });
  return { id, before, locked, lockOf, leave };
}
