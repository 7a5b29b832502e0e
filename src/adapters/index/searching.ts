// Searches the index: the best by words first, then one statement for the nearest by meaning,
// with everything that the ranking needs.
import { z } from 'zod';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { roleSchema } from '../../domain/chat/message.ts';
import {
  bm25Of,
  gainsOf,
  idfWeights,
  perWordFrom,
  signIn,
  splitWords,
  type WordStatistics,
  weightFrom,
  weightOf,
} from '../../domain/text/bm25.ts';
import { folded } from '../../domain/text/fold.ts';
import { MAX_QUERY_TERMS } from '../../domain/text/words.ts';
import type { Candidate, Described, IndexFilter, IndexHits, IndexQuery } from './memory-index.ts';
import type { Likely } from './nearest.ts';
import { DESCRIBED, withSymmetricLinks, wordsForDescriptions } from './rules.ts';
import { type Ask, plain, type SqlValue, toJson, toVector } from './statements.ts';
import type { VectorCopy } from './vector-copy.ts';

/** Words in the longer of the two probe texts; short, since the index stores large lengths only roughly. */
const PROBE_LENGTH = 16;
/** Fills that text; a word that no one searches for. */
const FILLER = 'zqxjk';
/**
 * SQL for every found chunk with its neighbours in its branch, and those neighbours themselves, except chunks in
 * `apart`.
 */
const aroundBut = (apart: string) => `links as materialized (
  select f.n,
    case when c.ordinal > 0
      then (select o.n from chunks o where o.message = c.message and o.ordinal = c.ordinal - 1 limit 1)
      else (select o.n from chunks o where o.message = (select b.n from messages b where b.id = m.before) order by o.ordinal desc limit 1)
    end as previous,
    coalesce(
      (select o.n from chunks o where o.message = c.message and o.ordinal = c.ordinal + 1 limit 1),
      (select o.n from chunks o where o.ordinal = 0 and o.message = (
         select a.n from messages a where a.before = m.id order by a.created_at desc, a.id desc limit 1) limit 1)) as next
  from found f join chunks c using (n) join messages m on m.n = c.message
), listed as (
  select n, previous, next, false as neighbour from links
  union all
  select n, null, null, true from (
    select distinct b.n from links, lateral (values (previous), (next)) as b(n)
    where b.n is not null and b.n not in (select n from found) ${apart}
  ) neighbours
)`;
const ALONE =
  'listed as (select n, null::integer as previous, null::integer as next, false as neighbour from found)';

/** A row of `rowOf`: a tuple, since names would be longer than most values. */
const candidate = z.tuple([
  z.number(),
  z.string(),
  z.string(),
  z.string(),
  roleSchema,
  z.number(),
  z.string(),
  z.boolean(),
  z.boolean(),
  z.string().nullable(),
  z.number().nullable(),
  z.number().nullable(),
  z.number().nullable(),
  z.boolean(),
  z.string().nullable(),
  z.array(z.string()).nullable(),
]);
/**
 * Turns the row into a candidate with the weight of each query word. By position: destructuring takes as long as
 * parsing.
 */
const toCandidate = (row: z.infer<typeof candidate>, terms: readonly number[]): Candidate => ({
  chunkId: row[0],
  messageId: row[1] as MessageId,
  conversationId: row[2] as ConversationId,
  title: row[3],
  role: row[4],
  createdAt: row[5],
  text: row[6],
  archived: row[7],
  pinned: row[8],
  cosine: row[10],
  previous: row[11],
  next: row[12],
  isNeighbour: row[13],
  before: row[14] as MessageId | null,
  ...(row[15]?.length ? { recalled: row[15] as MessageId[] } : {}),
  bm25: bm25Of(terms),
  terms,
});
const wordsIn = (row: z.infer<typeof candidate>): string => row[9] ?? '';
/** SQL for the messages that recall gave to the answer `m`, by its `ledger`; null if none. */
const RECALLED = `case when c.role = 'assistant' and m.content @> '[{"type": "recall"}]'
  then jsonb_path_query_array(m.content, '$[*] ? (@.type == "recall").passages[*].messageId') end`;
/**
 * The row of chunk `c` of message `m` in conversation `k`, with its words, cosine, neighbours and whether
 * it only stands beside what was found.
 */
const rowOf = (words: string, cosine: string, place: string): string =>
  `json_build_array(c.n, m.id, k.id, k.title, c.role, c.created_at, c.text, k.archived, k.pinned, ${words}, ${cosine}, ${place}, m.before, ${RECALLED})`;
