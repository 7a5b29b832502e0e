import { expect, it, vi } from 'vitest';
import { createDevice } from '../../../src/adapters/browser/device.ts';

it('checks for new versions no more once it is closed while the page was busy', async () => {
  const intervals = vi.spyOn(globalThis, 'setInterval');
  const busy = Promise.withResolvers<void>();
  const device = createDevice({ serviceWorker: '/no-worker.js', busy: busy.promise, fatal: null });
  device.close();
  busy.resolve();
  // The steps of the start take a few turns of the microtask queue, which all run before the next task.
  await new Promise((resolve) => setTimeout(resolve));
  expect(intervals).not.toHaveBeenCalled();
  intervals.mockRestore();
});
