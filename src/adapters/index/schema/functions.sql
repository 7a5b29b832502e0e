-- What the app calls by name. Code, not data: laid down anew at every opening, so it is always that of the app that opened the database.
-- A function whose parameters change gets another name, or a step that drops the old one.

-- Applies one change and moves the bookmark. Rows that are already as they should be are not written again;
-- a chunk keeps its number exactly as long as what is embedded of it, so a vector that comes late never meets other text.
create or replace function apply_change(
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

  insert into descriptions as old (conversation, words)
  select c.n, string_to_array(d.described, ' ')
  from json_to_recordset(new_conversations) as d(id text, described text) join conversations c on c.id = d.id
  where d.described <> ''
  on conflict (conversation) do update set words = excluded.words where old.words <> excluded.words;

  if json_array_length(new_messages) > 0 then
    insert into conversations (id, created_at, updated_at)
    select distinct on (m.conversation) m.conversation, m.created_at, m.created_at
    from json_to_recordset(new_messages) as m(conversation text, created_at double precision)
    where not exists (select from conversations c where c.id = m.conversation)
    order by m.conversation, m.created_at;

    replaced := array(
      select o.n from json_to_recordset(new_messages) as m(id text) join messages o on o.id = m.id);

    insert into messages as old
      (id, conversation, parent, before, role, content, token_count, created_at, has_code, code_language)
    select m.id, c.n, m.parent, m.before, m.role, m.content, m.token_count, m.created_at, m.has_code, m.code_language
    from json_to_recordset(new_messages) as m(
      id text, conversation text, parent text, before text, role text, content jsonb, token_count integer,
      created_at double precision, has_code boolean, code_language text)
    join conversations c on c.id = m.conversation
    on conflict (id) do update set
      conversation = excluded.conversation, parent = excluded.parent, before = excluded.before, role = excluded.role,
      content = excluded.content, token_count = excluded.token_count, created_at = excluded.created_at,
      has_code = excluded.has_code, code_language = excluded.code_language
    where (old.conversation, old.parent, old.before, old.role, old.content, old.token_count, old.created_at, old.has_code,
        old.code_language)
      is distinct from (excluded.conversation, excluded.parent, excluded.before, excluded.role, excluded.content,
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
      returning n, message, conversation, priority, hash
    ), shared as (
      insert into vectors (chunk, model, v)
      select distinct on (f.n, x.model) f.n, x.model, x.v
      from fresh f join chunks s on s.hash = f.hash join vectors x on x.chunk = s.n
      order by f.n, x.model
    ), waits as (
      insert into waiting (chunk, message, conversation, priority)
      select f.n, f.message, f.conversation, f.priority from fresh f
      where (select waits_for from state) is not null and not exists (
        select from chunks s join vectors x on x.chunk = s.n
        where s.hash = f.hash and x.model = (select m.n from models m where m.id = (select waits_for from state)))
    )
    insert into pieces (chunk, model, signs)
    select distinct on (f.n, x.model) f.n, x.model, x.signs
    from fresh f join chunks s on s.hash = f.hash join pieces x on x.chunk = s.n
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

      update waiting w set conversation = o.conversation, priority = o.priority
      from chunks o
      where o.message = any (replaced) and o.n = w.chunk
        and (w.conversation, w.priority) is distinct from (o.conversation, o.priority);

      delete from chunks o where o.message = any (replaced) and not exists (
        select from json_to_recordset(new_chunks) as c(message text, ordinal integer, hash text)
        join messages m on m.id = c.message
        where m.n = o.message and c.ordinal = o.ordinal and c.hash = o.hash);
    end if;
  end if;

  update state set bookmark = reached;
end $$;

-- From now on what waits is what has no vector of this model. Reads all chunks where another one was in use before.
create or replace function wait_for(name text) returns void language plpgsql as $$
begin
  if (select waits_for from state) is not distinct from name then
    return;
  end if;
  truncate waiting;
  insert into waiting (chunk, message, conversation, priority)
  select c.n, c.message, c.conversation, c.priority from chunks c
  where not exists (
    select from vectors x where x.chunk = c.n and x.model = (select m.n from models m where m.id = name));
  update state set waits_for = name;
end $$;

-- Keeps vectors for the given chunks and for all others with the same hash. Rows: [chunk, "[0.1,0.2]", signs as base64 or null].
create or replace function put_vectors(name text, length integer, given json) returns void
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
    delete from pieces where model = number;
    update state set waits_for = null where waits_for = name;
    if found then
      perform wait_for(name);
    end if;
  end if;

  insert into vectors (chunk, model, v)
  select distinct on (s.n) s.n, number, (g.row ->> 1)::vector
  from json_array_elements(given) with ordinality as g(row, place)
  join chunks c on c.n = (g.row ->> 0)::integer
  join chunks s on s.hash = c.hash
  order by s.n, g.place desc
  on conflict (chunk, model) do update set v = excluded.v;

  if (select waits_for from state) = name then
    delete from waiting w where w.chunk in (
      select s.n from json_array_elements(given) as g(row)
      join chunks c on c.n = (g.row ->> 0)::integer join chunks s on s.hash = c.hash);
  end if;

  insert into pieces (chunk, model, signs)
  select distinct on (s.n) s.n, number, decode(g.row ->> 2, 'base64')
  from json_array_elements(given) with ordinality as g(row, place)
  join chunks c on c.n = (g.row ->> 0)::integer
  join chunks s on s.hash = c.hash
  where g.row ->> 2 is not null
  order by s.n, g.place desc
  on conflict (chunk, model) do update set signs = excluded.signs;
end $$;

-- What was made of a whole conversation, in the place of what was made of it before.
create or replace function describe_conversation(name text, new_summary text, new_keywords jsonb, described text) returns void
language plpgsql as $$
declare
  number integer;
begin
  update conversations set summary = new_summary, keywords = new_keywords where id = name returning n into number;
  if number is null then
    return;
  end if;
  if described = '' then
    delete from descriptions where conversation = number;
  else
    insert into descriptions as old (conversation, words) values (number, string_to_array(described, ' '))
    on conflict (conversation) do update set words = excluded.words where old.words <> excluded.words;
  end if;
end $$;

-- Numbers of chunks go on where they were: a vector made for a chunk of before must not find another one under its number.
create or replace function clear_index() returns void language plpgsql as $$
begin
  truncate conversations, descriptions, messages, chunks, models, vectors, pieces, waiting;
  update state set bookmark = 0;
end $$;
