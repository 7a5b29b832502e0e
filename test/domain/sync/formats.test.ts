// The formats that travel: blobs, coverages, facts, clocks, folds, and what people hand from device to device.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeState, type StateEntry, toRows } from '../../../src/domain/sync/account-state.ts';
import {
  associatedData,
  blobKey,
  decodePayload,
  encodePayload,
  joinBlob,
  type Payload,
  padme,
  splitBlob,
} from '../../../src/domain/sync/blob.ts';
import { createByteReader, createByteWriter, toText } from '../../../src/domain/sync/bytes.ts';
import { type BlobGroup, COMPACT_BLOBS, planRoomCompaction } from '../../../src/domain/sync/compaction.ts';
import {
  type Coverage,
  covers,
  EMPTY_COVERAGE,
  union,
  versionOf,
  versionVector,
  withRange,
} from '../../../src/domain/sync/coverage.ts';
import { nextHlc, readHlc } from '../../../src/domain/sync/hlc.ts';
import { accountTag, tokenProtocol } from '../../../src/domain/sync/keys.ts';
import { fingerprintOf, fragmentOf, phraseOf, readPairing } from '../../../src/domain/sync/pairing.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const device = bytes(8).map(toText);

describe('bytes', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(Number.MAX_SAFE_INTEGER)),
        fc.array(fc.uint8Array()),
        (numbers, strings) => {
          const writer = createByteWriter();
          for (const number of numbers) writer.number(number);
          for (const string of strings) writer.bytes(string);
          const reader = createByteReader(writer.finish());
          expect(numbers.map(() => reader.number())).toEqual(numbers);
          expect(strings.map(() => reader.bytes())).toEqual(strings);
          expect(() => reader.byte()).toThrow(RangeError);
        },
      ),
    );
  });
});

describe('a blob', () => {
  const payload = fc.record({
    device,
    seq: fc.integer({ min: 3, max: 1e9 }),
    previous: bytes(16),
    part: fc.constant(0),
    parts: fc.integer({ min: 1, max: 5 }),
    deflated: fc.boolean(),
    coverage: fc.dictionary(
      device,
      fc.constant([
        [1, 5],
        [9, 9],
      ] as [number, number][]),
      { maxKeys: 4 },
    ),
    body: fc.uint8Array({ maxLength: 500 }),
  });

  it('says what was put in, whatever the padding', () => {
    fc.assert(
      fc.property(payload, fc.constantFrom('delta', 'segment', 'snapshot'), (value: Payload, kind) => {
        const plain = encodePayload(kind, value);
        expect(decodePayload(plain)).toEqual(value);
        if (kind === 'delta') expect(plain.length % 64).toBe(0);
      }),
    );
  });

  it('cut short or garbled is no blob, and nothing is thrown', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        decodePayload(noise);
        splitBlob(noise);
      }),
    );
    expect(splitBlob(new Uint8Array())).toBeNull();
    expect(splitBlob(Uint8Array.of(2, 0, ...new Uint8Array(60)))).toBeNull();
    expect(splitBlob(Uint8Array.of(1, 3, ...new Uint8Array(60)))).toBeNull();
    const blob = joinBlob('segment', new Uint8Array(12).fill(7), new Uint8Array(40).fill(9));
    expect(splitBlob(blob)).toEqual({
      kind: 'segment',
      nonce: new Uint8Array(12).fill(7),
      sealed: new Uint8Array(40).fill(9),
    });
    expect(blobKey(blob)).toBe(blobKey(blob.slice()));
    expect(associatedData('delta', 'a')).not.toEqual(associatedData('delta', 'b'));
    expect(associatedData('delta', 'a')).not.toEqual(associatedData('segment', 'a'));
  });

  it('pads by at most 12 %', () => {
    for (let length = 2; length < 3_000_000; length = Math.ceil(length * 1.07)) {
      expect(padme(length)).toBeGreaterThanOrEqual(length);
      expect(padme(length)).toBeLessThanOrEqual(length * 1.12 + 1);
    }
  });
});