const newestRow = z.object({ total: z.number(), candidates: z.array(candidate).nullable() });
const searchRow = z.object({
  /** Words that the index knows with the score of a text of only that word; for one of them also among other words. */
  probes: z
    .object({
      alone: z.array(z.tuple([z.string(), z.number()])).nullable(),
      among: z.tuple([z.number(), z.number()]).nullable(),
    })
    .nullable(),
  /** Approximate number of chunks. */
  chunks: z.number(),
  /** Size of the table of vectors, since the planner's row count may be old. Null unless requested. */
  vectorBytes: z.number().nullable(),
  /** Chunks found before that still exist, with their cosine. */
  measured: z.array(z.tuple([z.number(), z.number().nullable()])).nullable(),
  /** Smallest cosine among additions by the vector; null if they are fewer than wanted. */
  farthest: z.number().nullable(),
  candidates: z.array(candidate).nullable(),
});

/**
 * Number of a question's rarest words by which descriptions are found, and most that are compared: common words occur
 * in most.
 */
const [RAREST, MOST_DESCRIBED] = [4, 64];
const describedRow = z.object({ id: z.string(), words: z.array(z.string()) });
const bestRow = z.object({ best: z.array(z.number()).nullable() });

/** Computes statistics of the query's words from the scores of tiny probe texts. */
function statisticsOf(probes: z.infer<typeof searchRow>['probes']): WordStatistics {
  const perWord = probes?.among ? perWordFrom(...probes.among, PROBE_LENGTH) : 0;
  return {
    perWord,
    weights: new Map((probes?.alone ?? []).map(([word, score]) => [word, weightFrom(score, perWord)])),
  };
}

/** Statistics with a weight for a character that `holding` of all chunks have only within words. */
function withSign(
  sign: string | undefined,
  statistics: WordStatistics,
  holding: number,
  chunks: number,
): WordStatistics {
  if (sign === undefined || holding === 0 || statistics.weights.has(sign)) return statistics;
  return {
    ...statistics,
    weights: new Map([...statistics.weights, [sign, weightOf(holding, Math.max(chunks, holding))]]),
  };
}

/** Returns SQL conditions on chunk `c` for a filter; `add` makes a value a parameter. */
function conditionsOf(filter: IndexFilter, add: (value: SqlValue) => string): string[] {
  const names = (ids: readonly string[]) => `(select json_array_elements_text(${add(toJson(ids))}::json))`;
  const ofConversation: string[] = [];
  if (filter.conversationIds) ofConversation.push(`id in ${names(filter.conversationIds)}`);
  if (filter.titleContains !== undefined)
    ofConversation.push(`position(lower(${add(plain(filter.titleContains))}) in lower(title)) > 0`);
  if (filter.workDir !== undefined) ofConversation.push(`work_dir = ${add(plain(filter.workDir))}`);
  if (filter.pinned !== undefined) ofConversation.push(`pinned = ${add(filter.pinned)}`);
  if (filter.archived !== undefined) ofConversation.push(`archived = ${add(filter.archived)}`);

  // `is true` keeps Postgres from turning these into joins: as plain filters they are applied while the BM25 index is
  // read in order of rank, and reading goes on until enough rows have passed.
  const conditions: string[] = [];
  if (ofConversation.length > 0)
    conditions.push(
      `(c.conversation in (select n from conversations where ${ofConversation.join(' and ')})) is true`,
    );
  if (filter.excludeConversationIds?.length)
    conditions.push(
      `(c.conversation in (select n from conversations where id in ${names(filter.excludeConversationIds)})) is not true`,
    );
  if (filter.roles) conditions.push(`(c.role in ${names(filter.roles)}) is true`);
  if (filter.before !== undefined) conditions.push(`c.created_at < ${add(filter.before)}::double precision`);
  if (filter.after !== undefined) conditions.push(`c.created_at >= ${add(filter.after)}::double precision`);
  if (filter.hasCode !== undefined) conditions.push(`c.has_code = ${add(filter.hasCode)}`);
  return conditions;
}

/** True if a filter usually keeps only a small part of the library. */
const isNarrow = (filter: IndexFilter): boolean =>
  filter.conversationIds !== undefined ||
  filter.titleContains !== undefined ||
  filter.workDir !== undefined ||
  filter.before !== undefined ||
  filter.after !== undefined ||
  filter.hasCode === true ||
  filter.pinned === true ||
  filter.archived === true;

/**
 * Returns the newest messages that contain a text and pass a filter. It reads every chunk: only this search would use
 * an index by time.
 */
