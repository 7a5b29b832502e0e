// Sync as a tab has it: makes and reads what people hand from device to device, keeps keys in the vault, and asks the engine, which runs
// once per origin, for everything that needs the relay.
import type { Store } from '../../adapters/log/conversation-log.ts';
import { drawQr, readQr } from '../../adapters/sync/qr.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import { RecollectError } from '../../domain/base/errors.ts';
import { ignore, orElse } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import { DEVICE_BYTES } from '../../domain/sync/blob.ts';
import { toText } from '../../domain/sync/bytes.ts';
import { TOKEN_BYTES } from '../../domain/sync/keys.ts';
import { fingerprintOf, fragmentOf, KEY_BYTES, phraseOf, readPairing } from '../../domain/sync/pairing.ts';
import type { Notes } from '../documents/notes.ts';
import type { Settings } from '../settings/settings.ts';
import {
  ACCOUNT,
  type Account,
  accountKey,
  accountSchema,
  deleteRecordsWrites,
  journalWrite,
  keyName,
  readJournal,
  tokenName,
} from './records.ts';
import type { SyncAnswer, SyncRequest } from './requests.ts';
import type { Sync, SyncAccount, SyncStatus } from './sync.ts';

interface SyncDeps {
  readonly store: Store;
  readonly vault: Vault;
  readonly settings: Pick<Settings, 'config' | 'set'>;
  readonly notes: Pick<Notes, 'forget'>;
  /** As the engine tells it. */
  readonly status: Readable<SyncStatus>;
  readonly ask: (request: SyncRequest) => Promise<SyncAnswer>;
  readonly random: (bytes: number) => Uint8Array;
  readonly now?: () => number;
}

/** What a tab has on its screen is said again this often: the engine forgets tabs that died. */
const OPEN_REPEAT_MS = 45_000;

/** A relay's address as it is used: `wss://host/path`, without an end slash. https and http are understood. Throws `sync-endpoint`. */
export function relayAddress(text: string): string {
  const typed = text.trim().replace(/^http/i, 'ws');
  const address = /^[a-z]+:\/\//i.test(typed) ? typed : `wss://${typed}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !/^wss?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new RecollectError('sync-endpoint', `${text} is not the address of a relay`, {
      params: { endpoint: text },
    });
  return `${url.protocol}//${url.host}${url.pathname}`.replace(/(?<!\/)\/+$/, '');
}

