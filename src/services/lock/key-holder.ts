// Holds the data key in this thread's memory, and passes it between threads: a window that opens while
// another is unlocked, and the workers of a tab, ask for it by BroadcastChannel. It travels as a
// non-extractable CryptoKey, and is never on a disk.
import { z } from 'zod';
import type { DataKey } from '../../adapters/vault/data-key.ts';
import { ignore } from '../../domain/base/log.ts';
import type { Cancellation } from '../../domain/base/readable.ts';
import { joinNews } from '../../domain/threads/news.ts';

const CHANNEL = 'recollect-lock';
/** Time between two requests of a thread that needs the key, ms. */
const REPEAT_MS = 500;

const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ask') }),
  /** `since`: when the device was unlocked with it, ms since 1970. */
  z.object({
    type: z.literal('key'),
    key: z.custom<DataKey>((value) => value instanceof CryptoKey),
    since: z.number().catch(0),
  }),
  /** Every tab releases everything and reloads. `at`: when that was asked for, ms since 1970. */
  z.object({ type: z.literal('lock'), at: z.number().catch(() => now()) }),
  /** The state of the lock changed. */
  z.object({ type: z.literal('changed') }),
]);
type Message = z.infer<typeof messageSchema>;

/** Finer than `Date.now`: a lock and an unlocking may follow each other within a millisecond. */
const now = (): number => performance.timeOrigin + performance.now();

/** `isRight` tests if another thread's key belongs to this device's present lock. */
export class KeyHolder {
  #key: DataKey | null = null;
  #wasLocked = false;
  /**
   * When the device was unlocked with it, when all tabs were locked last, and when this thread gave the key away last.
   */
  #since = 0;
  #lockedAt = 0;
  #gaveAt = 0;
  /** Count of locks since this thread began. */
  #locks = 0;
  readonly #send: (message: Message) => void;
  readonly #isRight: (key: DataKey) => Promise<boolean>;
  readonly #listeners = new Set<(type: 'key' | 'lock' | 'changed') => void>();

  constructor(isRight: (key: DataKey) => Promise<boolean>, signal: Cancellation) {
    this.#isRight = isRight;
    const take = (message: Message) =>
      ignore(this.#take(message), 'a key that cannot be checked; it is asked for again');
    this.#send = joinNews(new BroadcastChannel(CHANNEL), messageSchema, take, signal);
  }

  get(): DataKey | null {
    return this.#key;
  }

  /** True if a lock took this thread's key away. */
  get wasLocked(): boolean {
    return this.#wasLocked;
  }

  /** Keeps the key in this thread, and passes it to all that wait for it. */
  hold(key: DataKey): void {
    this.#key = key;
    this.#wasLocked = false;
    this.#since = Math.max(now(), this.#lockedAt + 0.001);
    this.#give(key);
    this.#call('key');
  }

  #give(key: DataKey): void {
    this.#gaveAt = now();
    this.#send({ type: 'key', key, since: this.#since });
  }

  /** Returns another thread's key; null if none answers within `timeoutMs`. */
  async ask(timeoutMs: number): Promise<DataKey | null> {
    if (this.#key) return this.#key;
    return await new Promise((resolve) => {
      const end = () => {
        clearInterval(again);
        clearTimeout(late);
        stop();
        resolve(this.#key);
      };
      const stop = this.subscribe((type) => type === 'key' && end());
      const again = setInterval(() => this.#send({ type: 'ask' }), REPEAT_MS);
      const late = setTimeout(end, timeoutMs);
      this.#send({ type: 'ask' });
    });
  }

  /** Locks all tabs, this one included. */
  lock(): void {
    const at = now();
    this.#send({ type: 'lock', at });
    this.#lose(at);
  }

  /** Tells other tabs that the lock's records changed. */
  announce(): void {
    this.#send({ type: 'changed' });
  }

  /** Returns how to stop. */
  subscribe(listener: (type: 'key' | 'lock' | 'changed') => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #take(message: Message): Promise<void> {
    if (message.type === 'ask') {
      if (this.#key) this.#give(this.#key);
    } else if (message.type === 'lock') {
      // A thread that got the key from here meanwhile may have started too late to be notified of the lock.
      if (this.#key && this.#gaveAt >= message.at) this.#send(message);
      this.#lose(message.at);
    } else if (message.type === 'changed') this.#call('changed');
    else await this.#takeKey(message);
  }

  /**
   * It may replace another key: locking may have been cancelled and turned on again.
   * Ignored if a lock came during the check.
   */
  async #takeKey({ key, since }: Extract<Message, { type: 'key' }>): Promise<void> {
    const locks = this.#locks;
    // A thread that has not heard of the lock yet still gives away the key of before.
    if (since <= this.#lockedAt || !(await this.#isRight(key)) || locks !== this.#locks) return;
    this.#key = key;
    this.#since = since;
    this.#wasLocked = false;
    this.#call('key');
  }

  /** At once, in tabs and workers: a tab that still saves must not pass the key to one that has reloaded. */
  #lose(at: number): void {
    this.#lockedAt = Math.max(this.#lockedAt, at);
    this.#wasLocked ||= this.#key !== null;
    this.#key = null;
    this.#locks += 1;
    this.#call('lock');
  }

  #call(type: 'key' | 'lock' | 'changed'): void {
    for (const listener of [...this.#listeners]) listener(type);
  }
}