async function newestIn(ask: Ask, text: string, { filter, limit }: IndexQuery): Promise<IndexHits> {
  const parameters: SqlValue[] = [];
  const add = (value: SqlValue) => `$${parameters.push(value)}`;
  // A Chinese character is found in its other script, too: words have one form for both.
  const sign = signIn([folded(text)]);
  const inWords = sign === undefined ? '' : ` or position(${add(sign)} in c.words) > 0`;
  const holds = text === '' ? 'c.ordinal = 0' : `(position(${add(plain(text))} in c.text) > 0${inWords})`;
  // Last, since reading a text costs more than checking a filter.
  const where = [...conditionsOf(filter, add), holds].join(' and ');
  const [answer] = await ask.prepared(
    newestRow,
    `with passing as materialized (
         select distinct on (c.created_at, c.message) c.n, c.message, c.created_at from chunks c where ${where}
         order by c.created_at desc, c.message desc, c.ordinal
       ), newest as (select * from passing order by created_at desc, message desc limit ${Math.trunc(limit)})
       select (select count(*)::integer from passing) as total, (
           select json_agg(${rowOf('null', 'null', 'null, null, false')}
             order by o.created_at desc, o.message desc)
           from newest o join chunks c using (n) join messages m on m.n = c.message join conversations k on k.n = c.conversation
         ) as candidates`,
    parameters,
  );
  const candidates = (answer?.candidates ?? []).map((row) => toCandidate(row, []));
  return { candidates, idf: [], total: answer?.total ?? 0 };
}

/**
 * Returns the best `most` by words. A separate statement: inside a WITH the index does not pass its scores on, and
 * computing them again takes 5 ms for fifty rows.
 */
async function bestByWords(
  ask: Ask,
  query: readonly string[],
  filter: IndexFilter,
  most: number,
): Promise<number[]> {
  const parameters: SqlValue[] = [];
  const add = (value: SqlValue) => `$${parameters.push(value)}`;
  const conditions = conditionsOf(filter, add);
  const [answer] = await ask.prepared(
    bestRow,
    `select json_agg(n) as best from (
       select c.n from chunks c ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
       order by c.words <@> to_bm25query(${add(query.join(' '))}, 'chunks_bm25') limit ${most}) best`,
    parameters,
  );
  return answer?.best ?? [];
}

/** Rows that are read for a single character, newest first made: 100,000 take a third of a second. */
const MOST_READ = 200_000;

/** Returns the newest `most` that have a character within their words, which the index by words does not know. */
async function newestWith(ask: Ask, sign: string, filter: IndexFilter, most: number): Promise<number[]> {
  const parameters: SqlValue[] = [];
  const add = (value: SqlValue) => `$${parameters.push(value)}`;
  const where = [
    ...conditionsOf(filter, add),
    `c.n > (select max(n) from chunks) - ${MOST_READ}`,
    `position(${add(sign)} in c.words) > 0`,
  ].join(' and ');
  const [answer] = await ask.prepared(
    bestRow,
    `select json_agg(n) as best from (
       select c.n from chunks c where ${where} order by c.created_at desc, c.n desc limit ${most}) held`,
    parameters,
  );
  return answer?.best ?? [];
}

/** Returns the best `most` by words, and for a single Han character the newest with it in a longer word as well. */
async function foundByWords(
  ask: Ask,
  query: readonly string[],
  filter: IndexFilter,
  most: number,
): Promise<readonly number[]> {
  const whole = await bestByWords(ask, query, filter, most);
  const sign = signIn(query);
  return sign === undefined
    ? whole
    : [...new Set([...whole, ...(await newestWith(ask, sign, filter, most))])];
}

/** Returns conversations that pass the filter and whose descriptions have most of the query's words. */
async function describedBy(
  ask: Ask,
  query: readonly string[],
  idf: readonly number[],
  filter: IndexFilter,
): Promise<Described[]> {
  const parameters: SqlValue[] = [];
  const add = (value: SqlValue) => `$${parameters.push(value)}`;
  const asked = wordsForDescriptions(query, idf);
  const given = add(toJson(asked));
  const rarest = add(toJson(asked.slice(0, RAREST).map(([word]) => word)));
  // Drop filters on messages, which descriptions do not have.
  const { roles: _, before: __, after: ___, hasCode: ____, ...ofConversations } = filter;
  const conditions = conditionsOf(ofConversations, add).map((condition) => ` and ${condition}`);
  const rows = await ask.prepared(
    describedRow,
    `with asked as materialized (
       select one ->> 0 as word, (one ->> 1)::double precision as idf from json_array_elements(${given}::json) as one
     ), near as materialized (
       select c.conversation, c.words from descriptions c
       where c.words && array(select json_array_elements_text(${rarest}::json))${conditions.join('')} limit ${MOST_DESCRIBED}
     )
     select k.id, best.words from (
       select near.conversation, json_agg(asked.word) as words, sum(asked.idf) as idf
       from near join asked on asked.word = any (near.words)
       group by near.conversation order by idf desc, near.conversation limit ${DESCRIBED}) best
     join conversations k on k.n = best.conversation order by best.idf desc, k.n`,
    parameters,
  );
  return rows.map(({ id, words }) => ({
    conversationId: id as ConversationId,
    has: query.map((word) => words.includes(word)),
  }));
}

