import { describe, expect, it } from 'vitest';
import type { ProjectEntry } from '../../../src/services/documents/documents.ts';
import {
  completionsOf,
  filterTokens,
  openFilter,
  withFilter,
  withoutFilter,
} from '../../../src/ui/palette/filters.ts';
import { libraryEntry } from '../../fixtures/library-entry.ts';

const project = (title: string, deletedAt: number | null) => ({ title, deletedAt }) as ProjectEntry;
const entry = (title: string, workDir: string | null = null) => libraryEntry(title, { workDir });

describe('the filters of the search box', () => {
  it('are found in order, with quotes, other names and a minus', () => {
    const tokens = filterTokens('backup in:"Night jobs" -from:me since:2026-05 folder:~/work');
    expect(tokens.map(({ name, value }) => [name, value])).toEqual([
      ['in', 'Night jobs'],
      ['from', 'me'],
      ['after', '2026-05'],
      ['dir', '~/work'],
    ]);
  });

  it('are shown however they are written', () => {
    const shown = (query: string) => filterTokens(query).map(({ name, value, text }) => [name, value, text]);
    expect(shown('before：2026-05 面包')).toEqual([['before', '2026-05', 'before：2026-05']]);
    expect(shown('in：“夜间 备份” x')).toEqual([['in', '夜间 备份', 'in：“夜间 备份”']]);
    expect(shown('from: me')).toEqual([['from', 'me', 'from: me']]);
    expect(shown('x before：')).toEqual([['before', '', 'before：']]);
    expect(openFilter('x before：')?.value).toBe('');
    expect(openFilter('in：“夜间 备份”')).toBeUndefined();
    expect(withoutFilter('before：2026-05 面包', filterTokens('before：2026-05 面包')[0] as never)).toBe(
      '面包',
    );
  });

  it('say what they cannot read, and why it narrows nothing', () => {
    const problems = (query: string) => filterTokens(query).map(({ text, problem }) => [text, problem]);
    expect(
      problems('before:abc after:23.11.2026 since:31.2.2026 from:nobody is:odd from:me in:x dir:'),
    ).toEqual([
      ['before:abc', 'date'],
      ['after:23.11.2026', null],
      ['since:31.2.2026', 'date'],
      ['from:nobody', 'value'],
      ['is:odd', 'value'],
      ['from:me', null],
      ['in:x', null],
      ['dir:', null],
    ]);
  });

  it('are not found inside of words', () => {
    expect(filterTokens('http://x.from:me login:yes')).toEqual([]);
  });

  it('come out as they went in', () => {
    const query = withFilter('backup', 'from:me');
    expect(query).toBe('backup from:me ');
    const [token] = filterTokens(query);
    expect(withoutFilter(query, token as never).trim()).toBe('backup');
  });

  it('wait for their value where one is needed', () => {
    expect(withFilter('', 'in:')).toBe('in:');
    expect(openFilter('backup in:')?.value).toBe('');
    expect(openFilter('in:"Night')?.value).toBe('Night');
    expect(openFilter('in:"Night jobs"')).toBeUndefined();
    expect(openFilter('from:me ')).toBeUndefined();
  });

  it('are completed from the titles and folders that exist', () => {
    const library = [entry('Night jobs', '~/work'), entry('备份'), entry('')];
    const projects = [project('Acme shop', null), project('Gone', 1), project('论文', null)];
    const complete = (query: string) =>
      completionsOf(openFilter(query) as never, { entries: library, projects }, 0).map(({ text }) => text);
    expect(complete('in:')).toEqual(['in:"Night jobs"', 'in:备份']);
    expect(complete('in:nig')).toEqual(['in:"Night jobs"']);
    expect(complete('dir:')).toEqual(['dir:~/work']);
    expect(complete('project:')).toEqual(['project:"Acme shop"', 'project:论文']);
    expect(complete('from:m')).toEqual(['from:me', 'from:model']);
    expect(complete('is:archived')).toEqual([]);
  });
});

it('offers names however they are typed', () => {
  const token = openFilter('in:zuri');
  const offered =
    token && completionsOf(token, { entries: [entry('Zürich'), entry('Bern')], projects: [] }, 0);
  expect(offered?.map(({ text }) => text)).toEqual(['in:Zürich']);
});
