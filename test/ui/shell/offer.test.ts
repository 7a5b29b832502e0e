import { toast } from 'sonner';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { offer, withdrawNotices } from '../../../src/ui/shell/offer.ts';

/** The page as far as an offer looks at it. */
const page = { hidden: false, held: false, querySelector: () => (page.held ? {} : null) };
const shown = (): number => toast.getToasts().length;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', page);
  vi.stubGlobal('requestAnimationFrame', (done: () => void) => setTimeout(done));
});
afterEach(() => {
  toast.dismiss();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  Object.assign(page, { hidden: false, held: false });
});

it('an offer stays ten seconds in which nobody is at it, and as long as somebody is', () => {
  offer('Note deleted', { label: 'Undo', onClick: () => undefined });
  vi.advanceTimersByTime(9_000);
  expect(shown()).toBe(1);
  page.held = true;
  vi.advanceTimersByTime(60_000);
  expect(shown()).toBe(1);
  Object.assign(page, { held: false, hidden: true });
  vi.advanceTimersByTime(60_000);
  expect(shown()).toBe(1);
  page.hidden = false;
  vi.advanceTimersByTime(2_000);
  expect(shown()).toBe(0);
});

it('the time of an offer waits while newer ones stand before it', () => {
  for (const words of ['one', 'two', 'three', 'four'])
    offer(words, { label: 'Undo', onClick: () => undefined });
  vi.advanceTimersByTime(11_000);
  expect(toast.getToasts().map((one) => 'title' in one && one.title)).toEqual(['one']);
  vi.advanceTimersByTime(11_000);
  expect(shown()).toBe(0);
});

it('an offer that is withdrawn is gone at once', () => {
  const withdraw = offer('Words set aside', { label: 'Bring back', onClick: () => undefined });
  withdraw();
  vi.advanceTimersByTime(100);
  expect(shown()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

it('what is forgotten takes every notice along, with an undo or without', () => {
  offer('Words set aside', { label: 'Bring back', onClick: () => undefined });
  toast('Downloaded as Visit of Quillfeather.md');
  toast.error('Visit of Quillfeather cannot be saved');
  withdrawNotices();
  vi.advanceTimersByTime(100);
  expect(shown()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
