// The contract of every detector: what it finds it finds where it stands, once, and what it
// found before it does not find again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Detector, MASK, masked, type PersonalLists } from '../../src/domain/privacy/detector.ts';

export interface DetectorSubject {
  readonly detector: Detector;
  readonly lists: PersonalLists;
  /** Words that the detector must find in any context. */
  readonly found: readonly string[];
  /** What looks alike and is none. */
  readonly left: readonly string[];
}

/** Stands before and after the words: in a sentence, in Chinese, in a list, in brackets, at the end. */
const AROUND: readonly (readonly [string, string])[] = [
  ['Take this: ', ' and go on.'],
  ['', ''],
  ['请记下 ', '，谢谢'],
  ['- ', '\n- next'],
  ['(', ')'],
  ['Is it ', '?'],
];

export function describeDetector(name: string, { detector, lists, found, left }: DetectorSubject): void {
  const find = (text: string) => [...detector.find(text, lists)].sort((one, other) => one.from - other.from);

  describe(name, () => {
    it.each(found)('finds %j wherever it stands, as often as it stands', (words) => {
      for (const [before, after] of AROUND) {
        const text = before + words + after;
        expect(
          find(text).map(({ from, to }) => text.slice(from, to)),
          text,
        ).toEqual([words]);
      }
      const twice = `${words} \n ${words} `;
      expect(find(twice)).toHaveLength(2);
    });

    it.each(left)('leaves %j alone', (text) => {
      expect(find(text)).toEqual([]);
    });

    it('finds nothing in what was found before, and no two spans meet', () => {
      const words = fc.constantFrom(...found, ...left);
      const text = fc
        .array(fc.oneof(words, fc.string({ unit: 'grapheme', maxLength: 12 })), { maxLength: 8 })
        .map((parts) => parts.join(' '));
      fc.assert(
        fc.property(text, (one) => {
          const spans = find(one);
          for (const [at, span] of spans.entries()) {
            expect(span.from).toBeLessThan(span.to);
            expect(span.from).toBeGreaterThanOrEqual(spans[at - 1]?.to ?? 0);
            expect(span.to).toBeLessThanOrEqual(one.length);
          }
          const again = masked(one, spans);
          expect(again).toHaveLength(one.length);
          for (const { from, to } of find(again)) expect(again.slice(from, to)).not.toContain(MASK);
        }),
        { numRuns: 40 },
      );
    });
  });
}
