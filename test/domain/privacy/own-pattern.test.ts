// A person's patterns are taken where their work grows with the length of a text,
// and refused with the reason where not.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ownPattern } from '../../../src/domain/privacy/own-pattern.ts';
import { configOf } from '../../../src/domain/settings/fields.ts';

it.each([
  ['EMP-\\d{4,8}', 'id EMP-20261 here', 'EMP-20261'],
  ['[A-Z]{2}\\d{6}', 'AB123456', 'AB123456'],
  ['(?:foo|bar)-\\w+', 'a bar-12 b', 'bar-12'],
  ['项目-\\d+', '见项目-42。', '项目-42'],
  ['\\bCase [0-9]+/[0-9]+', 'see case 12/34 now', 'case 12/34'],
  ['\\d{3}-?\\d{4}', '5551234', '5551234'],
  ['"[^"\\n]+"', 'a "b c" d', '"b c"'],
])('takes %s', (source, text, words) => {
  const pattern = ownPattern(source);
  expect(pattern).toBeInstanceOf(RegExp);
  expect([...text.matchAll(pattern as RegExp)].map(([found]) => found)).toEqual([words]);
});

it.each([
  ['(a+)+$', 'slow'],
  ['(?:a|aa)+b', 'slow'],
  ['.*secret', 'slow'],
  ['\\w+\\d+', 'slow'],
  ['(\\d+\\s?)+x', 'slow'],
  ['(a)\\1', 'slow'],
  ['(?<=x)y', 'slow'],
  ['a{1,5000}', 'syntax'],
  ['[a-z', 'syntax'],
  ['a**', 'syntax'],
  ['a*', 'empty'],
  ['^$', 'empty'],
])('refuses %s: %s', (source, problem) => {
  expect(ownPattern(source)).toBe(problem);
});

it('what it takes is quick on hostile texts', () => {
  const atom = fc.constantFrom(
    'a',
    '\\d',
    '\\w',
    '[ab]',
    '(?:ab|c)',
    '.',
    'x?',
    'a+',
    '\\d{2,4}',
    '(?:a?b)',
    '\\w*',
    '-',
  );
  const sign = fc.constantFrom('', '', '+', '*', '{2,9}', '?');
  const source = fc
    .array(fc.tuple(atom, sign), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.map(([one, two]) => (/[+*?}]$/.test(one) ? one : one + two)).join(''));
  const texts = ['a'.repeat(3_000), 'ab'.repeat(1_500), '1'.repeat(3_000), `${'a1'.repeat(1_500)}!`];
  fc.assert(
    fc.property(source, (one) => {
      const pattern = ownPattern(one);
      if (!(pattern instanceof RegExp)) return;
      for (const text of texts) for (const _ of text.matchAll(pattern));
    }),
    { numRuns: 60 },
  );
});

it('a slow pattern is refused by the configuration, and named', () => {
  const { config, refused } = configOf({ 'privacy.own_patterns': ['EMP-\\d+', '(a+)+$'] });
  expect(refused).toMatchObject([{ key: 'privacy.own_patterns', value: '(a+)+$' }]);
  expect(config.privacy.own_patterns).toEqual([]);
});
