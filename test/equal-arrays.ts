// Compares typed arrays in a loop: Vitest's own equality calls itself for each element, 3 s for a megabyte.
import type { Tester } from '@vitest/expect';
import { expect } from 'vitest';

declare global {
  /** Files that share a process share their testers, and each asks for this file anew. */
  var comparesArrays: true | undefined;
}

const isArray = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);

/** Answers for two arrays of one kind; of all else Vitest says what it thinks. */
const equalArrays: Tester = (one: unknown, other: unknown) => {
  if (!isArray(one) || !isArray(other) || one.constructor !== other.constructor) return undefined;
  return one.length === other.length && one.every((element, at) => Object.is(element, other[at]));
};

if (!globalThis.comparesArrays) expect.addEqualityTesters([equalArrays]);
globalThis.comparesArrays = true;
