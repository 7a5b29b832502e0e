import { expect, it, onTestFinished, vi } from 'vitest';
import { leaveWhenLocked } from '../../src/workers/leave-when-locked.ts';

it('a locked page is blank at once, and takes along what the system still shows of it', async () => {
  const { title } = document;
  const notice = { tag: 'a conversation', close: vi.fn() };
  const registration = { getNotifications: async () => [notice] } as unknown as ServiceWorkerRegistration;
  vi.spyOn(navigator.serviceWorker, 'getRegistration').mockResolvedValue(registration);
  const closing = new AbortController();
  onTestFinished(() => {
    closing.abort();
    document.documentElement.hidden = false;
    document.title = title;
    vi.restoreAllMocks();
  });
  const holder = { wasLocked: true, subscribe: () => () => true };
  // It is never loaded again: that would end the test.
  leaveWhenLocked(holder, () => new Promise(() => {}), closing.signal);
  expect(document.documentElement.hidden).toBe(true);
  await expect.poll(() => notice.close.mock.calls.length).toBe(1);
});
