// Where words stand in a text, however they are written.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { comparable, countIn, placesIn } from '../../../src/domain/text/find.ts';

const found = (text: string, words: string): string[] =>
  placesIn(text, comparable(words)).map(([from, to]) => text.slice(from, to));

it.each([
  ['Café au lait', 'cafe', ['Café']],
  ['Cafe\u0301 au lait', 'CAFÉ', ['Cafe\u0301']],
  ['Straße und STRASSE', 'strasse', ['Straße', 'STRASSE']],
  ['ﬁnd the Ｆｉｎｄ', 'find', ['ﬁnd', 'Ｆｉｎｄ']],
  ['繁體字和繁体字', '繁体', ['繁體', '繁体']],
  ['two\n  words', 'two words', ['two\n  words']],
  ['ΟΔΟΣ οδός', 'οδος', ['ΟΔΟΣ', 'οδός']],
  ['aaaa', 'aa', ['aa', 'aa']],
  ["Don’t, don‘t, DON'T", "don't", ['Don’t', 'don‘t', "DON'T"]],
  ['“so” and «so» and "so"', '"so"', ['“so”', '«so»', '"so"']],
  ['e\u2011mail, e‐mail, 1–2, x−1', 'e-mail', ['e\u2011mail', 'e‐mail']],
  ['pages 1–2 and 1—2', '1-2', ['1–2', '1—2']],
  ['한국어', '한국', ['한국']],
  ['nothing here', 'absent', []],
  ['anything', '', []],
])('%s has %s', (text, words, expected) => {
  expect(found(text, words)).toEqual(expected);
});

it('counts as many as it finds places, in whatever is written', () => {
  const letters = fc.constantFrom(
    'a',
    'A',
    'é',
    'e\u0301',
    'ß',
    's',
    ' ',
    '\n',
    '體',
    '体',
    'Σ',
    'ς',
    'ﬁ',
    '👩‍👧',
  );
  fc.assert(
    fc.property(
      fc.string({ unit: letters, maxLength: 40 }),
      fc.string({ unit: letters, minLength: 1, maxLength: 3 }),
      (text, words) => {
        const wanted = comparable(words).trim();
        expect(placesIn(text, wanted)).toHaveLength(countIn(comparable(text), wanted));
      },
    ),
  );
});
