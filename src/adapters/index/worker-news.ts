// News from the leader's worker to every tab: the database is open and in which engine, or why it is not. PGlite itself
// only notifies its own tab, and no tab if opening failed.
import { z } from 'zod';
import { problemSchema } from '../../domain/base/problem-schema.ts';
import { joinNews } from '../../domain/threads/news.ts';

const newsSchema = z.discriminatedUnion('type', [
  /** A tab asks for the state. */
  z.object({ type: z.literal('ask') }),
  z.object({
    type: z.literal('opened'),
    engine: z.enum(['opfs', 'indexeddb', 'memory']),
    /** Schema version of this leader; a tab of another version must not send it calls. */
    schema: z.number(),
    /** True only the first time: the old database could not be opened and was replaced by a new one. */
    remade: z.boolean().default(false),
  }),
  /** The database opened but is damaged: the next opening makes it again. */
  z.object({ type: z.literal('damaged'), problem: problemSchema }),
  /** Postgres crashed: the next opening finds everything that was committed. */
  z.object({ type: z.literal('crashed'), problem: problemSchema }),
  z.object({ type: z.literal('failed'), problem: problemSchema }),
]);
export type News = z.infer<typeof newsSchema>;

/** One leader and one set of files, which tabs of all app versions share. */
export const INDEX_ID = 'recollect-index';

/** Joins the channel of the index `id` until the signal. Returns a function that sends news. */
export const joinIndexNews = (id: string, listener: (news: News) => void, signal?: AbortSignal) =>
  joinNews(new BroadcastChannel(`${id}:news`), newsSchema, listener, signal);
