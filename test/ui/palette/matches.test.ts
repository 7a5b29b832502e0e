import { describe, expect, it } from 'vitest';
import type { LibraryEntry, ProjectEntry } from '../../../src/services/documents/documents.ts';
import {
  actionsFor,
  commandsFor,
  conversationsFor,
  readLine,
  settingsFor,
} from '../../../src/ui/palette/matches.ts';

const NOW = Date.UTC(2026, 10, 21);
const entry = (title: string, more: Partial<LibraryEntry> = {}): LibraryEntry =>
  ({
    id: title,
    title,
    archived: false,
    pinned: false,
    createdAt: NOW,
    updatedAt: NOW,
    ...more,
  }) as LibraryEntry;
const names = (entries: readonly LibraryEntry[]) => entries.map(({ title }) => title);

describe('a project in the palette', () => {
  const project = (title: string, projectId: string | null = null) =>
    ({ id: title, title, projectId, deletedAt: null }) as ProjectEntry;
  const projects = [project('Riverside house'), project('Kitchen', 'Riverside house'), project('Thesis')];

  it('narrows to its conversations and to those of projects in it', () => {
    const listed = [
      entry('Windows', { projectId: 'Riverside house' as never }),
      entry('Island', { projectId: 'Kitchen' as never }),
      entry('Outline', { projectId: 'Thesis' as never }),
      entry('Bread', { projectId: null }),
    ];
    const found = (query: string) => names(conversationsFor(readLine(query, NOW), listed, projects));
    expect(found('project:river ')).toEqual(['Windows', 'Island']);
    expect(found('project:"Kitchen" isl')).toEqual(['Island']);
    expect(found('project:nowhere ')).toEqual([]);
  });

  it('is listed once something of its name is typed', () => {
    const actions = [{ label: 'Memory' }, { label: 'Thesis', asked: true as const }];
    expect(actionsFor(readLine('', NOW), actions).meant).toEqual([actions[0]]);
    expect(actionsFor(readLine('the', NOW), actions).meant).toEqual([actions[1]]);
  });
});

describe('a title', () => {
  it.each([
    ['Zürich by train', 'zuri'],
    ['Ёлка в лесу', 'ёлк'],
    ['ＡＰＩ keys', 'api k'],
    ['Don’t panic', "don't"],
    ['繁體字', '繁体'],
    ['Łódź', 'title:lod '],
  ])('is found while it is typed, however it is written: %s by %s', (title, typed) =>
    expect(names(conversationsFor(readLine(typed, NOW), [entry('Other'), entry(title)]))).toEqual([title]),
  );
});

describe('a line in the palette', () => {
  it('is blank, words, a command, or narrowed by filters', () => {
    expect(readLine('', NOW)).toMatchObject({ blank: true, text: '', narrowed: false });
    expect(readLine('night train', NOW)).toMatchObject({ blank: false, text: 'night train' });
    expect(readLine('/rec', NOW).asCommand).toBe(true);
    expect(readLine('from:me train', NOW)).toMatchObject({ text: 'train', narrowed: true });
  });

  it('leaves a day that cannot be read out of the words: it narrows nothing and is in no title', () => {
    expect(readLine('Alpha  before:abc beta', NOW)).toMatchObject({ text: 'Alpha beta', narrowed: false });
    expect(readLine('after:23.11.2025 Alpha', NOW)).toMatchObject({
      text: 'Alpha',
      filter: { after: new Date(2025, 10, 23).getTime() },
    });
    expect(readLine('from:nobody Alpha', NOW).text).toBe('from:nobody Alpha');
  });

  it('leaves a filter that is still being typed out of the words', () => {
    expect(readLine('train from:', NOW)).toMatchObject({ text: 'train', narrowed: false, blank: false });
  });
});

