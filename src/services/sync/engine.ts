// Entry point of sync: follows configuration and account, runs a session while both allow it, and answers requests of
// tabs. Once per origin: the leader runs it, the next leader resumes from the records.

import type { KeyValues, Store } from '../../adapters/log/conversation-log.ts';
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { log as diagnostics, ignore } from '../../domain/base/log.ts';
import { PrivacyFilter } from '../privacy/privacy-filter.ts';
import { TokenTable } from '../privacy/token-table.ts';
import { createJob } from '../scheduler.ts';
import { joinAccount, leaveAccount, openAccount, probeRelay, sweepSecrets } from './account.ts';
import { ACCOUNT, accountSchema, type JoinedAccount } from './records.ts';
import type { SyncAnswer, SyncRequest } from './requests.ts';
import { createSyncSession, type SyncSession, type SyncSessionDeps } from './session.ts';
import { SYNC_OFF, type SyncStatus } from './sync.ts';

/** Defaults: the platform's clocks, and the usual compaction. */
interface SyncEngineDeps
  extends Pick<SyncSessionDeps, 'store' | 'vault' | 'config' | 'backend' | 'sealing' | 'deflate' | 'signal'>,
    Partial<Pick<SyncSessionDeps, 'now' | 'clock' | 'compaction'>> {
  readonly onStatus: (status: SyncStatus) => void;
  /** Tokens of private words; absent: those in the store. */
  readonly tokens?: TokenTable;
}

export interface SyncEngine {
  /** Looks again, since something may have changed. `online`: the network is back, so pauses end. */
  wake(reason?: 'changed' | 'online'): void;
  ask(request: SyncRequest): Promise<SyncAnswer>;
  readonly status: () => SyncStatus;
  /** Resolves when nothing is left to do right now. */
  settled(): Promise<void>;
}

/** A tab's list of open conversations expires unless repeated, ms. */
const OPEN_EXPIRES_MS = 120_000;

/** Follows configuration and account, and runs while both want it. Ends with the signal. */
export function startSync(deps: SyncEngineDeps): SyncEngine {
  return new SyncThread(deps);
}

