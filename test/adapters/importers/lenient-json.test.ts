// Bytes to values: any split of the input gives the same items, and what is not a document says so.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  itemsOf,
  linesOf,
  looksBinary,
  parseJson,
  recordsIn,
  wholeItemsOf,
} from '../../../src/adapters/importers/lenient-json.ts';
import { interpolated, timeOf } from '../../../src/adapters/importers/times.ts';

async function* pieces(bytes: Uint8Array, cuts: readonly number[]) {
  let from = 0;
  for (const cut of [...cuts.map((c) => Math.floor(c * bytes.length)).sort((a, b) => a - b), bytes.length]) {
    yield bytes.subarray(from, cut);
    from = cut;
  }
}
const items = async (text: string, cuts: readonly number[] = []) => {
  const members: [string, unknown][] = [];
  const values: unknown[] = [];
  const bytes = new TextEncoder().encode(text);
  for await (const item of itemsOf(pieces(bytes, cuts), {
    list: 'list',
    onMember: (...m) => members.push(m),
  }))
    values.push(item.value);
  return { values, members };
};
const json = fc.jsonValue({ stringUnit: 'binary' });

describe('lenient JSON', () => {
  it('reads a list item by item, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(json),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.boolean(),
        async (list, cuts, pretty) => {
          const expected = JSON.parse(JSON.stringify(list)) as unknown[];
          const text = JSON.stringify(list, null, pretty ? 2 : undefined);
          expect((await items(text, cuts)).values).toEqual(expected);
          const wrapped = await items(`\uFEFF{"a":[1,[2]],"list" : ${text},"z":{"list":[3]}}`, cuts);
          expect(wrapped.values).toEqual(expected);
          expect(wrapped.members).toEqual([
            ['a', [1, [2]]],
            ['z', { list: [3] }],
          ]);
        },
      ),
    );
  });

  it('gives an object without the list as the one item', async () => {
    expect((await items('{"a":1,"b":[2]}')).values).toEqual([{ a: 1, b: [2] }]);
  });

  it('reads objects one behind the other, as files of lines have them, however they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), async (cuts) => {
        const text = '{"a":1}\r\n{"b":"}{"}\n\n{"z":0,"list":[2,3]}{"c":{"list":[5]}}\n';
        expect((await items(text, cuts)).values).toEqual([{ a: 1 }, { b: '}{' }, 2, 3, { c: { list: [5] } }]);
        // Lists, too, where exports were joined.
        expect((await items('[1,{"a":[2]}]\n[]\n\ufeff[3]\n', cuts)).values).toEqual([1, { a: [2] }, 3]);
      }),
    );
  });

  it('passes over byte order marks, also where files were joined', async () => {
    const { values } = await items('\ufeff\ufeff{"a":1}\n\ufeff{"a":2}\n', [0.1, 0.5]);
    expect(values).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('refuses what is cut off, unbalanced or followed by something', async () => {
    for (const text of ['', '[', '[1', '{"a":', '["a', '[1]]', '[1}', '{"list":[1}', 'hello', '[1] x'])
      await expect(items(text), text).rejects.toMatchObject({ problem: { code: 'import-broken' } });
  });

  it('keeps every whole item of a list that is cut at any byte, and says that it is', async () => {
    const list = [{ a: '一, "二"]' }, [1, [2]], { b: { c: '}' } }];
    const bytes = new TextEncoder().encode(JSON.stringify(list));
    const ends = list.map((_, at) => new TextEncoder().encode(JSON.stringify(list.slice(0, at + 1))).length);
    for (let length = 0; length < bytes.length; length += 1) {
      let damages = 0;
      const values: unknown[] = [];
      const cut = wholeItemsOf(pieces(bytes.subarray(0, length), [0.4]), {
        list: 'list',
        onDamage: () => {
          damages += 1;
        },
      });
      for await (const { value } of cut) values.push(value);
      // An item is known to be whole by the comma behind it.
      expect(values, `${length}`).toEqual(list.slice(0, ends.filter((end) => end <= length).length));
      expect(damages).toBe(1);
    }
  });

  it('reads a log of any length in blocks as it reads it at once, and names a line beyond the limit', async () => {
    const long = { b: 'x'.repeat(50) };
    const lines = [{ a: '一\n' }, long, { c: [1] }].map((one) => JSON.stringify(one));
    const bytes = new TextEncoder().encode([lines[0], '{"broken', lines[1], lines[2]].join('\n'));
    const all = async (block: number, item = 1000) => {
      const values: unknown[] = [];
      const limits = { document: 20, item };
      for await (const one of recordsIn(pieces(bytes, [0.3, 0.5]), { block, limits }))
        values.push(one.isTooLarge ? one.line.slice(0, 6) : one.value);
      return values;
    };
    for (let block = 1; block < bytes.length + 2; block += 1)
      expect(await all(block)).toEqual([{ a: '一\n' }, undefined, long, { c: [1] }]);
    for (let block = 1; block < 30; block += 1)
      expect(await all(block, 40), `${block}`).toEqual([{ a: '一\n' }, undefined, '{"b":"', { c: [1] }]);
  });

  it('passes over an item beyond the limit, which it names, and keeps those around it', async () => {
    const list = [{ a: 1 }, { title: 'Long', b: ['x'.repeat(60), '}'] }, { c: '二' }];
    for (const text of [JSON.stringify(list), JSON.stringify({ z: 1, list, y: 2 }, null, 1)])
      for (let cut = 0; cut <= 1; cut += 1 / 64) {
        const found: unknown[] = [];
        for await (const item of itemsOf(pieces(new TextEncoder().encode(text), [cut, cut / 2]), {
          list: 'list',
          limits: { document: 40, item: 40 },
        }))
          found.push(item.isTooLarge ? item.text().includes('Long') : item.value);
        expect(found, `${cut}`).toEqual([{ a: 1 }, true, { c: '二' }]);
      }
    const one = itemsOf(pieces(new TextEncoder().encode('{"a":"0123456789","b":"0123456789"}'), []), {
      list: 'list',
      limits: { document: 20, item: 100 },
    });
    await expect(one.next()).rejects.toMatchObject({ problem: { code: 'import-too-large' } });
  });

  it('cuts what is nested deeper than any tool writes, and keeps what stands around it', async () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const [value] = (await items(`[{"before":1,"deep":${deep(100_000)},"after":[2]}]`)).values;
    expect(value).toMatchObject({ before: 1, after: [2] });
    expect(JSON.stringify(value).length).toBeLessThan(3000);
    expect(parseJson(deep(400))).toEqual(JSON.parse(deep(400)));
    expect(JSON.stringify(parseJson(`{"\\ud800":${deep(100_000)}}`))).toContain('…');
  });

  it('gives undefined for an item that is no JSON, and goes on', async () => {
    expect((await items('[1, nope, {"a":}, 2]')).values).toEqual([1, undefined, undefined, 2]);
  });

  it('accepts raw control characters inside strings and replaces lone surrogates', () => {
    expect(parseJson('{"a":"x\ty\u0001z","b":\t1}')).toEqual({ a: 'x\ty\u0001z', b: 1 });
    expect(parseJson('"\\ud800 \\ude00 \\ud83d\\ude00"')).toBe('\uFFFD \uFFFD \u{1F600}');
    expect(parseJson('{"\\ud800":1}')).toEqual({ '\uFFFD': 1 });
    expect(parseJson('{')).toBeUndefined();
  });

  it('ends lines as old tools did', () => {
    expect(linesOf('a\r\nb\rc\nd')).toEqual(['a', 'b', 'c', 'd']);
    expect(looksBinary(new TextEncoder().encode('plain 文字\n'))).toBe(false);
    expect(looksBinary(Uint8Array.of(65, 0, 66))).toBe(false);
    expect(looksBinary(Uint8Array.of(1, 2, 3, 65, 0, 66))).toBe(true);
  });
});

