// Keeps this tab's way to the index open: opens it, and decides what follows when that fails,
// or when it stops or is damaged later.
//
//   starting ──► open ──crash, at most 3 times──► starting       another tab may lead: each does the same for itself
//      │ ▲         └──damage, the first time────► starting, made anew
//      │ └─ after 30 s, if a later try may work
//      └──► failed ──new condition of the files, another engine in the settings──► starting
import type { MemoryIndex } from '../../adapters/index/memory-index.ts';
import { type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type Cancellation, type Readable, type Writable, writable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';
import { type Memory, type MemoryStatus, STARTING } from './memory.ts';

/** Delay before an index that could not be opened is tried again, ms: there may be space by then. */
const RETRY_MS = 30_000;
/** How often the index is reopened after a crash before it is given up until the next start. */
const MAX_CRASHES = 3;

/** The engine as a tab uses it, wherever it runs. */
export interface RunningEngine extends Pick<Memory, 'wake' | 'setPaused'> {
  /** Opens the index at once, instead of waiting until the page is usable. */
  begin(): void;
  /** Null while no index can be asked. */
  readonly index: Readable<MemoryIndex | null>;
  /** Requests a rebuild of the index from the log. Resolves when the request is made. */
  requestRebuild(): Promise<void>;
}

/** Earlier events that decide the next reaction. */
export interface IndexHistory {
  readonly crashes: number;
  /** The index was rebuilt once. */
  readonly remade: boolean;
  /** This tab has waited once for another, slower tab to close the damaged index. */
  readonly waited: boolean;
}

type Reaction = 'retry later' | 'reopen' | 'remake' | 'fail' | 'fail, retry later' | 'give up';

/**
 * Reaction to a problem of the index:
 *
 * | problem | while opening | once it was open |
 * |---|---|---|
 * | crashed | retry later: another tab leads and has yet to close it | reopen; from the fourth crash on give up |
 * | damaged, first time | remake | remake |
 * | damaged again | retry later, once: another tab still has the damaged one; then give up | give up |
 * | any other | fail; retry later if the problem says so | – |
 */
export function reactionTo(
  { code, retry }: Pick<Problem, 'code' | 'retry'>,
  when: 'opening' | 'open',
  { crashes, remade, waited }: IndexHistory,
): Reaction {
  if (code === 'index-crashed') {
    if (when === 'opening') return 'retry later';
    return crashes < MAX_CRASHES ? 'reopen' : 'give up';
  }
  if (code === 'index-damaged') {
    if (!remade) return 'remake';
    return when === 'opening' && !waited ? 'retry later' : 'give up';
  }
  return retry ? 'fail, retry later' : 'fail';
}

export interface OpenedIndex {
  readonly index: MemoryIndex;
}

export interface IndexEvents {
  readonly onDamaged: (problem: Problem) => void;
  readonly onCrashed: (problem: Problem) => void;
  /** Called when an index that could not be opened was replaced by a new one. */
  readonly onRemade: () => void;
  /** Another tab's engine answers from now on, and may not have read everything that the previous one had. */
  readonly onNewLeader: () => void;
}

interface IndexSupervisorDeps {
  /** Opens the index with the engine that the settings want. Rejects as `openIndexInWorker`. */
  readonly open: (wanted: Config['storage']['engine'], events: IndexEvents) => Promise<OpenedIndex>;
  /** Called when the index can be asked. */
  readonly onOpened: () => void;
  readonly config: Readable<Config>;
  readonly status: Writable<MemoryStatus>;
  /** State of the index's files, shared by all tabs. */
  readonly files: {
    /** Makes the next opening begin with a new index. */
    markDamaged(): Promise<void>;
    /** Calls `listener` after news of the files; returns how to stop. */
    subscribe(listener: () => void): () => void;
  };
  /** A new index replaces the old one, for this reason. */
  readonly onRemade: (problem: Problem) => void;
  readonly signal: Cancellation;
}

export class IndexSupervisor {
  readonly #deps: IndexSupervisorDeps;
  readonly #index = writable<MemoryIndex | null>(null);
  /** Resolves with the latest opening, after all earlier ones; with undefined if it failed. Never rejects. */
  #opening: Promise<OpenedIndex | undefined>;
  #history: IndexHistory = { crashes: 0, remade: false, waited: false };
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Opens the index at once, and keeps it open until the signal. */
  constructor(deps: IndexSupervisorDeps) {
    this.#deps = deps;
    const { config, files, signal } = deps;
    let wanted = config.get().storage.engine;
    const stopConfig = config.subscribe(() => {
      const now = config.get().storage.engine;
      if (now === wanted) return;
      wanted = now;
      this.#reopen();
    });
    // After news of the files every tab without an index tries again.
    const stopFiles = files.subscribe(() => {
      if (this.#hasFailed()) this.#reopen();
    });
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(this.#timer);
        stopConfig();
        stopFiles();
      },
      { once: true },
    );
    this.#opening = this.#open();
  }

  /** Null while it opens, and if it could not be opened. Another object for each engine that answers. */
  get index(): Readable<MemoryIndex | null> {
    return this.#index;
  }

  /** Rebuilds an index that could not be opened, in all tabs. False if there is one, or one is opening. */
  async remake(): Promise<boolean> {
    if (!this.#hasFailed()) return false;
    // The present attempt may still succeed.
    await this.#opening;
    if (!this.#hasFailed()) return false;
    this.#history = { ...this.#history, crashes: 0 };
    await this.#deps.files.markDamaged();
    return true;
  }

  async #open(): Promise<OpenedIndex | undefined> {
    const { open, config } = this.#deps;
    try {
      const opened = await open(config.get().storage.engine, {
        onDamaged: (problem) => this.#handle(problem, 'open'),
        onCrashed: (problem) => this.#handle(problem, 'open'),
        onRemade: () =>
          this.#deps.onRemade(new RecollectError('index-damaged', 'The index did not open').problem),
        onNewLeader: () => this.#followLeader(),
      });
      this.#index.set(opened.index);
      this.#deps.onOpened();
      return opened;
    } catch (error) {
      this.#handle(toProblem(error), 'opening');
      return undefined;
    }
  }

  #handle(problem: Problem, when: 'opening' | 'open'): void {
    const reaction = reactionTo(problem, when, this.#history);
    const isDamaged = problem.code === 'index-damaged';
    if (when === 'open' && problem.code === 'index-crashed')
      this.#history = { ...this.#history, crashes: this.#history.crashes + 1 };
    if (reaction === 'retry later') {
      if (isDamaged) this.#history = { ...this.#history, waited: true };
      this.#retryLater();
    } else if (reaction === 'reopen') this.#reopen();
    else if (reaction === 'remake') {
      this.#history = { ...this.#history, remade: true };
      this.#deps.onRemade(problem);
      this.#reopen();
    } else if (reaction === 'give up') this.#giveUp(problem);
    else {
      this.#fail(problem);
      if (reaction === 'fail, retry later') this.#retryLater();
    }
  }

  /** Resets the state, which describes the previous engine: callers ask again once the new one reports. */
  #followLeader(): void {
    const before = this.#index.get();
    if (before === null) return;
    // First the state: who waits for the index would take the old one for that of the new engine.
    this.#deps.status.set(STARTING);
    this.#index.set({ ...before });
    this.#deps.onOpened();
  }

  #hasFailed(): boolean {
    return this.#index.get() === null && this.#deps.status.get().state === 'failed';
  }

  #fail(problem: Problem): void {
    this.#deps.status.update((before) => ({ ...before, state: 'failed', problem }));
  }

  #retryLater(): void {
    if (this.#deps.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#opening = this.#opening.then((before) => before ?? this.#open());
    }, RETRY_MS);
  }

  /** Every tab closes the old one; the first to return opens the new one, and the log fills it if it is empty. */
  #reopen(): void {
    clearTimeout(this.#timer);
    this.#opening = this.#opening.then(async (before) => {
      this.#deps.status.set(STARTING);
      this.#index.set(null);
      await before?.index.close();
      return await this.#open();
    });
  }

  /** Gives up an engine that stops again and again. */
  #giveUp({ message, params }: Problem): void {
    this.#opening = this.#opening.then(async (before) => {
      this.#index.set(null);
      this.#fail(new RecollectError('index-unavailable', message, { params: params ?? {} }).problem);
      await before?.index.close();
      return undefined;
    });
  }
}
