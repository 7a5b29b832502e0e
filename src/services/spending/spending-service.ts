// Keeps what was spent in the key-value store, a row for each day and tab: tabs that write at once do not meet.
//   spending/<day>/<tab>   requests of that day, summed by model, conversation and currency
import { v7 } from 'uuid';
import { z } from 'zod';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { isTemporary } from '../../domain/base/ids.ts';
import { ignore } from '../../domain/base/log.ts';
import { writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { localDay } from '../../domain/base/time.ts';
import { costOf } from '../../domain/context/budget.ts';
import { daysUpTo, type SpendingRow, spendingRowSchema, withRequest } from '../../domain/context/spending.ts';
import type { Spending, SpendingState, SpentRequest } from './spending.ts';

const PREFIX = 'spending/';
/** Days that are kept: a year and a month. Older ones are dropped on reading. */
const KEPT_DAYS = 396;

const keptSchema = z.array(z.unknown());

interface SpendingDeps {
  readonly keyValues: KeyValues;
  /** ms since 1970 */
  readonly now: () => number;
  readonly onProblem: (problem: Problem) => void;
}

/**
 * Makes the record of spending, kept for 396 days. It follows other tabs for as long as the tab
 * lives; storage errors go to `onProblem`.
 */
export function createSpending(deps: SpendingDeps): Spending {
  return new KeptSpending(deps);
}

const dayIn = (key: string): string => key.slice(PREFIX.length, PREFIX.length + 10);

const earlier = (day: string | null, other: string): string => (day !== null && day < other ? day : other);

class KeptSpending implements Spending {
  readonly #deps: SpendingDeps;
  readonly #tab = v7();
  /** Rows by key. */
  readonly #days = new Map<string, readonly Omit<SpendingRow, 'day'>[]>();
  readonly #writes = new SerialQueue();
  /** The first day that is read or being read; null: none yet. */
  #watched: string | null = null;
  #since: string | null = null;
  readonly state = writable<SpendingState>({ since: null, rows: [] });

  constructor(deps: SpendingDeps) {
    this.#deps = deps;
    // Lives as long as the tab.
    deps.keyValues.subscribe(({ keys, foreign }) => {
      // Always watch the days that this tab counted: if another tab clears them, they must not come back with the next
      // request.
      const others = keys.filter(
        (key) =>
          key.startsWith(PREFIX) &&
          (this.#days.has(key) || (this.#watched !== null && dayIn(key) >= this.#watched)),
      );
      if (foreign && others.length > 0) this.#read(others).then(() => this.#announce(), this.#report);
    });
  }

  readonly load: Spending['load'] = async (since) => {
    const before = this.#since;
    if (before !== null && before <= since) return;
    this.#watched = earlier(this.#watched, since);
    const all = await this.#deps.keyValues.keys(PREFIX);
    const oldest = daysUpTo(this.#deps.now(), KEPT_DAYS)[0] as string;
    await this.#read(
      all.filter(
        (key) => dayIn(key) >= since && dayIn(key) >= oldest && (before === null || dayIn(key) < before),
      ),
    );
    this.#since = earlier(this.#since, since);
    this.#announce();
    for (const key of all) if (dayIn(key) < oldest) await this.#deps.keyValues.set(key, undefined);
  };

  readonly record: Spending['record'] = ({ endpoint, model, conversation, usage, price }: SpentRequest) => {
    const key = `${PREFIX}${localDay(this.#deps.now())}/${this.#tab}`;
    const amount = price ? costOf(usage, price) : null;
    const rows = withRequest(this.#days.get(key) ?? [], {
      endpoint,
      model,
      conversation: conversation === undefined || isTemporary(conversation) ? null : conversation,
      requests: 1,
      estimated: usage.estimated ? 1 : 0,
      inputTokens: usage.inputTokens ?? 0,
      outputTokens: usage.outputTokens ?? 0,
      currency: price?.currency ?? null,
      amount: amount ?? 0,
    });
    this.#days.set(key, rows);
    // Shown once it is stored: who sees it may leave the page.
    ignore(
      this.#writes
        .run(() => this.#deps.keyValues.set(key, this.#days.get(key)))
        .catch(this.#report)
        .then(() => this.#announce()),
      'storing what a request cost, whose failure is reported',
    );
  };

  readonly clear: Spending['clear'] = async () => {
    const { keyValues } = this.#deps;
    const before = new Map<string, unknown>();
    await this.#writes.run(async () => {
      for (const key of await keyValues.keys(PREFIX)) {
        before.set(key, await keyValues.get(key));
        await keyValues.set(key, undefined);
      }
      this.#days.clear();
    });
    this.#announce();
    return async () => {
      // Under names of their own: this tab may have counted since.
      const back = [...before].map(([key, rows]) => [`${PREFIX}${dayIn(key)}/${v7()}`, rows] as const);
      for (const [key, rows] of back) await keyValues.set(key, rows);
      await this.#read(back.flatMap(([key]) => (dayIn(key) >= (this.#since ?? dayIn(key)) ? [key] : [])));
      this.#announce();
    };
  };

  readonly #report = (error: unknown) => this.#deps.onProblem(toProblem(error));

  /** A row that cannot be read costs only itself. */
  async #read(keys: readonly string[]): Promise<void> {
    const read = await Promise.all(
      keys.map(async (key) => [key, keptSchema.safeParse(await this.#deps.keyValues.get(key))] as const),
    );
    for (const [key, { data }] of read) {
      // Keeps this tab's own days, unless another tab deleted them.
      if (key.endsWith(`/${this.#tab}`) && data) continue;
      this.#days.set(
        key,
        (data ?? []).flatMap((row) => spendingRowSchema.safeParse(row).data ?? []),
      );
    }
  }

  #announce(): void {
    this.state.set({
      since: this.#since,
      rows: [...this.#days].flatMap(([key, rows]) => rows.map((row) => ({ ...row, day: dayIn(key) }))),
    });
  }
}