describe('times', () => {
  const at = Date.UTC(2026, 2, 1, 10, 0, 0);
  it('are known by their magnitude', () => {
    for (const value of [
      at / 1000,
      String(at / 1000),
      at,
      at * 1000,
      at * 1e6,
      '2026-03-01T10:00:00Z',
      '2026-03-01 10:00:00',
      '2026-03-01T12:00:00.000000+02:00',
    ])
      expect(timeOf(value), String(value)).toBe(at);
  });
  it('are impossible or absent, and the two are not the same', () => {
    for (const value of [
      0,
      -5,
      99,
      at / 1e6,
      'soon',
      {},
      true,
      Number.POSITIVE_INFINITY,
      '1888-01-01',
      '2100-01-02T00:00:00Z',
      '+050000-01-01T00:00:00Z',
      Date.UTC(2300, 0, 1) / 1000,
    ])
      expect(timeOf(value), String(value)).toBe('impossible');
    for (const value of [null, undefined, '']) expect(timeOf(value)).toBeUndefined();
    expect(timeOf('2099-12-31T00:00:00Z')).toBe(Date.UTC(2099, 11, 31));
  });
  it.each([
    '2026/03/01 10:00:00',
    '2026.03.01 10:00',
    '2026-3-1 10:00:00.000',
    '2026-03-01 10:00:00,000',
    '2026-03-01 10:00:00+00',
    '2026-03-01T10:00:00Z[UTC]',
    '2026-03-01 10:00:00 UTC',
    '2026-03-01 18:00:00 +0800',
    '2026年3月1日 10:00:00',
    '2026年3月1日 上午10:00',
    '20260301T100000Z',
    '20260301100000',
    'Sun, 01 Mar 2026 10:00:00 +0000',
    'Sun, 1 Mar 2026 10:00:00 GMT',
    '1 Mar 2026 05:00:00 -0500 (EST)',
    'Sun, 01 Mar 2026 05:00 EST',
    'Sun Mar  1 10:00:00 2026',
    'Sun Mar 01 2026 12:00:00 GMT+0200 (Eastern European Standard Time)',
    'Mar 1, 2026, 10:00:00\u202fAM UTC',
    'March 1, 2026 at 10:00 AM',
    '1 March 2026, 10:00',
    'Mar 1st, 2026 10am',
    '/Date(1772359200000)/',
    '1772359200.0',
    '1.7723592e9',
    '1772359200000',
    '1772359200000000',
    { $date: '2026-03-01T10:00:00Z' },
    { $date: 1772359200000 },
    { $date: { $numberLong: '1772359200000' } },
    { seconds: 1772359200, nanoseconds: 0 },
    { _seconds: '1772359200', _nanoseconds: 0 },
  ])('are read however they are written: %j', (value) => {
    expect(timeOf(value)).toBe(at);
  });
  it.each([
    ['2026-03-01', Date.UTC(2026, 2, 1)],
    ['20260301', Date.UTC(2026, 2, 1)],
    ['25/06/2025', Date.UTC(2025, 5, 25)],
    ['6/25/2025, 3:05:09 PM', Date.UTC(2025, 5, 25, 15, 5, 9)],
    ['25.06.2025 15:05', Date.UTC(2025, 5, 25, 15, 5)],
    ['06/06/2025', Date.UTC(2025, 5, 6)],
    ['2025-06-15 12:30 am', Date.UTC(2025, 5, 15, 0, 30)],
    ['2025年6月15日 下午3:05', Date.UTC(2025, 5, 15, 15, 5)],
    ['2025-06-15T10:00:00.123456Z', Date.UTC(2025, 5, 15, 10, 0, 0, 123)],
    ['June 15th, 2025', Date.UTC(2025, 5, 15)],
  ])('are read to the day and the second: %s', (value, expected) => {
    expect(timeOf(value)).toBe(expected);
  });
  it.each([
    '06/07/2025',
    '06.07.2025 10:00',
    '06/07/25',
    '2025-02-30',
    '2025-13-01',
    '2025-06-15 25:00',
    '2025-06-15 10:00 XYZT',
    'chapter 12',
    'Mar 2026',
    'Marvin 3, 2026',
    '3 Mar 4 2026',
    'version 2.4.2025',
    '13:00 pm',
    `2025-06-15${' '.repeat(50_000)}10:00`,
    { when: 1772359200 },
    // America's or China's.
    'Wed Nov 26 10:00:00 CST 2025',
  ])('are never guessed: %j', (value) => {
    expect(timeOf(value)).toBe('impossible');
  });
  it('are filled in between neighbours', () => {
    expect(interpolated([undefined, 10, undefined, undefined, 40, undefined], 7)).toEqual([
      10, 10, 20, 30, 40, 40,
    ]);
    expect(interpolated([undefined, undefined], 7)).toEqual([7, 7]);
    expect(interpolated([], 7)).toEqual([]);
  });
});