describe('a coverage', () => {
  const ranges = fc.array(
    fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 6 })),
  );
  const of = (list: [string, number, number][]): Coverage =>
    list.reduce<Coverage>(
      (all, [name, from, more]) => withRange(all, name, from, from + more),
      EMPTY_COVERAGE,
    );
  const numbers = (coverage: Coverage) =>
    new Set(
      Object.entries(coverage).flatMap(([name, list]) =>
        list.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => `${name}${from + at}`)),
      ),
    );

  it('is a set of numbers per device', () => {
    fc.assert(
      fc.property(ranges, ranges, (x, y) => {
        const [a, b] = [of(x), of(y)];
        const both = union(a, b);
        expect(numbers(both)).toEqual(new Set([...numbers(a), ...numbers(b)]));
        expect(covers(both, a) && covers(both, b)).toBe(true);
        expect(covers(a, b)).toBe([...numbers(b)].every((number) => numbers(a).has(number)));
      }),
    );
  });

  it('reaches up to the first gap', () => {
    const coverage = of([
      ['a', 1, 3],
      ['a', 6, 2],
      ['b', 2, 5],
    ]);
    expect(versionOf(coverage, 'a')).toBe(4);
    expect(versionOf(coverage, 'b')).toBe(0);
    expect(versionVector(withRange(coverage, 'a', 5))).toEqual({ a: 8 });
  });
});

describe('a hybrid clock', () => {
  it('goes forward, whatever the wall clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e12, max: 3e12 }), { minLength: 2 }), (walls) => {
        let seen: string | null = null;
        for (const wall of walls) {
          const next = nextHlc(wall, 'me', seen);
          expect(readHlc(next)?.node).toBe('me');
          if (seen !== null) expect(next > seen).toBe(true);
          seen = next;
        }
      }),
    );
    expect(readHlc('nonsense')).toBeNull();
    expect(nextHlc(5, 'a', `${'0'.repeat(9)}5.zzzz.a`)).toBe(`${'0'.repeat(9)}6.0000.a`);
  });
});

describe('facts', () => {
  it('merge to the same, in any order and any number of times', () => {
    const fact = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      value: fc.nat(5),
      time: fc.nat(4).map((time) => nextHlc(time, 'x', null)),
    });
    fc.assert(
      fc.property(fc.array(fact), fc.nat(), (list, seed) => {
        const rows = list.map(({ key, value, time }): [string, unknown, string] => [key, value, time]);
        const shuffled = [...rows, ...rows].sort(
          (a, b) => ((JSON.stringify(a).length * 31 + seed) % 7) - ((JSON.stringify(b).length + seed) % 5),
        );
        const [one, two] = [new Map<string, StateEntry>(), new Map<string, StateEntry>()];
        mergeState(one, rows);
        mergeState(two, shuffled);
        mergeState(two, toRows(one));
        expect(new Map([...two].sort())).toEqual(new Map([...one].sort()));
      }),
    );
  });
});

describe('compaction of a room', () => {
  const unit = (
    kind: BlobGroup['kind'],
    size: number,
    key = `${kind}${size}${Math.random()}`,
  ): BlobGroup => ({
    keys: [key],
    kind,
    bytes: size,
  });

  it('leaves small rooms alone, and folds what piled up', () => {
    expect(planRoomCompaction(Array.from({ length: COMPACT_BLOBS - 1 }, () => unit('delta', 200)))).toEqual(
      [],
    );
    expect(planRoomCompaction(Array.from({ length: COMPACT_BLOBS }, () => unit('delta', 200)))).toHaveLength(
      COMPACT_BLOBS,
    );
    expect(planRoomCompaction([unit('delta', 40_000), unit('delta', 40_000)])).toHaveLength(2);
  });

  it('takes along what is not much larger, and leaves large segments in peace', () => {
    const deltas = Array.from({ length: COMPACT_BLOBS }, () => unit('delta', 1000));
    const plan = planRoomCompaction([unit('segment', 10_000_000), unit('segment', 50_000), ...deltas]);
    expect(plan).toHaveLength(COMPACT_BLOBS + 1);
    expect(plan.some(({ bytes: size }) => size === 10_000_000)).toBe(false);
  });

  it('uploads each byte about twice in a long life', () => {
    let room: BlobGroup[] = [];
    let [written, uploaded] = [0, 0];
    for (let change = 0; change < 20_000; change += 1) {
      room.push(unit('delta', 600, `${change}`));
      written += 600;
      const plan = new Set(planRoomCompaction(room));
      if (plan.size === 0) continue;
      const size = [...plan].reduce((sum, { bytes: one }) => sum + one, 0);
      uploaded += size;
      room = [...room.filter((one) => !plan.has(one)), unit('segment', size, `s${change}`)];
    }
    expect(room.length).toBeLessThan(COMPACT_BLOBS + 12);
    expect(uploaded / written).toBeLessThan(6);
  });
});

