// The embedded store: a LevelDB folder. Its log has a checksum on every record, so that a torn tail is dropped when it is opened again,
// and its writes are flushed to the disk off this thread. Keys: e/<account>/<room>/<position> updates, r/<account>/<room> heads,
// g/<account> erased accounts.
import { mkdir, statfs } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import { z } from 'zod';
import { createGroupCommit } from './group-commit.ts';
import { type Appended, ErasedError, type RelayStore, type RoomId } from './store.ts';

const headSchema = z.object({ head: z.number(), bytes: z.number(), erased: z.boolean().optional() });
type Head = z.infer<typeof headSchema>;

const roomKey = ({ account, room }: RoomId) => `${account}/${room}`;
const headKey = (key: string) => `r/${key}`;
const goneKey = (account: string) => `g/${account}`;
const entryKey = (key: string, position: number) => `e/${key}/${position.toString(16).padStart(14, '0')}`;
/** Names hold no character below or equal to '/', so that everything under a name lies between `name/` and `name0`. */
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

const SPACE_LOOK_MS = 2000;

/**
 * Opens or makes the store in `directory`. One process at a time; a second one is refused. With less than `minFree` bytes left on the
 * disk nothing is taken in any more: what is there stays readable, and erasing and folding still have room to work.
 */
export async function openLevelStore(
  directory: string,
  { minFree = 256 * 1024 * 1024 }: { readonly minFree?: number } = {},
): Promise<LevelStore> {
  await mkdir(directory, { recursive: true });
  // Sealed bytes do not shrink.
  const options = { keyEncoding: 'utf8', valueEncoding: 'view', compression: false } as const;
  const db = new ClassicLevel<string, Uint8Array>(directory, options);
  try {
    await db.open();
  } catch (error) {
    // A damaged file is set aside and what can be read is kept: devices push again what is missing. A lock is no damage.
    if (!/corrupt/i.test(String((error as Error).cause ?? error))) throw error;
    await ClassicLevel.repair(directory);
    await db.open();
  }
  let failure: unknown = null;
  async function durable(batch: (Put | Del)[]) {
    try {
      await db.batch(batch, { sync: true });
      failure = null;
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  let lookedAt = 0;
  let hasSpace = true;
  async function askForSpace() {
    if (Date.now() - lookedAt > SPACE_LOOK_MS) {
      lookedAt = Date.now();
      const { bavail, bsize } = await statfs(directory);
      hasSpace = bavail * bsize >= minFree;
    }
    if (!hasSpace) throw new Error('the disk is nearly full');
  }

  const commits = createGroupCommit<{ id: RoomId; update: Uint8Array }, Appended>(async (inputs) => {
    await askForSpace();
    const rooms = [...new Set(inputs.map(({ id }) => roomKey(id)))];
    const accounts = [...new Set(inputs.map(({ id }) => id.account))];
    const [heads, gone] = await Promise.all([
      db.getMany(rooms.map(headKey)),
      db.getMany(accounts.map(goneKey)),
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
    if (batch.length > 0) await durable(batch);
    return outputs;
  });

  async function headAt(id: RoomId): Promise<Head> {
    const [head, gone] = await db.getMany([headKey(roomKey(id)), goneKey(id.account)]);
    const read = readHead(head);
    if (gone || read.erased) throw new ErasedError();
    return read;
  }

  return {
    append: (id, update) => commits.add({ id, update }, update.length),
    async load(id, after = 0) {
      const key = roomKey(id);
      // Head first: an entry that comes in between is one too many, which is harmless, and never one too few.
      const { head, bytes } = await headAt(id);
      const range = { gt: entryKey(key, after), lt: under(`e/${key}`).lt };
      const updates = after >= head ? [] : await db.values(range).all();
      return { updates, position: head, bytes };
    },
    fold: (id, upTo, state) =>
      commits.alone(async () => {
        const key = roomKey(id);
        const { head, bytes } = await headAt(id);
        const last = entryKey(key, upTo);
        const old = await db.iterator({ gt: under(`e/${key}`).gt, lte: last }).all();
        if (old.at(-1)?.[0] !== last) return bytes;
        const now = bytes + state.length - old.reduce((sum, [, value]) => sum + value.length, 0);
        await durable([
          ...old.map(([entry]) => ({ type: 'del', key: entry }) as const),
          { type: 'put', key: last, value: state },
          { type: 'put', key: headKey(key), value: writeHead({ head, bytes: now }) },
        ]);
        return now;
      }),
    erase: (account, room) =>
      commits.alone(async () => {
        const name = room === undefined ? account : `${account}/${room}`;
        if (room === undefined) {
          await durable([{ type: 'put', key: goneKey(account), value: encoder.encode('{}') }]);
          await db.clear(under(`r/${name}`));
        } else {
          const head = writeHead({ head: 0, bytes: 0, erased: true });
          await durable([{ type: 'put', key: headKey(name), value: head }]);
        }
        await db.clear(under(`e/${name}`));
        // Off the disk too, not only out of reach.
        const { gt, lt } = under(`e/${name}`);
        await db.compactRange(gt, lt);
      }),
    async usage(account) {
      if (await db.get(goneKey(account))) throw new ErasedError();
      let rooms = 0;
      let bytes = 0;
      for await (const value of db.values(under(`r/${account}`))) {
        const head = readHead(value);
        if (head.erased) continue;
        rooms++;
        bytes += head.bytes;
      }
      return { rooms, bytes };
    },
    subscribe: () => () => {},
    async ping() {
      if (db.status !== 'open') throw new Error('the store is not open');
      // A write that failed may have left it read-only; a new start mends what can be mended.
      if (failure) throw failure;
      await askForSpace();
    },
    async close() {
      await commits.idle();
      await db.close();
    },
    async backup(target) {
      await mkdir(target, { recursive: true });
      const copy = new ClassicLevel<string, Uint8Array>(target, { ...options, errorIfExists: true });
      await copy.open();
      let batch: Put[] = [];
      let weight = 0;
      // An iterator reads from the moment it was made, whatever is written meanwhile.
      for await (const [key, value] of db.iterator()) {
        batch.push({ type: 'put', key, value });
        weight += value.length;
        if (weight < 4 * 1024 * 1024) continue;
        await copy.batch(batch);
        batch = [];
        weight = 0;
      }
      await copy.batch(batch, { sync: true });
      await copy.close();
    },
  };
}
