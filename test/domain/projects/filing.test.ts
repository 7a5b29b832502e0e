import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asConversationId } from '../../../src/domain/base/ids.ts';
import {
  foldersWithoutProject,
  nameOfFolder,
  projectOf,
  withInner,
  withOuter,
} from '../../../src/domain/projects/filing.ts';
import { projectTexts } from '../../../src/domain/projects/project.ts';
import { runs } from '../../scale.ts';

const project = (
  id: string,
  more: { filed?: string | null; deletedAt?: number; workDirs?: string[] } = {},
) => ({
  id: asConversationId(id),
  filed: more.filed ?? null,
  workDir: null,
  deletedAt: more.deletedAt ?? null,
  project: { workDirs: more.workDirs ?? [] },
});
const conversation = (filed: string | null, workDir: string | null = null) => ({ id: 'one', filed, workDir });

describe('the project of a conversation', () => {
  it('is where it was filed, before what its folder says', () => {
    const placeOf = projectOf([project('a'), project('b', { workDirs: ['/home/me/b'] })]);
    expect(placeOf(conversation('a'))).toBe('a');
    expect(placeOf(conversation('a', '/home/me/b'))).toBe('a');
    expect(placeOf(conversation(null, '/home/me/b/src'))).toBe('b');
    expect(placeOf(conversation(null, '/home/me/bb'))).toBe(null);
    expect(placeOf(conversation('', '/home/me/b'))).toBe(null);
    expect(placeOf(conversation(null))).toBe(null);
  });

  it('is none where the project is deleted or was never heard of', () => {
    const placeOf = projectOf([project('a', { deletedAt: 5, workDirs: ['/x'] })]);
    expect(placeOf(conversation('a'))).toBe(null);
    expect(placeOf(conversation('unknown'))).toBe(null);
    expect(placeOf(conversation(null, '/x'))).toBe(null);
  });

  it('is that of the nearest folder, and of two with the same the older one', () => {
    const placeOf = projectOf([
      project('c', { workDirs: ['/w'] }),
      project('b', { workDirs: ['/w'] }),
      project('a', { workDirs: ['/w/deep'] }),
    ]);
    expect(placeOf(conversation(null, '/w/deep/er'))).toBe('a');
    expect(placeOf(conversation(null, '/w'))).toBe('b');
  });
});

describe('projects in projects', () => {
  it('are nested one level', () => {
    const placeOf = projectOf([project('a'), project('b', { filed: 'a' }), project('c', { filed: 'b' })]);
    expect([placeOf(project('a')), placeOf(project('b')), placeOf(project('c'))]).toEqual([null, 'a', null]);
  });

  it('stand beside each other where two devices put each into the other', () => {
    const placeOf = projectOf([project('a', { filed: 'b' }), project('b', { filed: 'a' })]);
    expect([placeOf(project('a')), placeOf(project('b'))]).toEqual([null, null]);
    expect(projectOf([project('a', { filed: 'a' })])(project('a'))).toBe(null);
  });

  it('never hold one that holds another, whatever was filed where', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const filed = fc.constantFrom(null, '', ...ids);
    fc.assert(
      fc.property(fc.tuple(filed, filed, filed, filed), fc.constantFrom(null, ...ids), (where, gone) => {
        const all = ids.map((id, at) =>
          project(id, { filed: where[at] ?? null, ...(gone === id ? { deletedAt: 1 } : {}) }),
        );
        const placeOf = projectOf(all);
        for (const one of all.filter(({ deletedAt }) => deletedAt === null)) {
          const outer = placeOf(one);
          if (outer === null) continue;
          expect(outer).not.toBe(one.id);
          expect(outer).not.toBe(gone);
          expect(placeOf(project(outer, { filed: where[ids.indexOf(outer)] ?? null }))).toBe(null);
        }
        // The order of the list says nothing.
        const again = projectOf([...all].reverse());
        for (const one of all) expect(again(one)).toBe(placeOf(one));
      }),
      { numRuns: runs(500, 60) },
    );
  });

  it('are found from the outside and from the inside', () => {
    const listed = [
      { id: asConversationId('a'), projectId: null, deletedAt: null },
      { id: asConversationId('b'), projectId: 'a', deletedAt: null },
      { id: asConversationId('c'), projectId: 'a', deletedAt: 7 },
    ];
    expect([...withInner(asConversationId('a'), listed)]).toEqual(['a', 'b']);
    expect(withOuter(asConversationId('b'), listed).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(withOuter(null, listed)).toEqual([]);
  });
});

it('offers folders that several conversations have and nobody filed', () => {
  const entry = (workDir: string | null, more: object = {}) => ({
    workDir,
    filed: null,
    projectId: null,
    deletedAt: null,
    child: false,
    ...more,
  });
  expect(
    foldersWithoutProject([
      entry('/a'),
      entry('/b'),
      entry('/b'),
      entry('/b', { deletedAt: 3 }),
      entry('/c', { filed: '' }),
      entry('/c'),
      entry('/d'),
      entry('/d', { child: true }),
      entry(null),
      entry(null),
    ]),
  ).toEqual([{ folder: '/b', count: 2 }]);
  expect(nameOfFolder('/home/me/acme-api/')).toBe('acme-api');
  expect(nameOfFolder('C:\\work\\shop')).toBe('shop');
});

it('tells a model instructions and notes, the outer project first, and nothing where there are none', () => {
  const said = (title: string, instructions: string, notes: string[] = []) => ({
    title,
    project: { instructions, notes: notes.map((text) => ({ id: text, text })) },
  });
  expect(projectTexts([said('Empty', '  ')])).toEqual([]);
  expect(
    projectTexts([said('Acme', 'Be brief.', ['Port 8081\nfor tests']), said('API', 'TypeScript.')]),
  ).toEqual([
    { name: 'Acme', words: 'Project “Acme”:\nBe brief.\n\nNotes:\n- Port 8081 for tests' },
    { name: 'API', words: 'Project “API”:\nTypeScript.' },
  ]);
});
