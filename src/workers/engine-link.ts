// How tabs and the engine talk: one channel per origin, since the engine runs in one tab's worker and every tab needs it.
// Messages are small, carry no content, and are checked before they are believed.
import { z } from 'zod';
import { PROBLEM_CODES } from '../domain/base/errors.ts';
import type { MemoryStatus } from '../services/memory/memory.ts';

/** Key of the key-value store: what is known of the index's files. `damaged` has the next opening begin afresh. */
export const CONDITION = 'memory.files';

export const problemSchema = z.object({
  code: z.enum(PROBLEM_CODES),
  message: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  retry: z.boolean(),
});

const statusSchema: z.ZodType<MemoryStatus> = z.object({
  state: z.enum(['starting', 'ready', 'indexing', 'paused', 'failed']),
  unread: z.number(),
  waiting: z.number(),
  rate: z.number(),
  embedding: z.union([
    z.object({ status: z.enum(['idle', 'ready']) }),
    z.object({ status: z.literal('loading'), loaded: z.number(), total: z.number() }),
    z.object({ status: z.literal('failed'), problem: problemSchema }),
  ]),
  engine: z.enum(['opfs', 'indexeddb', 'memory']).nullable(),
  problem: problemSchema.nullable(),
}) as z.ZodType<MemoryStatus>;

const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('wake'), reason: z.enum(['changed', 'ended', 'now']) }),
  z.object({ type: z.literal('paused'), paused: z.boolean() }),
  /** A tab asks how things stand. */
  z.object({ type: z.literal('hello') }),
  z.object({ type: z.literal('status'), status: statusSchema }),
]);
type EngineMessage = z.infer<typeof messageSchema>;

/** Joins the channel until the signal. Returns how to speak; what others say goes to `listener`. */
export function joinEngineChannel(
  listener: (message: EngineMessage) => void,
  signal: AbortSignal,
): (message: EngineMessage) => void {
  const channel = new BroadcastChannel('recollect-engine');
  channel.addEventListener('message', ({ data }) => {
    const parsed = messageSchema.safeParse(data);
    if (parsed.success) listener(parsed.data);
  });
  signal.addEventListener('abort', () => channel.close(), { once: true });
  return (message) => {
    if (!signal.aborted) channel.postMessage(message);
  };
}
