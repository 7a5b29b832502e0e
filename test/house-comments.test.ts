// Keeps three kinds of comments out of src: those that begin without their actor, those that are too
// long, and those that name what is gone.
import { expect, it } from 'vitest';
import { type Comment, commentsOf, isLong, isOblique, wideComments } from './house/comments.ts';
import { readTree } from './house/source.ts';

const { source, users } = readTree();
const comments = source.flatMap(commentsOf);
const places = (those: readonly Comment[]): string[] =>
  those.map(({ path, lines }) => `${path}: ${lines[0]}`);

it('begins no comment with What, Who, Where, Whether or Of: name the actor or the thing first', () => {
  expect(places(comments.filter(isOblique))).toEqual([]);
});

it('has no comment of over two lines, but for file headers, tags, lists and tables', () => {
  expect(places(comments.filter(isLong))).toEqual([]);
});

it('has no line with a comment, in source, tests and journeys, of over 120 columns', () => {
  expect(users.flatMap(wideComments)).toEqual([]);
});

/** Words of people's texts and a name of another library, in the form of our own identifiers. */
const EXAMPLES: ReadonlySet<string> = new Set(['camelCase', 'httpServer', 'execProtocolRawSync']);

it('names no identifier in a comment that src has no more, as a rename leaves it', () => {
  const used = new Set<string>();
  for (const file of source) {
    let at = 0;
    for (const { start, end } of commentsOf(file)) {
      for (const [name] of file.text.slice(at, start).matchAll(/[A-Za-z_$][\w$]*/g)) used.add(name);
      at = end;
    }
    for (const [name] of file.text.slice(at).matchAll(/[A-Za-z_$][\w$]*/g)) used.add(name);
  }
  const gone = comments.flatMap(({ path, lines }) =>
    [...lines.join(' ').matchAll(/`([a-z]+[A-Z]\w*)(?:\(\))?`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !used.has(name) && !EXAMPLES.has(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(gone).toEqual([]);
});
