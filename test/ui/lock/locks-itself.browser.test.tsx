// A device that locks by itself, in the page: after a time without use, and after a time out of sight.
import { afterEach, expect, it, vi } from 'vitest';
import type { Writable } from '../../../src/domain/base/readable.ts';
import type { LockState } from '../../../src/services/lock/lock.ts';
import { createTestApp, show } from '../harness.tsx';

afterEach(() => vi.restoreAllMocks());

const MINUTE = 60_000;

/** A page of a device that has a lock, by a clock of its own. Turning to the page makes it check the time. */
async function sealed(settings: Readonly<Record<string, number>>) {
  const app = await createTestApp();
  for (const [path, minutes] of Object.entries(settings)) await app.settings.set(`privacy.${path}`, minutes);
  // Else the page asks whether to stop locking.
  await app.settings.set('privacy.encrypt_local', true);
  const locked = vi.spyOn(app.lock, 'lockNow').mockImplementation(() => undefined);
  (app.lock.state as Writable<LockState>).update((before) => ({ ...before, phase: 'sealed' }));
  await show(app, '/');
  const begun = Date.now();
  const clock = vi.spyOn(Date, 'now');
  const hidden = vi.spyOn(document, 'hidden', 'get');
  return {
    locked,
    /** So long after the start the page comes into sight, or goes out of it. */
    turned: (minutes: number, isHidden: boolean) => {
      clock.mockReturnValue(begun + minutes * MINUTE);
      hidden.mockReturnValue(isHidden);
      document.dispatchEvent(new Event('visibilitychange'));
    },
  };
}

it('after a time in which no tab is used, and not before', async () => {
  const { locked, turned } = await sealed({ lock_after_minutes: 15 });
  turned(14, false);
  expect(locked).not.toHaveBeenCalled();
  window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift' }));
  turned(28, false);
  expect(locked).not.toHaveBeenCalled();
  turned(29, false);
  expect(locked).toHaveBeenCalledOnce();
});

it('after a time out of sight', async () => {
  const { locked, turned } = await sealed({ lock_after_minutes: 0, lock_when_hidden_minutes: 2 });
  turned(30, false);
  turned(31, true);
  turned(32.9, false);
  expect(locked).not.toHaveBeenCalled();
  turned(40, true);
  turned(42, false);
  expect(locked).toHaveBeenCalledOnce();
});

it('never where both are switched off', async () => {
  const { locked, turned } = await sealed({ lock_after_minutes: 0, lock_when_hidden_minutes: 0 });
  turned(9000, true);
  turned(9999, false);
  expect(locked).not.toHaveBeenCalled();
});
