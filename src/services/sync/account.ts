// The account of this device and its secrets: probing a relay, joining, locking other devices out, leaving. Each step
// asks the relay before it writes anything, and writes everything in one transaction.
import type { Store } from '../../adapters/log/conversation-log.ts';
import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { RelayAccount, SyncBackend, SyncRoom } from '../../adapters/sync/sync-backend.ts';
import type { KeyRing, Sealing } from '../../adapters/vault/sealing.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import { RecollectError } from '../../domain/base/errors.ts';
import { DEVICE_BYTES } from '../../domain/sync/blob.ts';
import { toText } from '../../domain/sync/bytes.ts';
import { nextHlc } from '../../domain/sync/hlc.ts';
import { INDEX_ROOM, ROOM_ID_BYTES, TOKEN_BYTES, tokenInfo } from '../../domain/sync/keys.ts';
import { fingerprintOf, KEY_BYTES } from '../../domain/sync/pairing.ts';
import { decodeRows } from './account-state.ts';
import { createRoomKeys, openBlob, type RoomKeys } from './envelope.ts';
import {
  ACCOUNT,
  accountKey,
  BOOKMARK,
  deleteRecordsWrites,
  erasureWrite,
  type JoinedAccount,
  journalWrite,
  keyName,
  type RoomErasure,
  staleAccounts,
  staleSecretsWrite,
  tokenName,
  tombstoneWrites,
} from './records.ts';
import type { SyncRequest } from './requests.ts';

const JOIN_TIMEOUT_MS = 20_000;
/** Search for the index ends after so many empty epochs; largest body read in that search. */
const MAX_EMPTY_EPOCHS = 3;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/**
 * Opens an account: its key ring, and the token that the relay is shown (an operator's, or the key's own). Throws
 * `vault-unavailable`.
 */
export async function openAccount(
  { vault, sealing }: { readonly vault: Vault; readonly sealing: Sealing },
  { id, realm }: { readonly id: string; readonly realm: string },
): Promise<{ ring: KeyRing; token: string }> {
  const ring = await sealing.keyRing(await accountKey(vault, id));
  const token = (await vault.get(tokenName(id))) ?? toText(await ring.derive(tokenInfo(realm), TOKEN_BYTES));
  return { ring, token };
}

/**
 * Opens a room and waits until the relay has sent its content; the caller closes it. Throws the relay's error, or
 * `sync-offline` without an answer. `once`: the first failure counts, nothing is tried again.
 */
async function openSynced(
  backend: SyncBackend,
  relay: RelayAccount,
  roomId: string,
  signal: AbortSignal,
  { failFast = false } = {},
): Promise<SyncRoom> {
  signal.throwIfAborted();
  let onRoomChange = () => {};
  const room = backend.open(relay, roomId, () => onRoomChange());
  let timer: ReturnType<typeof setTimeout> | undefined;
  let aborted = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      const timeOut = () =>
        reject(new RecollectError('sync-offline', 'The relay does not answer', { retry: true }));
      timer = setTimeout(timeOut, JOIN_TIMEOUT_MS);
      aborted = () => reject(signal.reason);
      signal.addEventListener('abort', aborted, { once: true });
      onRoomChange = () => {
        if (room.state === 'synced') resolve();
        else if (room.state === 'refused' && room.problem) {
          const { code, message, params } = room.problem;
          reject(new RecollectError(code, message, params ? { params } : {}));
        } else if (room.state === 'offline' && failFast) timeOut();
      };
      onRoomChange();
    });
    return room;
  } catch (error) {
    room.close();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', aborted);
  }
}

/**
 * Finds the last epoch, from `from` on, in which these keys open something of the index: earlier rooms may have
 * been left because of junk. Null: none.
 */
export async function findIndex(
  {
    backend,
    keysOf,
    deflate,
  }: { readonly backend: SyncBackend; readonly keysOf: RoomKeys; readonly deflate: Deflate },
  relay: RelayAccount,
  signal: AbortSignal,
  from = 0,
): Promise<{ epoch: number; latest: string } | null> {
  let found: { epoch: number; latest: string } | null = null;
  for (let [epoch, misses] = [from, 0]; misses < MAX_EMPTY_EPOCHS; epoch += 1) {
    const { roomId, key } = await keysOf(INDEX_ROOM, epoch);
    const room = await openSynced(backend, relay, roomId, signal);
    let opens = false;
    let latest = '';
    try {
      for (const blob of room.blobs().values()) {
        const payload = (await openBlob({ roomId, key }, blob))?.payload;
        if (!payload) continue;
        // The key opened a blob, so the account exists. The session reads its state again, and completely.
        opens = true;
        const body = payload.deflated ? await deflate.inflate(payload.body, MAX_INDEX_BYTES) : payload.body;
        for (const [, , time] of (body && decodeRows(body)) ?? []) if (time > latest) latest = time;
      }
    } finally {
      room.close();
    }
    if (opens) found = { epoch, latest };
    misses = opens ? 0 : misses + 1;
  }
  return found;
}

