// Listens to PostgreSQL's notifications (LISTEN, NOTIFY) of changed rooms. Probes its connection and replaces a dead
// one, after which every room is checked, since notifications may have been lost.
import pg from 'pg';
import { ignore, orElse } from '../domain/base/log.ts';
import type { Change } from './store.ts';

/** Channel of the notifications. A payload is `<node> <account>` or `<node> <account>/<room>`. */
export const CHANNEL = 'recollect_relay';
/** Delay before a lost connection is replaced, ms. */
const RETRY_MS = 500;
/** Longest wait for an answer on this connection, ms. */
const ANSWER_MS = 10_000;

/** One listening connection of this process, kept open until `stop`. */
export class PostgresListener {
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #connection: pg.ClientConfig;
  readonly #node: string;
  readonly #probeMs: number;
  #client: pg.Client | undefined;
  /** Timer of the next attempt to connect, or the next probe. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  /** `node`: id of this process, whose own notifications are ignored; `probeMs`: time between two probes, ms. */
  constructor(connection: pg.ClientConfig, node: string, probeMs: number) {
    this.#connection = connection;
    this.#node = node;
    this.#probeMs = probeMs;
  }

  /**
   * Calls `listener` with each change by another process, and with null after each new connection. Returns how to stop.
   */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Connects, and connects again until `stop` whenever the connection is lost. Never throws. */
  start(): void {
    const client = new pg.Client({
      ...this.#connection,
      query_timeout: Math.min(ANSWER_MS, this.#probeMs),
    });
    this.#client = client;
    let isLost = false;
    const restart = () => {
      if (isLost) return;
      isLost = true;
      ignore(client.end(), 'ending a connection that is broken');
      clearTimeout(this.#timer);
      if (!this.#isStopped) this.#timer = setTimeout(() => this.start(), RETRY_MS);
    };
    const probeLater = () => {
      if (isLost || this.#isStopped) return;
      this.#timer = setTimeout(() => {
        client.query('select 1').then(probeLater, restart);
      }, this.#probeMs);
    };
    client.on('error', restart);
    client.on('end', restart);
    client.on('notification', ({ payload }) => this.#onNotification(payload));
    client
      .connect()
      .then(() => client.query(`listen ${CHANNEL}`))
      .then(() => {
        this.#notify(null);
        probeLater();
      })
      .catch(restart);
  }

  /** Stops probing and connecting again. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Ends the connection and resolves when it has ended. Call `stop` first. Never rejects. */
  async ended(): Promise<void> {
    if (this.#client) await orElse(this.#client.end(), undefined, 'ending the connection that listens');
  }

  #onNotification(payload = ''): void {
    const [from, name = ''] = payload.split(' ');
    const [account, room] = name.split('/');
    if (from === this.#node || !account) return;
    this.#notify(room === undefined ? { account } : { account, room });
  }

  #notify(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}
