// News from the leader's worker to every tab: the database is open and where, or why it is not.
// PGlite itself tells only its own tab, and nothing at all when opening failed.
import { z } from 'zod';
import { problemSchema } from '../../domain/base/problem-schema.ts';
import { joinNews } from '../../domain/threads/news.ts';

const newsSchema = z.discriminatedUnion('type', [
  /** A tab asks how things stand. */
  z.object({ type: z.literal('ask') }),
  z.object({
    type: z.literal('opened'),
    engine: z.enum(['opfs', 'indexeddb', 'memory']),
    /** Schema that this leader speaks; a tab of another version must not send it statements. */
    schema: z.number(),
    /** Only when it is said for the first time: what was there could not be opened, and was given up for a new one. */
    remade: z.boolean().default(false),
  }),
  /** It opened and is damaged inside: whoever opens it next makes it anew. */
  z.object({ type: z.literal('damaged'), problem: problemSchema }),
  /** Postgres ended in the middle of its work: whoever opens it next finds what was committed. */
  z.object({ type: z.literal('crashed'), problem: problemSchema }),
  z.object({ type: z.literal('failed'), problem: problemSchema }),
]);
export type News = z.infer<typeof newsSchema>;

/** One leader and one set of files: whatever the version of the app, its tabs share them. */
export const INDEX_ID = 'recollect-index';

/** Joins the channel of the index `id`, until the signal. Returns how to speak. */
export const joinIndexNews = (id: string, listener: (news: News) => void, signal?: AbortSignal) =>
  joinNews(new BroadcastChannel(`${id}:news`), newsSchema, listener, signal);
