// Coverage: the set of changes by each device that a holder has. Each device numbers its blobs in a room from 1; a
// coverage is a set of ranges per device.

/** Ranges with both ends included, ascending, not adjacent. */
type Ranges = readonly (readonly [from: number, to: number])[];
export type Coverage = Readonly<Record<string, Ranges>>;

export const EMPTY_COVERAGE: Coverage = {};

/** Adds the numbers `from` to `to` of `device` to `coverage`. */
export function withRange(coverage: Coverage, device: string, from: number, to = from): Coverage {
  if (coverage[device]?.some(([start, end]) => start <= from && to <= end)) return coverage;
  const merged: [number, number][] = [];
  const all = [...(coverage[device] ?? []), [from, to] as const].sort((a, b) => a[0] - b[0]);
  for (const [start, end] of all) {
    const last = merged.at(-1);
    if (last && start <= last[1] + 1) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return { ...coverage, [device]: merged };
}

/** Returns everything that is in either of them. */
export function union(a: Coverage, b: Coverage): Coverage {
  let all = a;
  for (const [device, ranges] of Object.entries(b))
    for (const [from, to] of ranges) all = withRange(all, device, from, to);
  return all;
}

/** True if `a` contains all of `b`. */
export function covers(a: Coverage, b: Coverage): boolean {
  return Object.entries(b).every(([device, ranges]) =>
    ranges.every(([from, to]) => (a[device] ?? []).some(([start, end]) => start <= from && to <= end)),
  );
}

/** Returns the highest number up to which nothing of `device` is missing; 0 if its first is missing. */
export function versionOf(coverage: Coverage, device: string): number {
  const first = coverage[device]?.[0];
  return first && first[0] <= 1 ? first[1] : 0;
}

/** Returns that number for every device. */
export function versionVector(coverage: Coverage): Record<string, number> {
  const all: Record<string, number> = {};
  for (const device of Object.keys(coverage)) {
    const end = versionOf(coverage, device);
    if (end > 0) all[device] = end;
  }
  return all;
}
