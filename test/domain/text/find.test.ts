// Where words stand in a text, however they are written.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { comparableForm, countIn, placesIn } from '../../../src/domain/text/find.ts';

const found = (text: string, words: string): string[] =>
  placesIn(text, comparableForm(words)).map(([from, to]) => text.slice(from, to));

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
  ['Größe, Groesse, GRÖSSE', 'groesse', ['Größe', 'Groesse', 'GRÖSSE']],
  ['Größe, Groesse, Grosse', 'größe', ['Größe', 'Groesse', 'Grosse']],
  ['Gro\u0308ße, Groesse, Grosse', 'grosse', ['Gro\u0308ße', 'Grosse']],
  ['Ärger über Öl', 'aerger ueber oel', ['Ärger über Öl']],
  ['Ærø og smørrebrød', 'smoerre', ['smørre']],
  ['the blue shoe', 'blue shoe', ['blue shoe']],
  ['a (b) [c] x.*', '(b) [c]', ['(b) [c]']],
  ['أحمد إلى آخر مدرسةٍ', 'احمد الي اخر مدرسه', ['أحمد إلى آخر مدرسةٍ']],
  ['مـــرحبا', 'مرحبا', ['مـــرحبا']],
  ['می\u200cخواهم و میخواهم', 'می\u200cخواهم', ['می\u200cخواهم', 'میخواهم']],
  ['क्\u200dष', 'क्ष', ['क्\u200dष']],
  ['❤\ufe0f', '❤', ['❤\ufe0f']],
  ['обʼєкт', "об'єкт", ['обʼєкт']],
  ['ｶﾞｷﾞ ガギ がぎ', 'ガギ', ['ｶﾞｷﾞ', 'ガギ', 'がぎ']],
  ['カタカナ', 'かたかな', ['カタカナ']],
  ['İstanbul ISPARTA', 'istanbul', ['İstanbul']],
  ['Đường Việt', 'duong viet', ['Đường Việt']],
  ['한국어'.normalize('NFD'), '한국', ['한국'.normalize('NFD')]],
  ['٣٤ ３４', '34', ['٣٤', '３４']],
  ['コ－ヒ－', 'コーヒー', ['コ－ヒ－']],
  ['हिन्दी और हिंदी', 'हिंदी', ['हिन्दी', 'हिंदी']],
  ['กรุงเทพฯ นํ้า น้ำ', 'น้ำ', ['นํ้า', 'น้ำ']],
  ['図書館と圖書館', '图书馆', ['図書館', '圖書館']],
  ['接著看著，著名的回覆', '接着', ['接著']],
  ['明瞭解釋與瞭望', '明了', ['明瞭']],
  ['甚麼是甚至', '什么', ['甚麼']],
  ['黒い歩道', '黑い步', ['黒い歩']],
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
    'ö',
    'o',
    'o\u0308',
    'e',
    'ｶ',
    'ﾞ',
    'が',
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
        const wanted = comparableForm(words).trim();
        expect(placesIn(text, wanted)).toHaveLength(countIn(comparableForm(text), wanted));
      },
    ),
  );
});
