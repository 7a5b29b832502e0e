// The door to sync: follows the configuration and the account, runs a session while both want it, and answers what tabs ask. Once per
// origin: the leader runs it, the next leader resumes from the records.
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { ignore } from '../../domain/base/log.ts';
import { createJob } from '../scheduler.ts';
import { join, leave, openAccount, probe, sweepSecrets } from './account.ts';
import { ACCOUNT, type Account, accountSchema } from './records.ts';
import type { SyncAnswer, SyncRequest } from './requests.ts';
import { createSyncSession, type SyncSession, type SyncSessionDeps } from './session.ts';
import { SYNC_OFF, type SyncStatus } from './sync.ts';

/** The clocks are the platform's, and rooms are folded as usual, unless others are given. */
interface SyncEngineDeps
  extends Pick<SyncSessionDeps, 'store' | 'vault' | 'config' | 'backend' | 'sealing' | 'deflate' | 'signal'>,
    Partial<Pick<SyncSessionDeps, 'now' | 'clock' | 'compaction'>> {
  readonly onStatus: (status: SyncStatus) => void;
}

export interface SyncEngine {
  /** Something may have changed: look again. `online`: the network is back, pauses end. */
  wake(reason?: 'changed' | 'online'): void;
  ask(request: SyncRequest): Promise<SyncAnswer>;
  readonly status: () => SyncStatus;
  /** Resolves when nothing is left to do right now. */
  settled(): Promise<void>;
}

/** A tab's list of open conversations is forgotten unless said again, ms. */
const OPEN_EXPIRES_MS = 120_000;

