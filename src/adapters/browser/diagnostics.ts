// Connects a thread's log: to the console, to unhandled errors, and to the logs of the origin's other threads.
import { z } from 'zod';
import { isAbort } from '../../domain/base/errors.ts';
import { LOG_LEVELS, type Log, type LogLevel, type LogLine, log } from '../../domain/base/log.ts';
import { joinNews, postNews } from '../../domain/threads/news.ts';

const CHANNEL = 'recollect-log';

const CONSOLE: Readonly<Record<LogLevel, (...said: readonly unknown[]) => void>> = {
  debug: console.debug,
  info: console.info,
  warn: console.warn,
  error: console.error,
};

const entrySchema = z.object({
  level: z.enum(LOG_LEVELS),
  thread: z.string(),
  message: z.string(),
  error: z.string().optional(),
  firstAt: z.number(),
  at: z.number(),
  count: z.number(),
});

/** Parts of the global scope of a page or a worker that are used here. */
type Scope = Pick<EventTarget, 'addEventListener'>;

/**
 * Watches a worker: its unhandled errors go to its log, and its log goes to the pages of the origin. Call it first in
 * a worker, so that errors during its start are logged. Lasts as long as the thread.
 */
export function watchWorker(scope: Scope, thread: string, target: Log = log): void {
  const channel = new BroadcastChannel(CHANNEL);
  target.subscribe((entry, error) => {
    print(entry, error);
    postNews<LogLine>(channel, { ...entry, thread });
  });
  logUnhandled(scope, target);
}

/** Watches the page: its own unhandled errors, and the log entries of workers. Lasts as long as the page. */
export function watchPage(scope: Scope, target: Log = log): void {
  target.subscribe((entry, error) => {
    if (entry.thread === '') print(entry, error);
  });
  joinNews(new BroadcastChannel(CHANNEL), entrySchema, ({ error, ...entry }) =>
    target.add(error === undefined ? entry : { ...entry, error }),
  );
  logUnhandled(scope, target);
}

function logUnhandled(scope: Scope, target: Log): void {
  scope.addEventListener('error', (event) => {
    const { error } = event as ErrorEvent;
    // Resource errors have no error object; the browser prints unhandled errors itself.
    if (error !== undefined && error !== null) target.error('Unhandled error', error);
  });
  scope.addEventListener('unhandledrejection', (event) => {
    const { reason } = event as PromiseRejectionEvent;
    if (!isAbort(reason)) target.error('Unhandled rejection', reason);
  });
}

/** Prints the error itself for people with open developer tools; nothing stores it. */
function print({ level, message }: LogLine, error: unknown): void {
  if (message.startsWith('Unhandled ')) return;
  CONSOLE[level](message, ...(error === undefined ? [] : [error]));
}
