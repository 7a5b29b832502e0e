// Notes as a text: what goes out comes in again, and what other assistants let people copy is read line by line.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { notesAsMarkdown, notesInText } from '../../../src/domain/memory/note-text.ts';
import type { MemoryNote } from '../../../src/domain/memory/notes.ts';
import { NOTE_KINDS } from '../../../src/domain/memory/recognition/kinds.ts';

const HEADINGS = {
  title: 'What Recollect knows about me',
  rule: 'Rules',
  preference: 'Preferences',
  fact: 'Facts',
  person: 'People',
  project: 'Projects',
  decision: 'Decisions',
  other: 'Other notes',
  ended: 'No longer true',
};
const note = (text: string, more: Partial<MemoryNote> = {}): MemoryNote => ({
  id: text,
  text,
  createdAt: Date.UTC(2026, 4, 3),
  updatedAt: 1,
  by: 'person',
  source: null,
  ...more,
});

it('goes out by kind with its past, and comes in again without it', () => {
  const notes = [
    note('Tests come first.', { kind: 'rule' }),
    note('The port is 8081.', {
      kind: 'fact',
      before: [{ text: 'The port is 8080.', since: Date.UTC(2026, 0, 1), until: Date.UTC(2026, 4, 3) }],
    }),
    note('We use npm.', { kind: 'decision', until: 5 }),
    note('Free words.'),
  ];
  const text = notesAsMarkdown(notes, HEADINGS, 10);
  expect(text).toBe(`# What Recollect knows about me

## Rules

- [2026-05-03] Tests come first.

## Facts

- [2026-05-03] The port is 8081.
  - 2026-01-01 – 2026-05-03: The port is 8080.

## Other notes

- [2026-05-03] Free words.

## No longer true

- [2026-05-03] We use npm.
`);
  expect(notesInText(text).slice(0, 2)).toEqual([
    { text: 'Tests come first.', kind: 'rule', since: Date.UTC(2026, 4, 3) },
    { text: 'The port is 8081.', kind: 'fact', since: Date.UTC(2026, 4, 3) },
  ]);
});

it('reads what ChatGPT, Claude and Gemini let people copy', () => {
  expect(
    notesInText(
      'Saved memories\nUser prefers concise answers.\n\nHas a daughter named Ruth.\nUser is allergic to nuts.\nDelete',
    ),
  ).toMatchObject([
    { text: 'User prefers concise answers.', kind: 'preference' },
    { text: 'Has a daughter named Ruth.' },
    { text: 'User is allergic to nuts.', kind: 'fact' },
  ]);
  expect(
    notesInText(
      '**Work context**\n\nAda builds a booking site for museums.\n\n**Personal context**\n\nAda lives in Ghent.',
    ),
  ).toMatchObject([
    { text: 'Ada builds a booking site for museums.', kind: 'project' },
    { text: 'Ada lives in Ghent.', kind: 'fact' },
  ]);
  expect(
    notesInText('1. I like hiking.\n2. Always answer in Dutch.\n* [2025-03-01] - I have two cats.'),
  ).toMatchObject([
    { text: 'I like hiking.', kind: 'preference' },
    { text: 'Always answer in Dutch.', kind: 'rule' },
    { text: 'I have two cats.', kind: 'fact', since: Date.UTC(2025, 2, 1) },
  ]);
  expect(notesInText('用户喜欢喝茶。\n用户对花生过敏。')).toMatchObject([
    { kind: 'preference' },
    { kind: 'fact' },
  ]);
});

it('reads dates in the ways they are written, and none where the assistant does not know it', () => {
  const text =
    '```\n[2025-01-04] - User prefers TypeScript.\n[unknown] - User dislikes emojis.\n[未知] - 用户住在里昂。\n2025/3/1: Is allergic to nuts.\n【2025年3月2日】 喜欢喝茶\n```';
  expect(notesInText(text)).toEqual([
    { text: 'User prefers TypeScript.', kind: 'preference', since: Date.UTC(2025, 0, 4) },
    { text: 'User dislikes emojis.', kind: 'preference', since: undefined },
    { text: '用户住在里昂。', kind: 'fact', since: undefined },
    { text: 'Is allergic to nuts.', kind: 'fact', since: Date.UTC(2025, 2, 1) },
    { text: '喜欢喝茶', kind: 'preference', since: Date.UTC(2025, 2, 2) },
  ]);
});

it('takes headings of any looks for headings, and no note for one', () => {
  expect(
    notesInText(
      '**Brief history**\n\n*Recent months*\n\nDana wrote a rota planner.\n\n*I am vegan*\n__Earlier context__\n',
    ),
  ).toMatchObject([{ text: 'Dana wrote a rota planner.' }, { text: 'I am vegan' }]);
});

it.each([
  ['Is allergic to penicillin.', 'fact'],
  ['Works as a nurse.', 'fact'],
  ['Has two cats.', 'fact'],
  ['Lives in Lyon.', 'fact'],
  ['Prefers short answers.', 'preference'],
  ["Doesn't eat pork.", 'fact'],
  ['Dislikes emojis.', 'preference'],
  ['住在杭州', 'fact'],
  ['对花生过敏', 'fact'],
])('knows the kind of a line without a subject: %s', (text, kind) => {
  expect(notesInText(text)[0]?.kind).toBe(kind);
});

it('loses no note on the way out and in, whatever its words (property)', () => {
  const word = fc.stringMatching(/^[a-z]{2,9}$/);
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.array(word, { minLength: 3, maxLength: 8 }).map((words) => `${words.join(' ')}.`),
        { maxLength: 12 },
      ),
      fc.constantFrom(...NOTE_KINDS, undefined),
      (texts, kind) => {
        const notes = texts.map((text) => note(text, kind ? { kind } : {}));
        expect(notesInText(notesAsMarkdown(notes, HEADINGS, 10)).map(({ text }) => text)).toEqual(texts);
      },
    ),
    { numRuns: 60 },
  );
});