/** Returns the chunks of these messages that meet the conditions. */
const chunksOf = (
  messages: readonly MessageId[],
  conditions: readonly string[],
  add: (value: SqlValue) => string,
): string =>
  `select c.n from chunks c where ${[
    `c.message in (select n from messages where id in (select json_array_elements_text(${add(toJson(messages))}::json)))`,
    ...conditions,
  ].join(' and ')}`;

type Search = (query: IndexQuery) => Promise<IndexHits>;
/** One way to search: with the copy of the vectors or without, and with the best by words if they are known. */
type Attempt = (given: IndexQuery, inMemory: boolean, best?: readonly number[]) => Promise<IndexHits>;
/** Adds conversations whose descriptions match, if neighbours are requested. */
const withDescriptions =
  (ask: Ask, search: Search): Search =>
  async (given) => {
    const found = await search(given);
    const { words, filter, withNeighbours = false, after, messages, newest } = given;
    if (!withNeighbours || after || messages || newest !== undefined || found.idf.length === 0) return found;
    const query = splitWords(plain(words)).slice(0, MAX_QUERY_TERMS);
    return { ...found, described: await describedBy(ask, query, found.idf, filter) };
  };

/** Builds the search with `ask`; the copy of the vectors names the nearest in the whole library if it can. */
export function createSearch(ask: Ask, copy: VectorCopy): (query: IndexQuery) => Promise<IndexHits> {
  const self = crypto.randomUUID();
  const search: Attempt = async (given, inMemory, best) => {
    const { words, vector, filter, limit, withNeighbours = false, after, messages } = given;
    const query = splitWords(plain(words)).slice(0, MAX_QUERY_TERMS);
    const known = given.knownWords?.index === self ? given.knownWords : undefined;
    const most = Math.trunc(limit);
    if (given.newest !== undefined && most > 0) return newestIn(ask, given.newest, given);
    if ((query.length === 0 && !vector) || most <= 0) return { candidates: [], idf: [] };
    const parameters: SqlValue[] = [];
    const add = (value: SqlValue) => `$${parameters.push(value)}`;
    const numbers = (ids: readonly number[]) =>
      `select value::integer as n from json_array_elements_text(${add(toJson(ids))}::json)`;
    // The search by words applies the conditions itself.
    const conditions = vector || messages ? conditionsOf(filter, add) : [];
    const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';

    const none = 'select null::integer as n, null::double precision as distance where false';
    let few: Likely | null = null;
    /** Candidates by words; skipped if only the nearest are wanted. */
    const byWords =
      query.length === 0 || after || messages
        ? []
        : (best ?? known?.best ?? (await foundByWords(ask, query, filter, most)));
    const worded = messages ? chunksOf(messages, conditions, add) : numbers(byWords);
    let [near, probes, wordsOf, cosine, joined] = [none, 'null', 'null', 'null', ''];
    let measured = 'null';
    if (query.length > 0) {
      // Scoring a row by the operator costs more than the rest of a search. So the index is asked once for the weight
      // of each word, and rows are scored from their words.
      wordsOf = 'c.words';
      if (!known)
        probes = `(
          with alone as materialized (
            select w, -(w <@> to_bm25query(w, 'chunks_bm25')) as score
            from json_array_elements_text(${add(toJson([...new Set(query)]))}::json) as w
          ), known as (select * from alone where score > 0)
          select json_build_object('alone', (select json_agg(json_build_array(w, score)) from known), 'among', (
            select json_build_array(score, -((w || repeat(' ${FILLER}', ${PROBE_LENGTH - 1})) <@> to_bm25query(w, 'chunks_bm25')))
            from known where w <> '${FILLER}' limit 1)))`;
    }
    if (vector) {
      const values = `${add(toVector(vector.values))}::vector`;
      const model = `(select n from models where id = ${add(vector.model)} and dimensions = ${vector.values.length})`;
      // A zero vector has no direction: its distance is NaN, its similarity 0.
      cosine = `case when x.v is not null then coalesce(nullif(1 - (x.v <=> ${values}), 'NaN'), 0) end`;
      joined = `left join vectors x on x.chunk = c.n and x.model = ${model}`;
      const nearest = `select x.chunk as n, x.v <=> ${values} as distance from vectors x`;
      // A narrow filter selects few rows itself; otherwise the copy in memory names the nearest.
      few =
        inMemory && !messages && !isNarrow(filter)
          ? await copy.likely(vector.model, vector.values, most)
          : null;
      if (messages) near = none;
      else if (few) {
        near = `select x.chunk as n, x.v <=> ${values} as distance from json_array_elements_text(${add(toJson(few.chunks))}::json) as likely
              join vectors x on x.chunk = likely::integer and x.model = ${model}
            ${conditions.length > 0 ? `where (select ${conditions.join(' and ')} from chunks c where c.n = x.chunk)` : ''}
            order by distance limit ${most}`;
      } else if (conditions.length === 0)
        near = `${nearest} where x.model = ${model} order by distance limit ${most}`;
      else if (isNarrow(filter))
        near = `${nearest} join chunks c on c.n = x.chunk ${where} and x.model = ${model} order by distance limit ${most}`;
      // If most rows pass, ranking all first and checking each until enough have passed is cheaper.
      else
        near = `select s.n, s.distance from (${nearest} where x.model = ${model} order by distance offset 0) s
            where (select ${conditions.join(' and ')} from chunks c where c.n = s.n) order by s.distance limit ${most}`;
    }
    if (vector && after)
      measured = `(
           select json_agg(json_build_array(c.n, ${cosine})) from chunks c ${joined}
           where c.n in (${numbers([...after.found, ...after.neighbours])}))`;
    const but = after ? `where n not in (${numbers(after.found)})` : '';
    const apart = after ? `and b.n not in (${numbers([...after.found, ...after.neighbours])})` : '';
    const mayAskSize = vector !== undefined && copy.mayAskSize(vector.model);
    const [answer] = await ask.prepared(
      searchRow,
      `with worded as materialized (${worded}), near as materialized (${near}),
         found as materialized (select n from worded union select n from near ${but}),
         ${withNeighbours ? aroundBut(apart) : ALONE}
         select ${probes} as probes, ${measured} as measured, (
             select case when count(*) = ${most} then 1 - nullif(max(distance), 'NaN') end from near) as farthest,
           greatest(0, (select reltuples from pg_class where oid = 'chunks'::regclass)) as chunks,
           ${mayAskSize ? "pg_table_size('vectors')" : 'null'} as "vectorBytes", (
           select json_agg(${rowOf(wordsOf, cosine, 'l.previous, l.next, l.neighbour')})
           from listed l join chunks c using (n) join messages m on m.n = c.message
             join conversations k on k.n = c.conversation ${joined}
         ) as candidates`,
      parameters,
    );
    if (vector && few && (answer?.farthest ?? Number.NEGATIVE_INFINITY) < few.largestOmitted) {
      // Too many of the named chunks are gone or filtered out, so an omitted one may be nearer.
      copy.tidy(vector.model, vector.values.length, few.chunks);
      return search(given, false, byWords);
    }
    if (vector && answer?.vectorBytes) copy.want(vector.model, vector.values.length, answer.vectorBytes);
    const statistics =
      known?.statistics ??
      withSign(signIn(query), statisticsOf(answer?.probes ?? null), byWords.length, answer?.chunks ?? 0);
    const termsIn = gainsOf(query, statistics);
    const candidates = (answer?.candidates ?? [])
      .map((row) => toCandidate(row, termsIn(wordsIn(row))))
      .filter((row) => row.isNeighbour || messages || row.bm25 > 0 || row.cosine !== null);
    const seen = new Set([
      ...candidates.map(({ chunkId }) => chunkId),
      ...(after?.found ?? []),
      ...(after?.neighbours ?? []),
    ]);
    return {
      candidates: withNeighbours ? withSymmetricLinks(candidates) : candidates,
      idf: idfWeights(query, statistics, Math.max(answer?.chunks ?? 0, seen.size)),
      ...(after ? { measured: answer?.measured ?? [] } : {}),
      ...(query.length > 0 && !after && !messages
        ? { knownWords: { index: self, best: byWords, statistics } }
        : {}),
    };
  };
  return withDescriptions(ask, (query) => search(query, true));
}
