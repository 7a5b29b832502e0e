-- What was written of a conversation and its keywords, as search words. Apart from its row, which changes with each message.
create table descriptions (
  conversation integer primary key references conversations on delete cascade,
  words text[] not null
);
create index descriptions_words on descriptions using gin (words);
