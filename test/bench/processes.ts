// How much memory the browser's processes take, by phase. Linux only: elsewhere the figures are missing.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Megabytes. `footprint` is what belongs to the process alone, as a browser's own task manager counts; `pss` adds its share of what it shares. */
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

/** The renderer that holds the app: of those started with `marker` in their command line the largest. Spare ones hold nothing of ours. */
export function appProcess(marker: string): Megabytes | undefined {
  let largest: Megabytes | undefined;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!line.includes(marker) || !line.includes('--type=renderer')) continue;
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      const [user, system] = (
        readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
      ).slice(11, 13);
      const footprint = field(text, 'Private_Clean') + field(text, 'Private_Dirty') + field(text, 'Swap');
      if (!largest || footprint > largest.footprint)
        largest = {
          footprint: Math.round(footprint),
          pss: Math.round(field(text, 'Pss')),
          resident: Math.round(field(text, 'Rss')),
          cpuMs: (Number(user) + Number(system)) * TICK_MS,
        };
    } catch {
      // The process ended while we looked.
    }
  return largest;
}

export interface MemoryWatch {
  /** What follows is counted for this phase. */
  phase(name: string): void;
  /** Peak and last figures of each phase; stops. */
  end(): Record<string, { peak: Megabytes; last: Megabytes }>;
}

/** Looks every `everyMs` (counting a large process takes tens of ms of one core) at the processes started with `marker` in their command line. */
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
