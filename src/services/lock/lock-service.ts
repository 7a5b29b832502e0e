// Turns locking on and off, and copies the log in the background for it: in one tab
// at a time, resumed at the next start.
import type { Store } from '../../adapters/log/conversation-log.ts';
import { newRecoveryPhrase, type Opener } from '../../adapters/vault/key-slots.ts';
import { type LockRecord, type LockRecords, NEVER_LOCKED } from '../../adapters/vault/lock-records.ts';
import { askPasskey, createPasskey } from '../../adapters/vault/passkey.ts';
import { measuredParameters } from '../../adapters/vault/passphrase.ts';
import { newBox } from '../../adapters/vault/sealed-box.ts';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import { ignore, log, orElse } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';
import { CONVERTING, convertDatabase, nextGeneration } from './in-force.ts';
import type { KeyHolder } from './key-holder.ts';
import type { DeviceLock, LockState } from './lock.ts';
import { changeQueue, takeShared } from './shared.ts';
import { addOpener, newLock, removeOpener, unlock } from './slots.ts';

/** With so few entries left the restart copies the rest. */
const NEARLY = 200;
/** Delay before a failed copy is tried again, ms. */
const RETRY_MS = 60_000;
/** Interval at which a copy that waits for its restart is updated, ms. */
const FOLLOW_MS = 60_000;

interface LockDeps {
  readonly records: LockRecords;
  readonly holder: KeyHolder;
  readonly kind: Store['kind'];
  /** The unlock screen uses its language, too. */
  readonly config: Readable<Config>;
  /** Runs work in one tab at a time. */
  readonly exclusively: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Reads the lock's state and continues what was begun. */
export async function createDeviceLock(deps: LockDeps): Promise<DeviceLock> {
  // A browser without storage has no record either, and an unreadable one has kept the stores from being opened.
  const record = await orElse(deps.records.read(), NEVER_LOCKED, 'the record of the lock');
  const lock = new StoredLock(deps, record);
  lock.begin();
  return lock;
}

/** Asks for one of the device's passkeys. Throws `lock-passkey` if none was used. */
export async function passkeyOpener(records: LockRecords): Promise<Opener> {
  const { slots } = await records.read();
  const { credential, secret } = await askPasskey(slots.filter((slot) => slot.kind === 'passkey'));
  return { kind: 'passkey', credential, secret };
}

function stateOf({ sealed, conversion, slots }: LockRecord): Omit<LockState, 'progress' | 'problem'> {
  const phase = conversion ? (conversion.sealed ? 'sealing' : 'opening') : sealed ? 'sealed' : 'off';
  return {
    phase,
    ready: conversion?.ready ?? false,
    slots: slots.map(({ id, kind, at }) => ({ id, kind, at })),
  };
}

class StoredLock implements DeviceLock {
  readonly #deps: LockDeps;
  readonly state = writable<LockState>({
    phase: 'off',
    ready: false,
    slots: [],
    progress: null,
    problem: null,
  });
  readonly isAvailable: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #copying = false;
  /** Stored language of the unlock screen. */
  #language: Config['ui']['language'] = 'auto';

  constructor(deps: LockDeps, record: LockRecord) {
    this.#deps = deps;
    this.isAvailable = deps.kind === 'persistent' && isSecureContext && 'locks' in navigator;
    this.#show(record);
  }

