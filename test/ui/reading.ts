// Readings that a test holds back, lets fail and lets through; and the keys that lead through a place.
import { expect } from 'vitest';
import { userEvent } from 'vitest/browser';
import type { Store } from '../../src/adapters/log/conversation-log.ts';
import { RecollectError } from '../../src/domain/base/errors.ts';
import type { DocumentId } from '../../src/domain/base/ids.ts';
import { REACHED } from '../../src/ui/hooks/focus-fallback.ts';

export interface Gate {
  /** The same function, which waits at the gate. */
  before<A extends unknown[], T>(read: (...args: A) => Promise<T>): (...args: A) => Promise<T>;
  /** Refuses those that wait, and all that come until it opens. */
  fail(): void;
  open(): void;
}

/** A gate that is closed at first: readings wait at it. */
export function createGate(): Gate {
  let state: 'closed' | 'failing' | 'open' = 'closed';
  let waiting: (() => void)[] = [];
  const pass = async (): Promise<void> => {
    if (state === 'closed') await new Promise<void>((go) => waiting.push(go));
    if (state === 'failing') throw new RecollectError('storage-failed', 'It could not be read');
  };
  const turn = (next: typeof state) => {
    state = next;
    for (const go of waiting.splice(0)) go();
    waiting = [];
  };
  return {
    before:
      (read) =>
      async (...args) => {
        await pass();
        return await read(...args);
      },
    fail: () => turn('failing'),
    open: () => turn('open'),
  };
}

/** The store, with readings of these documents at the gate. */
export const gated = (store: Store, gate: Gate, ...documents: readonly DocumentId[]): Store => {
  const read = gate.before(store.log.read);
  return {
    ...store,
    log: {
      ...store.log,
      read: (document, after) => (documents.includes(document) ? read : store.log.read)(document, after),
    },
  };
};

/** What Tab has to reach: of the buttons of one choice only one. */
const stopsIn = (place: Element): Element[] => {
  const groups = new Set<string>();
  return [...place.querySelectorAll(REACHED)].filter((one) => {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.closest('[inert], [aria-hidden=true]'))
      return false;
    if (one.getAttribute('tabindex') === '-1') return false;
    if (!(one instanceof HTMLInputElement) || one.type !== 'radio') return true;
    const isFirst = !groups.has(one.name);
    groups.add(one.name);
    return isFirst;
  });
};

/** Walks through the place with Tab, from before it; every control of it has had the focus then. */
export async function expectReached(place: Element): Promise<void> {
  // A part that is still being loaded hides what stands beside it.
  await expect.poll(() => stopsIn(place).length).toBeGreaterThan(0);
  const stops = stopsIn(place);
  const seen = new Set<EventTarget | null>();
  const note = ({ target }: Pick<FocusEvent, 'target'>) => {
    seen.add(target);
    if (target instanceof HTMLInputElement && target.type === 'radio')
      for (const one of document.getElementsByName(target.name)) seen.add(one);
  };
  place.addEventListener('focusin', note as EventListener);
  const first = stops[0];
  if (!(first instanceof HTMLElement)) throw new Error('There is nothing to reach');
  first.focus();
  note({ target: first });
  for (let at = 0; at < stops.length + 4 && stops.some((one) => !seen.has(one)); at += 20)
    await userEvent.keyboard('{Tab}'.repeat(Math.min(20, stops.length)));
  place.removeEventListener('focusin', note as EventListener);
  const missed = stops.filter((one) => one.isConnected && !seen.has(one));
  expect(missed.map((one) => one.outerHTML.slice(0, 160))).toEqual([]);
}

/** Lists words of an element that stand twice, one right after the other: a reader asks how the two differ. */
export function saidTwice(within: Element): string[] {
  const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  const said: string[] = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode as Text;
    const isShown = parentElement?.checkVisibility() && !parentElement.closest('.sr-only');
    if (/\p{L}/u.test(data) && isShown) said.push(data.trim());
  }
  return said.filter((words, at) => words === said[at - 1]);
}
