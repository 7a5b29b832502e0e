// A question is not offered to be asked twice while another device may be answering it.
import { expect, it } from 'vitest';
import { waitFor } from '../../../src/ui/chat/answer-wait.ts';

it('what was asked on another device just now is left to that device for a while', () => {
  const soon = waitFor({ origin: 'here', age: 0 }, true);
  expect(soon).toBeLessThan(1_000);
  expect(waitFor({ origin: null, age: 0 }, false)).toBe(soon);
  expect(waitFor({ origin: 'elsewhere', age: 86_400_000 }, true)).toBeGreaterThan(30_000);
  expect(waitFor({ origin: null, age: 10_000 }, true)).toBeGreaterThan(30_000);
  expect(waitFor({ origin: null, age: 3_600_000 }, true)).toBe(soon);
  expect(waitFor({ origin: null, age: -86_400_000 }, true)).toBe(soon);
});
