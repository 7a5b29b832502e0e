import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cutToTokens,
  endWithinTokens,
  estimateFileTokens,
  estimateTokens,
  tokensOfParts,
} from '../../../src/domain/context/tokens.ts';

describe('the token estimate', () => {
  it('counts four ASCII characters or one Han character as a token', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('abcdefgh')).toBe(2);
    expect(estimateTokens('数据库')).toBe(3);
    expect(estimateTokens('é')).toBe(1);
  });

  it('grows with the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a));
        expect(estimateTokens(a + b)).toBeLessThanOrEqual(estimateTokens(a) + estimateTokens(b));
      }),
    );
  });

  it('cuts to a budget without splitting a character, and says that it cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.integer({ min: 1, max: 60 }),
        (text, limit) => {
          const cut = cutToTokens(text, limit);
          if (estimateTokens(text) <= limit) expect(cut).toBe(text);
          else {
            expect(cut.endsWith('…')).toBe(true);
            expect(estimateTokens(cut)).toBeLessThanOrEqual(limit + 1);
          }
          expect(cut).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
        },
      ),
    );
  });

  it('keeps as much of the end as a budget allows', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.integer({ min: -5, max: 60 }),
        (text, limit) => {
          const end = endWithinTokens(text, limit);
          expect(text.endsWith(end)).toBe(true);
          expect(estimateTokens(end)).toBeLessThanOrEqual(Math.max(0, limit));
          const next = [...text.slice(0, text.length - end.length)].at(-1);
          if (next !== undefined && limit >= 0) expect(estimateTokens(next + end)).toBeGreaterThan(limit - 1);
          expect(end).not.toMatch(/^[\udc00-\udfff]/);
        },
      ),
    );
  });

  it('counts what a message would cost when sent', () => {
    expect(
      tokensOfParts([
        { type: 'text', text: 'abcd' },
        { type: 'tool-call', callId: '1', name: 'read', arguments: '{}' },
        { type: 'recall', query: '', threshold: 0, passages: [], nearMisses: [] },
      ]),
    ).toBe(1 + 1 + 1 + 8);
  });
});

describe('a file', () => {
  const file = (mediaType: string, bytes: string | Uint8Array) =>
    estimateFileTokens({
      type: 'file',
      mediaType,
      url: `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`,
    });

  it('of words costs about what the words cost', () => {
    for (const text of [
      'The backup runs at four in the morning. '.repeat(500),
      '备份在凌晨四点运行。'.repeat(500),
      '备份 backup 凌晨四点 at four. '.repeat(500),
    ]) {
      const ratio = file('text/plain', text) / estimateTokens(text);
      expect(ratio).toBeGreaterThan(0.7);
      expect(ratio).toBeLessThan(1.4);
    }
    expect(file('text/plain', '')).toBe(0);
  });

  it('of pages costs by its size, and no more than providers take', () => {
    expect(file('application/pdf', '%PDF-')).toBe(2000);
    expect(file('application/pdf', new Uint8Array(1_000_000))).toBe(22_000);
    expect(file('application/pdf', new Uint8Array(20_000_000))).toBe(200_000);
    expect(file('image/png', new Uint8Array(1_000_000))).toBe(1000);
    expect(estimateFileTokens({ type: 'file', mediaType: 'application/pdf', reference: 'a.pdf' })).toBe(1000);
  });
});
