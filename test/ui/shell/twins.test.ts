// What tells conversations of one title apart: the part of the first line that differs.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { differingPart } from '../../../src/ui/shell/twins.ts';

it.each([
  ['Help with a letter to my landlord', ['Help with a letter to the school'], '…my landlord'],
  ['Help with a letter', ['Help with a letter to the school'], '…letter'],
  ['Rent', ['Help with a letter'], 'Rent'],
  ['Help with a letter', ['Help with a letter'], ''],
  [
    '帮我写一封给房东的信，关于押金什么时候退还的事情和水电费',
    ['帮我写一封给房东的信，关于押金什么时候退还的事情和房租'],
    '…水电费',
  ],
  ['Party 👩🏽‍💻', ['Party 👩🏽'], '…👩🏽‍💻'],
  ['', ['Help'], ''],
])('begins with the word that differs: %s', (line, others, part) => {
  expect(differingPart(line, others)).toBe(part);
});

it('is a part of the line, whatever the others are', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '信', '👩🏽') });
  fc.assert(
    fc.property(line, fc.array(line), (own, others) => {
      const part = differingPart(own, others);
      expect(own.endsWith(part.replace(/^…/, ''))).toBe(true);
      if (!others.includes(own) && own.trim() !== '') expect(part).not.toBe('');
    }),
  );
});
