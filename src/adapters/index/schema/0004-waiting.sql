-- What waits for a vector of the model in use, so that finding it reads nothing else. Filled when a model is first asked for (`wait_for`).
create table waiting (
  chunk integer primary key references chunks on delete cascade,
  message integer not null,
  -- As in the chunk.
  conversation integer not null,
  priority double precision not null
);
create index waiting_order on waiting (priority, chunk);

-- The id of that model; null until one is asked for. By id: it may have no vector yet.
alter table state add column waits_for text collate "C";
