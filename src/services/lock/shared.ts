// Receives shares from other apps: the service worker stores them without a key, an unlocked tab takes them. On a
// locked device they are sealed into its box first.
import { exclusively } from '../../adapters/browser/locks.ts';
import type { DataKey } from '../../adapters/vault/data-key.ts';
import type { LockRecord, LockRecords } from '../../adapters/vault/lock-records.ts';
import { openBox, sealInto } from '../../adapters/vault/sealed-box.ts';
import { putShared, readShared, removeShared, type SharedItem } from '../../adapters/vault/shared-queue.ts';
import { log } from '../../domain/base/log.ts';

/** Held while the queue changes, or the record in force. */
const QUEUE = 'recollect:shared';

/**
 * Stores the words until a tab takes them: durable when resolved. False, with nothing stored, if the device locks and
 * has no box yet, which it gets at the next unlocking.
 */
export const keepShared = (records: LockRecords, words: string, now: () => number): Promise<boolean> =>
  exclusively(QUEUE, async () => {
    const { box, slots, generation } = await records.read();
    if (!box && slots.length > 0) return false;
    const content = box ? await sealInto(box, new TextEncoder().encode(words)) : words;
    await putShared(generation, [{ id: crypto.randomUUID(), at: now(), content }]);
    return true;
  });

/** Returns the opened text of an item; null if it does not open. */
async function openedText(
  { content }: SharedItem,
  { box }: Pick<LockRecord, 'box'>,
  key: DataKey | null,
): Promise<string | null> {
  if (typeof content === 'string') return content;
  const opened = box && key ? await openBox(box, key, content) : null;
  if (!opened) log.warn('What was shared does not open with the key of this device');
  return opened && new TextDecoder().decode(opened);
}

/** Counts waiting items. Needs no key. */
export const countShared = async (records: LockRecords): Promise<number> =>
  (await readShared((await records.read()).generation)).length;

/** Passes waiting items to `deliver`, in one tab; removes them when it resolves with true. */
export const takeShared = (
  records: LockRecords,
  key: DataKey | null,
  deliver: (words: string) => Promise<boolean>,
): Promise<void> =>
  exclusively(QUEUE, async () => {
    const record = await records.read();
    for (const item of await readShared(record.generation)) {
      const words = await openedText(item, record, key);
      if (words !== null && (await deliver(words))) await removeShared(record.generation, [item.id]);
    }
  });

/**
 * Replaces the record in force by `change`; waiting items are sealed, or opened, for it first. After an interruption
 * anywhere, they are in the queue of the record in force.
 */
export const changeQueue = <Result>(
  before: LockRecord,
  after: Pick<LockRecord, 'generation' | 'box'>,
  key: DataKey,
  change: () => Promise<Result>,
): Promise<Result> =>
  exclusively(QUEUE, async () => {
    const moved: SharedItem[] = [];
    for (const item of await readShared(before.generation)) {
      const words = await openedText(item, before, key);
      // Items that do not open are passed on: no code may delete them.
      if (words === null) moved.push(item);
      else
        moved.push({
          ...item,
          content: after.box ? await sealInto(after.box, new TextEncoder().encode(words)) : words,
        });
    }
    if (moved.length > 0) await putShared(after.generation, moved);
    return await change();
  });
