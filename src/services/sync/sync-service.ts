// Sync in a tab: makes and reads the links that people pass between devices, keeps keys in the vault, and asks the
// engine, which runs once per origin, for everything that needs the relay.
import type { ConversationLog, KeyValues, Store } from '../../adapters/log/conversation-log.ts';
import { drawQr, readQr } from '../../adapters/sync/qr.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import { RecollectError } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import { ignore, log, orElse } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import { DEVICE_BYTES } from '../../domain/sync/blob.ts';
import { toText } from '../../domain/sync/bytes.ts';
import { TOKEN_BYTES } from '../../domain/sync/keys.ts';
import type { PairingOffer } from '../../domain/sync/pairing.ts';
import { fingerprintOf, fragmentOf, KEY_BYTES, phraseOf, readPairing } from '../../domain/sync/pairing.ts';
import type { Notes } from '../documents/notes.ts';
import type { Settings } from '../settings/settings.ts';
import {
  ACCOUNT,
  accountKey,
  accountSchema,
  deleteRecordsWrites,
  type JoinedAccount,
  journalWrite,
  keyName,
  readJournal,
  tokenName,
} from './records.ts';
import type { SyncAnswer, SyncRequest } from './requests.ts';
import type {
  JournalEntry,
  Pairing,
  Sync,
  SyncAccount,
  SyncLocation,
  SyncStatus,
  WhyUnfetched,
} from './sync.ts';

interface SyncDeps {
  readonly store: Store;
  readonly vault: Vault;
  readonly settings: Pick<Settings, 'config' | 'set'>;
  readonly notes: Pick<Notes, 'forget'>;
  /** Status from the engine. */
  readonly status: Readable<SyncStatus>;
  readonly ask: (request: SyncRequest) => Promise<SyncAnswer>;
  /** Called with the device's new name. */
  readonly onNamed?: (name: string) => Promise<void>;
  readonly random: (bytes: number) => Uint8Array;
  readonly now?: () => number;
  readonly drawQr?: typeof drawQr;
}

/** Interval at which a tab repeats its open documents, ms: the engine forgets tabs that died. */
const OPEN_REPEAT_MS = 45_000;

/**
 * Normalises a relay's address: `wss://host/path`, without an end slash. Accepts
 * https and http. Throws `sync-endpoint`.
 */
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

/**
 * Makes the tab's side of sync. It talks to the relay only through the engine;
 * pairing, keys and settings are handled here.
 */
export function createSync(deps: SyncDeps): Sync {
  return new SyncService(deps);
}

