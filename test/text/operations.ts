// Counts what a function does with a text, in operations instead of seconds: blocks of code that ran (the
// engine's precise coverage), steps of a textbook matcher for each pattern, and characters that built-in string
// functions read. The same on every machine.
import { Session } from 'node:inspector/promises';
import { countSteps, type Steps } from './regex-steps.ts';

const steps: Steps = { taken: 0, limit: Number.POSITIVE_INFINITY };

/** Built-in functions and how many characters a call reads. */
const READS: Readonly<Record<string, (text: string, args: readonly unknown[], result: unknown) => number>> = {
  indexOf: (text, [, from = 0], found) =>
    Math.max(0, ((found as number) < 0 ? text.length : (found as number)) - (from as number)),
  includes: (text, [what], found) => (found ? (original.indexOf?.call(text, what) as number) : text.length),
  lastIndexOf: (text, [, from = text.length], found) =>
    Math.max(0, Math.min(from as number, text.length) - (found as number)),
  split: (text, [by]) => (typeof by === 'string' ? text.length : 0),
  replaceAll: (text, [what]) => (typeof what === 'string' ? text.length : 0),
  replace: (text, [what]) => (typeof what === 'string' ? text.length : 0),
  normalize: (text) => text.length,
  toLowerCase: (text) => text.length,
  toUpperCase: (text) => text.length,
  toLocaleLowerCase: (text) => text.length,
  trim: (text, _, result) => text.length - (result as string).length + 1,
  trimEnd: (text, _, result) => text.length - (result as string).length + 1,
  trimStart: (text, _, result) => text.length - (result as string).length + 1,
};
type Native = (this: string, ...args: unknown[]) => unknown;
const prototype = String.prototype as unknown as Record<string, Native>;
const original = Object.fromEntries(
  Object.keys(READS).map((name) => [name, prototype[name] as Native]),
) as Record<string, Native>;
const { exec } = RegExp.prototype;
const { parse } = JSON;

function watch(): () => void {
  // The matcher that counts uses patterns and strings itself: those are not counted.
  let counting = false;
  RegExp.prototype.exec = function (text) {
    if (counting) return exec.call(this, text);
    const from = this.global || this.sticky ? this.lastIndex : 0;
    counting = true;
    try {
      countSteps(this, String(text), from, steps);
    } finally {
      counting = false;
    }
    return exec.call(this, text);
  };
  for (const [name, reads] of Object.entries(READS))
    prototype[name] = function (this: string, ...args) {
      const result = (original[name] as Native).apply(this, args);
      if (!counting) steps.taken += reads(String(this), args, result);
      return result;
    };
  JSON.parse = (text, ...rest) => {
    steps.taken += text.length;
    return parse(text, ...rest);
  };
  return () => {
    RegExp.prototype.exec = exec;
    for (const name of Object.keys(READS)) prototype[name] = original[name] as Native;
    JSON.parse = parse;
  };
}

/**
 * Steps of patterns and characters read by built-in functions that `work` takes; throws `TooManySteps` beyond `limit`.
 */
export function stepsOf(work: () => unknown, limit: number): number {
  steps.taken = 0;
  steps.limit = limit;
  const unwatch = watch();
  try {
    work();
  } finally {
    unwatch();
  }
  return steps.taken;
}

export interface BlockCounter {
  /** Blocks of the product's code that ran since the last call. Reads the counters of every script: milliseconds. */
  taken(): Promise<number>;
  stop(): Promise<void>;
}

/** Begins to count blocks. Only modules that are imported afterwards are counted block by block. */
export async function blockCounter(): Promise<BlockCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    taken: async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      let blocks = 0;
      for (const { url, functions } of result)
        if (url.includes('/src/'))
          for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
      return blocks;
    },
    stop: async () => {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
