import { describe, expect, it } from 'vitest';
import { droppedFiles, filesGiven } from '../../../src/ui/chat/file-drop.tsx';

const file = (name: string) => new File(['{}'], name);
const entryOf = (one: File, folder: string) => ({
  isFile: true,
  isDirectory: false,
  name: one.name,
  fullPath: `${folder}/${one.name}`,
  file: (resolve: (file: File) => void) => resolve(one),
});
/** A folder with files, as a browser hands it over. */
const directoryOf = (name: string, files: readonly File[]) => ({
  isFile: false,
  isDirectory: true,
  name,
  fullPath: `/${name}`,
  createReader: () => {
    const portions = [files.map((one) => entryOf(one, `/${name}`)), []];
    return { readEntries: (resolve: (entries: unknown[]) => void) => resolve(portions.shift() ?? []) };
  },
});
type Top = File | ReturnType<typeof directoryOf>;
const transferOf = (...tops: Top[]): DataTransfer =>
  ({
    types: ['Files'],
    files: tops.map((top) => (top instanceof File ? top : file(top.name))),
    items: tops.map((top) => ({
      kind: 'file',
      webkitGetAsEntry: () => (top instanceof File ? entryOf(top, '') : top),
      getAsFile: () => (top instanceof File ? top : file(top.name)),
    })),
  }) as unknown as DataTransfer;

describe('files given to a conversation', () => {
  it.each([
    'export.zip',
    'context.JSONL',
    'conversations.json',
    'conversations-001.json',
    'recollect-2026-01-02.json',
  ])('may be exported conversations: %s', async (name) => {
    const { exports } = filesGiven([file(name), file('notes.txt')]);
    expect(exports?.names).toEqual([name]);
    expect((await exports?.files)?.map(({ path }) => path)).toEqual([name]);
  });

  it.each(['notes.txt', 'package.json', 'photo.png', 'my conversations.md'])(
    'are for the message: %s',
    (name) => {
      expect(filesGiven([file(name)])).toMatchObject({ files: [{ name }], exports: null });
    },
  );

  it('are folders with all that is in them', async () => {
    const given = droppedFiles(
      transferOf(
        directoryOf('session', [file('context.jsonl'), file('state.json')]),
        file('photo.png'),
        file('a.zip'),
      ),
    );
    // A folder is no file of the message, so no notice says that it was left out.
    expect(given.files.map(({ name }) => name)).toEqual(['photo.png', 'a.zip']);
    expect(given.exports?.names).toEqual(['session', 'a.zip']);
    expect((await given.exports?.files)?.map(({ path }) => path)).toEqual([
      'session/context.jsonl',
      'session/state.json',
      'a.zip',
    ]);
    expect(droppedFiles(transferOf(file('photo.png'))).exports).toBeNull();
  });
});
