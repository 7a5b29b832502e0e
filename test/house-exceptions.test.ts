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

/** What each commit since a time says, by a format of `git log`. The rules are younger than the first commits. */
const history = (since: string, format: string): string[] =>
  execFileSync('git', ['log', `--since=${since}`, '--no-merges', `--format=${format}%x00`], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\0')
    .map((said) => said.trim())
    .filter((said) => said !== '');

describe.skipIf(!existsSync(resolve(ROOT, '.git')))('the history', () => {
  it('has subjects of at most 72 characters that begin with their area', () => {
    const subjects = history('2026-11-26T15:22:00Z', '%s');
    expect(subjects.filter((subject) => subject.length > 72)).toEqual([]);
    expect(subjects.filter((subject) => !/^[a-z0-9/., -]+: /.test(subject))).toEqual([]);
  });

  it('says in the body of a commit why', () => {
    const withoutBody = history('2026-11-29T18:09:00Z', '%h %s%x09%b').filter((said) => !said.includes('\t'));
    expect(withoutBody).toEqual([]);
  });
});
