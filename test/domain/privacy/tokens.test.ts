// Tokens become words again wherever a stream cuts them; the filter finds words across texts, and every repetition.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATEGORIES, type Category } from '../../../src/domain/privacy/categories.ts';
import { createKnownWords } from '../../../src/domain/privacy/known-words.ts';
import { findAcross, findPrivate, replaceFound } from '../../../src/domain/privacy/scan.ts';
import {
  restored,
  restoredInJson,
  StreamRestorer,
  withoutTokens,
} from '../../../src/domain/privacy/tokens.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';

const WORDS = new Map([
  ['[phone-3]', '+1 415 555 0132'],
  ['[key-1]', '-----BEGIN "KEY"-----\nabc\n-----END-----'],
]);
const privateWordsOf = (token: string) => WORDS.get(token);
const ALL: ReadonlySet<Category> = new Set(CATEGORIES);

describe('tokens', () => {
  it('become words again, and nothing else does', () => {
    expect(restored('Call [phone-3], not [phone-4] nor [phone-3@k7f2] or arr[id].', privateWordsOf)).toBe(
      'Call +1 415 555 0132, not [phone-4] nor [phone-3@k7f2] or arr[id].',
    );
    expect(JSON.parse(restoredInJson('{"key":"[key-1]"}', privateWordsOf))).toEqual({
      key: WORDS.get('[key-1]'),
    });
    expect(withoutTokens('a [phone-3] b [secret] c [x-1]')).toBe('a ••• b ••• c [x-1]');
  });

  it('are put back in a stream as in the whole, however it is cut', () => {
    const piece = fc.constantFrom(
      '[phone-3]',
      '[key-1]',
      '[phone-',
      '[',
      'see ',
      '[x](y)',
      '[[phone-3]',
      ']',
      '[phone-3@ab12]',
      '中',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
        fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 20 }),
        (text, cuts) => {
          const restorer = new StreamRestorer(privateWordsOf);
          let said = '';
          for (let at = 0, cut = 0; at < text.length; cut++) {
            const size = (cuts[cut % cuts.length] ?? 0) + 1;
            said += restorer.push(text.slice(at, at + size));
            at += size;
          }
          expect(said + restorer.end()).toBe(restored(text, privateWordsOf));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('hold back no more of a stream than may be a token', () => {
    const restorer = new StreamRestorer(privateWordsOf);
    expect(restorer.push('See [the')).toBe('See [the');
    expect(restorer.push(' list] and [pho')).toBe(' list] and ');
    expect(restorer.push('ne-3] now')).toBe('+1 415 555 0132 now');
    expect(restorer.end()).toBe('');
  });
});

describe('private words', () => {
  it('are not found in tokens, and hiding twice changes nothing more', () => {
    const tokenOf = (category: Category) => (category === 'phones' ? '[phone-1]' : '[secret-1]');
    const hide = (text: string) => replaceFound(text, findPrivate(text, ALL, defaultConfig.privacy), tokenOf);
    const once = hide('password: hunter2, call +1 415 555 0132, {"secret": "a b"}');
    expect(once).toBe('password: [secret-1], call [phone-1], {"secret": "[secret-1]"}');
    expect(hide(once)).toBe(once);
  });

  it('are found where they stand again, without what showed them', () => {
    const text = 'The password is "tiger_77x". Later: log in with tiger_77x as root.';
    const words = findPrivate(text, ALL, defaultConfig.privacy).map((found) => found.words);
    expect(words).toEqual(['tiger_77x', 'tiger_77x']);
    const known = createKnownWords([
      { category: 'keywords', words: 'tiger_77x' },
      { category: 'keywords', words: 'required' },
      { category: 'phones', words: '138 0013 8000' },
    ]);
    const found = known?.find('log in with tiger_77x, required; not tiger_77xy. 电话138 0013 8000号') ?? [];
    expect(found.map(({ from, to }) => to - from)).toEqual([9, 13]);
  });

  it('are found across the border of two texts: the token ends the first', () => {
    const key = 'ghp_9aXb3LmQ7rT2vK8wN5cZ1yF4dG6hJ0pSeUoI';
    const find = (text: string) => findPrivate(text, ALL, defaultConfig.privacy);
    for (let cut = 1; cut < key.length; cut++) {
      const texts = [`The key is ${key.slice(0, cut)}`, `${key.slice(cut)} and more`];
      const found = findAcross(texts, find);
      const hidden = texts.map((text, at) =>
        replaceFound(text, found[at] ?? [], (_, words) => (words === '' ? '' : '[key-1]')),
      );
      expect(hidden, String(cut)).toEqual(['The key is [key-1]', ' and more']);
    }
  });

  it('are found across several borders, however short or empty the texts between them are', () => {
    const key = 'ghp_9aXb3LmQ7rT2vK8wN5cZ1yF4dG6hJ0pSeUoI';
    const pem = `-----BEGIN PRIVATE KEY-----\n${'MIIabc012\n'.repeat(200)}-----END PRIVATE KEY-----`;
    const find = (text: string) => findPrivate(text, ALL, defaultConfig.privacy);
    const hidden = (texts: readonly string[]) => {
      const found = findAcross(texts, find);
      return texts.map((text, at) =>
        replaceFound(text, found[at] ?? [], (_, words) => (words === '' ? '' : `<${words.length}>`)),
      );
    };
    for (const size of [3, 7, 13, 19]) {
      const pieces = key.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
      const texts = ['Call +1 415 555 0132: ', ...pieces.flatMap((one) => [one, '']), ' and more'];
      expect(hidden(texts).join('')).toBe('Call <15>: <40> and more');
    }
    const [head, middle, tail] = [pem.slice(0, 500), pem.slice(500, 900), pem.slice(900)];
    expect(hidden(['Take ', head, middle, tail, ' home'])).toEqual([
      'Take ',
      `<${pem.length}>`,
      '',
      '',
      ' home',
    ]);
    const long = 'a word '.repeat(3_000);
    expect(hidden([long + key.slice(0, 12), `${key.slice(12)}, ${long}`])).toEqual([
      `${long}<40>`,
      `, ${long}`,
    ]);
  });
});