/** Follows configuration and account: runs while both want it. Ends with the signal. */
export function startSync(deps: SyncEngineDeps): SyncEngine {
  const { store, config, onStatus, signal, now = Date.now } = deps;
  const clock = deps.clock ?? (() => performance.now());
  const { log, drawer } = store;

  let session: SyncSession | undefined;
  let lastPublished = '';
  let current: SyncStatus = SYNC_OFF;
  let failure: Problem | null = null;
  let restart = true;
  const requests: {
    request: SyncRequest;
    resolve: (answer: SyncAnswer) => void;
    reject: (error: unknown) => void;
  }[] = [];
  /** What each tab has on its screen. */
  const openDocuments = new Map<string, { documents: readonly string[]; until: number }>();

  const publishStatus = () => {
    if (signal.aborted) return;
    const mode = config.get().sync.mode;
    const status: SyncStatus = session
      ? { ...session.status(), mode, ...(failure ? { problem: failure } : {}) }
      : {
          ...SYNC_OFF,
          mode,
          state:
            mode === 'disabled' ? 'disabled' : mode === 'local' ? 'local' : failure ? 'stopped' : 'unpaired',
          problem: failure,
        };
    const text = `${session?.announcementCount() ?? 0} ${JSON.stringify(status)}`;
    if (text === lastPublished) return;
    lastPublished = text;
    current = status;
    onStatus(status);
  };

  const readAccount = async (): Promise<Account | null> => {
    const account = accountSchema.safeParse(await drawer.get(ACCOUNT));
    return account.success ? account.data : null;
  };

  /** The account's keys, and where it is. */
  const openRelay = async (account: Account) => {
    const { ring, token } = await openAccount(deps, account);
    return { ring, relay: { endpoint: config.get().sync.remote.endpoint || account.endpoint, token } };
  };

  const openSession = async (): Promise<SyncSession | undefined> => {
    const { mode } = config.get().sync;
    const account = await readAccount();
    await sweepSecrets(deps, account);
    if (!account || (mode !== 'remote' && mode !== 'managed')) return undefined;
    if (store.kind === 'memory')
      throw new RecollectError('storage-unavailable', 'Sync needs a browser that keeps what it receives');
    const { ring, relay } = await openRelay(account);
    return await createSyncSession({
      ...deps,
      now,
      clock,
      account,
      ring,
      relay,
      wake: () => job.wake(),
      wakeWithin: (ms) => job.wakeWithin(ms),
      onScreen: () =>
        [...openDocuments.values()].flatMap(({ documents, until }) => (until > clock() ? documents : [])),
    });
  };

  /** Leaving is possible while nothing runs: what a person wants to be rid of must not have to be switched on first. */
  const leaveWhileStopped = async (erase: boolean): Promise<null> => {
    const account = await readAccount();
    if (!account) throw new RecollectError('sync-unpaired', 'This device belongs to no account');
    // The key is asked for only where the relay is: an account whose key was lost can be left as well.
    const relay = erase ? (await openRelay(account)).relay : { endpoint: account.endpoint, token: '' };
    await leave({ ...deps, now, account, relay }, { erase });
    await sweepSecrets(deps, null);
    restart = true;
    return null;
  };

  /** `why`: what keeps the session from being opened. */
  const answer = async (request: SyncRequest, why?: unknown): Promise<SyncAnswer> => {
    if (request.do === 'open') {
      openDocuments.set(request.tab, { documents: request.documents, until: clock() + OPEN_EXPIRES_MS });
      return null;
    }
    if (request.do === 'join') {
      await join({ ...deps, now }, request);
      restart = true;
      return null;
    }
    if (request.do === 'knock') {
      await probe({ ...deps, now }, request);
      return null;
    }
    if (!session) {
      if (request.do === 'where') return { place: 'here', devices: [] };
      if (request.do === 'look') return null;
      if (request.do === 'leave') return await leaveWhileStopped(request.erase);
      if (why !== undefined) throw why;
      throw new RecollectError('sync-unpaired', 'This device belongs to no account');
    }
    const result = await session.answer(request);
    if (request.do === 'revoke' || request.do === 'leave') {
      await sweepSecrets(deps, await readAccount());
      restart = true;
    }
    return result;
  };

  const answerAll = async (why?: unknown): Promise<void> => {
    for (const { request, resolve, reject } of requests.splice(0)) {
      try {
        resolve(await answer(request, why));
      } catch (error) {
        reject(error);
      }
    }
  };

  const run = async () => {
    if (restart) {
      restart = false;
      session?.close();
      session = undefined;
      failure = null;
      try {
        session = await openSession();
      } catch (error) {
        restart = true;
        await answerAll(error);
        throw error;
      }
    }
    for (let more = true; more && !restart; ) {
      more = false;
      await answerAll();
      if (session && !restart) more = await session.round();
      signal.throwIfAborted();
      publishStatus();
    }
    failure = null;
    publishStatus();
    if (restart) job.wake();
  };
  const job = createJob({
    run,
    signal,
    onError: (error) => {
      if (isAbort(error)) return;
      failure = toProblem(error);
      session?.setProblem(failure);
      publishStatus();
    },
  });

  // The account or the way changed, here or in a tab.
  let identity = '';
  const checkAccount = async () => {
    const { mode, remote } = config.get().sync;
    const account = await readAccount();
    const next = JSON.stringify([
      mode,
      remote.endpoint,
      account?.id ?? null,
      account?.endpoint ?? null,
      account?.deviceName ?? null,
    ]);
    if (next !== identity) {
      identity = next;
      restart = true;
    }
    job.wake(true);
  };
  const stops = [
    config.subscribe(() => ignore(checkAccount(), 'a look at the account; the next round looks again')),
    drawer.subscribe(({ keys }) => {
      if (keys.includes(ACCOUNT)) ignore(checkAccount(), 'a look at the account; the next round looks again');
    }),
    log.subscribe(({ documents, foreign }) => {
      session?.markChanged(documents);
      // A tab wrote: from now on the relay lacks it, also while a round is still busy with something else.
      if (foreign && current.state === 'synced') publishStatus();
      job.wake();
    }),
  ];
  signal.addEventListener(
    'abort',
    () => {
      for (const stop of stops) stop();
      session?.close();
    },
    { once: true },
  );
  void checkAccount().catch(() => job.wake());

  return {
    wake: (reason) => {
      if (reason === 'online') session?.retry();
      job.wake(true);
    },
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (request.do === 'look') {
          session?.requestCheck(request.force);
          // From now on until it was looked nothing is known for sure.
          publishStatus();
        }
        requests.push({ request, resolve, reject });
        job.wake(true);
      }),
    status: () => current,
    settled: () => job.settled(),
  };
}
