// The 24 words while they are typed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { phraseOf, readPairing } from '../../../src/domain/sync/pairing.ts';
import { looksLikeWords, typedWords } from '../../../src/ui/sync/words.ts';

const phrase = phraseOf(new Uint8Array(32).fill(7));

describe('typed words', () => {
  it('are all known in every phrase there is, however they are separated', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.constantFrom(' ', '\n', ', ', ' ; '),
        fc.boolean(),
        (key, gap, numbered) => {
          const text = phraseOf(Uint8Array.from(key))
            .split(' ')
            .map((word, at) => (numbered ? `${at + 1}. ${word}` : word))
            .join(gap);
          expect(looksLikeWords(text)).toBe(true);
          expect(typedWords(text).map((word) => word.state)).toEqual(Array(24).fill('known'));
          expect(readPairing(text).key).toEqual(Uint8Array.from(key));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('are known as a Chinese input method writes them', () => {
    const words = phrase.split(' ');
    for (const text of [
      words.join('，'),
      words.join('、'),
      words.map((word, at) => `${at + 1}、${word}`).join('\n'),
      words.map((word, at) => `${at + 1}．${word}`).join('；'),
      `${words.join('\u3000')}。`,
      words.join(' ').replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    ]) {
      expect(looksLikeWords(text)).toBe(true);
      expect(typedWords(text).map((word) => word.state)).toEqual(Array(24).fill('known'));
      expect(readPairing(text).key).toEqual(new Uint8Array(32).fill(7));
    }
    expect(typedWords('abando，')).toMatchObject([{ state: 'unknown', meant: 'abandon' }]);
  });

  it('are not called wrong while they are being typed', () => {
    expect(typedWords('abando')).toEqual([{ text: 'abando', state: 'started', meant: null }]);
    expect(typedWords('abando ')).toMatchObject([{ state: 'unknown', meant: 'abandon' }]);
    expect(typedWords('abando ability')).toMatchObject([
      { state: 'unknown', meant: 'abandon' },
      { state: 'known' },
    ]);
    expect(typedWords('zzz')).toMatchObject([{ state: 'unknown' }]);
  });

  it('suggest nothing where nothing is near', () => {
    expect(typedWords('xylophonist ')).toEqual([{ text: 'xylophonist', state: 'unknown', meant: null }]);
  });

  it('are told from links', () => {
    expect(looksLikeWords('https://app.example/#pair=AbC')).toBe(false);
    expect(looksLikeWords('#pair=AbC')).toBe(false);
    expect(looksLikeWords('')).toBe(false);
    expect(looksLikeWords(phrase)).toBe(true);
  });
});