  begin(): void {
    const { config, holder, signal } = this.#deps;
    const stops = [
      holder.subscribe((type) => {
        if (type === 'changed') ignore(this.#read(), 'a change of the lock; the next one is read again');
      }),
      config.subscribe(() => this.#keepLanguage()),
    ];
    this.#keepLanguage();
    signal.addEventListener(
      'abort',
      () => {
        for (const stop of stops) stop();
        clearTimeout(this.#timer);
      },
      { once: true },
    );
    this.#copySoon(0);
    ignore(this.#addBox(), 'the sealed box for shared items; the next start makes it');
    ignore(this.#deps.records.repairCopy(), 'the copy of the lock; the next start compares it again');
  }

  /** A device that an earlier version locked has none. */
  async #addBox(): Promise<void> {
    const { records, holder } = this.#deps;
    const key = holder.get();
    if (!key || !this.isAvailable) return;
    const { box, slots } = await records.read();
    if (box || slots.length === 0) return;
    const made = await newBox(key);
    await records.change((record) =>
      record.slots.length > 0 && !record.box ? { ...record, box: made } : record,
    );
  }

  newPhrase(): string {
    return newRecoveryPhrase();
  }

  async turnOn(passphrase: string, words: string): Promise<void> {
    const { config, records, holder, now } = this.#deps;
    const argon = await measuredParameters();
    const { key, ...made } = await newLock(
      [
        { kind: 'passphrase', passphrase, argon },
        { kind: 'recovery', words },
      ],
      now,
    );
    await records.change((record) => {
      // Checked in the same write: of two tabs that turn it on at once, one succeeds.
      if (record.slots.length > 0) throw new RecollectError('lock-busy', 'Locking is on already');
      return {
        ...record,
        ...made,
        language: config.get().ui.language,
        tries: { failed: 0, until: 0 },
        conversion: { to: nextGeneration(record), sealed: true, ready: false },
      };
    });
    // Before the news: other tabs begin to copy at once, and may have the key of a cancelled lock.
    holder.hold(key);
    await this.#announced();
  }

  async turnOff(opener: Opener): Promise<void> {
    const { records, now } = this.#deps;
    const key = await unlock(records, opener, now);
    const before = await records.read();
    // Sealed data is copied back; a conversion that only began ends, with what was shared meanwhile.
    if (before.sealed)
      await records.change((record) => ({
        ...record,
        conversion: { to: nextGeneration(record), sealed: false, ready: false },
        stale: record.conversion ? [...record.stale, record.conversion.to] : record.stale,
      }));
    else
      await changeQueue(before, { generation: before.generation, box: null }, key, () =>
        records.change((record) => ({
          ...record,
          conversion: null,
          slots: [],
          check: null,
          box: null,
          stale: record.conversion ? [...record.stale, record.conversion.to] : record.stale,
        })),
      );
    await this.#announced();
  }

  async changePassphrase(opener: Opener, passphrase: string): Promise<void> {
    const { records, now } = this.#deps;
    const made = { kind: 'passphrase', passphrase, argon: await measuredParameters() } as const;
    await addOpener(records, opener, made, { replaces: 'passphrase', now });
    await this.#announced();
  }

  async changePhrase(opener: Opener, words: string): Promise<void> {
    const { records, now } = this.#deps;
    await addOpener(records, opener, { kind: 'recovery', words }, { replaces: 'recovery', now });
    await this.#announced();
  }

  async addPasskey(opener: Opener): Promise<void> {
    const { records, now } = this.#deps;
    await addOpener(records, opener, { kind: 'passkey', ...(await createPasskey()) }, { now });
    await this.#announced();
  }

  async remove(id: string): Promise<void> {
    await removeOpener(this.#deps.records, id);
    await this.#announced();
  }

  async takeShared(deliver: (words: string) => Promise<boolean>): Promise<void> {
    await takeShared(this.#deps.records, this.#deps.holder.get(), deliver);
  }

  lockNow(): void {
    this.#deps.holder.lock();
  }

  async #change(work: (before: LockRecord) => LockRecord): Promise<void> {
    await this.#deps.records.change(work);
    await this.#announced();
  }

  async #announced(): Promise<void> {
    this.#deps.holder.announce();
    await this.#read();
  }

  async #read(): Promise<void> {
    this.#show(await this.#deps.records.read());
    this.#copySoon(0);
  }

  /** The settings are sealed while the unlock screen is shown, so it reads its language from the lock's record. */
  #keepLanguage(): void {
    const { language } = this.#deps.config.get().ui;
    if (language === this.#language || this.state.get().slots.length === 0) return;
    this.#language = language;
    ignore(
      this.#deps.records.change((record) => (record.slots.length > 0 ? { ...record, language } : record)),
      'the unlock screen keeps the language it has until the next start',
    );
  }

  #show(record: LockRecord): void {
    this.#language = record.language;
    const { progress, problem } = this.state.get();
    const next = stateOf(record);
    const isCopying = next.phase === 'sealing' || next.phase === 'opening';
    this.state.set({ ...next, progress: isCopying ? progress : null, problem: isCopying ? problem : null });
  }

  #copySoon(ms: number): void {
    const { phase } = this.state.get();
    if (this.#deps.signal.aborted || (phase !== 'sealing' && phase !== 'opening')) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => ignore(this.#copy(), 'copying the log; the state says why it waits'), ms);
  }

  async #copy(): Promise<void> {
    const { records, holder, exclusively, signal } = this.#deps;
    if (!holder.get() || this.#copying) return;
    this.#copying = true;
    try {
      await exclusively(CONVERTING, async () => {
        // The key at the time of this tab's turn.
        const key = holder.get();
        if (!key) return;
        const onProgress = (done: number, all: number) =>
          this.state.update((before) => ({ ...before, progress: { done, all }, problem: null }));
        for (;;) {
          const { changed, isDone } = await convertDatabase({ records, key, signal, onProgress }, false);
          if (isDone) return;
          if (changed <= NEARLY) break;
        }
        if (!this.state.get().ready)
          await this.#change((record) =>
            record.conversion ? { ...record, conversion: { ...record.conversion, ready: true } } : record,
          );
      });
      this.#copySoon(FOLLOW_MS);
    } catch (error) {
      if (signal.aborted) return;
      log.warn('The log could not be copied for now', error);
      this.state.update((before) => ({ ...before, problem: toProblem(error) }));
      this.#copySoon(RETRY_MS);
    } finally {
      this.#copying = false;
    }
  }
}