describe('what people hand over', () => {
  const key = bytes(32);

  it('a link gives back all that was in it', () => {
    fc.assert(
      fc.property(
        key,
        fc.webUrl(),
        fc.string(),
        fc.option(fc.string({ minLength: 1 })),
        fc.option(fc.uint8Array({ minLength: 1, maxLength: 40 })),
        (secret, endpoint, realm, token, index) => {
          const offer = {
            key: secret,
            fingerprint: fingerprintOf(secret),
            endpoint,
            realm: encodeURIComponent(realm.toWellFormed()),
            token: token === null ? null : encodeURIComponent(token.toWellFormed()),
            index,
          };
          const fragment = fragmentOf(offer);
          expect(readPairing(`https://app.example/some/page${fragment}`)).toEqual(offer);
          expect(readPairing(fragment)).toEqual(offer);
        },
      ),
    );
  });

  it('24 words give back the key, and every wrong word is noticed or named', () => {
    fc.assert(
      fc.property(key, (secret) => {
        const words = phraseOf(secret);
        expect(words.split(' ')).toHaveLength(24);
        expect(readPairing(` ${words.toUpperCase()}\n`).key).toEqual(secret);
      }),
      { numRuns: 20 },
    );
    const words = phraseOf(new Uint8Array(32).fill(3)).split(' ');
    expect(() => readPairing([...words.slice(0, 23), 'recollect'].join(' '))).toThrowError(
      expect.objectContaining({
        problem: expect.objectContaining({ code: 'sync-phrase', params: { count: 24, words: 'recollect' } }),
      }),
    );
    expect(() => readPairing(words.slice(1).join(' '))).toThrowError();
    expect(() => readPairing('')).toThrowError();
    const [first, second, ...rest] = words as [string, string, ...string[]];
    if (first !== second)
      expect(() => readPairing([second, first, ...rest].join(' '))).toThrowError(
        expect.objectContaining({ problem: expect.objectContaining({ code: 'sync-phrase' }) }),
      );
  });

  it('a link with one wrong character is refused', () => {
    const fragment = fragmentOf({
      key: new Uint8Array(32).fill(9),
      fingerprint: '',
      endpoint: 'wss://relay.example',
      realm: '',
      token: null,
      index: null,
    });
    const start = '#pair='.length;
    for (let at = start + 2; at < start + 53; at += 1) {
      const changed = `${fragment.slice(0, at)}${fragment[at] === 'A' ? 'B' : 'A'}${fragment.slice(at + 1)}`;
      expect(() => readPairing(changed)).toThrowError(
        expect.objectContaining({ problem: expect.objectContaining({ code: 'sync-link' }) }),
      );
    }
    expect(() => readPairing('#pair=AAAA')).toThrowError();
  });

  it('the account is named by the hash of its token, the token travels as a subprotocol', () => {
    const token = toText(new Uint8Array(32));
    expect(accountTag(token)).toMatch(/^[\w-]{22}$/);
    expect(tokenProtocol(token)).toBe(`recollect.${token}`);
  });
});
