// The IndexedDB database with the index's pages of 8 KB, and the form of its records. On a locked device each record is
// sealed, bound to its file and number; names, sizes and the number of records stay readable.
//
//   files   path, id, size
//   pages   one record a page: what was written lately
//   packs 128 neighbouring pages in one record, sealed files only; a page that also
//   has a record of its own is newer there
import { type DBSchema, type IDBPDatabase, wrap } from 'idb';
import type { RecordCipher } from '../../domain/base/record-cipher.ts';
import { placeOfPages } from './page-place.ts';

/** Page size of Postgres, in bytes. */
export const PAGE = 8192;
/** Pages of a file are numbered from `file id * SPAN`: room for files of 32 TB. */
export const SPAN = 2 ** 32;
/** Version of the IndexedDB database; the first had no packs. */
const VERSION = 2;
/** Postgres' write-ahead log, whose files come and go: not worth packing. */
export const LOG = '/pg_wal/';

/** `id` 0 marks a directory. */
export interface FileRow {
  readonly path: string;
  readonly id: number;
  readonly size: number;
}

export interface PageSchema extends DBSchema {
  files: { key: string; value: FileRow };
  /** Pages of zeros are left out, and zeros at a page's end too. Sealed on a locked device. */
  pages: { key: number; value: Uint8Array };
  /** By the key of the first page. Zeros at the end are left out. */
  packs: { key: number; value: Uint8Array };
}
export const KINDS = ['packs', 'pages'] as const;
export type Kind = (typeof KINDS)[number];
export type PageDatabase = IDBPDatabase<PageSchema>;

/**
 * Opens the database `name`, and makes it if there is none. Closes it when another thread deletes it, to change the
 * engine or to start over. Throws IndexedDB's errors.
 */
export async function openPages(name: string): Promise<PageDatabase> {
  const opening = (await placeOfPages(name)).open(name, VERSION);
  opening.addEventListener('upgradeneeded', ({ oldVersion }) => {
    if (oldVersion < 1) {
      opening.result.createObjectStore('files', { keyPath: 'path' });
      opening.result.createObjectStore('pages');
    }
    opening.result.createObjectStore('packs');
  });
  await wrap(opening);
  const database = opening.result;
  database.addEventListener('versionchange', () => database.close());
  return wrap(database) as PageDatabase;
}

/** True if the database `name`, which exists, contains a file: PGlite stores all files of a new index at once. */
export async function hasFiles(name: string): Promise<boolean> {
  const opening = (await placeOfPages(name)).open(name);
  await wrap(opening);
  const database = wrap(opening.result) as PageDatabase;
  try {
    return database.objectStoreNames.contains('files') && (await database.count('files')) > 0;
  } finally {
    database.close();
  }
}

/** Records of file `id` from page `first` on, up to page `end`. */
export const recordsOf = (id: number, first: number, end = SPAN) =>
  IDBKeyRange.bound(id * SPAN + first, id * SPAN + end, false, true);

/** The bytes up to the last one that is not zero. */
export function withoutZeros(page: Uint8Array): Uint8Array {
  let end = page.length;
  while (end > 0 && page[end - 1] === 0) end--;
  return page.subarray(0, end);
}

/** Writes a page or pack of `length` bytes over what is at `start`; zeros that the record leaves out count. */
export function overwrite(content: Uint8Array, start: number, record: Uint8Array, length: number): void {
  if (start >= content.length) return;
  content.set(record.subarray(0, content.length - start), start);
  content.fill(0, Math.min(start + record.length, content.length), start + length);
}

/** Opens and seals the records of one database; without a cipher they are stored as they are. */
export class PageRecords {
  readonly #name: string;
  readonly #cipher: RecordCipher | null;

  constructor(name: string, cipher: RecordCipher | null) {
    [this.#name, this.#cipher] = [name, cipher];
  }

  /** Returns the plain bytes of a record. Throws if they cannot be opened; the index is then made again. */
  async opened(kind: Kind, key: number, record: Uint8Array): Promise<Uint8Array> {
    if (!this.#cipher) return record;
    const plain = await this.#cipher.open(this.#placeOf(kind, key), record);
    if (!plain) throw new Error('A page of the index does not open with the key of this device.');
    return plain;
  }

  /** Copies, since IndexedDB would store all memory behind a view. */
  async sealed(kind: Kind, key: number, record: Uint8Array): Promise<Uint8Array> {
    return this.#cipher ? await this.#cipher.seal(this.#placeOf(kind, key), record) : record.slice();
  }

  /** Place that a record is bound to. */
  #placeOf(kind: Kind, key: number): string {
    return `recollect/${kind === 'pages' ? 'page' : 'pack'}/1|${this.#name}|${key}`;
  }
}
