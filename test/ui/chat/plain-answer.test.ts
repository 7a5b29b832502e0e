// An answer as plain text, and in pieces that a voice can say.
import { expect, it } from 'vitest';
import { plainAnswer, spokenAnswer } from '../../../src/ui/chat/plain-answer.ts';
import { sentenceStart, spokenLanguage, spokenPieces } from '../../../src/ui/chat/read-aloud.ts';

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

it.each([
  ['a<br>b <b>c</b> H<sub>2</sub>O List<String>', 'a\nb c H2O List<String>'],
  ['| a | b |\n|-|-|\n| x<br>y | `c|d` |', 'a\tb\nx y\tc|d'],
  ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a\tb\nc'],
  ['<details>\n<summary>S</summary>\n\nbody\n\n</details>', 'S\n\nbody'],
  ['<script>\na < b\n</script>', '<script>\na < b\n</script>'],
  ['10. a\n9. b', '10. a\n9. b'],
  ['- [x] b\n  - [ ] c', '- [x] b\n  - [ ] c'],
  ['<p>Tom&#39;s caf&eacute; &mdash; a &lt; b &amp;lt; &nope;</p>', "Tom's café — a < b &lt; &nope;"],
  ['<img src="https://e.example/c.png" alt="a &amp; b">', 'a & b'],
  ['a\n\n<hr>\n\nb', 'a\n\n———\n\nb'],
  [
    'see <a href="https://e.example/?a=1&amp;b=2">the <b>guide</b></a>.',
    'see the guide (https://e.example/?a=1&b=2).',
  ],
  ['<a href="https://e.example">https://e.example</a> <a href="javascript:a()">b</a>', 'https://e.example b'],
  [
    'me@example.com, www.a.example and <https://a.example>',
    'me@example.com, www.a.example and https://a.example',
  ],
  ['see [it][1]\n\n[1]: https://a.example', 'see it (https://a.example)'],
])('keeps the words of %j', (markdown, expected) => expect(plainAnswer(markdown)).toBe(expected));

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
  ['The word すし is Japanese for it', 'en', 'en'],
  ['Привет, мир', 'en', 'ru'],
  ['Привіт, світе', 'uk', 'uk'],
  ['漢字', 'ja', 'ja'],
  ['123', 'zh', 'zh'],
])('says %s (interface: %s) with a voice for %s', (text, otherwise, language) => {
  expect(spokenLanguage(text, otherwise)).toBe(language);
});

it('is said without code and addresses', () => {
  const answer = 'See [the guide](https://example.org/g):\n\n```sh\nrm -rf x\n```\n\nThen run `ls`.';
  expect(spokenAnswer(answer, 'Code left out.')).toBe('See the guide:\n\nCode left out.\n\nThen run ls.');
});

it.each([
  ['One. Two is longer. Three', 8, 5],
  ['One. Two is longer. Three', 3, 0],
  ['One. Two is longer. Three', 21, 20],
  ['第一句。第二句。', 5, 4],
])('goes on in %s from %i at the sentence that begins at %i', (text, at, start) => {
  expect(sentenceStart(text, at)).toBe(start);
});

it('keeps items and blocks of HTML within a line apart', () => {
  expect(plainAnswer('| a |\n|--|\n| <ul><li>First</li><li>Second</li></ul> |')).toBe('a\nFirst Second');
  expect(plainAnswer('So: <p>one</p> <p>two</p>')).toBe('So: one\ntwo');
  expect(plainAnswer('x <kbd>a</kbd><kbd>b</kbd> <div>c</div>')).toBe('x ab c');
});
