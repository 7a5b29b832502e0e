// The diagnostics log of one thread: what went wrong or was let go of, for a person to open and copy.
// It never holds content or keys: messages are fixed sentences of the code, and errors are
// reduced to what `describeError` keeps.
import { isAbort, RecollectError } from './errors.ts';
import type { Readable } from './readable.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogLine {
  readonly level: LogLevel;
  /** Thread of the entry: `page`, or the name of a worker. Empty until a reader of several threads fills it in. */
  readonly thread: string;
  readonly message: string;
  /** The error in words that are safe to share; see `describeError`. */
  readonly error?: string;
  /** First and latest time, ms since 1970. */
  readonly firstAt: number;
  readonly at: number;
  /** Number of times that the same entry was written. */
  readonly count: number;
}

/** Keeps the latest distinct entries; one that happens again is counted and moves to the end. */
export class Log implements Readable<readonly LogLine[]> {
  readonly #entries = new Map<string, LogLine>();
  readonly #listeners = new Set<(entry: LogLine, error: unknown) => void>();
  readonly #capacity: number;
  readonly #now: () => number;
  #snapshot: readonly LogLine[] | undefined;

  /** `capacity`: most distinct entries; `now` in ms since 1970. */
  constructor(capacity = 500, now: () => number = Date.now) {
    this.#capacity = capacity;
    this.#now = now;
  }

  debug(message: string, error?: unknown): void {
    this.#write('debug', message, error);
  }
  info(message: string, error?: unknown): void {
    this.#write('info', message, error);
  }
  warn(message: string, error?: unknown): void {
    this.#write('warn', message, error);
  }
  error(message: string, error?: unknown): void {
    this.#write('error', message, error);
  }

  /** Adds an entry that another thread wrote. */
  add(entry: LogLine, error?: unknown): void {
    const key = `${entry.level} ${entry.thread} ${entry.message} ${entry.error ?? ''}`;
    const before = this.#entries.get(key);
    this.#entries.delete(key);
    this.#entries.set(
      key,
      before ? { ...entry, firstAt: before.firstAt, count: before.count + entry.count } : entry,
    );
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) break;
      this.#entries.delete(oldest);
    }
    this.#snapshot = undefined;
    for (const listener of [...this.#listeners]) listener(entry, error);
  }

  /** Entries, the oldest first. */
  get(): readonly LogLine[] {
    this.#snapshot ??= [...this.#entries.values()];
    return this.#snapshot;
  }

  /** Calls `listener` with each entry as it comes, and with its error if this thread has it. */
  subscribe(listener: (entry: LogLine, error: unknown) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  clear(): void {
    this.#entries.clear();
    this.#snapshot = undefined;
  }

  #write(level: LogLevel, message: string, error: unknown): void {
    const at = this.#now();
    const described = error === undefined ? undefined : describeError(error);
    this.add(
      {
        level,
        thread: '',
        message,
        ...(described === undefined ? {} : { error: described }),
        firstAt: at,
        at,
        count: 1,
      },
      error,
    );
  }
}

/** Diagnostics log of this thread. */
export const log: Log = new Log();

/**
 * Drops a promise on purpose: no code waits for it, and a failure only writes to the diagnostics log. `why` completes
 * the sentence "Ignored: …", in fixed words without content.
 */
export function ignore(promise: PromiseLike<unknown>, why: string): void {
  promise.then(undefined, (error: unknown) => {
    if (!isAbort(error)) log.debug(`Ignored: ${why}`, error);
  });
}

/**
 * Resolves with `value` if the promise fails, and notes the failure in the diagnostics
 * log. `why` is worded as for `ignore`.
 */
export function orElse<T, V>(promise: Promise<T>, value: V, why: string): Promise<T | V> {
  return promise.catch((error: unknown) => {
    if (!isAbort(error)) log.debug(`Did without: ${why}`, error);
    return value;
  });
}

/** `orElse` for synchronous work, e.g. reading text from outside, which may hold anything. */
export function attempt<T, V>(work: () => T, value: V, why: string): T | V {
  try {
    return work();
  } catch (error) {
    if (!isAbort(error)) log.debug(`Did without: ${why}`, error);
    return value;
  }
}

/**
 * Classes whose messages the JavaScript engine writes itself. A SyntaxError is not among
 * them, since it quotes the parsed text.
 */
const WRITTEN_BY_THE_ENGINE = new Set([
  'TypeError',
  'RangeError',
  'ReferenceError',
  'EvalError',
  'DOMException',
]);
const FRAMES = 4;

/**
 * An error in words that are safe to share: its class or code, the engine's own message without quotations, the first
 * frames of its stack. Messages of models, databases and files are left out: they may quote content.
 */
export function describeError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  const { name, message, stack, cause } = error as Partial<Error> & { cause?: unknown };
  const code = error instanceof RecollectError ? ` ${error.problem.code}` : '';
  const kind = error.constructor?.name ?? '';
  const words = WRITTEN_BY_THE_ENGINE.has(kind) && message ? `: ${withoutContent(message)}` : '';
  const frames = framesOf(stack, message);
  const behind = error instanceof RecollectError && cause !== undefined ? ` ← ${describeError(cause)}` : '';
  return `${identifier(name) ?? 'Error'}${code}${words}${frames}${behind}`;
}

/** Error names are identifiers; any other text may be content. */
const identifier = (name: unknown): string | undefined =>
  typeof name === 'string' && /^[A-Za-z]\w{0,60}$/.test(name) ? name : undefined;

/** Drops addresses, and everything from the first quotation mark to the last. */
const withoutContent = (message: string): string =>
  message
    .slice(0, 300)
    .replace(/["'“‘`«「].*["'”’`»」]/s, '…')
    .replace(/\b[a-z][a-z+.-]*:\/\/\S*/gi, '…');

/**
 * Function names with file and line, e.g. ` at open (index.js:3:14)`; without the error's
 * own message, which a stack begins with.
 */
function framesOf(stack: unknown, message: unknown): string {
  if (typeof stack !== 'string') return '';
  const start = typeof message === 'string' ? stack.indexOf(message) + message.length : 0;
  const frames: string[] = [];
  for (const line of stack.slice(start).split('\n')) {
    const frame = /^\s+at (?:(?:async |new )*([\w$.<>#]+) \()?\S*?([\w.-]+:\d+:\d+)\)?$/.exec(line);
    if (frame) frames.push(frame[1] ? `${frame[1]} (${frame[2]})` : String(frame[2]));
    if (frames.length === FRAMES) break;
  }
  return frames.map((frame) => ` at ${frame}`).join('');
}

/** The log as text, one entry a line, to be copied. Times are UTC. */
export const logAsText = (entries: readonly LogLine[]): string =>
  entries
    .map(({ at, level, thread, message, error, count }) =>
      [
        new Date(at).toISOString(),
        level.padEnd(5),
        thread || 'page',
        `${message}${count > 1 ? ` (${count} times)` : ''}`,
        error ?? '',
      ]
        .filter(Boolean)
        .join('  '),
    )
    .join('\n');
