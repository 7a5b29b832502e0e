// Reads fields of an event whose form nobody guarantees.
import { isFields } from '../../domain/base/json.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A list as it is, one value as a list of it, nothing as an empty one. */
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];

/** The fields of a JSON object; none for any other value. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** The objects of a list; none for any other value. */
export const objectsOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isFields) : [];

/** A text; '' for anything else. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A choice of a chat completion's stream that says `content`; null as its reason goes on. */
export const said = (content: unknown, finish_reason: unknown = null): Fields => ({
  delta: { content },
  finish_reason,
});
