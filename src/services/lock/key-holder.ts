// Holds the data key in this thread's memory, and passes it between threads: a window that opens while another is unlocked, and the workers of
// a tab, ask for it by BroadcastChannel. It travels as a non-extractable CryptoKey, and is never on a disk.
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
  z.object({ type: z.literal('key'), key: z.custom<DataKey>((value) => value instanceof CryptoKey) }),
  /** Every tab releases everything and reloads. */
  z.object({ type: z.literal('lock') }),
  /** The state of the lock changed. */
  z.object({ type: z.literal('changed') }),
]);
type Message = z.infer<typeof messageSchema>;

/** `isRight` tests if another thread's key belongs to this device's present lock. */
export class KeyHolder {
  #key: DataKey | null = null;
  #wasLocked = false;
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
    this.#send({ type: 'key', key });
    this.#call('key');
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
    this.#send({ type: 'lock' });
    this.#lose();
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
      if (this.#key) this.#send({ type: 'key', key: this.#key });
    } else if (message.type === 'lock') this.#lose();
    else if (message.type === 'changed') this.#call('changed');
    else await this.#takeKey(message.key);
  }

  /** It may replace another key: locking may have been cancelled and turned on again. Ignored if a lock came during the check. */
  async #takeKey(key: DataKey): Promise<void> {
    const locks = this.#locks;
    if (!(await this.#isRight(key)) || locks !== this.#locks) return;
    this.#key = key;
    this.#wasLocked = false;
    this.#call('key');
  }

  /** At once, in tabs and workers: a tab that still saves must not pass the key to one that has reloaded. */
  #lose(): void {
    this.#wasLocked ||= this.#key !== null;
    this.#key = null;
    this.#locks += 1;
    this.#call('lock');
  }

  #call(type: 'key' | 'lock' | 'changed'): void {
    for (const listener of [...this.#listeners]) listener(type);
  }
}
