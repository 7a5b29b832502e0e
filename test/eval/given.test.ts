// Task files of others: what can be meant is read, what cannot is refused in a sentence that names the place.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Refused, readGiven, tasksFrom } from './given.ts';

const folder = mkdtempSync(join(tmpdir(), 'given-'));
const fileOf = (content: string): string => {
  const file = join(folder, 'tasks.json');
  writeFileSync(file, content);
  return file;
};
const tasksOf = (store: unknown) =>
  tasksFrom({ sets: [{ name: 'odd', stores: [store] }] }, 'odd.json').sets[0]?.stores[0];

it('reads a file with a byte order mark and Windows line ends', () => {
  expect(readGiven(fileOf('\uFEFF{\r\n "sets": []\r\n}\r\n'))).toEqual({ sets: [] });
});

it('takes an empty store, an empty conversation, and an empty question', () => {
  expect(tasksOf({})).toEqual({ id: '0', sessions: [], queries: [] });
  expect(
    tasksOf({ id: 'a', sessions: [{ messages: [] }], queries: [{ id: 'q', text: '' }, { id: 'r' }] }),
  ).toEqual({
    id: 'a',
    sessions: [{ id: '0', title: null, startedAt: null, messages: [] }],
    queries: [
      { id: 'q', text: '' },
      { id: 'r', text: '' },
    ],
  });
});

it('knows who speaks and when, and does without either', () => {
  const store = tasksOf({
    sessions: [
      {
        id: 7,
        startedAt: 'soon',
        messages: [{ id: 1, role: 'Human', content: 'a' }, { role: 'tool', content: null }, { content: 'c' }],
      },
      {
        startedAt: 0,
        messages: [
          {
            unit: 'u',
            role: 'assistant',
            name: ' ',
            content: [{ type: 'text', text: 'x' }, { type: 'image' }],
          },
        ],
      },
      { startedAt: '2026-05-02', messages: [{ id: 'n', name: 'Ines', content: 'half \ud83d' }] },
    ],
  });
  expect(store?.sessions.map(({ startedAt }) => startedAt)).toEqual([
    null,
    '1970-01-01T00:00:00.000Z',
    '2026-05-02T00:00:00.000Z',
  ]);
  expect(store?.sessions.flatMap(({ messages }) => messages)).toEqual([
    { id: '1', unit: '1', role: 'user', name: null, content: 'a' },
    { id: '7/1', unit: '7/1', role: 'tool', name: null, content: '' },
    { id: '7/2', unit: '7/2', role: 'user', name: null, content: 'c' },
    { id: 'u', unit: 'u', role: 'assistant', name: null, content: 'x\n' },
    { id: 'n', unit: 'n', role: 'user', name: 'Ines', content: 'half \ufffd' },
  ]);
});

it('makes a question of what the person said where it has no text of its own', () => {
  const messages = [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'no' },
    { role: 'user', content: 'two' },
  ];
  expect(tasksOf({ queries: [{ id: 'q', messages }] })?.queries[0]?.text).toBe('one\ntwo');
});

it.each([
  ['', /is not JSON/],
  ['{"sets": [', /is not JSON/],
  ['[]', /cannot be understood: the whole/],
  ['{"sets": [{"name": "a"}]}', /sets\[0\]\.stores/],
  ['{"sets": [{"name": "a", "stores": [{"queries": [{"text": "x"}]}]}]}', /queries\[0\]\.id/],
])('refuses %s', (content, reason) => {
  const file = fileOf(content);
  expect(() => tasksFrom(readGiven(file), file)).toThrow(Refused);
  expect(() => tasksFrom(readGiven(file), file)).toThrow(reason);
});

it('refuses a file that is not there', () => {
  expect(() => readGiven(join(folder, 'none.json'))).toThrow(Refused);
});