interface AccountDeps {
  readonly store: Store;
  readonly vault: Vault;
  readonly backend: SyncBackend;
  readonly sealing: Sealing;
  readonly deflate: Deflate;
  /** Wall clock, ms since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Asks the relay to admit this token; a room that stays empty leaves nothing there. */
export async function probeRelay(
  { vault, backend, sealing, signal }: AccountDeps,
  { account, endpoint }: Extract<SyncRequest, { do: 'knock' }>,
): Promise<void> {
  const token = await vault.get(tokenName(account));
  if (token === undefined)
    throw new RecollectError('vault-unavailable', 'The token of the account cannot be read');
  const room = await openSynced(backend, { endpoint, token }, toText(sealing.random(ROOM_ID_BYTES)), signal, {
    failFast: true,
  });
  room.close();
}

/** Checks with the relay that this key opens something there; only then does it become this device's account. */
export async function joinAccount(
  { store: { log, keyValues }, vault, backend, sealing, deflate, now, signal }: AccountDeps,
  request: Extract<SyncRequest, { do: 'join' }>,
): Promise<void> {
  const { ring, token } = await openAccount(
    { vault, sealing },
    { id: request.account, realm: request.realm },
  );
  const found = await findIndex(
    { backend, keysOf: createRoomKeys(ring), deflate },
    { endpoint: request.endpoint, token },
    signal,
  );
  if (!found) throw new RecollectError('sync-no-account', 'The relay has nothing that this key opens');
  const isOlder = request.index !== null && found.latest < request.index;
  const account: JoinedAccount = {
    id: request.account,
    mode: request.mode,
    endpoint: request.endpoint,
    realm: request.realm,
    fingerprint: request.fingerprint,
    device: toText(sealing.random(DEVICE_BYTES)),
    deviceName: request.deviceName,
    createdAt: now(),
    joined: true,
    indexEpoch: found.epoch,
  };
  await log.append(
    [],
    [
      ...(await deleteRecordsWrites(keyValues)),
      { key: ACCOUNT, value: account },
      await journalWrite(keyValues, 'joined', now(), null, isOlder ? 'sync-older' : null),
    ],
  );
}

/** An account that this device belongs to. */
interface Membership extends AccountDeps {
  readonly account: JoinedAccount;
  readonly relay: RelayAccount;
}

/**
 * Locks all other devices out: a new key, under which everything is uploaded again; then the relay erases the old
 * account. One transaction ends the old account and begins the new one.
 * @param erase everything of the old account is here, so that it may be erased
 * @param name of the device that is the reason, for the journal
 * @param rooms names of the account's rooms on the relay
 * @param tombstones documents erased everywhere, which the new account goes on to announce
 */
export async function revoke(
  { store: { log, keyValues }, vault, sealing, account, relay, now, signal }: Membership,
  {
    erase,
    name,
    rooms,
    tombstones,
  }: {
    readonly erase: boolean;
    readonly name: string | null;
    readonly rooms: () => Promise<readonly string[]>;
    readonly tombstones: Parameters<typeof tombstoneWrites>[0];
  },
): Promise<void> {
  const id = toText(sealing.random(9));
  const key = sealing.random(KEY_BYTES);
  const managed = await vault.get(tokenName(account.id));
  const mark = staleSecretsWrite(id, true);
  await keyValues.set(mark.key, mark.value);
  await vault.put(keyName(id), toText(key));
  if (managed !== undefined) await vault.put(tokenName(id), managed);
  const next: JoinedAccount = {
    // An operator's account stays the same on the relay; only the key changes.
    ...account,
    id,
    fingerprint: fingerprintOf(key),
    device: toText(sealing.random(DEVICE_BYTES)),
    joined: false,
    indexEpoch: 0,
  };
  const old: RoomErasure = {
    endpoint: relay.endpoint,
    token: relay.token,
    room: null,
    afterUpload: true,
    document: null,
  };
  // With an operator's token both accounts are one on the relay, so the old rooms are erased one by one.
  const ended: readonly (string | null)[] = managed === undefined ? [null] : await rooms();
  const erasures = erase ? ended.map((room) => erasureWrite(room ?? account.id, { ...old, room })) : [];
  let time: string | null = null;
  const writes = [
    ...(await deleteRecordsWrites(keyValues)),
    ...tombstoneWrites(tombstones, next.indexEpoch, () => {
      time = nextHlc(now(), next.device, time);
      return time;
    }),
    { key: ACCOUNT, value: next },
    { key: BOOKMARK, value: await log.head() },
    ...erasures,
    staleSecretsWrite(id, false),
    staleSecretsWrite(account.id, true),
    await journalWrite(keyValues, 'revoked', now(), name),
  ];
  signal.throwIfAborted();
  await log.append([], writes);
}

/** Leaves the account; conversations stay on this device. `erase`: the account on the relay is erased before. */
export async function leaveAccount(
  { store: { log, keyValues }, backend, account, relay, now, signal }: Membership,
  { erase }: { readonly erase: boolean },
): Promise<void> {
  if (erase) await backend.erase(relay, null, signal);
  await log.append(
    [],
    [
      ...(await deleteRecordsWrites(keyValues)),
      { key: ACCOUNT, value: undefined },
      staleSecretsWrite(account.id, true),
      await journalWrite(keyValues, 'left', now()),
    ],
  );
}

/** Deletes the secrets of accounts that this device left or never joined. */
export async function sweepSecrets(
  { store: { keyValues }, vault }: Pick<AccountDeps, 'store' | 'vault'>,
  account: JoinedAccount | null,
): Promise<void> {
  for (const id of await staleAccounts(keyValues)) {
    if (id !== account?.id) {
      await vault.put(keyName(id), '');
      await vault.put(tokenName(id), '');
    }
    const { key, value } = staleSecretsWrite(id, false);
    await keyValues.set(key, value);
  }
}
