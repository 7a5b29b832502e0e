// An answer as plain text, and in pieces that a voice can say.
import { expect, it } from 'vitest';
import { plainAnswer } from '../../../src/ui/chat/plain-answer.ts';
import { spokenLanguage, spokenPieces } from '../../../src/ui/chat/read-aloud.ts';

it('keeps paragraphs, lists, code and tables apart, and drops the signs', () => {
  const answer = [
    '# Plan',
    '',
    'Use **two** disks, see [the guide](https://example.org/guide).',
    '',
    '1. First',
    '2. Then',
    '   - [x] checked',
    '   - open',
    '',
    '```ts',
    'const a = 1;',
    'a ** 2;',
    '```',
    '',
    '| a | b |',
    '|---|---|',
    '| 1 | 2 |',
  ].join('\n');
  expect(plainAnswer(answer)).toBe(
    [
      'Plan',
      '',
      'Use two disks, see the guide (https://example.org/guide).',
      '',
      '1. First',
      '2. Then',
      '   - [x] checked',
      '   - open',
      '',
      'const a = 1;',
      'a ** 2;',
      '',
      'a\tb',
      '1\t2',
    ].join('\n'),
  );
});

it('parts a text into what engines say at once, without losing a word', () => {
  const text = `${'A sentence of some length. '.repeat(20)}\n${'没有空格的一句话。'.repeat(40)}\n${'x'.repeat(900)}`;
  const pieces = spokenPieces(text);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(200);
  expect(pieces.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
  expect(spokenPieces('\n ——— \n')).toEqual([]);
});

it.each([
  ['Hello there', 'en', 'en'],
  ['Guten Tag', 'de', 'de'],
  ['你好，世界', 'en', 'zh'],
  ['こんにちは', 'en', 'ja'],
  ['안녕하세요', 'en', 'ko'],
  ['An English answer', 'zh', 'en'],
])('says %s (interface: %s) with a voice for %s', (text, otherwise, language) => {
  expect(spokenLanguage(text, otherwise)).toBe(language);
});
