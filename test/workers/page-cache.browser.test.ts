// A page that the browser keeps for its back button: WebKit does so with workers that hold locks, Chromium does not.
import { expect, it } from 'vitest';
import { endedWithPage, reloadWhenShownAgain } from '../../src/workers/page-cache.ts';

const leave = (persisted: boolean) => dispatchEvent(new PageTransitionEvent('pagehide', { persisted }));

/** A worker that takes the lock and keeps it. */
async function holding(lock: string): Promise<Worker> {
  const source = `navigator.locks.request('${lock}', () => { postMessage('held'); return new Promise(() => {}); })`;
  const worker = endedWithPage(new Worker(URL.createObjectURL(new Blob([source]))));
  await new Promise((resolve) => worker.addEventListener('message', resolve, { once: true }));
  return worker;
}

it('gives back the locks of its workers when it is put aside', async () => {
  const worker = await holding('kept');
  leave(false);
  expect(await navigator.locks.request('kept', { ifAvailable: true }, (lock) => lock)).toBeNull();
  leave(true);
  await navigator.locks.request('kept', () => {});
  worker.terminate();
});

it('starts anew when it is shown again, and not when it is shown first', () => {
  let reloads = 0;
  reloadWhenShownAgain(() => {
    reloads += 1;
  });
  dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }));
  expect(reloads).toBe(0);
  dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  expect(reloads).toBe(1);
});
