// The lists of exceptions only shrink: what is mended leaves its list. `npx tsx test/house/exceptions.ts` takes it out.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beyond, filesExcusedFromLint, KINDS, listed } from './house/exceptions.ts';
import { readTree } from './house/source.ts';

const ROOT = resolve(import.meta.dirname, '..');
const { source, users } = readTree();

describe('the lists of exceptions', () => {
  it.each(Object.keys(KINDS))('%s names nothing that is mended, and is sorted', (name) => {
    const list = listed(name);
    expect(beyond(list, KINDS[name]?.(source, users) ?? [])).toEqual([]);
    expect(list).toEqual([...list].sort());
  });

  it('biome.json excuses no file that has no long function', () => {
    const long = listed('long-functions.txt').map((entry) => entry.replace(/ \d+$/, ''));
    expect(filesExcusedFromLint().filter((file) => !long.includes(file))).toEqual([]);
  });
});

describe('the history', () => {
  it.skipIf(!existsSync(resolve(ROOT, '.git')))('has subjects of at most 72 characters', () => {
    // The rule is younger than the first commits.
    const subjects = execFileSync(
      'git',
      ['log', '--since=2026-11-26T15:22:00Z', '--no-merges', '--format=%s'],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    ).split('\n');
    expect(subjects.filter((subject) => subject.length > 72)).toEqual([]);
  });
});
