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
