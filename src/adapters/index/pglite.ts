// The index in Postgres, in the one worker that leads. Every operation is one statement and may be repeated, since a
// tab asks again if the leader vanished. The schema must already exist (`schema.ts`).

import { z } from 'zod';
import { toBase64 } from '../../domain/base/data-url.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { roleSchema } from '../../domain/chat/message.ts';
import { compiled, type ReadIndexCode } from './assembled.ts';
import { type Compare, createCompare } from './late-tables.ts';
import type { ChunkRow, MemoryIndex, NeighbourRow } from './memory-index.ts';
import { NEIGHBOUR_STEPS, NEIGHBOUR_TEXT, QUARTER, settleChange, toUnit } from './rules.ts';
import { createSearch } from './searching.ts';
import type { Ask } from './statements.ts';
import {
  createAsk,
  type Database,
  fromVector,
  nothing,
  plain,
  type SqlValue,
  toJson,
  toVector,
} from './statements.ts';
import type { VectorCopy } from './vector-copy.ts';
import { createVectorCopy } from './vector-copy.ts';

export interface PgliteIndexOptions {
  /** Number of vectors from which those of the requested model are also held in memory. Default: 4,000. */
  readonly holdFrom?: number;
  /**
   * Reads the assembled code. Absent: vectors are searched in the table, and late
   * interaction is computed without WebAssembly.
   */
  readonly readAssembly?: ReadIndexCode;
}

const noCode: ReadIndexCode = async (name) => {
  throw new Error(`${name} was not given`);
};

/**
 * Characters written after which a checkpoint frees the write-ahead log: nothing else does in this one-process
 * Postgres.
 */
const CHECKPOINT_AFTER = 4_000_000;
/**
 * Rows written between two checks of the table sizes, and number of 8 KB pages below which a vacuum is not worth it.
 */
const [MEASURE_AFTER, FEWEST_PAGES] = [500, 32];
/**
 * Tables that grow together, measured by the first. Each group is vacuumed on its own, so that a search need not wait
 * for all.
 */
const TABLES = {
  said: ['chunks', 'conversations', 'messages', 'waiting'],
  vectors: ['vectors', 'pieces', 'waiting'],
} as const;
/**
 * SQL that checks if message `m` has chunks. Not `exists`: Postgres would read all chunks once for a few such checks.
 */
const HAS_CHUNKS =
  'select coalesce((select true from chunks c where c.message = m.n limit 1), false) as has_chunks';

const conversationId = z.string().transform((id) => id as ConversationId);
const messageId = z.string().transform((id) => id as MessageId);
const ownTableRow = z.object({ name: z.string() });
const bookmarkRow = z.object({ bookmark: z.number() });
const grownRow = z.object({ grown: z.boolean() });
const idRow = z.object({ id: messageId });
const conversationIdRow = z.object({ id: conversationId });
const pendingChunkRow = z.object({ id: z.number(), embedded: z.string(), lead: z.string(), conversationId });
const pendingCountRow = z.object({ conversationId, messages: z.number() });
const tableRow = z.object({ dimensions: z.number(), bytes: z.number() });
const tokenVectorsRow = z.object({
  id: z.number(),
  /** 64 hexadecimal digits a token vector */
  signs: z.string(),
});
const meaningRow = z.object({
  messageId,
  vector: z.string().transform(fromVector),
});
const neighbourRow = z.object({
  origin: messageId,
  side: z.enum(['self', 'before', 'after']),
  messageId,
  role: roleSchema,
  createdAt: z.number(),
  text: z.string(),
});
const statsRow = z.object({
  conversations: z.number(),
  messages: z.number(),
  chunks: z.number(),
  vectors: z.number(),
  bytes: z.number(),
});

