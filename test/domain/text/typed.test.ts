// What a person types stays theirs to the letter.
import { expect, it } from 'vitest';
import { restoreLineBreaks, withoutEmptyEdges } from '../../../src/domain/text/typed.ts';

it.each([
  ['\n \t\n    a\n  b\n\n ', '    a\n  b'],
  ['\r\n\ta\r\n\tb\r\n', '\ta\r\n\tb'],
  ['a', 'a'],
  ['　中', '　中'],
  [' \n\t ', ''],
  [' ', ''],
])('keeps the first line of %j indented', (text, expected) => expect(withoutEmptyEdges(text)).toBe(expected));

it('gives line breaks back as they were', () => {
  expect(restoreLineBreaks('a\nb', 'a\r\nb')).toBe('a\r\nb');
  expect(restoreLineBreaks('a\nb\nc', 'a\r\nb')).toBe('a\r\nb\r\nc');
  // Unchanged, whatever they are; of several kinds none is known for new words.
  expect(restoreLineBreaks('a\nb\nc', 'a\rb\nc')).toBe('a\rb\nc');
  expect(restoreLineBreaks('a\nd', 'a\r\nb\nc')).toBe('a\nd');
  expect(restoreLineBreaks('', 'a\r\nb')).toBe('');
});
