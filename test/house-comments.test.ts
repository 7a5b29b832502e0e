// Lets two kinds of comments only become fewer. Whoever rewrites some lowers the number here in the same commit.
import { expect, it } from 'vitest';
import { type Comment, commentsOf, isLong, isOblique } from './house/comments.ts';
import { readTree } from './house/source.ts';

/** Comments of `src` of each kind. These numbers may only fall. */
const MOST = { oblique: 87, long: 1 };

const comments = readTree().source.flatMap(commentsOf);
const places = (those: readonly Comment[]): string =>
  those.map(({ path, lines }) => `${path}: ${lines[0]}`).join('\n');

it('begins no more comments with What, Who, Where, Whether or Of: name the actor or the thing first', () => {
  const found = comments.filter(isOblique);
  expect(found.length, places(found)).toBeLessThanOrEqual(MOST.oblique);
});

it('has no more comments of over two lines, but for file headers, tags, lists and tables', () => {
  const found = comments.filter(isLong);
  expect(found.length, places(found)).toBeLessThanOrEqual(MOST.long);
});
