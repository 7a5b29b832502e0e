import { describe, expect, it } from 'vitest';
import { looksBinary, recordsOf } from '../../../src/adapters/importers/lenient-json.ts';

const values = (text: string) => recordsOf(text).map(({ value }) => value);
const latin = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0));

describe('records of a log', () => {
  it.each([
    [
      'a raw line break in a text',
      '{"a":"one\ntwo\n\nthree"}\n{"b":2}',
      [{ a: 'one\ntwo\n\nthree' }, { b: 2 }],
    ],
    [
      'a raw CRLF and a tab in a text',
      '{"a":"one\r\n\ttwo"}\r\n{"b":2}\r\n',
      [{ a: 'one\n\ttwo' }, { b: 2 }],
    ],
    ['control characters in a text', '{"a":"one\u0001\u001btwo"}', [{ a: 'one\u0001\u001btwo' }]],
    [
      'several on a line',
      '{"a":1}{"b":"}{"} {"c":[3]}\n{"d":4}',
      [{ a: 1 }, { b: '}{' }, { c: [3] }, { d: 4 }],
    ],
    [
      'numbers that only Python writes',
      '{"a":NaN}\n{"b":[-Infinity,"NaN"]}',
      [{ a: null }, { b: [null, 'NaN'] }],
    ],
    ['a last line that was cut off', '{"a":1}\n{"b":"never en', [{ a: 1 }, undefined]],
    [
      'one that never ends before a good one',
      '{"a":"never en\n{"b":2}\n{"c":3}',
      [undefined, { b: 2 }, { c: 3 }],
    ],
    ['words that are no record', 'hello\n{"a":1}', [undefined, { a: 1 }]],
    [
      'lists and braces within a mended text',
      '{"a":{"b":["x\ny]}",1]}}\n{"c":1}',
      [{ a: { b: ['x\ny]}', 1] } }, { c: 1 }],
    ],
  ])('%s', (_, text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  it('shows the line of what could not be read', () => {
    expect(recordsOf('{"a":\n{"b":1}').map(({ line }) => line)).toEqual(['{"a":', '{"b":1}']);
  });
});

describe('what is binary', () => {
  it.each([
    ['a picture', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
    ['a photograph', '\xff\xd8\xff\xe0\0\x10JFIF'],
    ['a database', 'SQLite format 3\0\x10\0'],
    ['a program', '\x7fELF\x02\x01\x01\0'],
    ['a film', '\0\0\0\x20ftypisom'],
    ['an archive', '\x1f\x8b\x08\0\0\0\0\0'],
    ['noise', '\x01\x02\x03\x04\x05\x06abc\x07\x08'],
  ])('%s is', (_, head) => {
    expect(looksBinary(latin(head))).toBe(true);
  });

  it.each([
    ['a log with NULs of a power cut', `{"role":"user"}\n${'\0'.repeat(3000)}`],
    ['NULs in front of the records', `${'\0'.repeat(512)}{"role":"user"}\n`],
    ['UTF-16', '{\0"\0r\0o\0l\0e\0"\0:\0"\0u\0"\0}\0'],
    ['colours of a terminal', '\x1b[31mred\x1b[0m'],
    ['nothing', ''],
  ])('%s is not', (_, head) => {
    expect(looksBinary(latin(head))).toBe(false);
  });
});
