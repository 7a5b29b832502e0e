-- Where a chunk stands in its message: what is right before and after another one is found in this index alone.
create index chunks_place on chunks (message, ordinal);
drop index chunks_message;
