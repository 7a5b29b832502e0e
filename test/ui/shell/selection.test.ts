// Which conversations are chosen after a click with Ctrl or Shift.
import { expect, it } from 'vitest';
import { asConversationId } from '../../../src/domain/base/ids.ts';
import { NOTHING_SELECTED, type Pick, picked, stillListed } from '../../../src/ui/shell/selection.ts';

const listed = ['a', 'b', 'c', 'd', 'e'].map(asConversationId);
const after = (steps: readonly [string, Pick][], open: string | null = null) =>
  steps.reduce(
    (selection, [id, how]) =>
      picked(selection, listed, asConversationId(id), how, open === null ? null : asConversationId(open)),
    NOTHING_SELECTED,
  );
const ids = (selection: { ids: ReadonlySet<string> }) => [...selection.ids].sort().join('');

it.each([
  [[['b', 'toggle']], null, 'b'],
  [
    [
      ['b', 'toggle'],
      ['d', 'toggle'],
      ['b', 'toggle'],
    ],
    null,
    'd',
  ],
  [
    [
      ['b', 'toggle'],
      ['d', 'range'],
    ],
    null,
    'bcd',
  ],
  [
    [
      ['d', 'toggle'],
      ['a', 'range'],
      ['e', 'range'],
    ],
    null,
    'de',
  ],
  [[['c', 'range']], 'a', 'abc'],
  [[['c', 'range']], null, 'c'],
] as [readonly [string, Pick][], string | null, string][])('%j, open: %s → %s', (steps, open, expected) => {
  expect(ids(after(steps, open))).toBe(expected);
});

it('forgets what is not listed any more', () => {
  const both = after([
    ['a', 'toggle'],
    ['c', 'toggle'],
  ]);
  expect(stillListed(both, listed)).toBe(both);
  expect(ids(stillListed(both, listed.slice(1)))).toBe('c');
  expect(stillListed(both, [])).toBe(NOTHING_SELECTED);
});
