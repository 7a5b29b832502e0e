// JSON that others wrote, and what is none.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFields, lenientJson, pythonJson, readJson, repairedJson } from '../../../src/domain/base/json.ts';

it('gives the value, or undefined where the text is no JSON', () => {
  expect(readJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(readJson('null')).toBeNull();
  for (const text of ['', '{', 'undefined', '{"a":1} more']) expect(readJson(text)).toBeUndefined();
});

it('tells objects from arrays, null and plain values', () => {
  const values = [{}, { a: 1 }, [], [{}], null, undefined, 'a', 1, true];
  expect(values.map(isFields)).toEqual([true, true, false, false, false, false, false, false, false]);
});

describe('JSON as other tools write it', () => {
  it.each([
    ['{"time":NaN,"low":-Infinity,"high":Infinity}', { time: null, low: null, high: null }],
    ['[NaN]', [null]],
    ['[ -Infinity , NaN ,]', [null, null]],
    ['{"a":[1,2, ],}', { a: [1, 2] }],
    ['{"a":"one\ntwo\tthree"}', { a: 'one\ntwo\tthree' }],
    [
      '{"said":"NaN, -Infinity,] \\" Infinity,}","x":NaN}',
      { said: 'NaN, -Infinity,] " Infinity,}', x: null },
    ],
    ['{"NaN":NaN}', { NaN: null }],
    [String.raw`{"a":"C:\dir \x41 \u12 \\d \" don\'t"}`, { a: String.raw`C:\dir \x41 \u12 \d " don't` }],
  ])('%s', (text, value) => {
    expect(lenientJson(text)).toEqual(value);
  });

  it('makes nothing of what says something else', () => {
    for (const text of ['{"a":NaNs}', '{"a":Infinit}', '{a:1}', '[1,,2]', '{"a":--Infinity}', "{'a':1}"])
      expect(lenientJson(text), text).toBeUndefined();
  });

  it('changes no text inside strings, and nothing of what is JSON already', () => {
    const spoken = fc.array(
      fc.constantFrom('NaN', '-Infinity', 'Infinity', ',', ']', '}', '"', '\\', '\n', ' '),
    );
    fc.assert(
      fc.property(fc.jsonValue(), spoken, (value, words) => {
        const said = words.join('');
        const text = JSON.stringify({ said, value, [said]: 1 });
        expect(repairedJson(text)).toBe(text);
        expect(lenientJson(`[${text},NaN]`)).toEqual([JSON.parse(text), null]);
      }),
    );
  });
});

describe('what Python prints of a value', () => {
  it.each([
    ["{'a': 'b', 'c': None, 'd': [True, False], 'e': 1.5}", { a: 'b', c: null, d: [true, false], e: 1.5 }],
    [`{'a': "don't", 'b': 'say "so"', 'c': 'it\\'s'}`, { a: "don't", b: 'say "so"', c: "it's" }],
    ['{"a": True, "b": None}', { a: true, b: null }],
    ["{'a': 'None of True', 'b': '\\x41\\n'}", { a: 'None of True', b: '\\x41\n' }],
    ["[{'a': 1},]", [{ a: 1 }]],
    ["{'a': '备份', 'b': {'c': ''}}", { a: '备份', b: { c: '' } }],
  ])('%s', (text, value) => expect(pythonJson(text)).toEqual(value));
  it('is no value where something is missing, or where there is nothing of Python', () => {
    for (const text of ["{'a': 'b", "{'a': Nones}", '{"a":1}', "'a'", "{a: 'b'}", "it's {None}"])
      expect(pythonJson(text), text).toBeUndefined();
  });
});
