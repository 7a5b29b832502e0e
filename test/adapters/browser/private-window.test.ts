// What the file system of an origin answers in windows of each kind, as Firefox
// 153, Safari 18 and Chromium 153 have it.
import { expect, it } from 'vitest';
import { looksPrivate } from '../../../src/adapters/browser/private-window.ts';

const refusing = (name: string) => ({
  getDirectory: async () => {
    throw new DOMException('refused', name);
  },
});

it.each([
  ['a private window of Firefox', refusing('SecurityError'), true],
  ['a private window of Safari', refusing('UnknownError'), true],
  [
    'a window that has the file system',
    { getDirectory: async () => ({}) as FileSystemDirectoryHandle },
    false,
  ],
  ['a browser whose disk fails', refusing('InvalidStateError'), false],
  ['a browser without that file system', {} as StorageManager, false],
  ['a page without a secure context', undefined, false],
])('%s', async (_, storage, expected) => {
  expect(await looksPrivate(storage)).toBe(expected);
});
