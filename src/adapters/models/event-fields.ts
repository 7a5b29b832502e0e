// Reads fields of an event whose form nobody guarantees.

export type Fields = Readonly<Record<string, unknown>>;

/** A list as it is, one value as a list of it, nothing as an empty one. */
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];

/** A text; '' for anything else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
