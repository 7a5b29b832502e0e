// Rows of long work for the list, the ring and the tab's title: activities, and memory's work beside them.
import { useMemo, useState } from 'react';
import type { Activity } from '../../domain/base/activity.ts';
import { type Counters, updateCounters } from '../../services/library/counters.ts';
import type { MemoryStatus } from '../../services/memory/memory.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useReading } from '../hooks/reading.ts';

/** A row of the list. Memory's work has no id to cancel, but can be paused. */
export interface ActivityRow {
  readonly id: string;
  readonly label: Activity['label'];
  readonly name: string | null;
  readonly done: number;
  readonly total: number;
  /** Items per second, 0 while unknown. */
  readonly rate: number;
  readonly state: Activity['state'];
  readonly problem: Activity['problem'] | undefined;
  /** True if the work failed and the person has not seen that yet. */
  readonly needsAttention: boolean;
  /** `share`: the steps mean nothing to a person, so only the percentage is shown. */
  readonly unit: 'count' | 'bytes' | 'share';
  /** Work without a known beginning only has `left`. */
  readonly left: number | null;
  readonly can: 'pause' | 'cancel' | 'dismiss' | null;
}

/** Lines of memory's work, beside the activities that it announces itself. */
function memoryRows(
  status: MemoryStatus,
  announced: ReadonlySet<Activity['label']>,
  { unread, waiting }: MemoryCounters,
): ActivityRow[] {
  const rows: ActivityRow[] = [];
  const base = { name: null, problem: undefined, needsAttention: false, unit: 'count' } as const;
  // Until some of it is done, only the remaining amount is known.
  const amounts = ({ done, left }: Counters) =>
    done > 0 ? { done, total: done + left, left: null } : { done: 0, total: 0, left };
  const paused = status.state === 'paused';
  if (status.embedding.status === 'loading' && !announced.has('model-download'))
    rows.push({
      ...base,
      id: 'memory model',
      label: 'model-download',
      done: status.embedding.loaded,
      total: status.embedding.total,
      rate: 0,
      state: 'running',
      unit: 'bytes',
      left: null,
      can: null,
    });
  const working = status.state === 'indexing' || paused;
  if (working && status.unread > 0 && !announced.has('index') && !announced.has('rebuild'))
    rows.push({
      ...base,
      id: 'memory index',
      label: 'index',
      rate: 0,
      state: paused ? 'paused' : 'running',
      ...amounts(unread),
      can: 'pause',
    });
  if (working && status.waiting > 0 && !announced.has('embed'))
    rows.push({
      ...base,
      id: 'memory embed',
      label: 'embed',
      rate: status.rate,
      state: paused ? 'paused' : 'running',
      ...amounts(waiting),
      can: 'pause',
    });
  return rows;
}

/** Progress of memory's two kinds of work, as this tab has seen it. */
interface MemoryCounters {
  readonly unread: Counters;
  readonly waiting: Counters;
}
export const NO_COUNTERS: MemoryCounters = { unread: { done: 0, left: 0 }, waiting: { done: 0, left: 0 } };

/** Updates both counters from a new status of memory. */
export const countMemory = (before: MemoryCounters, { unread, waiting }: MemoryStatus): MemoryCounters => ({
  unread: updateCounters(before.unread, unread),
  waiting: updateCounters(before.waiting, waiting),
});

/** Everything running or just ended, running work first. `now` in ms since 1970. */
export function activityRows(
  activities: readonly Activity[],
  status: MemoryStatus,
  counters: MemoryCounters,
  now: number,
): readonly ActivityRow[] {
  const going = (activity: Activity) => activity.state === 'running' || activity.state === 'paused';
  const announced = new Set(activities.filter(going).map((activity) => activity.label));
  return [
    ...activities.map((activity): ActivityRow => {
      const seconds = (now - activity.startedAt) / 1000;
      const name = activity.params?.name;
      // Pauses with all of memory's work; stopping it halfway would leave an incomplete index.
      const ofMemory =
        activity.label === 'index' || activity.label === 'embed' || activity.label === 'rebuild';
      return {
        id: activity.id,
        label: activity.label,
        name: name === undefined ? null : String(name),
        done: activity.done,
        total: activity.total,
        rate:
          activity.label === 'embed' && status.rate > 0
            ? status.rate
            : seconds > 1
              ? activity.done / seconds
              : 0,
        state:
          ofMemory && activity.state === 'running' && status.state === 'paused' ? 'paused' : activity.state,
        problem: activity.problem,
        needsAttention: activity.state === 'failed' && activity.seen !== true,
        unit: activity.label === 'model-download' ? 'bytes' : activity.label === 'import' ? 'share' : 'count',
        left: null,
        can: !going(activity) ? 'dismiss' : ofMemory ? 'pause' : 'cancel',
      };
    }),
    ...memoryRows(status, announced, counters),
  ].sort((a, b) => Number(b.state === 'running') - Number(a.state === 'running'));
}

/** Everything running or just ended, kept up to date. */
export function useActivityRows(): readonly ActivityRow[] {
  const app = useApp();
  const activities = useReadable(app.library.activities);
  const { status } = useReading();
  const [seen, setSeen] = useState<{ status: MemoryStatus | null; counters: MemoryCounters }>({
    status: null,
    counters: NO_COUNTERS,
  });
  // Each status counts once, however often the component renders.
  const isNew = seen.status !== status;
  const counters = isNew ? countMemory(seen.counters, status) : seen.counters;
  if (isNew) setSeen({ status, counters });
  return useMemo(
    () => activityRows(activities, status, counters, Date.now()),
    [activities, status, counters],
  );
}

/** Overall progress of the rows, 0–1; null if none is known. */
export function overallShare(rows: readonly ActivityRow[]): number | null {
  const known = rows.filter((row) => row.total > 0);
  return known.length > 0 ? known.reduce((sum, row) => sum + row.done / row.total, 0) / known.length : null;
}

/** Fewer messages than this are read before anyone looks at the tab's title. */
const LEAST_SHOWN = 20;

/** Whole percentage for the tab's title; null if nothing is running or progress is unknown. */
export function titlePercent(rows: readonly ActivityRow[]): number | null {
  const share = overallShare(
    rows.filter(
      ({ state, label, total }) =>
        state === 'running' && ((label !== 'index' && label !== 'embed') || total >= LEAST_SHOWN),
    ),
  );
  return share === null ? null : Math.min(100, Math.floor(100 * share));
}