class SyncThread implements SyncEngine {
  readonly #deps: SyncEngineDeps;
  readonly #store: Store;
  readonly #config;
  readonly #onStatus: (status: SyncStatus) => void;
  readonly #signal: AbortSignal;
  readonly #now: () => number;
  readonly #clock: () => number;
  readonly #keyValues: KeyValues;
  readonly #filter: PrivacyFilter;
  #session: SyncSession | undefined;
  #lastPublished = '';
  #current: SyncStatus = SYNC_OFF;
  #failure: Problem | null = null;
  #restart = true;
  readonly #requests: {
    request: SyncRequest;
    resolve: (answer: SyncAnswer) => void;
    reject: (error: unknown) => void;
  }[] = [];
  /** Documents on each tab's screen. */
  readonly #openDocuments = new Map<string, { documents: readonly string[]; until: number }>();
  readonly #job: ReturnType<typeof createJob>;
  // Identifies account and address, to notice a change here or in a tab.
  #identity = '';

  constructor(deps: SyncEngineDeps) {
    this.#deps = deps;
    const { store, config, onStatus, signal, now = Date.now } = deps;
    this.#store = store;
    this.#config = config;
    this.#onStatus = onStatus;
    this.#signal = signal;
    this.#now = now;
    this.#clock = deps.clock ?? (() => performance.now());
    const { log, keyValues } = this.#store;
    this.#keyValues = keyValues;
    this.#filter = new PrivacyFilter({
      config: deps.config,
      tokens: deps.tokens ?? new TokenTable({ keyValues: this.#keyValues, signal }),
    });
    this.#job = createJob({
      run: () => this.#run(),
      signal: this.#signal,
      onError: (error) => {
        if (isAbort(error)) return;
        this.#failure = toProblem(error);
        this.#session?.setProblem(this.#failure);
        this.#publishStatus();
      },
    });
    const stops = [
      this.#config.subscribe(() =>
        ignore(this.#checkAccount(), 'a look at the account; the next round looks again'),
      ),
      this.#keyValues.subscribe(({ keys }) => {
        if (keys.includes(ACCOUNT))
          ignore(this.#checkAccount(), 'a look at the account; the next round looks again');
      }),
      log.subscribe(({ documents, foreign }) => {
        this.#session?.markChanged(documents);
        // A tab's entry is missing on the relay from now on, also while a round is still busy.
        if (foreign && this.#current.state === 'synced') this.#publishStatus();
        this.#job.wake();
      }),
    ];
    this.#signal.addEventListener(
      'abort',
      () => {
        for (const stop of stops) stop();
        this.#session?.close();
      },
      { once: true },
    );
    void this.#checkAccount().catch((error: unknown) => {
      diagnostics.info('The account could not be checked at once', error);
      this.#job.wake();
    });
  }

  wake(reason?: 'changed' | 'online'): void {
    if (reason === 'online') this.#session?.retry();
    this.#job.wake(true);
  }

  ask(request: SyncRequest): Promise<SyncAnswer> {
    return new Promise((resolve, reject) => {
      if (request.do === 'look') {
        this.#session?.requestCheck(request.force);
        // Publishes at once: nobody may read "synced" until the check is done.
        this.#publishStatus();
      }
      this.#requests.push({ request, resolve, reject });
      this.#job.wake(true);
    });
  }

  status(): SyncStatus {
    return this.#current;
  }

  settled(): Promise<void> {
    return this.#job.settled();
  }

  #publishStatus(): void {
    if (this.#signal.aborted) return;
    const mode = this.#config.get().sync.mode;
    const status: SyncStatus = this.#session
      ? { ...this.#session.status(), mode, ...(this.#failure ? { problem: this.#failure } : {}) }
      : {
          ...SYNC_OFF,
          mode,
          state:
            mode === 'disabled'
              ? 'disabled'
              : mode === 'local'
                ? 'local'
                : this.#failure
                  ? 'stopped'
                  : 'unpaired',
          problem: this.#failure,
        };
    const text = `${this.#session?.announcementCount() ?? 0} ${JSON.stringify(status)}`;
    if (text === this.#lastPublished) return;
    this.#lastPublished = text;
    this.#current = status;
    this.#onStatus(status);
  }

  async #readAccount(): Promise<JoinedAccount | null> {
    const account = accountSchema.safeParse(await this.#keyValues.get(ACCOUNT));
    return account.success ? account.data : null;
  }

  /** Opens the account's keys and the relay's address. */
  async #openRelay(account: JoinedAccount) {
    const { ring, token } = await openAccount(this.#deps, account);
    return { ring, relay: { endpoint: this.#config.get().sync.remote.endpoint || account.endpoint, token } };
  }

  async #openSession(): Promise<SyncSession | undefined> {
    const { mode } = this.#config.get().sync;
    const account = await this.#readAccount();
    await sweepSecrets(this.#deps, account);
    if (!account || (mode !== 'remote' && mode !== 'managed')) return undefined;
    if (this.#store.kind === 'memory')
      throw new RecollectError('storage-unavailable', 'Sync needs a browser that keeps what it receives');
    const { ring, relay } = await this.#openRelay(account);
    return await createSyncSession({
      ...this.#deps,
      filter: this.#filter,
      now: this.#now,
      clock: this.#clock,
      account,
      ring,
      relay,
      wake: () => this.#job.wake(),
      wakeWithin: (ms) => this.#job.wakeWithin(ms),
      onScreen: () =>
        [...this.#openDocuments.values()].flatMap(({ documents, until }) =>
          until > this.#clock() ? documents : [],
        ),
    });
  }

  /** Leaving works without a session: people should not have to switch sync on in order to get rid of it. */
  async #leaveWhileStopped(erase: boolean): Promise<null> {
    const account = await this.#readAccount();
    if (!account) throw new RecollectError('sync-unpaired', 'This device belongs to no account');
    // Only the relay's erasure needs the key: an account whose key was lost can be left, too.
    const relay = erase ? (await this.#openRelay(account)).relay : { endpoint: account.endpoint, token: '' };
    await leaveAccount({ ...this.#deps, now: this.#now, account, relay }, { erase });
    await sweepSecrets(this.#deps, null);
    this.#restart = true;
    return null;
  }

  /** Answers one request. `why`: reason for which the session cannot be opened. */
  async #answer(request: SyncRequest, why?: unknown): Promise<SyncAnswer> {
    if (request.do === 'open') {
      this.#openDocuments.set(request.tab, {
        documents: request.documents,
        until: this.#clock() + OPEN_EXPIRES_MS,
      });
      return null;
    }
    if (request.do === 'join') {
      await joinAccount({ ...this.#deps, now: this.#now }, request);
      this.#restart = true;
      return null;
    }
    if (request.do === 'knock') {
      await probeRelay({ ...this.#deps, now: this.#now }, request);
      return null;
    }
    if (!this.#session) {
      if (request.do === 'where') return { place: 'here', devices: [] };
      if (request.do === 'look') return null;
      if (request.do === 'leave') return await this.#leaveWhileStopped(request.erase);
      if (why !== undefined) throw why;
      throw new RecollectError('sync-unpaired', 'This device belongs to no account');
    }
    const result = await this.#session.answer(request);
    if (request.do === 'revoke' || request.do === 'leave') {
      await sweepSecrets(this.#deps, await this.#readAccount());
      this.#restart = true;
    }
    return result;
  }

  async #answerAll(why?: unknown): Promise<void> {
    for (const { request, resolve, reject } of this.#requests.splice(0)) {
      try {
        resolve(await this.#answer(request, why));
      } catch (error) {
        reject(error);
      }
    }
  }

  async #run(): Promise<void> {
    if (this.#restart) {
      this.#restart = false;
      this.#session?.close();
      this.#session = undefined;
      this.#failure = null;
      try {
        this.#session = await this.#openSession();
      } catch (error) {
        this.#restart = true;
        await this.#answerAll(error);
        throw error;
      }
    }
    for (let more = true; more && !this.#restart; ) {
      more = false;
      await this.#answerAll();
      if (this.#session && !this.#restart) more = await this.#session.round();
      this.#signal.throwIfAborted();
      this.#publishStatus();
    }
    this.#failure = null;
    this.#publishStatus();
    if (this.#restart) this.#job.wake();
  }

  async #checkAccount(): Promise<void> {
    const { mode, remote } = this.#config.get().sync;
    const account = await this.#readAccount();
    const next = JSON.stringify([
      mode,
      remote.endpoint,
      account?.id ?? null,
      account?.endpoint ?? null,
      account?.deviceName ?? null,
    ]);
    if (next !== this.#identity) {
      this.#identity = next;
      this.#restart = true;
    }
    this.#job.wake(true);
  }
}
