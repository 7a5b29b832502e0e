// The embedded store: a LevelDB folder. Every record has a checksum, so a torn tail is dropped when the folder is opened again, and writes are
// flushed to the disk off this thread. Keys: e/<account>/<room>/<position> updates, r/<account>/<room> heads,
// g/<account> erased accounts, p/<account>/<room> rooms whose removed updates are still to leave the files.
import { mkdir, statfs } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import { z } from 'zod';
import { createGroupCommit } from './group-commit.ts';
import { type Appended, ErasedError, type RelayStore, type RoomId, type StoredLog } from './store.ts';

const headSchema = z.object({ head: z.number(), bytes: z.number(), erased: z.boolean().optional() });
type Head = z.infer<typeof headSchema>;

const roomKey = ({ account, room }: RoomId) => `${account}/${room}`;
const headKey = (key: string) => `r/${key}`;
const purgeKey = (key: string) => `p/${key}`;
const goneKey = (account: string) => `g/${account}`;
const entryKey = (key: string, position: number) => `e/${key}/${position.toString(16).padStart(14, '0')}`;
/** Names have no character up to '/', so all keys under a name lie between `name/` and `name0`. */
const under = (prefix: string) => ({ gt: `${prefix}/`, lt: `${prefix}0` });

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const writeHead = (head: Head) => encoder.encode(JSON.stringify(head));
const readHead = (bytes: Uint8Array | undefined): Head =>
  bytes ? headSchema.parse(JSON.parse(decoder.decode(bytes))) : { head: 0, bytes: 0 };

type Put = { readonly type: 'put'; readonly key: string; readonly value: Uint8Array };
type Del = { readonly type: 'del'; readonly key: string };

export interface LevelStore extends RelayStore {
  /** Writes a consistent copy into a new folder while the store is in use. */
  backup(directory: string): Promise<void>;
}

const SPACE_PROBE_MS = 2000;
// Sealed bytes do not shrink.
const OPTIONS = { keyEncoding: 'utf8', valueEncoding: 'view', compression: false } as const;
/** Size of a backup's batches, bytes. */
const BACKUP_BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Opens or makes the store in `directory`. One process at a time; a second one is refused. With less than `minFree` bytes left on the
 * disk nothing is taken in any more: what is there stays readable, and erasing and snapshots still have space to work.
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
    // A damaged file is set aside and readable content kept: devices send again what is missing. A lock is no damage.
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
  /** Error of the last write; null: it succeeded. */
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
    // Head first: an entry that comes in between is one too many, which is harmless, and never one too few.
    const { head, bytes } = await this.#headOf(id);
    const range = { gt: entryKey(key, after), lt: under(`e/${key}`).lt };
    const updates = after >= head ? [] : await this.#db.values(range).all();
    return { updates, position: head, bytes };
  }

  putSnapshot(id: RoomId, upTo: number, state: Uint8Array, purges = false): Promise<number> {
    return this.#commits.alone(async () => {
      const key = roomKey(id);
      const { head, bytes } = await this.#headOf(id);
      const last = entryKey(key, upTo);
      const old = await this.#db.iterator({ gt: under(`e/${key}`).gt, lte: last }).all();
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

  /** Finishes purges that a kill interrupted. */
  async purgeLeft(): Promise<void> {
    const { gt, lt } = under('p');
    for (const key of await this.#db.keys({ gt, lt }).all()) await this.#purge(key.slice(gt.length));
  }

  async #purge(key: string): Promise<void> {
    await this.#compact(`e/${key}`);
    await this.#db.del(purgeKey(key));
  }

  /**
   * Takes deleted content under a prefix off the disk. The first round may write a value and its deletion into one
   * table, on a level that nothing moves from; marks at both ends of the range make the second round rewrite that table.
   */
  async #compact(prefix: string): Promise<void> {
    const { gt, lt } = under(prefix);
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
        await this.#write([{ type: 'put', key: goneKey(account), value: encoder.encode('{}') }]);
        await this.#db.clear(under(`r/${name}`));
      } else {
        const head = writeHead({ head: 0, bytes: 0, erased: true });
        await this.#write([{ type: 'put', key: headKey(name), value: head }]);
      }
      await this.#db.clear(under(`e/${name}`));
      await this.#compact(`e/${name}`);
    });
  }

  async usage(account: string): Promise<{ rooms: number; bytes: number }> {
    if (await this.#db.get(goneKey(account))) throw new ErasedError();
    let rooms = 0;
    let bytes = 0;
    for await (const value of this.#db.values(under(`r/${account}`))) {
      const head = readHead(value);
      if (head.erased) continue;
      rooms++;
      bytes += head.bytes;
    }
    return { rooms, bytes };
  }

  /** No other process has the folder open, so there is nothing to report. */
  subscribe(): () => void {
    return () => {};
  }

  async ping(): Promise<void> {
    if (this.#db.status !== 'open') throw new Error('the store is not open');
    // After a failed write the store may be read-only; a new start repairs it.
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
    // An iterator reads the state of its creation, whatever is written meanwhile.
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

  /** Durable when resolved. */
  async #write(batch: (Put | Del)[]): Promise<void> {
    try {
      await this.#db.batch(batch, { sync: true });
      this.#failure = null;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  async #checkSpace(): Promise<void> {
    if (Date.now() - this.#spaceProbedAt > SPACE_PROBE_MS) {
      this.#spaceProbedAt = Date.now();
      const { bavail, bsize } = await statfs(this.#directory);
      this.#hasSpace = bavail * bsize >= this.#minFree;
    }
    if (!this.#hasSpace) throw new Error('the disk is nearly full');
  }

  async #headOf(id: RoomId): Promise<Head> {
    const [head, gone] = await this.#db.getMany([headKey(roomKey(id)), goneKey(id.account)]);
    const read = readHead(head);
    if (gone || read.erased) throw new ErasedError();
    return read;
  }

  async #commit(
    inputs: readonly { id: RoomId; update: Uint8Array }[],
  ): Promise<readonly (Appended | Error)[]> {
    await this.#checkSpace();
    const rooms = [...new Set(inputs.map(({ id }) => roomKey(id)))];
    const accounts = [...new Set(inputs.map(({ id }) => id.account))];
    const [heads, gone] = await Promise.all([
      this.#db.getMany(rooms.map(headKey)),
      this.#db.getMany(accounts.map(goneKey)),
    ]);
    const headOf = new Map(rooms.map((key, index) => [key, readHead(heads[index])]));
    const isGone = new Set(accounts.filter((_, index) => gone[index]));
    const batch: Put[] = [];
    const outputs = inputs.map(({ id, update }) => {
      const key = roomKey(id);
      const before = headOf.get(key) as Head;
      if (before.erased || isGone.has(id.account)) return new ErasedError();
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