const overviewRow = z.object({
  conversations: z
    .array(
      z.object({
        id: conversationId,
        title: z.string(),
        createdAt: z.number(),
        updatedAt: z.number(),
        messages: z.number(),
        workDir: z.string().nullable(),
        archived: z.boolean(),
        keywords: z.array(z.string()),
        said: z.array(z.number()),
        vector: z
          .string()
          .nullable()
          .transform((text) => (text === null ? null : fromVector(text))),
      }),
    )
    .nullable(),
  recalled: z.array(z.object({ at: z.number(), conversationId })).nullable(),
});

/** Stores only the context of `embedded` if the text follows it; otherwise all of it. */
const toStored = (message: MessageId, { ordinal, text, words, embedded, hash, priority }: ChunkRow) => ({
  message,
  ordinal,
  text,
  words,
  hash,
  priority,
  ...(embedded.endsWith(text)
    ? { lead: embedded.slice(0, embedded.length - text.length), embedded: null }
    : { lead: '', embedded }),
});

/** Builds the index in a migrated database with no other writer. `close` closes the database too. */
export function createPgliteIndex(database: Database, options: PgliteIndexOptions = {}): MemoryIndex {
  return new PgliteIndex(database, options);
}

class PgliteIndex implements MemoryIndex {
  readonly #database: Database;
  readonly #ask: Ask;
  readonly #copy: VectorCopy;
  readonly #compare: Compare;
  readonly search: ReturnType<typeof createSearch>;
  #charactersKept = 0;
  #kept;
  /** Model that `pendingCounts` was last asked about: only this index writes to its database. */
  #waitedFor: string | undefined;

  constructor(database: Database, { holdFrom, readAssembly = noCode }: PgliteIndexOptions = {}) {
    this.#database = database;
    this.#ask = createAsk(database);
    const codeOf = (name: Parameters<ReadIndexCode>[0]) => compiled(() => readAssembly(name));
    this.#copy = createVectorCopy(this.#ask, codeOf('dot-products'), holdFrom);
    this.#compare = createCompare(codeOf('late-tables'));
    this.search = createSearch(this.#ask, this.#copy);
    this.#kept = this.#anew();
  }

  readonly bookmark: MemoryIndex['bookmark'] = async () =>
    (await this.#ask(bookmarkRow, 'select bookmark from state'))[0]?.bookmark ?? 0;

  readonly apply: MemoryIndex['apply'] = async (change, bookmark) => {
    const settled = settleChange(change);
    const parameters = [
      toJson(settled.removedConversations),
      toJson(settled.removedMessages),
      toJson(
        settled.conversations.map((row) => ({
          id: row.id,
          title: row.title,
          summary: row.summary,
          keywords: row.keywords,
          described: plain(row.described),
          created_at: row.createdAt,
          updated_at: row.updatedAt,
          work_dir: row.workDir,
          token_count: Math.round(row.tokenCount),
          archived: row.archived,
          pinned: row.pinned,
        })),
      ),
      toJson(
        settled.messages.map((row) => ({
          id: row.id,
          conversation: row.conversationId,
          parent: row.parentId,
          before: row.before ?? null,
          role: row.role,
          content: row.content ?? null,
          token_count: Math.round(row.tokenCount),
          created_at: row.createdAt,
          has_code: row.hasCode,
          code_language: row.codeLanguage,
        })),
      ),
      toJson(settled.messages.flatMap((row) => row.chunks.map((chunk) => toStored(row.id, chunk)))),
      bookmark,
    ];
    await this.#ask(nothing, 'select apply_change($1, $2, $3, $4, $5, $6)', parameters);
    if (settled.messages.length > 0) this.#copy.grown();
    await this.#vacuum('said', parameters, settled.messages.length);
  };

  readonly conversationIds: MemoryIndex['conversationIds'] = async () =>
    new Set((await this.#ask(conversationIdRow, 'select id from conversations')).map((row) => row.id));

  readonly messageIds: MemoryIndex['messageIds'] = async (conversation) =>
    new Set(
      (
        await this.#ask(
          idRow,
          'select m.id from messages m join conversations c on c.n = m.conversation where c.id = $1',
          [conversation],
        )
      ).map((row) => row.id),
    );

  readonly describe: MemoryIndex['describe'] = async (conversation, made) => {
    await this.#ask(nothing, 'select describe_conversation($1, $2, $3::jsonb, $4)', [
      conversation,
      plain(made.summary),
      toJson(made.keywords),
      plain(made.described),
    ]);
  };

  readonly pendingChunks: MemoryIndex['pendingChunks'] = async (model, limit, conversations) => {
    await this.#waitFor(model);
    const parameters: SqlValue[] = [limit];
    if (conversations) parameters.push(toJson(conversations));
    const rows = await this.#ask.prepared(
      pendingChunkRow,
      `select c.n as id, coalesce(c.embedded, c.lead || c.text) as embedded,
           case when c.embedded is null then c.lead else '' end as lead, k.id as "conversationId"
         from (
           select chunk from waiting
           ${
             conversations
               ? 'where conversation in (select n from conversations where id in (select json_array_elements_text($2::json)))'
               : ''
           }
           order by priority, chunk limit $1
         ) found join chunks c on c.n = found.chunk join conversations k on k.n = c.conversation
         order by c.priority, c.n`,
      parameters,
    );
    return rows.map(({ lead, ...row }) => ({ ...row, context: lead.lastIndexOf('\n') + 1 }));
  };