class SyncService implements Sync {
  readonly #deps: SyncDeps;
  readonly #now: NonNullable<SyncDeps['now']>;
  readonly #log: ConversationLog;
  readonly #keyValues: KeyValues;
  readonly #tab: string;
  #open: readonly string[] = [];
  #repeat: ReturnType<typeof setInterval> | undefined;
  readonly #stopConfig: () => void;
  readonly account = writable<SyncAccount | null>(null);
  readonly #stopKeyValues: () => void;
  readonly status: Sync['status'];
  readonly readOffer: Sync['readOffer'] = readPairing;
  readonly readQr: Sync['readQr'] = readQr;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
    const { now = Date.now } = deps;
    this.#now = now;
    const { log, keyValues } = deps.store;
    this.#log = log;
    this.#keyValues = keyValues;
    this.#tab = toText(deps.random(9));
    let wasOn = this.#isOn();
    this.#stopConfig = deps.settings.config.subscribe(() => {
      if (wasOn !== this.#isOn() && this.#open.length > 0) this.#sendOpen();
      wasOn = this.#isOn();
    });
    void this.#refreshAccount();
    this.#stopKeyValues = this.#keyValues.subscribe(({ keys }) => {
      if (keys.includes(ACCOUNT)) void this.#refreshAccount();
    });
    this.status = deps.status;
  }

  async where(conversation: ConversationId): Promise<SyncLocation> {
    const answer = await this.#deps.ask({ do: 'where', document: conversation });
    return answer !== null && typeof answer === 'object' ? answer : { place: 'here', devices: [] };
  }

  async create({
    endpoint,
    deviceName,
    mode = 'remote',
    token,
  }: {
    readonly endpoint: string;
    readonly deviceName: string;
    readonly mode?: 'remote' | 'managed';
    readonly token?: string;
  }): Promise<void> {
    // The account would seem to be made, and vanish with the tab.
    if (this.#deps.store.kind === 'memory')
      throw new RecollectError('storage-unavailable', 'Sync needs a browser that keeps what it receives');
    const address = relayAddress(endpoint);
    const id = toText(this.#deps.random(9));
    const key = this.#deps.random(KEY_BYTES);
    await this.#deps.vault.put(keyName(id), toText(key));
    if (token !== undefined) await this.#deps.vault.put(tokenName(id), token.trim());
    const made: JoinedAccount = {
      id,
      mode,
      endpoint: address,
      realm: '',
      fingerprint: fingerprintOf(key),
      device: toText(this.#deps.random(DEVICE_BYTES)),
      deviceName,
      createdAt: this.#now(),
      joined: false,
      indexEpoch: 0,
    };
    await this.#log.append(
      [],
      [
        ...(await deleteRecordsWrites(this.#keyValues)),
        { key: ACCOUNT, value: made },
        await journalWrite(this.#keyValues, 'created', this.#now()),
      ],
    );
    await this.#deps.onNamed?.(deviceName);
    await this.#switchOn(mode, address);
  }

  async test(endpoint: string, token?: string): Promise<void> {
    const address = relayAddress(endpoint);
    const id = toText(this.#deps.random(9));
    // Without an operator's token, a random account tests as much as the device's own would.
    await this.#deps.vault.put(tokenName(id), token?.trim() || toText(this.#deps.random(TOKEN_BYTES)));
    try {
      await this.#deps.ask({ do: 'knock', account: id, endpoint: address });
    } finally {
      await this.#deps.vault.put(tokenName(id), '');
    }
  }

  async pairing(base: string): Promise<Pairing> {
    const mine = await this.#account();
    const key = await accountKey(this.#deps.vault, mine.id);
    const { remote } = this.#deps.settings.config.get().sync;
    const latest = this.#isOn()
      ? await orElse(this.#deps.ask({ do: 'index' }), null, 'the present list of rooms in a pairing link')
      : null;
    const fragment = fragmentOf({
      key,
      fingerprint: mine.fingerprint,
      endpoint: remote.endpoint || mine.endpoint,
      realm: mine.realm,
      token: (await this.#deps.vault.get(tokenName(mine.id))) ?? null,
      index: typeof latest === 'string' && latest !== '' ? new TextEncoder().encode(latest) : null,
    });
    const link = `${base.split('#', 1)[0]}${fragment}`;
    const draw = this.#deps.drawQr ?? drawQr;
    return { link, phrase: phraseOf(key), fingerprint: mine.fingerprint, qr: await draw(link) };
  }

  async join(
    offer: PairingOffer,
    {
      deviceName,
      endpoint,
      token: given = '',
    }: { readonly deviceName: string; readonly endpoint?: string; readonly token?: string },
  ): Promise<void> {
    const address = relayAddress(endpoint ?? offer.endpoint ?? '');
    const token = offer.token ?? (given.trim() || null);
    const mode = token === null ? 'remote' : 'managed';
    const id = toText(this.#deps.random(9));
    await this.#deps.vault.put(keyName(id), toText(offer.key));
    if (token !== null) await this.#deps.vault.put(tokenName(id), token);
    try {
      await this.#deps.ask({
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
      await this.#deps.vault.put(keyName(id), '');
      await this.#deps.vault.put(tokenName(id), '');
      throw error;
    }
    await this.#deps.onNamed?.(deviceName);
    await this.#switchOn(mode, address);
  }

  async renameDevice(deviceName: string): Promise<void> {
    await this.#keyValues.set(ACCOUNT, { ...(await this.#account()), deviceName });
    await this.#deps.onNamed?.(deviceName);
  }

  async revoke(device: string, { anyway }: { readonly anyway?: WhyUnfetched } = {}): Promise<void> {
    await this.#deps.ask({ do: 'revoke', device, anyway: anyway ?? null });
  }

  async takeOff(device: string): Promise<void> {
    await this.#deps.ask({ do: 'take-off', device });
  }

  async forget(conversations: readonly ConversationId[]): Promise<void> {
    // Quotations go first: if they were left behind, nothing would be listed any more from which to request it again.
    await this.#deps.notes.forget(conversations);
    await this.#deps.ask({ do: 'forget', documents: [...conversations] });
  }

  async syncNow({ force = false }: { readonly force?: boolean } = {}): Promise<void> {
    await this.#deps.ask({ do: 'look', force });
  }

  async leave({ erase = false }: { readonly erase?: boolean } = {}): Promise<void> {
    await this.#deps.ask({ do: 'leave', erase });
    await this.#deps.settings.set('sync.mode', 'disabled');
  }

  async journal(): Promise<readonly JournalEntry[]> {
    const names = new Map(this.#deps.status.get().devices.map(({ id, name }) => [id, name]));
    return (await readJournal(this.#keyValues)).map((entry) => ({
      ...entry,
      device: entry.device === null ? null : (names.get(entry.device) ?? entry.device),
    }));
  }

  setOpen(conversations: readonly ConversationId[]): void {
    this.#open = [...conversations];
    this.#sendOpen();
    clearInterval(this.#repeat);
    this.#repeat = this.#open.length > 0 ? setInterval(() => this.#sendOpen(), OPEN_REPEAT_MS) : undefined;
  }

  close(): void {
    clearInterval(this.#repeat);
    this.#stopConfig();
    this.#stopKeyValues();
  }

  #isOn(): boolean {
    return ['remote', 'managed'].includes(this.#deps.settings.config.get().sync.mode);
  }

  #sendOpen(): void {
    if (this.#isOn())
      ignore(
        this.#deps.ask({ do: 'open', tab: this.#tab, documents: [...this.#open] }),
        'which conversations are open; it is sent again',
      );
  }

  async #account(): Promise<JoinedAccount> {
    const kept = accountSchema.safeParse(await this.#keyValues.get(ACCOUNT));
    if (!kept.success) throw new RecollectError('sync-unpaired', 'This device belongs to no account');
    return kept.data;
  }

  #refreshAccount(): Promise<void> {
    return this.#account().then(
      ({ fingerprint, endpoint, mode, createdAt }) =>
        this.account.set({ fingerprint, endpoint, managed: mode === 'managed', since: createdAt }),
      (error: unknown) => {
        const isUnpaired = error instanceof RecollectError && error.problem.code === 'sync-unpaired';
        if (!isUnpaired) log.warn('The account of this device could not be read', error);
        this.account.set(null);
      },
    );
  }

  async #switchOn(mode: 'remote' | 'managed', endpoint: string): Promise<void> {
    await this.#deps.settings.set('sync.remote.endpoint', endpoint);
    await this.#deps.settings.set('sync.mode', mode);
  }
}
