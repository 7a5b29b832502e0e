import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToTokens, estimateTokens, tokensOfParts } from '../../../src/domain/context/tokens.ts';

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
