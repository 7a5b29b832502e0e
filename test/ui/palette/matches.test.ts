import { describe, expect, it } from 'vitest';
import type { LibraryEntry } from '../../../src/services/documents/documents.ts';
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

describe('a line in the palette', () => {
  it('is blank, words, a command, or narrowed by filters', () => {
    expect(readLine('', NOW)).toMatchObject({ blank: true, text: '', narrowed: false });
    expect(readLine('night train', NOW)).toMatchObject({ blank: false, text: 'night train' });
    expect(readLine('/rec', NOW).asCommand).toBe(true);
    expect(readLine('from:me train', NOW)).toMatchObject({ text: 'train', narrowed: true });
  });

  it('leaves a filter that is still being typed out of the words', () => {
    expect(readLine('train from:', NOW)).toMatchObject({ text: 'train', narrowed: false, blank: false });
  });
});

describe('what fits a line', () => {
  it('conversations whose titles have all words, early ones first; archived ones only when asked for', () => {
    const all = [
      entry('The slow train'),
      entry('Train to Venice'),
      entry('Bread'),
      entry('Old trains', { archived: true }),
    ];
    expect(names(conversationsFor(readLine('train', NOW), all))).toEqual([
      'Train to Venice',
      'Old trains',
      'The slow train',
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
    const shelf = [{ name: 'recall' }, { name: 'title' }];
    const summary = (name: string) => (name === 'recall' ? 'Look for passages' : 'Rename');
    const fitting = (query: string) =>
      commandsFor(readLine(query, NOW), query, shelf, summary).map(({ name }) => name);
    expect(fitting('/rec')).toEqual(['recall']);
    expect(fitting('/recall something else')).toEqual(['recall']);
    expect(fitting('passages')).toEqual(['recall']);
    expect(fitting('p')).toEqual([]);
  });

  it('settings by label, section or key', () => {
    const settings = [
      { label: 'Threshold', also: 'Memory and recall recall.threshold' },
      { label: 'Theme', also: 'Appearance ui.theme' },
    ];
    expect(settingsFor(readLine('appearance', NOW), settings)).toEqual([settings[1]]);
    expect(settingsFor(readLine('/theme', NOW), settings)).toEqual([]);
  });

  it('actions meant by their first letters come apart from those that fit in some way', () => {
    const actions = [{ label: 'New conversation' }, { label: 'Open settings' }];
    expect(actionsFor(readLine('', NOW), actions).meant).toEqual(actions);
    expect(actionsFor(readLine('new', NOW), actions)).toEqual({ meant: [actions[0]], close: [] });
    expect(actionsFor(readLine('settings', NOW), actions).meant).toEqual([actions[1]]);
    expect(actionsFor(readLine('nothing like it', NOW), actions)).toEqual({ meant: [], close: [] });
  });
});
