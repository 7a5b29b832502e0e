// Admits connections: counts the connections and handshakes of each address, and the connections of each account.
// Authorisation keeps no state, since an account's name is the hash of its token.
import type { IncomingMessage } from 'node:http';
import { log } from '../domain/base/log.ts';
import { accountTag } from '../domain/sync/keys.ts';
import type { IncomingOwner } from './incoming-budget.ts';
import { type Bucket, createBucket, draw } from './limits.ts';
import type { Metrics } from './metrics.ts';
import type { Options } from './options.ts';
import type { AccountUsage } from './room.ts';
import { ErasedError, type RelayStore } from './store.ts';

/** Token: 16 to 96 bytes, base64url. */
const TOKEN = /^[\w-]{22,128}$/;
/** Time between two readings of an account's stored size, ms: other relays may write to the same store. */
const USAGE_REFRESH_MS = 30_000;
/** Time after which an unused account or address is forgotten, ms. */
const FORGET_MS = 60_000;
/** Largest debt of an account, in ms of its rate; beyond it, only existing connections are served. */
const MAX_DEBT_MS = 10_000;

/** An account in use: its stored size, its share of the memory, its connections, and its rates. */
export interface HostedAccount extends AccountUsage, IncomingOwner {
  connections: number;
  /** Messages of all its connections. */
  readonly messages: Bucket;
  /** Bytes received, and work charged as bytes. */
  readonly traffic: Bucket;
  /** Last reading of its stored size, ms since 1970. */
  usageReadAt: number;
  /** Departure of its last connection, ms since 1970. */
  idleSince: number;
}

/** A client's network: an IPv6 household has a /64 of addresses. */
export interface Address extends IncomingOwner {
  /** Its WebSockets. */
  connections: number;
  /** TCP connections that are no WebSocket, or not yet. */
  sockets: number;
  readonly handshakes: Bucket;
  /** Last request, ms since 1970. */
  seenAt: number;
}

/**
 * Returns the network of an IP address: an IPv4 address as it is, of an IPv6 one the first 64 bits, however its zeros
 * are written. Some proxies add a port, which changes with each connection.
 */
function networkOf(address: string): string {
  const plain = address
    .replace(/^\[([^\]]*)\].*$/, '$1')
    .replace(/%[\s\S]*/, '')
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const groups = (part = '') => part.split(':').filter(Boolean);
  const left = groups(head);
  const right = groups(tail);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array<string>(zeros).fill('0'), ...right]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** Decides which connections and requests are let in, and counts the accounts and addresses that make them. */
export class Admission {
  readonly #accounts = new Map<string, HostedAccount>();
  readonly #addresses = new Map<string, Address>();
  /** Tags that may use this relay; empty: every account. */
  readonly #allowed: ReadonlySet<string>;
  readonly #store: RelayStore;
  readonly #options: Options;
  readonly #metrics: Metrics;

  constructor(deps: { readonly store: RelayStore; readonly options: Options; readonly metrics: Metrics }) {
    this.#store = deps.store;
    this.#options = deps.options;
    this.#metrics = deps.metrics;
    this.#allowed = new Set(deps.options.accounts);
  }

  /** Count of accounts in use. */
  get accounts(): number {
    return this.#accounts.size;
  }

  /** True if pages of this origin may connect. Clients that are no browser send none, and may. */
  isOrigin(origin: string | undefined): boolean {
    const { origins } = this.#options;
    return origin === undefined || origins.length === 0 || origins.includes(origin);
  }

  /**
   * True if this token (base64url) opens the account with this tag, and the relay accepts the account. Never throws.
   */
  opens(token: string | undefined, account: string): boolean {
    if (!token || !TOKEN.test(token) || (this.#allowed.size > 0 && !this.#allowed.has(account))) return false;
    try {
      return accountTag(token) === account;
    } catch (error) {
      log.debug('A token was no base64url', error);
      return false;
    }
  }

  /**
   * Returns the entry of a request's sender: the last hop before a trusted proxy, or the other end of the connection.
   */
  addressOf(request: IncomingMessage): Address {
    const forwarded = this.#options.trustProxy ? String(request.headers['x-forwarded-for'] ?? '') : '';
    return this.address(forwarded.split(',').at(-1)?.trim() || request.socket.remoteAddress);
  }

  /**
   * Returns the entry of an IP address, new at its first use. An IPv4 address in IPv6 form counts
   * as IPv4, and an IPv6 one as its /64.
   */
  address(name = ''): Address {
    const key = networkOf(name);
    const now = Date.now();
    const known = this.#addresses.get(key);
    if (known) {
      known.seenAt = now;
      return known;
    }
    const address: Address = {
      connections: 0,
      sockets: 0,
      unfinished: 0,
      pending: 0,
      handshakes: createBucket(this.#options.limits.handshakesPerSecond, now),
      seenAt: now,
    };
    this.#addresses.set(key, address);
    return address;
  }

  /** Counts a handshake, or an HTTP request for an account. False if this address made too many. */
  takeHandshake(address: Address): boolean {
    return draw(address.handshakes, 1, this.#options.limits.handshakesPerSecond, Date.now()) === 0;
  }

  /** True if an address has all the connections that it may have. */
  isCrowded(address: Address): boolean {
    return address.connections >= this.#options.limits.connectionsPerIp;
  }

  /** Returns the entry of the account with this tag. A new one counts as empty until the store has answered. */
  account(tag: string): HostedAccount {
    const known = this.#accounts.get(tag);
    if (known) return known;
    const now = Date.now();
    const { limits } = this.#options;
    const account: HostedAccount = {
      tag,
      rooms: 0,
      bytes: 0,
      outgoing: 0,
      unfinished: 0,
      pending: 0,
      connections: 0,
      messages: createBucket(limits.accountMessagesPerSecond, now),
      traffic: createBucket(limits.accountBytesPerSecond, now),
      usageReadAt: now,
      idleSince: now,
    };
    this.#accounts.set(tag, account);
    this.#readUsage(account);
    return account;
  }

  /** True if the account, this connection included, has too many connections, or is too far in debt. */
  isOverLimit(account: HostedAccount): boolean {
    const { limits } = this.#options;
    const debt = draw(account.traffic, 0, limits.accountBytesPerSecond, Date.now());
    return account.connections > limits.connectionsPerAccount || debt > MAX_DEBT_MS;
  }

  #readUsage(account: HostedAccount): void {
    account.usageReadAt = Date.now();
    this.#store.usage(account.tag).then(
      ({ rooms, bytes }) => Object.assign(account, { rooms, bytes }),
      (error: unknown) => {
        // The room that a client of an erased account opens tells it, so this is no failure.
        if (!(error instanceof ErasedError)) this.#metrics.count('store_errors_total');
      },
    );
  }

  /**
   * Forgets unused entries, and reads accounts' stored sizes again. Call it every second or so. `now`: ms since 1970.
   */
  sweep(now = Date.now()): void {
    for (const [key, { connections, sockets, seenAt }] of this.#addresses)
      if (connections + sockets === 0 && now - seenAt > FORGET_MS) this.#addresses.delete(key);
    for (const [tag, account] of this.#accounts) {
      if (account.connections === 0 && now - account.idleSince > FORGET_MS) this.#accounts.delete(tag);
      else if (account.connections > 0 && now - account.usageReadAt > USAGE_REFRESH_MS)
        this.#readUsage(account);
    }
  }
}
