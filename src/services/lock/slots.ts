// Opens the device by its key slots and limits the attempts. Counts an attempt before it is made: closing
// the page in the middle avoids no wait.
import { cipherFor, type DataKey, holdDataKey, newDataKey } from '../../adapters/vault/data-key.ts';
import {
  addSlot,
  type KeySlot,
  type NewSlot,
  type Opener,
  openSlots,
} from '../../adapters/vault/key-slots.ts';
import type { LockRecord, LockRecords } from '../../adapters/vault/lock-records.ts';
import { newBox } from '../../adapters/vault/sealed-box.ts';
import { RecollectError } from '../../domain/base/errors.ts';

/** Attempts without a wait. */
const FREE_TRIES = 3;
/** The longest wait, ms. */
const LONGEST_MS = 5 * 60_000;

/** Wait after so many wrong attempts in a row, ms: nothing at first, then 1 s, 2 s, 4 s … 5 min. */
export const waitAfter = (failed: number): number =>
  failed < FREE_TRIES ? 0 : Math.min(LONGEST_MS, 1000 * 2 ** Math.min(20, failed - FREE_TRIES));

/** Text sealed with the data key, by which the key is recognised. */
const CHECK = 'recollect/lock/1|check';

/** True if the record was made with this key. */
export async function isKeyOf({ check }: Pick<LockRecord, 'check'>, key: DataKey): Promise<boolean> {
  return check !== null && (await (await cipherFor(key, 'check')).open(CHECK, check)) !== null;
}

/**
 * Returns the data key, 32 bytes in clear: hold or wrap it, then overwrite it. Throws `lock-wait` during the wait after
 * wrong attempts (`seconds`), and `lock-wrong` if nothing opens.
 */
async function openedBy(records: LockRecords, opener: Opener, now: () => number): Promise<Uint8Array> {
  const counted = await records.change((before) => {
    const { failed, until } = before.tries;
    // After a clock was set back, a person must not be locked out for years.
    const wait = Math.min(until - now(), LONGEST_MS);
    if (wait > 0)
      throw new RecollectError('lock-wait', 'Too many wrong tries', {
        params: { seconds: Math.ceil(wait / 1000) },
        retry: true,
      });
    return { ...before, tries: { failed: failed + 1, until: now() + waitAfter(failed + 1) } };
  });
  const raw = await openSlots(counted.slots, opener);
  if (!raw) throw new RecollectError('lock-wrong', 'That does not unlock this device', { retry: true });
  await records.change((before) => ({ ...before, tries: { failed: 0, until: 0 } }));
  return raw;
}

/** Unlocks: returns the data key in the threads' form. Throws `lock-wait`, `lock-wrong`. */
export async function unlock(records: LockRecords, opener: Opener, now = Date.now): Promise<DataKey> {
  const raw = await openedBy(records, opener, now);
  try {
    return await holdDataKey(raw);
  } finally {
    raw.fill(0);
  }
}

/** Adds a key slot; `replaces`: slots removed in the same write. Throws as `unlock`. */
export async function addOpener(
  records: LockRecords,
  opener: Opener,
  made: NewSlot,
  options: { readonly replaces?: KeySlot['kind']; readonly now?: () => number } = {},
): Promise<void> {
  const { replaces, now = Date.now } = options;
  const raw = await openedBy(records, opener, now);
  try {
    const slot = await addSlot(raw, made, now());
    await records.change((before) => ({
      ...before,
      slots: [...before.slots.filter(({ kind }) => kind !== replaces), slot],
    }));
  } finally {
    raw.fill(0);
  }
}

/** Removes a key slot. Throws `lock-last` for the last of all. */
export async function removeOpener(records: LockRecords, id: string): Promise<void> {
  await records.change((before) => {
    const slots = before.slots.filter((slot) => slot.id !== id);
    if (slots.length === 0) throw new RecollectError('lock-last', 'The last key slot stays');
    return { ...before, slots };
  });
}

/** Makes a new data key in new slots, a box for it, and its check. */
export async function newLock(
  made: readonly NewSlot[],
  now: () => number,
): Promise<{ readonly key: DataKey } & Pick<LockRecord, 'slots' | 'check' | 'box'>> {
  const raw = newDataKey();
  try {
    const slots: KeySlot[] = [];
    for (const one of made) slots.push(await addSlot(raw, one, now()));
    const key = await holdDataKey(raw);
    const check = await (await cipherFor(key, 'check')).seal(CHECK, new Uint8Array());
    return { key, slots, check, box: await newBox(key) };
  } finally {
    raw.fill(0);
  }
}
