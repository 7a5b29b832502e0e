// Chance and time under one seed. Import this before everything else: libraries take hold of clocks and random numbers
// when they load. Outside of a run everything is the platform's own.
import { webcrypto } from 'node:crypto';
import { v7 } from 'uuid';

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  dateNow: Date.now,
  performanceNow: performance.now.bind(performance),
  random: Math.random,
};

interface Timer {
  readonly id: number;
  at: number;
  readonly every: number | null;
  readonly run: () => void;
}

interface World {
  time: number;
  next: number;
  readonly timers: Map<number, Timer>;
  readonly random: () => number;
}
let world: World | undefined;

/** Where virtual time begins, ms since 1970. */
export const EPOCH = Date.UTC(2026, 10, 20);

/** mulberry32: small, good enough, the same everywhere. */
export function randomFrom(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const add = (run: () => void, ms: number | undefined, every: number | null): number => {
  const there = world as World;
  there.next += 1;
  const wait = Math.max(0, Number.isFinite(ms) ? (ms ?? 0) : 0);
  there.timers.set(there.next, { id: there.next, at: there.time + wait, every, run });
  return there.next;
};
type Handler = (...args: unknown[]) => void;

globalThis.setTimeout = ((run: Handler, ms?: number, ...args: unknown[]) =>
  world ? add(() => run(...args), ms, null) : real.setTimeout(run, ms, ...args)) as typeof setTimeout;
globalThis.setInterval = ((run: Handler, ms?: number, ...args: unknown[]) =>
  world
    ? add(() => run(...args), ms, Math.max(1, ms ?? 1))
    : real.setInterval(run, ms, ...args)) as typeof setInterval;
globalThis.clearTimeout = ((id: unknown) => {
  if (typeof id === 'number') world?.timers.delete(id);
  else real.clearTimeout(id as NodeJS.Timeout);
}) as typeof clearTimeout;
globalThis.clearInterval = ((id: unknown) => {
  if (typeof id === 'number') world?.timers.delete(id);
  else real.clearInterval(id as NodeJS.Timeout);
}) as typeof clearInterval;
Date.now = () => (world ? EPOCH + world.time : real.dateNow());
performance.now = () => (world ? world.time : real.performanceNow());
Math.random = () => (world ? world.random() : real.random());

const realValues = webcrypto.getRandomValues.bind(webcrypto);
const prototype = Object.getPrototypeOf(webcrypto) as { getRandomValues: typeof realValues };
prototype.getRandomValues = function getRandomValues<T extends Parameters<typeof realValues>[0]>(
  array: T,
): T {
  if (!world || array === null) return realValues(array as never) as never;
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.floor(world.random() * 256);
  return array;
} as typeof realValues;

/** Lets every promise that can go on go on. */
export const drain = (): Promise<void> => new Promise((resolve) => real.setImmediate(resolve));

export interface Clockwork {
  readonly time: () => number;
  readonly random: () => number;
  /** Runs everything that is due until then. */
  advance(ms: number): Promise<void>;
  /** The machines sleep so long: what was due meanwhile runs once, afterwards. */
  sleep(ms: number): Promise<void>;
  readonly events: () => number;
}

/**
 * uuid gives no id from before the latest time that it saw: a world's ids would depend on the worlds before, and a seed
 * fail only after those. It is shown a time that is later than any, and from then on earlier than any.
 */
function forgetTime(): void {
  let seen = false;
  const now = Date.now;
  Date.now = () =>
    ({
      valueOf: () => {
        const time = seen ? Number.NEGATIVE_INFINITY : Number.MAX_SAFE_INTEGER;
        seen = true;
        return time;
      },
    }) as unknown as number;
  v7();
  Date.now = now;
}

/** Runs `work` in a world of its own, and leaves the platform as it was. One at a time. */
export async function inWorld<T>(seed: number, work: (clockwork: Clockwork) => Promise<T>): Promise<T> {
  if (world) throw new Error('One world at a time');
  const mine: World = { time: 0, next: 0, timers: new Map(), random: randomFrom(seed) };
  forgetTime();
  world = mine;
  let events = 0;
  try {
    const advance = async (ms: number) => {
      const end = mine.time + ms;
      await drain();
      for (;;) {
        let first: Timer | undefined;
        for (const timer of mine.timers.values())
          if (
            timer.at <= end &&
            (!first || timer.at < first.at || (timer.at === first.at && timer.id < first.id))
          )
            first = timer;
        if (!first) break;
        mine.time = Math.max(mine.time, first.at);
        if (first.every === null) mine.timers.delete(first.id);
        else first.at = mine.time + first.every;
        events += 1;
        first.run();
        await drain();
      }
      // One that was not waited for must not turn back the clock.
      mine.time = Math.max(mine.time, end);
    };
    return await work({
      time: () => mine.time,
      random: mine.random,
      events: () => events,
      advance,
      sleep: async (ms) => {
        mine.time += ms;
        await advance(0);
      },
    });
  } finally {
    world = undefined;
  }
}
