// The embedded store: a LevelDB folder. Every record has a checksum, so LevelDB drops a torn tail when the folder is
// opened again, and it flushes to the disk on a thread of its own.
//
//   key                              value
//   e/<account>/<room>/<position>    an update; position: 14 hexadecimal digits
//   r/<account>/<room>               the head: JSON of the last position, the size in bytes, and if the room is erased
//   g/<account>                      mark of an erased account
//   p/<account>/<room>               mark of a room whose deleted updates are still in LevelDB's files
import { mkdir, statfs } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import { z } from 'zod';
import { createGroupCommit } from './group-commit.ts';
import { type Appended, ErasedError, type RelayStore, type RoomId, type StoredLog } from './store.ts';

/** Head of a room: last position, and size in bytes. */
const headSchema = z.object({ head: z.number(), bytes: z.number(), erased: z.boolean().optional() });
type Head = z.infer<typeof headSchema>;

const roomKey = ({ account, room }: RoomId) => `${account}/${room}`;
const headKey = (key: string) => `r/${key}`;
const purgeKey = (key: string) => `p/${key}`;
const erasedAccountKey = (account: string) => `g/${account}`;
const entryKey = (key: string, position: number) => `e/${key}/${position.toString(16).padStart(14, '0')}`;
/** Range of all keys below a prefix: from `prefix/` to `prefix0`, as '0' is the character after '/'. */
const keysUnder = (prefix: string) => ({ gt: `${prefix}/`, lt: `${prefix}0` });

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const writeHead = (head: Head) => encoder.encode(JSON.stringify(head));
const readHead = (bytes: Uint8Array | undefined): Head =>
  bytes ? headSchema.parse(JSON.parse(decoder.decode(bytes))) : { head: 0, bytes: 0 };

type Put = { readonly type: 'put'; readonly key: string; readonly value: Uint8Array };
type Del = { readonly type: 'del'; readonly key: string };

/** The embedded store, which can also be copied. */
export interface LevelStore extends RelayStore {
  /**
   * Writes a consistent copy into a new folder while the store is in use. Rejects if `directory` holds a
   * store already, or cannot be written.
   */
  backup(directory: string): Promise<void>;
}

/** Time between two measurements of the free space, ms. */
const SPACE_PROBE_MS = 2000;
// Sealed bytes do not compress.
const OPTIONS = { keyEncoding: 'utf8', valueEncoding: 'view', compression: false } as const;
/** Size of a backup's batches, bytes. */
const BACKUP_BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Opens or makes the store in `directory`. Rejects if another process has it open. With less than `minFree` bytes free
 * on the disk, appends are refused; rooms stay readable, and erasures and snapshots have space to work.
 */
export async function openLevelStore(
  directory: string,
  { minFree = 256 * 1024 * 1024 }: { readonly minFree?: number } = {},
): Promise<LevelStore> {
  await mkdir(directory, { recursive: true });
  const db = new ClassicLevel<string, Uint8Array>(directory, OPTIONS);
  try {
    await db.open();
  } catch (error) {
    // LevelDB's repair keeps what is readable, and devices send the rest again. A lock by another process is no damage.
    if (!/corrupt/i.test(String((error as Error).cause ?? error))) throw error;
    await ClassicLevel.repair(directory);
    await db.open();
  }
  const store = new LevelRelayStore(db, directory, minFree);
  await store.purgeLeft();
  return store;
}