export function createSync({
  store,
  vault,
  settings,
  notes,
  status,
  ask,
  random,
  now = Date.now,
}: SyncDeps): Sync {
  const { log, drawer } = store;
  const tab = toText(random(9));
  let open: readonly string[] = [];
  let repeat: ReturnType<typeof setInterval> | undefined;
  const isOn = () => ['remote', 'managed'].includes(settings.config.get().sync.mode);
  const sendOpen = () => {
    if (isOn())
      ignore(
        ask({ do: 'open', tab, documents: [...open] }),
        'which conversations are open; it is sent again',
      );
  };
  let wasOn = isOn();
  const stopConfig = settings.config.subscribe(() => {
    if (wasOn !== isOn() && open.length > 0) sendOpen();
    wasOn = isOn();
  });

  const account = async (): Promise<Account> => {
    const kept = accountSchema.safeParse(await drawer.get(ACCOUNT));
    if (!kept.success) throw new RecollectError('sync-unpaired', 'This device belongs to no account');
    return kept.data;
  };
  const currentAccount = writable<SyncAccount | null>(null);
  const refreshAccount = () =>
    account().then(
      ({ fingerprint, endpoint, mode, createdAt }) =>
        currentAccount.set({ fingerprint, endpoint, managed: mode === 'managed', since: createdAt }),
      () => currentAccount.set(null),
    );
  void refreshAccount();
  const stopDrawer = drawer.subscribe(({ keys }) => {
    if (keys.includes(ACCOUNT)) void refreshAccount();
  });
  const switchOn = async (mode: 'remote' | 'managed', endpoint: string) => {
    await settings.set('sync.remote.endpoint', endpoint);
    await settings.set('sync.mode', mode);
  };

  return {
    status,
    account: currentAccount,
    where: async (conversation) => {
      const answer = await ask({ do: 'where', document: conversation });
      return answer !== null && typeof answer === 'object' ? answer : { place: 'here', devices: [] };
    },

    create: async ({ endpoint, deviceName, mode = 'remote', token }) => {
      // It would be said to be made, and gone with the tab.
      if (store.kind === 'memory')
        throw new RecollectError('storage-unavailable', 'Sync needs a browser that keeps what it receives');
      const address = relayAddress(endpoint);
      const id = toText(random(9));
      const key = random(KEY_BYTES);
      await vault.put(keyName(id), toText(key));
      if (token !== undefined) await vault.put(tokenName(id), token.trim());
      const made: Account = {
        id,
        mode,
        endpoint: address,
        realm: '',
        fingerprint: fingerprintOf(key),
        device: toText(random(DEVICE_BYTES)),
        deviceName,
        createdAt: now(),
        joined: false,
        indexEpoch: 0,
      };
      await log.append(
        [],
        [
          ...(await deleteRecordsWrites(drawer)),
          { key: ACCOUNT, value: made },
          await journalWrite(drawer, 'created', now()),
        ],
      );
      await switchOn(mode, address);
    },

    test: async (endpoint, token) => {
      const address = relayAddress(endpoint);
      const id = toText(random(9));
      // Without an operator's token, an account that nobody has tells as much as one's own would.
      await vault.put(tokenName(id), token?.trim() || toText(random(TOKEN_BYTES)));
      try {
        await ask({ do: 'knock', account: id, endpoint: address });
      } finally {
        await vault.put(tokenName(id), '');
      }
    },

    pairing: async (base) => {
      const mine = await account();
      const key = await accountKey(vault, mine.id);
      const { remote } = settings.config.get().sync;
      const latest = isOn()
        ? await orElse(ask({ do: 'index' }), null, 'the present list of rooms in a pairing link')
        : null;
      const fragment = fragmentOf({
        key,
        fingerprint: mine.fingerprint,
        endpoint: remote.endpoint || mine.endpoint,
        realm: mine.realm,
        token: (await vault.get(tokenName(mine.id))) ?? null,
        index: typeof latest === 'string' && latest !== '' ? new TextEncoder().encode(latest) : null,
      });
      const link = `${base.split('#', 1)[0]}${fragment}`;
      return { link, phrase: phraseOf(key), fingerprint: mine.fingerprint, qr: drawQr(link) };
    },

    readOffer: readPairing,
    readQr,

    join: async (offer, { deviceName, endpoint, token: given = '' }) => {
      const address = relayAddress(endpoint ?? offer.endpoint ?? '');
      const token = offer.token ?? (given.trim() || null);
      const mode = token === null ? 'remote' : 'managed';
      const id = toText(random(9));
      await vault.put(keyName(id), toText(offer.key));
      if (token !== null) await vault.put(tokenName(id), token);
      try {
        await ask({
          do: 'join',
          account: id,
          mode,
          endpoint: address,
          realm: offer.realm,
          fingerprint: offer.fingerprint,
          deviceName,
          index: offer.index === null ? null : new TextDecoder().decode(offer.index),
        });
      } catch (error) {
        await vault.put(keyName(id), '');
        await vault.put(tokenName(id), '');
        throw error;
      }
      await switchOn(mode, address);
    },

    renameDevice: async (deviceName) => {
      await drawer.set(ACCOUNT, { ...(await account()), deviceName });
    },
    revoke: async (device, { anyway } = {}) => {
      await ask({ do: 'revoke', device, anyway: anyway ?? null });
    },
    takeOff: async (device) => {
      await ask({ do: 'take-off', device });
    },
    forget: async (conversations) => {
      // First what quotes them: were it left behind, nothing would be listed any more with which to ask for it again.
      await notes.forget(conversations);
      await ask({ do: 'forget', documents: [...conversations] });
    },
    syncNow: async ({ force = false } = {}) => {
      await ask({ do: 'look', force });
    },
    leave: async ({ erase = false } = {}) => {
      await ask({ do: 'leave', erase });
      await settings.set('sync.mode', 'disabled');
    },
    journal: async () => {
      const names = new Map(status.get().devices.map(({ id, name }) => [id, name]));
      return (await readJournal(drawer)).map((entry) => ({
        ...entry,
        device: entry.device === null ? null : (names.get(entry.device) ?? entry.device),
      }));
    },

    setOpen: (conversations) => {
      open = [...conversations];
      sendOpen();
      clearInterval(repeat);
      repeat = open.length > 0 ? setInterval(sendOpen, OPEN_REPEAT_MS) : undefined;
    },
    close: () => {
      clearInterval(repeat);
      stopConfig();
      stopDrawer();
    },
  };
}
