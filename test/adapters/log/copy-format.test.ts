// The second copy as bytes: a cut, a flipped bit or an overwrite costs at most the records that it touches.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/adapters/log/conversation-log.ts';
import { recordOf, scanCopy } from '../../../src/adapters/log/copy-format.ts';
import { asConversationId, newEntryId } from '../../../src/domain/base/ids.ts';

const entry = (seq: number, bytes: Uint8Array): LogEntry => ({
  seq,
  id: newEntryId(),
  document: asConversationId(`document ${seq % 3}`),
  origin: 'user',
  bytes,
  at: 1_700_000_000_000 + seq,
});
const ENTRIES = [1, 2, 3, 4].map((seq) => entry(seq, new TextEncoder().encode(`said ${seq} “你好” ÿÀR1`)));
const RECORDS = ENTRIES.map(recordOf);
const FILE = new Uint8Array(RECORDS.flatMap((record) => [...record]));
const starts = RECORDS.map((_, at) => RECORDS.slice(0, at).reduce((sum, { length }) => sum + length, 0));
const entriesOf = (file: Uint8Array) =>
  scanCopy(file).records.map(({ entry }) => ({ ...entry, bytes: entry.bytes.slice() }));

describe('the second copy as bytes', () => {
  it('gives back what was put in', () => {
    expect(entriesOf(FILE)).toEqual(ENTRIES);
    expect(scanCopy(FILE)).toMatchObject({ end: FILE.length, idle: 0, damaged: [] });
  });

  it('cut off at any byte, it has every record that was whole, and says where they end', () => {
    for (let length = 0; length <= FILE.length; length += 1) {
      const whole = starts.filter((start, at) => start + (RECORDS[at]?.length ?? 0) <= length).length;
      const scanned = scanCopy(FILE.slice(0, length));
      expect(scanned.records.length).toBe(whole);
      expect(scanned.end).toBe(whole === 0 ? 0 : (starts[whole] ?? FILE.length));
    }
  });

  it('with any byte changed to anything near, only the record of that byte is lost', () => {
    for (let at = 0; at < FILE.length; at += 1)
      for (const change of [0x01, 0x80, 0xff]) {
        const file = FILE.slice();
        file[at] = (file[at] as number) ^ change;
        const hit = starts.findLastIndex((start) => start <= at);
        expect(entriesOf(file)).toEqual(ENTRIES.filter((_, position) => position !== hit));
        // Behind the last sound record it is a tear, and written over.
        expect(scanCopy(file).damaged.length > 0).toBe(hit < RECORDS.length - 1);
      }
  });

  it('what was overwritten with zeros is idle, not damaged', () => {
    const file = FILE.slice();
    file.fill(0, starts[1], starts[2]);
    expect(entriesOf(file).map(({ seq }) => seq)).toEqual([1, 3, 4]);
    expect(scanCopy(file)).toMatchObject({ idle: RECORDS[1]?.length, damaged: [] });
  });

  it('a record within the bytes of a damaged one is never taken for one', () => {
    const outer = recordOf(entry(9, RECORDS[0] as Uint8Array));
    outer[outer.length - 1] = (outer.at(-1) as number) ^ 1;
    expect(entriesOf(outer)).toEqual([]);
  });

  it('never throws and never finds what nobody wrote', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(FILE.length), (noise, at) => {
        const file = new Uint8Array([...FILE.slice(0, at), ...noise, ...FILE.slice(at)]);
        const ids = new Set(ENTRIES.map(({ id }) => id));
        for (const { entry } of scanCopy(file).records) expect(ids.has(entry.id)).toBe(true);
      }),
    );
  });
});