describe('what fits a line', () => {
  it('conversations whose title a question speaks of, in other forms of its words', () => {
    const all = [entry('Kitchen renovation'), entry('Notes'), entry('Renovation loan'), entry('厨房装修')];
    const found = (query: string) => names(conversationsFor(readLine(query, NOW), all));
    expect(found('what did we say about renovating the kitchen?')).toEqual(['Kitchen renovation']);
    expect(found('kitchens')).toEqual(['Kitchen renovation']);
    expect(found('厨房装修的预算')).toEqual(['厨房装修']);
    // A title that shares one word with a longer question is not meant.
    expect(found('where are my notes on bees?')).toEqual([]);
  });

  it('conversations whose titles have all words, whole ones and early ones first; archived ones only when asked for', () => {
    const all = [
      entry('The slow train'),
      entry('Train to Venice'),
      entry('Bread'),
      entry('Old trains', { archived: true }),
    ];
    expect(names(conversationsFor(readLine('train', NOW), all))).toEqual([
      'Train to Venice',
      'The slow train',
      'Old trains',
    ]);
    expect(names(conversationsFor(readLine('', NOW), all))).not.toContain('Old trains');
    expect(names(conversationsFor(readLine('is:archived', NOW), all))).toEqual(['Old trains']);
    expect(conversationsFor(readLine('from:me train', NOW), all)).toEqual([]);
  });

  it('conversations of a folder as the search of messages reads it', () => {
    const all = [
      entry('Here', { workDir: '/home/me/Work/app' }),
      entry('Windows', { workDir: 'C:\\me\\work' }),
      entry('Elsewhere', { workDir: '/srv' }),
      entry('Nowhere', { workDir: null }),
    ];
    for (const line of ['dir:work', 'dir:~/work', 'dir:/WORK/'])
      expect([line, names(conversationsFor(readLine(line, NOW), all))]).toEqual([line, ['Here', 'Windows']]);
  });

  it('commands by name after a slash, by what they are about without one', () => {
    const commandList = [{ name: 'recall' }, { name: 'title' }];
    const summary = (name: string) => (name === 'recall' ? 'Look for passages' : 'Rename');
    const fitting = (query: string) =>
      commandsFor(readLine(query, NOW), query, commandList, summary).map(({ name }) => name);
    expect(fitting('/rec')).toEqual(['recall']);
    expect(fitting('/recall something else')).toEqual(['recall']);
    expect(fitting('passages')).toEqual(['recall']);
    expect(fitting('p')).toEqual([]);
  });

  it('settings by label, section or key', () => {
    const settings = [
      { label: 'Threshold', also: 'Memory and recall recall.threshold', more: '' },
      { label: 'Theme', also: 'Appearance ui.theme', more: '' },
    ];
    expect(settingsFor(readLine('appearance', NOW), settings)).toEqual([settings[1]]);
    expect(settingsFor(readLine('/theme', NOW), settings)).toEqual([]);
  });

  it('settings by what can be chosen there and what they are called every day, below those that are named so', () => {
    const settings = [
      { label: 'Theme', also: 'Appearance ui.theme', more: 'As the system, Light, Dark, dark mode' },
      { label: 'Darkness', also: 'Other', more: '' },
      { label: 'Language', also: 'Appearance ui.language', more: 'English, 中文' },
      { label: 'Connect a service', also: 'Models', more: 'API key, Temperature' },
    ];
    const fitting = (query: string) => settingsFor(readLine(query, NOW), settings).map(({ label }) => label);
    expect(fitting('dark')).toEqual(['Darkness', 'Theme']);
    expect(fitting('中文')).toEqual(['Language']);
    expect(fitting('api key')).toEqual(['Connect a service']);
    expect(fitting('temperature')).toEqual(['Connect a service']);
    // Inside of a word it is another one, and words that say nothing find nothing.
    expect(fitting('ark mode')).toEqual([]);
    expect(fitting('as the')).toEqual([]);
  });

  it('the conversation with the very title first, then titles with the words whole', () => {
    const all = Array.from({ length: 400 }, (_, at) =>
      entry(`Imported talk ${at + 1}`, { updatedAt: NOW + at }),
    );
    all.push(entry('About the imported talk 12', { updatedAt: NOW - 1 }));
    expect(names(conversationsFor(readLine('IMPORTED  TALK 12', NOW), all))).toEqual([
      'Imported talk 12',
      'About the imported talk 12',
      'Imported talk 129',
      'Imported talk 128',
      'Imported talk 127',
    ]);
    const han = [entry('数据库备份方案'), entry('备份')];
    expect(names(conversationsFor(readLine('备份', NOW), han))).toEqual(['备份', '数据库备份方案']);
  });

  it('an action by what else people call it', () => {
    const also = ['new chat', 'start a conversation', '新对话'];
    const actions = [
      { label: 'New conversation', also },
      { label: 'Memory', also: [] },
    ];
    for (const query of ['new chat', 'New c', '新对话'])
      expect([query, actionsFor(readLine(query, NOW), actions).meant]).toEqual([query, [actions[0]]]);
    expect(actionsFor(readLine('chat', NOW), actions).meant).toEqual([]);
    // A search for "start" must not make a new conversation by Enter.
    expect(actionsFor(readLine('start', NOW), actions)).toEqual({ meant: [], close: [actions[0]] });
  });

  it('actions meant by their first letters come apart from those that fit in some way', () => {
    const actions = [{ label: 'New conversation' }, { label: 'Open settings' }];
    expect(actionsFor(readLine('', NOW), actions).meant).toEqual(actions);
    expect(actionsFor(readLine('new', NOW), actions)).toEqual({ meant: [actions[0]], close: [] });
    expect(actionsFor(readLine('settings', NOW), actions).meant).toEqual([actions[1]]);
    expect(actionsFor(readLine('nothing like it', NOW), actions)).toEqual({ meant: [], close: [] });
  });
});

describe('a line with a slash', () => {
  const commands = [{ name: 'recall' }, { name: 'sync' }];
  it.each([
    ['/', true],
    ['/rec', true],
    ['/recall the night train', true],
    ['/billing/import.ts', false],
    ['/etc/gatekeeper', false],
    ['/sync/engine.ts', false],
    ['/opt', false],
  ])('%s is a command: %s', (query, asCommand) => {
    expect(readLine(query, NOW, commands)).toMatchObject({ asCommand, text: query });
  });
});
