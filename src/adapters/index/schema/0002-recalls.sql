-- Answers that memory went into: the calendar counts them without reading every message.
create index messages_recall on messages (created_at) where content @> '[{"type": "recall"}]';
