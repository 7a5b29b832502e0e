// How tabs and the engine that syncs talk: one channel per origin, since sync runs in one tab's worker and every tab needs it. Messages
// carry no content and no keys, and are checked before they are believed. A question is asked again until it is answered: the thread
// that leads may have ended, and the next one not begun.
import { z } from 'zod';
import { PROBLEM_CODES, RecollectError, toProblem } from '../domain/base/errors.ts';
import { type Readable, writable } from '../domain/base/readable.ts';
import { type SyncAnswer, type SyncRequest, syncRequestSchema } from '../services/sync/requests.ts';
import type { SyncStatus } from '../services/sync/sync.ts';

const CHANNEL = 'recollect-sync';
const REPEAT_MS = 1_000;
/** Joining asks a relay, which may take its time. */
const PATIENCE_MS = 90_000;

const problemSchema = z.object({
  code: z.enum(PROBLEM_CODES),
  message: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  retry: z.boolean(),
});

const statusSchema = z.object({
  mode: z.enum(['disabled', 'local', 'remote', 'managed']),
  state: z.enum(['disabled', 'local', 'unpaired', 'connecting', 'offline', 'syncing', 'synced', 'stopped']),
  account: z.object({ fingerprint: z.string(), endpoint: z.string(), since: z.number() }).nullable(),
  waiting: z.number(),
  fetching: z.number(),
  syncedAt: z.number().nullable(),
  unreadable: z.number(),
  withheld: z.number(),
  devices: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      here: z.boolean(),
      pairedAt: z.number(),
      seenAt: z.number(),
      missing: z.number(),
    }),
  ),
  problem: problemSchema.nullable(),
}) as z.ZodType<SyncStatus>;

const answerSchema: z.ZodType<SyncAnswer> = z.union([
  z.object({ place: z.enum(['here', 'relay', 'withheld']), devices: z.array(z.string()) }),
  z.string(),
  z.null(),
]);

const messageSchema = z.discriminatedUnion('type', [
  /** A tab asks how things stand. */
  z.object({ type: z.literal('hello') }),
  z.object({ type: z.literal('status'), status: statusSchema }),
  z.object({ type: z.literal('ask'), id: z.string(), request: syncRequestSchema }),
  z.object({
    type: z.literal('answer'),
    id: z.string(),
    answer: answerSchema.optional(),
    problem: problemSchema.optional(),
  }),
]);
type Message = z.infer<typeof messageSchema>;

function joinChannel(listener: (message: Message) => void, signal: AbortSignal): (message: Message) => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', ({ data }) => {
    const parsed = messageSchema.safeParse(data);
    if (parsed.success) listener(parsed.data);
  });
  signal.addEventListener('abort', () => channel.close(), { once: true });
  return (message) => {
    if (!signal.aborted) channel.postMessage(message);
  };
}

/** What a tab sees until the engine has spoken. */
export const SYNC_OFF: SyncStatus = {
  mode: 'disabled',
  state: 'disabled',
  account: null,
  waiting: 0,
  fetching: 0,
  syncedAt: null,
  unreadable: 0,
  withheld: 0,
  devices: [],
  problem: null,
};

export interface SyncLink {
  readonly status: Readable<SyncStatus>;
  ask(request: SyncRequest): Promise<SyncAnswer>;
}

/** The tab's end, until the signal. */
export function connectSync(signal: AbortSignal): SyncLink {
  const status = writable<SyncStatus>(SYNC_OFF);
  const waiting = new Map<string, (message: Extract<Message, { type: 'answer' }>) => void>();
  const say = joinChannel((message) => {
    if (message.type === 'status') status.set(message.status);
    else if (message.type === 'answer') waiting.get(message.id)?.(message);
  }, signal);
  say({ type: 'hello' });
  return {
    status,
    ask: (request) =>
      new Promise((resolve, reject) => {
        const id = crypto.randomUUID();
        const post = () => say({ type: 'ask', id, request });
        const again = setInterval(post, REPEAT_MS);
        const end = () => {
          clearInterval(again);
          clearTimeout(patience);
          waiting.delete(id);
          signal.removeEventListener('abort', onAbort);
        };
        const onAbort = () => {
          end();
          reject(signal.reason);
        };
        const patience = setTimeout(() => {
          end();
          reject(
            new RecollectError('sync-offline', 'The thread that syncs does not answer', { retry: true }),
          );
        }, PATIENCE_MS);
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.set(id, ({ answer, problem }) => {
          end();
          if (problem)
            reject(
              new RecollectError(problem.code, problem.message, {
                retry: problem.retry,
                ...(problem.params ? { params: problem.params } : {}),
              }),
            );
          else resolve(answer ?? null);
        });
        post();
      }),
  };
}

/** The engine's end, until the signal. Returns how to tell the status. A question that is asked again is answered once. */
export function serveSync(
  ask: (request: SyncRequest) => Promise<SyncAnswer>,
  signal: AbortSignal,
): (status: SyncStatus) => void {
  let last: SyncStatus | undefined;
  const heard = new Set<string>();
  const say = joinChannel((message) => {
    if (message.type === 'hello' && last) say({ type: 'status', status: last });
    if (message.type !== 'ask' || heard.has(message.id)) return;
    heard.add(message.id);
    if (heard.size > 1000) for (const oldest of [...heard].slice(0, 500)) heard.delete(oldest);
    ask(message.request).then(
      (answer) => say({ type: 'answer', id: message.id, answer }),
      (error: unknown) => say({ type: 'answer', id: message.id, problem: toProblem(error) }),
    );
  }, signal);
  return (status) => {
    last = status;
    say({ type: 'status', status });
  };
}
