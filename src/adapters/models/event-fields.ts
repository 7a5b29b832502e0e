// Reads lists of an event whose form nobody guarantees, and writes one that says words.
import type { Fields } from '../../domain/base/json.ts';

/** A list as it is, one value as a list of it, nothing as an empty one. */
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];

/** A choice of a chat completion's stream that says `content`; null as its reason goes on. */
export const said = (content: unknown, finish_reason: unknown = null): Fields => ({
  delta: { content },
  finish_reason,
});