class LevelRelayStore implements LevelStore {
  readonly #db: ClassicLevel<string, Uint8Array>;
  readonly #directory: string;
  readonly #minFree: number;
  readonly #commits = createGroupCommit<{ id: RoomId; update: Uint8Array }, Appended>((inputs) =>
    this.#commit(inputs),
  );
  /** Error of the last write; null if it succeeded. */
  #failure: unknown = null;
  #spaceProbedAt = 0;
  #hasSpace = true;

  constructor(db: ClassicLevel<string, Uint8Array>, directory: string, minFree: number) {
    this.#db = db;
    this.#directory = directory;
    this.#minFree = minFree;
  }

  append(id: RoomId, update: Uint8Array): Promise<Appended> {
    return this.#commits.add({ id, update }, update.length);
  }

  async load(id: RoomId, after = 0): Promise<StoredLog> {
    const key = roomKey(id);
    // The head is read first: an update that is appended in between is then returned too early,
    // which is harmless, and none is missing.
    const { head, bytes } = await this.#headOf(id);
    const range = { gt: entryKey(key, after), lt: keysUnder(`e/${key}`).lt };
    const updates = after >= head ? [] : await this.#db.values(range).all();
    return { updates, position: head, bytes };
  }

  putSnapshot(id: RoomId, upTo: number, state: Uint8Array, purges = false): Promise<number> {
    return this.#commits.alone(async () => {
      const key = roomKey(id);
      const { head, bytes } = await this.#headOf(id);
      const last = entryKey(key, upTo);
      const old = await this.#db.iterator({ gt: keysUnder(`e/${key}`).gt, lte: last }).all();
      if (old.at(-1)?.[0] !== last) return bytes;
      const now = bytes + state.length - old.reduce((sum, [, value]) => sum + value.length, 0);
      await this.#write([
        ...old.map(([entry]) => ({ type: 'del', key: entry }) as const),
        { type: 'put', key: last, value: state },
        { type: 'put', key: headKey(key), value: writeHead({ head, bytes: now }) },
        ...(purges ? [{ type: 'put', key: purgeKey(key), value: encoder.encode('{}') } as const] : []),
      ]);
      if (purges) await this.#purge(key);
      return now;
    });
  }

  /** Finishes the purges that a killed process left behind. */
  async purgeLeft(): Promise<void> {
    const { gt, lt } = keysUnder('p');
    for (const key of await this.#db.keys({ gt, lt }).all()) await this.#purge(key.slice(gt.length));
  }

  /** Takes a room's deleted updates off the disk, then their mark. */
  async #purge(key: string): Promise<void> {
    await this.#compact(`e/${key}`);
    await this.#db.del(purgeKey(key));
  }

  /**
   * Takes deleted values below a prefix off the disk. LevelDB's first compaction may leave a value and its deletion in
   * one table of the last level; new deletions at both ends of the range make the second compaction rewrite that table.
   */
  async #compact(prefix: string): Promise<void> {
    const { gt, lt } = keysUnder(prefix);
    await this.#db.compactRange(gt, lt);
    await this.#write([
      { type: 'del', key: gt },
      { type: 'del', key: lt },
    ]);
    await this.#db.compactRange(gt, lt);
  }

  erase(account: string, room?: string): Promise<void> {
    return this.#commits.alone(async () => {
      const name = room === undefined ? account : `${account}/${room}`;
      if (room === undefined) {
        await this.#write([{ type: 'put', key: erasedAccountKey(account), value: encoder.encode('{}') }]);
        await this.#db.clear(keysUnder(`r/${name}`));
      } else {
        const head = writeHead({ head: 0, bytes: 0, erased: true });
        await this.#write([{ type: 'put', key: headKey(name), value: head }]);
      }
      await this.#db.clear(keysUnder(`e/${name}`));
      await this.#compact(`e/${name}`);
    });
  }

  async usage(account: string): Promise<{ rooms: number; bytes: number }> {
    if (await this.#db.get(erasedAccountKey(account))) throw new ErasedError();
    let rooms = 0;
    let bytes = 0;
    for await (const value of this.#db.values(keysUnder(`r/${account}`))) {
      const head = readHead(value);
      if (head.erased) continue;
      rooms++;
      bytes += head.bytes;
    }
    return { rooms, bytes };
  }

  /** Never calls the listener: no other process has the folder open. */
  subscribe(): () => void {
    return () => {};
  }

  async ping(): Promise<void> {
    if (this.#db.status !== 'open') throw new Error('the store is not open');
    // LevelDB may refuse all writes after a failed one, until it is opened again.
    if (this.#failure) throw this.#failure;
    await this.#checkSpace();
  }

  async close(): Promise<void> {
    await this.#commits.idle();
    await this.#db.close();
  }

  async backup(target: string): Promise<void> {
    await mkdir(target, { recursive: true });
    const copy = new ClassicLevel<string, Uint8Array>(target, { ...OPTIONS, errorIfExists: true });
    await copy.open();
    let batch: Put[] = [];
    let bytes = 0;
    // An iterator reads the store as it was when the iterator was made, whatever is written meanwhile.
    for await (const [key, value] of this.#db.iterator()) {
      batch.push({ type: 'put', key, value });
      bytes += value.length;
      if (bytes < BACKUP_BATCH_BYTES) continue;
      await copy.batch(batch);
      batch = [];
      bytes = 0;
    }
    await copy.batch(batch, { sync: true });
    await copy.close();
  }

  /** Writes all or nothing; durable when resolved. */
  async #write(batch: (Put | Del)[]): Promise<void> {
    try {
      await this.#db.batch(batch, { sync: true });
      this.#failure = null;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /** Throws if the disk is nearly full. */
  async #checkSpace(): Promise<void> {
    if (Date.now() - this.#spaceProbedAt > SPACE_PROBE_MS) {
      this.#spaceProbedAt = Date.now();
      const { bavail, bsize } = await statfs(this.#directory);
      this.#hasSpace = bavail * bsize >= this.#minFree;
    }
    if (!this.#hasSpace) throw new Error('the disk is nearly full');
  }

  /** Throws ErasedError. */
  async #headOf(id: RoomId): Promise<Head> {
    const [head, gone] = await this.#db.getMany([headKey(roomKey(id)), erasedAccountKey(id.account)]);
    const read = readHead(head);
    if (gone || read.erased) throw new ErasedError();
    return read;
  }

  /** Appends all inputs in one write. An input for an erased room gets an ErasedError as its result. */
  async #commit(
    inputs: readonly { id: RoomId; update: Uint8Array }[],
  ): Promise<readonly (Appended | Error)[]> {
    await this.#checkSpace();
    const rooms = [...new Set(inputs.map(({ id }) => roomKey(id)))];
    const accounts = [...new Set(inputs.map(({ id }) => id.account))];
    const [heads, gone] = await Promise.all([
      this.#db.getMany(rooms.map(headKey)),
      this.#db.getMany(accounts.map(erasedAccountKey)),
    ]);
    const headOf = new Map(rooms.map((key, index) => [key, readHead(heads[index])]));
    const erasedAccounts = new Set(accounts.filter((_, index) => gone[index]));
    const batch: Put[] = [];
    const outputs = inputs.map(({ id, update }) => {
      const key = roomKey(id);
      const before = headOf.get(key) as Head;
      if (before.erased || erasedAccounts.has(id.account)) return new ErasedError();
      const after = { head: before.head + 1, bytes: before.bytes + update.length };
      headOf.set(key, after);
      batch.push({ type: 'put', key: entryKey(key, after.head), value: update });
      return { position: after.head, bytes: after.bytes };
    });
    for (const [key, head] of headOf)
      if (head.head > 0) batch.push({ type: 'put', key: headKey(key), value: writeHead(head) });
    if (batch.length > 0) await this.#write(batch);
    return outputs;
  }
}
