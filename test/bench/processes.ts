// How much memory the browser's processes take, by phase. Linux only: elsewhere the figures are missing.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Megabytes. `footprint` is what belongs to the process alone, as a browser's own task manager counts;
 * `pss` adds its share of what it shares.
 */
export interface Megabytes {
  readonly footprint: number;
  readonly pss: number;
  readonly resident: number;
  /** Processor time spent since its start, ms: unlike the clock it does not count what other programs take. */
  readonly cpuMs: number;
}

/** What Linux counts processor time in, ms. */
const TICK_MS = 10;

const field = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1000;

/** What a process has spent of the processor since its start, ms. */
function cpuMsOf(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const processesOf = function* (marker: string): Generator<{ pid: string; line: string }> {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (line.includes(marker)) yield { pid, line };
    } catch {
      // The process ended while we looked.
    }
};

/**
 * The renderer that holds the app: of those started with `marker` in their command line the
 * largest. Spare ones hold nothing of ours.
 */
export function appProcess(marker: string): Megabytes | undefined {
  let largest: Megabytes | undefined;
  for (const { pid, line } of processesOf(marker))
    try {
      if (!line.includes('--type=renderer')) continue;
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      const footprint = field(text, 'Private_Clean') + field(text, 'Private_Dirty') + field(text, 'Swap');
      if (!largest || footprint > largest.footprint)
        largest = {
          footprint: Math.round(footprint),
          pss: Math.round(field(text, 'Pss')),
          resident: Math.round(field(text, 'Rss')),
          cpuMs: cpuMsOf(pid),
        };
    } catch {
      // The process ended while we looked.
    }
  return largest;
}

/** A browser that is quiet uses less than this share of one core. */
const QUIET = 0.05;
const QUIET_LOOK_MS = 500;
const QUIET_WITHIN_MS = 20_000;

/**
 * Waits until a browser that was just started rests: for its first seconds it makes pages of its own ready (in Chromium
 * 156 those behind the address bar take a second of one core), while whoever opens the app has one that runs.
 */
export async function untilQuiet(marker: string): Promise<void> {
  const spent = () => {
    let sum = 0;
    for (const { pid } of processesOf(marker))
      try {
        sum += cpuMsOf(pid);
      } catch {
        // The process ended while we looked.
      }
    return sum;
  };
  if (!existsSync('/proc/self/stat')) {
    await sleep(4000);
    return;
  }
  const end = Date.now() + QUIET_WITHIN_MS;
  for (let before = spent(); Date.now() < end; ) {
    await sleep(QUIET_LOOK_MS);
    const now = spent();
    if (now - before <= QUIET * QUIET_LOOK_MS) return;
    before = now;
  }
}

export interface MemoryWatch {
  /** What follows is counted for this phase. */
  phase(name: string): void;
  /** Peak and last figures of each phase; stops. */
  end(): Record<string, { peak: Megabytes; last: Megabytes }>;
}

/**
 * Looks every `everyMs` (counting a large process takes tens of ms of one core) at the processes started
 * with `marker` in their command line.
 */
export function watchMemory(marker: string, everyMs = 1000): MemoryWatch {
  const phases: Record<string, { peak: Megabytes; last: Megabytes }> = {};
  let current = 'start';
  const look = () => {
    const now = existsSync('/proc/self/smaps_rollup') ? appProcess(marker) : undefined;
    if (!now) return;
    const before = phases[current]?.peak ?? now;
    phases[current] = {
      peak: {
        footprint: Math.max(before.footprint, now.footprint),
        pss: Math.max(before.pss, now.pss),
        resident: Math.max(before.resident, now.resident),
        cpuMs: now.cpuMs,
      },
      last: now,
    };
  };
  const timer = setInterval(look, everyMs);
  return {
    phase: (name) => {
      look();
      current = name;
    },
    end: () => {
      clearInterval(timer);
      return phases;
    },
  };
}
