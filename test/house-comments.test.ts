// Keeps two kinds of comments out of src: those that begin without their actor, and those that are too long.
import { expect, it } from 'vitest';
import { type Comment, commentsOf, isLong, isOblique } from './house/comments.ts';
import { readTree } from './house/source.ts';

const comments = readTree().source.flatMap(commentsOf);
const places = (those: readonly Comment[]): string[] =>
  those.map(({ path, lines }) => `${path}: ${lines[0]}`);

it('begins no comment with What, Who, Where, Whether or Of: name the actor or the thing first', () => {
  expect(places(comments.filter(isOblique))).toEqual([]);
});

it('has no comment of over two lines, but for file headers, tags, lists and tables', () => {
  expect(places(comments.filter(isLong))).toEqual([]);
});
