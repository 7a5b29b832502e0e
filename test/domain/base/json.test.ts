// JSON that others wrote, and what is none.
import { expect, it } from 'vitest';
import { readJson } from '../../../src/domain/base/json.ts';

it('gives the value, or undefined where the text is no JSON', () => {
  expect(readJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(readJson('null')).toBeNull();
  for (const text of ['', '{', 'undefined', '{"a":1} more']) expect(readJson(text)).toBeUndefined();
});
