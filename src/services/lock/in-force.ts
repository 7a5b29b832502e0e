// The stores in force: which database they are in, and with which key they are
// opened. And how another takes their place.
//
//   every thread: shared lock `recollect:in-use` ──► reads the record ──► opens the database in force, until it ends
//   conversion:   copies beside them ──► at a start, alone (the lock exclusively): the rest, the values,
//                 one write to the record ──► the old goes
import type { KeyValues, Store } from '../../adapters/log/conversation-log.ts';
import { copyEntries, copyValues, databaseName, deleteGeneration } from '../../adapters/log/generations.ts';
import { openStore } from '../../adapters/log/index.ts';
import { type IndexedDbOptions, openIndexedDbStore } from '../../adapters/log/indexed-db.ts';
import { openEntry, type StoreCiphers, sealEntry, sealedStore } from '../../adapters/log/sealed.ts';
import { cipherFor, type DataKey } from '../../adapters/vault/data-key.ts';
import { createKeyValueVault } from '../../adapters/vault/key-value.ts';
import type { LockRecord, LockRecords } from '../../adapters/vault/lock-records.ts';
import { newBox } from '../../adapters/vault/sealed-box.ts';
import { deleteShared } from '../../adapters/vault/shared-queue.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import { createVault } from '../../adapters/vault/web-crypto.ts';
import type { RecordCipher } from '../../domain/base/record-cipher.ts';
import { changeQueue } from './shared.ts';
import { isKeyOf } from './slots.ts';

export interface StoresInForce {
  /** Name of the log's database. */
  readonly name: string;
  readonly store: Store;
  /** The real store, which the second copy follows without a key. */
  readonly below: Store;
  readonly vault: Vault;
  /** Null if the index is not sealed. */
  readonly indexCipher: RecordCipher | null;
  /** Key for other threads of this tab; null if nothing is sealed. */
  readonly dataKey: DataKey | null;
}

/** Keys of the vaults themselves: secrets pass from one vault to the other, never in their stored form. */
const isOfVault = (key: string): boolean => key.startsWith('vault/') || key.startsWith('secret/');

async function ciphersOf(key: DataKey | null): Promise<StoreCiphers> {
  if (!key) throw new Error('A sealed store needs the key of the device');
  return { entries: await cipherFor(key, 'log'), values: await cipherFor(key, 'key-values') };
}

const vaultOf = (keyValues: KeyValues, sealed: boolean): Vault =>
  sealed ? createKeyValueVault(keyValues) : createVault(keyValues);

/** Opens the stores in force. `key` is needed if they are sealed. Throws as `openStore`. */
export async function openStoresInForce(
  record: Pick<LockRecord, 'generation' | 'sealed'>,
  key: DataKey | null,
  options: Pick<IndexedDbOptions, 'onProblem'> = {},
): Promise<StoresInForce> {
  const name = databaseName(record.generation);
  const below = await openStore({ ...options, name });
  const store = record.sealed ? sealedStore(below, await ciphersOf(key)) : below;
  return {
    name,
    below,
    store,
    vault: vaultOf(store.keyValues, record.sealed),
    indexCipher: record.sealed && key ? await cipherFor(key, 'index') : null,
    dataKey: record.sealed ? key : null,
  };
}

/** Name of the Web Lock of the tab that copies, or deletes a copy. */
export const CONVERTING = 'recollect:convert';

interface ConversionDeps {
  readonly records: LockRecords;
  readonly key: DataKey;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, all: number) => void;
}

/**
 * Copies what the new database lacks, also after an interruption. `alone`: no other thread has the log open; then the
 * new one takes over, and this returns true. Throws for a key other than the lock's: no slot would open it.
 */
export async function convertDatabase(
  deps: ConversionDeps,
  alone: boolean,
): Promise<{ changed: number; isDone: boolean }> {
  const { records, key, signal, onProgress } = deps;
  const record = await records.read();
  const { conversion, generation, sealed } = record;
  if (!conversion) return { changed: 0, isDone: true };
  if (!(await isKeyOf(record, key))) throw new Error('This tab has another key than that of the lock');
  const [from, to] = [databaseName(generation), databaseName(conversion.to)];
  const ciphers = await ciphersOf(key);
  const source = await openStore({ name: from });
  const target = await openIndexedDbStore({ name: to });
  try {
    const changed = await copyEntries({
      from,
      to,
      source: source.log,
      signal,
      convert: async (entry) => {
        const plain = sealed ? await openEntry(entry, ciphers.entries) : entry;
        return conversion.sealed ? await sealEntry(plain, ciphers.entries) : plain;
      },
      ...(onProgress ? { onProgress } : {}),
    });
    if (!alone) return { changed, isDone: false };
    const [before, after] = [
      sealed ? sealedStore(source, ciphers) : source,
      conversion.sealed ? sealedStore(target, ciphers) : target,
    ];
    await copyValues(before, after, isOfVault);
    await copyVault(vaultOf(before.keyValues, sealed), vaultOf(after.keyValues, conversion.sealed));
    const box = conversion.sealed ? (record.box ?? (await newBox(key))) : null;
    await changeQueue(record, { generation: conversion.to, box }, key, () =>
      records.change((now) => ({
        ...now,
        generation: conversion.to,
        sealed: conversion.sealed,
        conversion: null,
        stale: [...now.stale, generation],
        box,
        ...(conversion.sealed ? {} : { slots: [], check: null }),
      })),
    );
    return { changed, isDone: true };
  } finally {
    await source.log.close();
    await target.log.close();
  }
}

async function copyVault(from: Vault, to: Vault): Promise<void> {
  const names = await from.names();
  for (const name of names) await to.put(name, (await from.get(name)) ?? '');
  for (const name of await to.names()) if (!names.includes(name)) await to.put(name, '');
}

/**
 * Deletes replaced databases with their second copies, while no thread copies into one; `removeIndex`:
 * the index's files of the other kind.
 */
export async function deleteStale(
  records: LockRecords,
  removeIndex: (sealed: boolean) => Promise<void>,
): Promise<void> {
  const { stale, sealed } = await records.read();
  if (stale.length === 0) return;
  await removeIndex(!sealed);
  for (const generation of stale) {
    await deleteGeneration(generation);
    await deleteShared(generation);
    await records.change((now) => ({ ...now, stale: now.stale.filter((one) => one !== generation) }));
  }
}

/** The next number for a database: no two ever had the same. */
export const nextGeneration = ({ generation, stale, conversion }: LockRecord): number =>
  Math.max(generation, conversion?.to ?? 0, ...stale) + 1;
