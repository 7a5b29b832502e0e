// The page fetches code it may need next when it is idle, and not after it has gone.
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestApp, show } from '../harness.tsx';

/** Words, composer, search and import, opened conversations, recall, turns, outcomes. */
const PARTS = 7;

it('waits for idle time with each part, and takes its wish back when it goes', async () => {
  const asked = vi.spyOn(globalThis, 'requestIdleCallback');
  const takenBack = vi.spyOn(globalThis, 'cancelIdleCallback');
  // Runs after what `show` has to clean up.
  onTestFinished(() => {
    const handles = asked.mock.results.map(({ value }) => value);
    const given = takenBack.mock.calls.map(([handle]) => handle);
    vi.restoreAllMocks();
    expect(given).toEqual(handles);
  });
  await show(await createTestApp());
  // All parts in one idle moment would be a long task on a phone.
  await expect
    .poll(() => asked.mock.calls.map(([, options]) => options?.timeout), { timeout: 20_000 })
    .toEqual(Array.from({ length: PARTS }, () => 5000));
});
