// What the list, the ring and the title of the tab tell of long work.
import { describe, expect, it } from 'vitest';
import type { Activity } from '../../../src/domain/base/activity.ts';
import { counted } from '../../../src/services/library/counters.ts';
import type { MemoryStatus } from '../../../src/services/memory/memory.ts';
import { linesOf, NO_TALLIES, shareOf, talliedBy, titlePercent } from '../../../src/ui/library/lines.ts';

const status = (more: Partial<MemoryStatus> = {}): MemoryStatus => ({
  state: 'indexing',
  unread: 0,
  waiting: 0,
  rate: 0,
  embedding: { status: 'idle' },
  engine: 'opfs',
  problem: null,
  ...more,
});
const activity = (more: Partial<Activity>): Activity => ({
  id: 'a',
  label: 'import',
  done: 0,
  total: 0,
  startedAt: 0,
  state: 'running',
  ...more,
});
const linesAfter = (...statuses: Partial<MemoryStatus>[]) => {
  let tallies = NO_TALLIES;
  for (const one of statuses) tallies = talliedBy(tallies, status(one));
  return linesOf([], status(statuses.at(-1)), tallies, 0);
};

describe('counters of memory', () => {
  it('counts what vanished, takes what came as more to do, and begins anew', () => {
    let counters = { done: 0, left: 0 };
    const seen = [10, 7, 9, 2, 0, 5].map((left) => {
      counters = counted(counters, left);
      return [counters.done, counters.left];
    });
    expect(seen).toEqual([
      [0, 10],
      [3, 7],
      [3, 9],
      [10, 2],
      [0, 0],
      [0, 5],
    ]);
  });
});

describe('the lines', () => {
  it('tell of memory what is left, and totals as soon as some of it is done', () => {
    expect(linesAfter({ unread: 40 })[0]).toMatchObject({ label: 'index', total: 0, left: 40, can: 'pause' });
    expect(linesAfter({ unread: 40 }, { unread: 30 })[0]).toMatchObject({ done: 10, total: 40, left: null });
    expect(linesAfter({ waiting: 40 }, { waiting: 10, rate: 5 })[0]).toMatchObject({
      label: 'embed',
      done: 30,
      total: 40,
      rate: 5,
    });
  });

  it('show a rebuild once, to be paused and not to be stopped half-way', () => {
    const rebuild = activity({ label: 'rebuild', done: 10, total: 100 });
    const lines = linesOf([rebuild], status({ unread: 90 }), NO_TALLIES, 0);
    expect(lines.map(({ label, can, state }) => [label, can, state])).toEqual([
      ['rebuild', 'pause', 'running'],
    ]);
    expect(linesOf([rebuild], status({ state: 'paused', unread: 90 }), NO_TALLIES, 0)[0]?.state).toBe(
      'paused',
    );
  });

  it('offer to cancel where that exists, and to dismiss what has ended', () => {
    const can = (state: Activity['state']) => linesOf([activity({ state })], status(), NO_TALLIES, 0)[0]?.can;
    expect([can('running'), can('finished'), can('failed')]).toEqual(['cancel', 'dismiss', 'dismiss']);
  });

  it('call for nobody once it is known that they failed', () => {
    const calls = (more: Partial<Activity>) => linesOf([activity(more)], status(), NO_TALLIES, 0)[0]?.calls;
    expect(calls({ state: 'failed' })).toBe(true);
    expect(calls({ state: 'failed', seen: true })).toBe(false);
    expect(calls({ state: 'finished' })).toBe(false);
  });

  it('put how far all of it is into the title: imports, models, reading, a rebuild', () => {
    expect(titlePercent([])).toBeNull();
    const loading = status({ state: 'ready', embedding: { status: 'loading', loaded: 30, total: 120 } });
    expect(titlePercent(linesOf([], loading, NO_TALLIES, 0))).toBe(25);
    expect(titlePercent(linesOf([activity({ done: 1, total: 3 })], loading, NO_TALLIES, 0))).toBe(29);
    expect(titlePercent(linesAfter({ unread: 100 }, { unread: 40 }))).toBe(60);
    expect(titlePercent(linesAfter({ unread: 4 }, { unread: 2 }))).toBeNull();
    expect(shareOf(linesAfter({ unread: 4 }, { unread: 2 }))).toBe(0.5);
    expect(
      titlePercent(linesOf([activity({ state: 'finished', done: 3, total: 3 })], status(), NO_TALLIES, 0)),
    ).toBeNull();
  });
});
