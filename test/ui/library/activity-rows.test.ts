// What the list, the ring and the title of the tab tell of long work.
import { describe, expect, it } from 'vitest';
import type { Activity } from '../../../src/domain/base/activity.ts';
import { updateCounters } from '../../../src/services/library/counters.ts';
import type { MemoryStatus } from '../../../src/services/memory/memory.ts';
import {
  activityRows,
  countMemory,
  NO_COUNTERS,
  overallShare,
  titlePercent,
} from '../../../src/ui/library/activity-rows.ts';

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
const rowsAfter = (...statuses: Partial<MemoryStatus>[]) => {
  let counters = NO_COUNTERS;
  for (const one of statuses) counters = countMemory(counters, status(one));
  return activityRows([], status(statuses.at(-1)), counters, 0);
};

describe('counters of memory', () => {
  it('counts what vanished, takes what came as more to do, and begins anew', () => {
    let counters = { done: 0, left: 0 };
    const seen = [10, 7, 9, 2, 0, 5].map((left) => {
      counters = updateCounters(counters, left);
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

describe('the rows', () => {
  it('tell of memory what is left, and totals as soon as some of it is done', () => {
    expect(rowsAfter({ unread: 40 })[0]).toMatchObject({ label: 'index', total: 0, left: 40, can: 'pause' });
    expect(rowsAfter({ unread: 40 }, { unread: 30 })[0]).toMatchObject({ done: 10, total: 40, left: null });
    expect(rowsAfter({ waiting: 40 }, { waiting: 10, rate: 5 })[0]).toMatchObject({
      label: 'embed',
      done: 30,
      total: 40,
      rate: 5,
    });
  });

  it('show a rebuild once, to be paused and not to be stopped half-way', () => {
    const rebuild = activity({ label: 'rebuild', done: 10, total: 100 });
    const rows = activityRows([rebuild], status({ unread: 90 }), NO_COUNTERS, 0);
    expect(rows.map(({ label, can, state }) => [label, can, state])).toEqual([
      ['rebuild', 'pause', 'running'],
    ]);
    expect(activityRows([rebuild], status({ state: 'paused', unread: 90 }), NO_COUNTERS, 0)[0]?.state).toBe(
      'paused',
    );
  });

  it('offer to cancel where that exists, and to dismiss what has ended', () => {
    const can = (state: Activity['state']) =>
      activityRows([activity({ state })], status(), NO_COUNTERS, 0)[0]?.can;
    expect([can('running'), can('finished'), can('failed')]).toEqual(['cancel', 'dismiss', 'dismiss']);
  });

  it('call for nobody once it is known that they failed', () => {
    const calls = (more: Partial<Activity>) =>
      activityRows([activity(more)], status(), NO_COUNTERS, 0)[0]?.needsAttention;
    expect(calls({ state: 'failed' })).toBe(true);
    expect(calls({ state: 'failed', seen: true })).toBe(false);
    expect(calls({ state: 'finished' })).toBe(false);
  });

  it('put how far all of it is into the title: imports, models, reading, a rebuild', () => {
    expect(titlePercent([])).toBeNull();
    const loading = status({ state: 'ready', embedding: { status: 'loading', loaded: 30, total: 120 } });
    expect(titlePercent(activityRows([], loading, NO_COUNTERS, 0))).toBe(25);
    expect(titlePercent(activityRows([activity({ done: 1, total: 3 })], loading, NO_COUNTERS, 0))).toBe(29);
    expect(titlePercent(rowsAfter({ unread: 100 }, { unread: 40 }))).toBe(60);
    expect(titlePercent(rowsAfter({ unread: 4 }, { unread: 2 }))).toBeNull();
    expect(overallShare(rowsAfter({ unread: 4 }, { unread: 2 }))).toBe(0.5);
    expect(
      titlePercent(
        activityRows([activity({ state: 'finished', done: 3, total: 3 })], status(), NO_COUNTERS, 0),
      ),
    ).toBeNull();
  });
});
