-- The memory index: what is made from the log, so that it can be found. Times are ms since 1970.
create extension if not exists vector;
create extension if not exists pg_textsearch;

-- One row: how far the log has been read. Changes in the same transaction as the rows made from it.
create table state (
  one boolean primary key default true check (one),
  bookmark bigint not null default 0
);
insert into state default values;

create table conversations (
  n integer generated always as identity primary key,
  id text collate "C" not null unique,
  title text not null default '',
  summary text not null default '',
  keywords jsonb not null default '[]',
  created_at double precision not null,
  updated_at double precision not null,
  work_dir text,
  token_count integer not null default 0,
  archived boolean not null default false,
  pinned boolean not null default false
);

create table messages (
  n integer generated always as identity primary key,
  id text collate "C" not null unique,
  conversation integer not null references conversations on delete cascade,
  -- By id and without a constraint: a parent may come later, or be gone.
  parent text collate "C",
  role text not null,
  -- Content parts without the bytes of files.
  content jsonb not null,
  token_count integer not null,
  created_at double precision not null,
  has_code boolean not null,
  code_language text
);
create index messages_conversation on messages (conversation);
create index messages_parent on messages (parent, created_at desc, id desc) where parent is not null;

-- A stretch of one message, the unit of recall. What a search narrows by is repeated here, so that neither half has to look elsewhere.
create table chunks (
  n integer generated always as identity primary key,
  message integer not null references messages on delete cascade,
  conversation integer not null,
  ordinal integer not null,
  role text not null,
  created_at double precision not null,
  has_code boolean not null,
  priority double precision not null,
  -- Of what is embedded; equal ones share their vectors.
  hash text collate "C" not null,
  -- As a person reads it.
  text text not null,
  -- What is embedded is lead and text together; only where that is not so, it stands in full in `embedded`.
  lead text not null default '',
  embedded text,
  -- Search words, parted by spaces.
  words text not null
);
create index chunks_message on chunks (message);
create index chunks_hash on chunks using hash (hash);
create index chunks_bm25 on chunks using bm25 (words) with (text_config = 'simple', k1 = 1.2, b = 0.75);

create table models (
  n smallint generated always as identity primary key,
  id text collate "C" not null unique,
  dimensions integer not null
);

-- Without a fixed length: any model's vectors fit. All of one model have its length.
create table vectors (
  chunk integer not null references chunks on delete cascade,
  model smallint not null references models on delete cascade,
  v vector not null,
  primary key (chunk, model)
);
-- Kept beside its key where a page can hold it: reading every vector must not mean one look-up each.
alter table vectors alter column v set storage main;

-- What went to other devices and came from them. One row per sealed entry of the log.
create table sync_log (
  n bigint generated always as identity primary key,
  -- Id of the log entry, as its author named it.
  entry text collate "C" not null unique,
  -- Conversation, or the library document.
  document text collate "C" not null,
  -- Whether it was sent or received.
  direction text not null check (direction in ('up', 'down')),
  -- Where it went through: backend and room.
  room text not null,
  -- Position in the room that the backend answered with; null until it did.
  position text,
  -- Size as sent, sealed.
  bytes integer not null,
  -- First tried or received, and settled (acknowledged or applied).
  started_at double precision not null,
  settled_at double precision,
  attempts integer not null default 1,
  -- Code of the last problem; null when all is well.
  problem text
);
create index sync_log_open on sync_log (started_at) where settled_at is null;

