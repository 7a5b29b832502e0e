// Messages between tabs and the memory engine: one BroadcastChannel for the origin, since the engine runs in one tab's
// worker and every tab needs it. They carry no content of conversations, and each receiver checks them by a schema.
import { z } from 'zod';
import { problemSchema } from '../domain/base/problem-schema.ts';
import { joinNews } from '../domain/threads/news.ts';
import type { MemoryStatus } from '../services/memory/memory.ts';

/**
 * Key in the key-value store for the condition of the index's files. `damaged` makes
 * the next opening start with new files.
 */
export const CONDITION = 'memory.files';

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

const newsSchema = z.discriminatedUnion('type', [
  /** A tab asks the engine to look for work now. */
  z.object({ type: z.literal('wake'), reason: z.enum(['changed', 'ended', 'now']) }),
  /** A tab pauses or continues the background work. */
  z.object({ type: z.literal('paused'), paused: z.boolean() }),
  /** A tab asks for the status. */
  z.object({ type: z.literal('hello') }),
  /** The engine reports its status. */
  z.object({ type: z.literal('status'), status: statusSchema }),
]);
type EngineNews = z.infer<typeof newsSchema>;

/**
 * Joins the channel until the signal aborts. Returns the sender; messages of other threads go to
 * `listener`. Invalid ones are dropped.
 */
export const joinEngineChannel = (listener: (news: EngineNews) => void, signal: AbortSignal) =>
  joinNews(new BroadcastChannel('recollect-engine'), newsSchema, listener, signal);
