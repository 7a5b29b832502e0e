// Limits that keep one stranger from using up the relay. The devices of one family never reach the defaults.
import { z } from 'zod';

const whole = (fallback: number) => z.coerce.number().int().min(1).default(fallback);
const MIB = 1024 * 1024;

/**
 * Reads the limits from environment variables, which docs/relay.md explains: sizes in
 * bytes, rates a second, times in seconds.
 */
export const limitsSchema = z
  .object({
    RELAY_MAX_PAYLOAD: whole(16 * MIB),
    RELAY_MAX_UPDATE: whole(8 * MIB),
    RELAY_MAX_ROOM: whole(32 * MIB),
    RELAY_MAX_PIECES: whole(500_000),
    RELAY_MAX_ACCOUNT: whole(2048 * MIB),
    RELAY_MAX_ROOMS: whole(50_000),
    RELAY_MAX_AWARENESS: whole(1024),
    RELAY_MAX_CONNECTIONS: whole(20_000),
    RELAY_MAX_CONNECTIONS_PER_IP: whole(1000),
    RELAY_MAX_CONNECTIONS_PER_ACCOUNT: whole(500),
    RELAY_MAX_SOCKETS_PER_IP: whole(512),
    RELAY_HANDSHAKES_PER_SECOND: whole(100),
    RELAY_MESSAGES_PER_SECOND: whole(100),
    RELAY_ACCOUNT_MESSAGES_PER_SECOND: whole(500),
    RELAY_ACCOUNT_BYTES_PER_SECOND: whole(16 * MIB),
    RELAY_MAX_BUFFERED: whole(4 * MIB),
    RELAY_EVICT_SECONDS: whole(30),
    RELAY_PING_SECONDS: whole(30),
    RELAY_DRAIN_SECONDS: z.coerce.number().min(0).default(5),
  })
  .transform((env) => ({
    payload: env.RELAY_MAX_PAYLOAD,
    update: env.RELAY_MAX_UPDATE,
    room: env.RELAY_MAX_ROOM,
    pieces: env.RELAY_MAX_PIECES,
    account: env.RELAY_MAX_ACCOUNT,
    rooms: env.RELAY_MAX_ROOMS,
    awareness: env.RELAY_MAX_AWARENESS,
    connections: env.RELAY_MAX_CONNECTIONS,
    connectionsPerIp: env.RELAY_MAX_CONNECTIONS_PER_IP,
    connectionsPerAccount: env.RELAY_MAX_CONNECTIONS_PER_ACCOUNT,
    socketsPerIp: env.RELAY_MAX_SOCKETS_PER_IP,
    handshakesPerSecond: env.RELAY_HANDSHAKES_PER_SECOND,
    messagesPerSecond: env.RELAY_MESSAGES_PER_SECOND,
    accountMessagesPerSecond: env.RELAY_ACCOUNT_MESSAGES_PER_SECOND,
    accountBytesPerSecond: env.RELAY_ACCOUNT_BYTES_PER_SECOND,
    buffered: env.RELAY_MAX_BUFFERED,
    evictMs: env.RELAY_EVICT_SECONDS * 1000,
    pingMs: env.RELAY_PING_SECONDS * 1000,
    drainMs: env.RELAY_DRAIN_SECONDS * 1000,
  }));
/** The limits by the names that the code uses: sizes in bytes, rates a second, times in ms. */
export type Limits = z.output<typeof limitsSchema>;

/**
 * Close codes of WebSockets; docs/relay.md says when each is sent. A y-websocket client does not
 * come back by itself after 4400 to 4499.
 */
export const CLOSE = {
  restart: 1012,
  tryLater: 1013,
  junk: 4400,
  auth: 4401,
  quota: 4403,
  erased: 4404,
  upgrade: 4426,
  rate: 4429,
} as const;
export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];

/** A token bucket, which bounds a rate. */
export interface Bucket {
  /** Messages or bytes that may still come; negative: a debt. */
  tokens: number;
  /** Time of the last drawing, ms since 1970. */
  at: number;
}
/** Size of a bucket, in seconds of its rate: so much may come at once. */
const BURST_SECONDS = 10;

/** Makes a full bucket for `rate` a second. `now`: ms since 1970. */
export const createBucket = (rate: number, now: number): Bucket => ({
  tokens: rate * BURST_SECONDS,
  at: now,
});

/**
 * Takes `amount` from a bucket that fills at `rate` a second. Returns the ms until its debt is filled up, 0: it has
 * none. The debt stays: charge a refused client once only. A clock that is set back takes nothing out.
 */
export function draw(bucket: Bucket, amount: number, rate: number, now: number): number {
  const filled = bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * rate;
  bucket.tokens = Math.min(rate * BURST_SECONDS, filled) - amount;
  bucket.at = now;
  return bucket.tokens >= 0 ? 0 : (-bucket.tokens / rate) * 1000;
}