-- Applies one change and moves the bookmark. Rows that are already as they should be are not written again;
-- a chunk keeps its number exactly as long as what is embedded of it, so a vector that comes late never meets other text.
create function apply_change(
  gone_conversations json, gone_messages json, new_conversations json, new_messages json, new_chunks json, reached bigint
) returns void language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  replaced integer[];
begin
  delete from conversations where id in (select json_array_elements_text(gone_conversations));
  delete from messages where id in (select json_array_elements_text(gone_messages));

  insert into conversations as old
    (id, title, summary, keywords, created_at, updated_at, work_dir, token_count, archived, pinned)
  select * from json_to_recordset(new_conversations) as c(
    id text, title text, summary text, keywords jsonb, created_at double precision, updated_at double precision,
    work_dir text, token_count integer, archived boolean, pinned boolean)
  on conflict (id) do update set
    title = coalesce(nullif(excluded.title, ''), old.title),
    summary = coalesce(nullif(excluded.summary, ''), old.summary),
    keywords = case when excluded.keywords = '[]' then old.keywords else excluded.keywords end,
    created_at = excluded.created_at, updated_at = excluded.updated_at, work_dir = excluded.work_dir,
    token_count = excluded.token_count, archived = excluded.archived, pinned = excluded.pinned;

  if json_array_length(new_messages) > 0 then
    insert into conversations (id, created_at, updated_at)
    select distinct on (m.conversation) m.conversation, m.created_at, m.created_at
    from json_to_recordset(new_messages) as m(conversation text, created_at double precision)
    where not exists (select from conversations c where c.id = m.conversation)
    order by m.conversation, m.created_at;

    replaced := array(
      select o.n from json_to_recordset(new_messages) as m(id text) join messages o on o.id = m.id);

    insert into messages as old
      (id, conversation, parent, role, content, token_count, created_at, has_code, code_language)
    select m.id, c.n, m.parent, m.role, m.content, m.token_count, m.created_at, m.has_code, m.code_language
    from json_to_recordset(new_messages) as m(
      id text, conversation text, parent text, role text, content jsonb, token_count integer,
      created_at double precision, has_code boolean, code_language text)
    join conversations c on c.id = m.conversation
    on conflict (id) do update set
      conversation = excluded.conversation, parent = excluded.parent, role = excluded.role,
      content = excluded.content, token_count = excluded.token_count, created_at = excluded.created_at,
      has_code = excluded.has_code, code_language = excluded.code_language
    where (old.conversation, old.parent, old.role, old.content, old.token_count, old.created_at, old.has_code,
        old.code_language)
      is distinct from (excluded.conversation, excluded.parent, excluded.role, excluded.content,
        excluded.token_count, excluded.created_at, excluded.has_code, excluded.code_language);

    with fresh as (
      insert into chunks
        (message, conversation, ordinal, role, created_at, has_code, priority, hash, text, lead, embedded, words)
      select m.n, m.conversation, c.ordinal, m.role, m.created_at, m.has_code, c.priority, c.hash, c.text, c.lead,
        c.embedded, c.words
      from json_to_recordset(new_chunks) as c(
        message text, ordinal integer, text text, lead text, embedded text, words text, hash text,
        priority double precision)
      join messages m on m.id = c.message
      where not exists (
        select from chunks o where o.message = m.n and o.ordinal = c.ordinal and o.hash = c.hash)
      returning n, hash
    )
    insert into vectors (chunk, model, v)
    select distinct on (f.n, x.model) f.n, x.model, x.v
    from fresh f join chunks s on s.hash = f.hash join vectors x on x.chunk = s.n
    order by f.n, x.model;

    if cardinality(replaced) > 0 then
      update chunks o set
        conversation = m.conversation, role = m.role, created_at = m.created_at, has_code = m.has_code,
        priority = c.priority, text = c.text, lead = c.lead, embedded = c.embedded, words = c.words
      from json_to_recordset(new_chunks) as c(
        message text, ordinal integer, text text, lead text, embedded text, words text, hash text,
        priority double precision)
      join messages m on m.id = c.message
      where m.n = any (replaced) and o.message = m.n and o.ordinal = c.ordinal and o.hash = c.hash
        and (o.conversation, o.role, o.created_at, o.has_code, o.priority, o.text, o.lead, o.embedded, o.words)
          is distinct from (m.conversation, m.role, m.created_at, m.has_code, c.priority, c.text, c.lead, c.embedded,
            c.words);

      delete from chunks o where o.message = any (replaced) and not exists (
        select from json_to_recordset(new_chunks) as c(message text, ordinal integer, hash text)
        join messages m on m.id = c.message
        where m.n = o.message and c.ordinal = o.ordinal and c.hash = o.hash);
    end if;
  end if;

  update state set bookmark = reached;
end $$;

-- Keeps vectors for the given chunks and for all others with the same hash. Rows: [chunk, "[0.1,0.2]"].
create function put_vectors(name text, length integer, given json) returns void
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  number smallint;
begin
  insert into models as old (id, dimensions) values (name, length)
  on conflict (id) do update set dimensions = excluded.dimensions where old.dimensions <> excluded.dimensions;
  select m.n into strict number from models m where m.id = name;

  -- A model that speaks in another length now is another model: its earlier vectors cannot be compared.
  if exists (select from (select v from vectors where model = number limit 1) x where vector_dims(x.v) <> length) then
    delete from vectors where model = number;
  end if;

  insert into vectors (chunk, model, v)
  select distinct on (s.n) s.n, number, (g.row ->> 1)::vector
  from json_array_elements(given) with ordinality as g(row, place)
  join chunks c on c.n = (g.row ->> 0)::integer
  join chunks s on s.hash = c.hash
  order by s.n, g.place desc
  on conflict (chunk, model) do update set v = excluded.v;
end $$;

-- Numbers of chunks go on where they were: a vector made for a chunk of before must not find another one under its number.
create function clear_index() returns void language plpgsql as $$
begin
  truncate conversations, messages, chunks, models, vectors;
  update state set bookmark = 0;
end $$;
