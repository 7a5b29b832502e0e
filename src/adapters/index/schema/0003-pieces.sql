-- What was said right before each message, and the pieces of each chunk for late interaction. Rows of before are filled as the log is read again.

-- By id and without a constraint, like the parent: the nearest message above that can be found, of those that can be found.
alter table messages add column before text collate "C";
create index messages_before on messages (before, created_at desc, id desc) where before is not null;

-- The signs of a chunk's piece vectors, 32 bytes a piece. Beside the vectors, so that reading all of those reads none of these.
create table pieces (
  chunk integer not null references chunks on delete cascade,
  model smallint not null references models on delete cascade,
  signs bytea not null,
  primary key (chunk, model)
);
-- Signs do not compress.
alter table pieces alter column signs set storage external;