  readonly pendingCounts: MemoryIndex['pendingCounts'] = async (model) => {
    await this.#waitFor(model);
    // A caller that makes vectors of this model will also search them.
    if (this.#copy.mayAskSize(model)) {
      const [table] = await this.#ask.prepared(
        tableRow,
        `select dimensions, pg_table_size('vectors') as bytes from models where id = $1`,
        [model],
      );
      if (table) this.#copy.want(model, table.dimensions, table.bytes);
    }
    return this.#ask.prepared(
      pendingCountRow,
      `select k.id as "conversationId", w.messages from (
           select conversation, count(distinct message)::integer as messages from waiting group by conversation
         ) w join conversations k on k.n = w.conversation`,
      [],
    );
  };

  readonly put: MemoryIndex['put'] = async (model, vectors) => {
    const length = vectors[0]?.values.length;
    if (length === undefined) return;
    const parameters = [
      model,
      length,
      toJson(
        vectors.map(({ chunkId, values, bits }) => [
          chunkId,
          toVector(values),
          bits && bits.length > 0 ? toBase64(bits) : null,
        ]),
      ),
    ];
    await this.#ask(nothing, 'select put_vectors($1, $2, $3)', parameters);
    this.#copy.changed(
      model,
      length,
      vectors.map(({ chunkId }) => chunkId),
    );
    await this.#vacuum('vectors', parameters, vectors.length);
  };

  readonly maxSim: MemoryIndex['maxSim'] = async (model, question, chunks) => {
    if (chunks.length === 0) return new Map();
    const rows = await this.#ask.prepared(
      tokenVectorsRow,
      `select p.chunk as id, encode(p.signs, 'hex') as signs from pieces p
         where p.chunk in (select json_array_elements_text($2::json)::integer)
           and p.model = (select n from models where id = $1)`,
      [model, toJson(chunks)],
    );
    // Built and used without a pause: the tables hold one question at a time.
    const compare = this.#compare(question);
    return new Map(
      rows.flatMap(({ id, signs }) => {
        const maxSim = compare(signs);
        return maxSim === null ? [] : [[id, maxSim] as const];
      }),
    );
  };

  readonly meanings: MemoryIndex['meanings'] = async (model, messages) => {
    if (messages.length === 0) return new Map();
    const rows = await this.#ask.prepared(
      meaningRow,
      `select m.id as "messageId", avg(v.v)::text as vector
         from messages m join chunks c on c.message = m.n join vectors v on v.chunk = c.n
         where m.id in (select json_array_elements_text($2::json))
           and v.model = (select n from models where id = $1)
         group by m.id`,
      [model, toJson(messages)],
    );
    return new Map(
      rows.flatMap(({ messageId, vector }) => {
        const values = toUnit(vector);
        return values ? [[messageId, values] as const] : [];
      }),
    );
  };

  readonly neighbours: MemoryIndex['neighbours'] = async (messages, before, after) => {
    const rows = await this.#ask.prepared(
      neighbourRow,
      `with recursive start as (
           select id as origin, n, id, parent, role, created_at
           from messages where id in (select json_array_elements_text($1::json))
         ), up as (
           select origin, n, id, parent, role, created_at, 0 as step, 0 as seen, false as has_chunks from start
           union all
           select u.origin, m.n, m.id, m.parent, m.role, m.created_at, u.step + 1, u.seen + e.has_chunks::integer, e.has_chunks
           from up u join messages m on m.id = u.parent cross join lateral (${HAS_CHUNKS}) e
           where u.seen < $2 and u.step < ${NEIGHBOUR_STEPS}
         ), down as (
           select origin, n, id, role, created_at, 0 as step, 0 as seen, false as has_chunks from start
           union all
           select d.origin, m.n, m.id, m.role, m.created_at, d.step + 1, d.seen + e.has_chunks::integer, e.has_chunks
           from down d cross join lateral (
             select k.n, k.id, k.role, k.created_at from messages k
             where k.parent = d.id order by k.created_at desc, k.id desc limit 1) m
             cross join lateral (${HAS_CHUNKS}) e
           where d.seen < $3 and d.step < ${NEIGHBOUR_STEPS}
         ), around as (
           select origin, n, id, role, created_at, 'self' as side, 0 as place from start
           union all select origin, n, id, role, created_at, 'before', -step from up where has_chunks
           union all select origin, n, id, role, created_at, 'after', step from down where has_chunks
         )
         select a.origin, a.side, a.id as "messageId", a.role, a.created_at as "createdAt",
           case when a.side = 'self' then '' else coalesce(
             (select left(string_agg(c.text, E'\\n' order by c.ordinal), ${NEIGHBOUR_TEXT})
              from chunks c where c.message = a.n), '') end as text
         from around a order by a.origin, a.place`,
      [toJson(messages), before, after],
    );
    const result = new Map<MessageId, { before: NeighbourRow[]; after: NeighbourRow[] }>();
    for (const { origin, side, ...row } of rows) {
      const around = result.get(origin) ?? { before: [], after: [] };
      result.set(origin, around);
      if (side !== 'self') around[side].push(row);
    }
    return result;
  };

  readonly clear: MemoryIndex['clear'] = async () => {
    await this.#ask(nothing, 'select clear_index()');
    this.#copy.clear();
    // Renew prepared statements: they were planned for a table that is empty now and will fill.
    this.#kept = this.#anew();
  };

  readonly purge: MemoryIndex['purge'] = async () => {
    const tables = await this.#ask(
      ownTableRow,
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1",
    );
    // The planner's statistics contain the most common values of each column, in separate rows.
    const statements = [
      ...tables.map(({ name }) => `vacuum (full, analyze) ${name}`),
      'vacuum full pg_catalog.pg_statistic',
    ];
    for (const statement of statements) {
      await this.#ask(nothing, statement);
      // A checkpoint also frees old files: the pool has no room for two copies of all tables.
      await this.#ask(nothing, 'checkpoint');
    }
    // Switch the segment to remove old content of the write-ahead log.
    await this.#ask(nothing, 'select pg_switch_wal()');
    await this.#ask(nothing, 'checkpoint');
    this.#kept = this.#anew();
  };

  readonly stats: MemoryIndex['stats'] = async (model) => {
    const [row] = await this.#ask(
      statsRow,
      `select (select count(*)::integer from conversations) as conversations,
           (select count(*)::integer from messages) as messages,
           (select count(*)::integer from chunks) as chunks,
           (select count(*)::integer from vectors where model = (select n from models where id = $1)) as vectors,
           (pg_database_size(current_database())
             + (select coalesce(sum(size), 0) from pg_ls_waldir()))::double precision as bytes`,
      [model],
    );
    return row ?? { conversations: 0, messages: 0, chunks: 0, vectors: 0, bytes: 0 };
  };

  readonly overview: MemoryIndex['overview'] = async (model) => {
    const [row] = await this.#ask(
      overviewRow,
      `select (
           select json_agg(json_build_object(
             'id', c.id, 'title', c.title, 'createdAt', c.created_at, 'updatedAt', c.updated_at,
             'messages', coalesce(o.messages, 0), 'said', coalesce(o.said, '[]'),
             'workDir', c.work_dir, 'archived', c.archived, 'keywords', c.keywords,
             'vector', (
               select avg(few.v)::text from (
                 select v.v from messages m join chunks k on k.message = m.n join vectors v on v.chunk = k.n
                 where m.conversation = c.n and v.model = (select n from models where id = $1)
                 order by k.priority, k.n limit 24) as few)
           ) order by c.updated_at desc, c.id desc)
           from conversations c left join (
             select conversation, sum(messages)::integer as messages,
               json_agg(quarter * ${QUARTER} order by quarter) as said
             from (
               select conversation, floor(created_at / ${QUARTER})::bigint as quarter, count(*) as messages
               from messages group by conversation, quarter) q
             group by conversation) o on o.conversation = c.n
         ) as conversations, (
           select json_agg(json_build_object('at', m.created_at, 'conversationId', p ->> 'conversationId') order by m.created_at)
           from messages m, jsonb_path_query(m.content, '$[*] ? (@.type == "recall").passages[*]') as p
           where m.content @> '[{"type": "recall"}]'
         ) as recalled`,
      [model],
    );
    return { conversations: row?.conversations ?? [], recalled: row?.recalled ?? [] };
  };

  readonly close: MemoryIndex['close'] = () => {
    this.#copy.clear();
    return this.#database.close();
  };

  /**
   * Rows written since the table sizes were checked. The first write checks too, since earlier sessions are unknown.
   */
  #anew() {
    return { said: MEASURE_AFTER, vectors: MEASURE_AFTER };
  }

  /** True if it has half as many pages more than when last vacuumed, in any session. */
  async #hasGrown(table: string): Promise<boolean> {
    const [found] = await this.#ask(
      grownRow,
      `select pg_relation_size(oid) / 8192 >= greatest(${FEWEST_PAGES}, 1.5 * relpages) as grown
       from pg_class where oid = $1::regclass`,
      [table],
    );
    return found?.grown ?? false;
  }

  /**
   * Housekeeping that a server would do in the background. Without it the planner has no statistics, prepared
   * statements keep plans for smaller tables, and files grow.
   */
  async #vacuum(what: keyof typeof TABLES, parameters: readonly unknown[], rows: number): Promise<void> {
    for (const parameter of parameters)
      this.#charactersKept += typeof parameter === 'string' ? parameter.length : 0;
    this.#kept[what] += rows;
    if (this.#kept[what] >= MEASURE_AFTER) {
      this.#kept[what] = 0;
      if (await this.#hasGrown(TABLES[what][0])) {
        for (const table of TABLES[what]) await this.#ask(nothing, `vacuum analyze ${table}`);
        // The first read of each page was written into the write-ahead log.
        this.#charactersKept = CHECKPOINT_AFTER;
      }
    }
    if (this.#charactersKept >= CHECKPOINT_AFTER) {
      this.#charactersKept = 0;
      await this.#ask(nothing, 'checkpoint');
    }
  }

  async #waitFor(model: string): Promise<void> {
    if (this.#waitedFor === model) return;
    await this.#ask(nothing, 'select wait_for($1)', [model]);
    this.#waitedFor = model;
  }
}
