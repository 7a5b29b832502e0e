// Rows beside the log for anything that a crash of the tab would lose: the streaming answer and queued messages. Each
// row names the tab that owns it (`tab.ts`): no tab takes a row from a living one.

import { z } from 'zod';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { asConversationId, type ConversationId, type MessageId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { type Message, messageSchema, type Part, partSchema } from '../../domain/chat/message.ts';
import type { TurnState } from './chat.ts';
import { isAbandoned, type LocksLike, type Tab } from './tab.ts';

/** Least time between two writes of a draft, ms: the most that a crash can cost. */
const EVERY_MS = 500;
const HEARTBEAT_MS = 5000;

const draftSchema = z.object({
  tab: z.string(),
  touchedAt: z.number(),
  conversationId: z.string(),
  answer: messageSchema,
  replaces: z.string().nullable(),
});
const queueSchema = z.object({
  tab: z.string(),
  touchedAt: z.number(),
  conversationId: z.string(),
  items: z.array(z.object({ id: z.string(), parts: z.array(partSchema) })),
});

export type Queued = TurnState['queue'];

/** The row of one streaming answer. */
export interface DraftRow {
  /** Notes the parts so far; they are written soon. */
  update(parts: readonly Part[]): void;
  /**
   * Ends writing and returns the row's key, so that the answer's save can delete it in the same transaction.
   * @param finished kept in the row until then: a tab that dies while it saves loses none of it
   */
  settle(finished?: Message): Promise<string>;
  /** Ends writing and leaves the row, if it still exists, to be rescued. */
  release(): void;
}

interface RescueHandlers {
  draft(row: {
    key: string;
    conversationId: ConversationId;
    answer: Message;
    replaces: MessageId | null;
  }): Promise<void>;
  queue(row: { key: string; conversationId: ConversationId; items: Queued }): Promise<void>;
}

interface ForeignRow {
  readonly touchedAt: number;
  readonly hand: () => Promise<void>;
}

interface StoredDraftRowsDeps {
  readonly keyValues: KeyValues;
  readonly tab: Tab;
  readonly locks: LocksLike | undefined;
  readonly now: () => number;
  readonly onProblem: (problem: Problem) => void;
}

/**
 * Opens the draft rows of this tab and its queued messages; a row is written at most every 500 ms, and touched every 5
 * s so that other tabs see it is in use.
 */
export function createDraftRows(deps: StoredDraftRowsDeps) {
  return new StoredDraftRows(deps);
}

class StoredDraftRows {
  readonly #deps: StoredDraftRowsDeps;
  readonly #tab: string;
  readonly #lockOf: (owner: string) => string;
  readonly #locked: Promise<boolean>;
  readonly #leave: () => void;
  readonly #closing = new AbortController();
  readonly #queueWrites = new SerialQueue();

  constructor(deps: StoredDraftRowsDeps) {
    this.#deps = deps;
    const {
      tab: { id: tab, lockOf, locked, leave },
    } = deps;
    this.#tab = tab;
    this.#lockOf = lockOf;
    this.#locked = locked;
    this.#leave = leave;
  }

  /** Starts the row of an answer. Nothing waits for it: a draft must not delay its answer. */
  readonly draft = (
    conversationId: ConversationId,
    answer: Message,
    replaces: MessageId | null,
  ): DraftRow => {
    const key = `draft/${conversationId}/${answer.id}`;
    let parts = answer.parts;
    let dirty = true;
    let ended = false;
    let notified = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let heartbeat: ReturnType<typeof setInterval> | undefined;
    let writing: Promise<void> = Promise.resolve();
    const put = async (written: Message) =>
      await this.#deps.keyValues.set(key, {
        tab: this.#tab,
        touchedAt: this.#deps.now(),
        conversationId,
        answer: written,
        replaces,
      });
    const write = async () => {
      const hasLock = await this.#locked;
      while (dirty && !ended) {
        dirty = false;
        try {
          await put({ ...answer, parts });
        } catch (error) {
          // The answer continues, only less safely. Reported once.
          if (!notified) this.#deps.onProblem(toProblem(error));
          notified = true;
        }
        if (ended) return;
        if (!hasLock)
          heartbeat ??= setInterval(() => {
            dirty = true;
            schedule();
          }, HEARTBEAT_MS);
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, EVERY_MS);
        });
      }
      idle = true;
    };
    let wake: () => void = () => undefined;
    let idle = true;
    const schedule = () => {
      if (!idle || ended) return;
      idle = false;
      writing = write();
    };
    schedule();
    const end = () => {
      ended = true;
      clearTimeout(timer);
      clearInterval(heartbeat);
      wake();
    };
    return {
      update: (latest) => {
        parts = latest;
        dirty = true;
        schedule();
      },
      settle: async (finished) => {
        end();
        await writing;
        if (finished)
          await orElse(put(finished), undefined, 'the row of an answer; its save says what fails');
        return key;
      },
      release: end,
    };
  };

  queueKey(id: ConversationId): string {
    return `queue/${id}/${this.#tab}`;
  }

  /** Resolves when that tab is gone. */
  async whenGone(other: string): Promise<void> {
    await this.#deps.locks?.request(this.#lockOf(other), { signal: this.#closing.signal }, async () => {});
  }

  /** Stores a conversation's queue; durable when resolved. */
  queue(conversationId: ConversationId, items: Queued): Promise<void> {
    const row = items.length > 0 ? { tab: this.#tab, conversationId, items } : undefined;
    return this.#queueWrites.run(async () => {
      await this.#locked;
      await this.#deps.keyValues.set(
        this.queueKey(conversationId),
        row && { ...row, touchedAt: this.#deps.now() },
      );
    });
  }

  /**
   * Passes on the rows of tabs that are gone. A tab that still holds its lock (it lives, or is just reloading)
   * is awaited in the background. If a handler fails, its row stays.
   */
  async rescue(handlers: RescueHandlers): Promise<void> {
    const hasLock = await this.#locked;
    for (const [owner, rows] of await this.#foreignRows(handlers)) {
      if (!hasLock || !this.#deps.locks) {
        if (rows.every((row) => isAbandoned(row.touchedAt, this.#deps.now()))) await this.#handOver(rows);
        continue;
      }
      const done = await this.#deps.locks.request(
        this.#lockOf(owner),
        { ifAvailable: true },
        async (lock) => {
          if (lock) await this.#handOver(rows);
          return lock !== null;
        },
      );
      if (!done)
        this.#deps.locks
          .request(this.#lockOf(owner), { signal: this.#closing.signal }, async () =>
            this.#handOver((await this.#foreignRows(handlers)).get(owner) ?? []),
          )
          .catch((error) => {
            if (!isAbort(error)) this.#deps.onProblem(toProblem(error));
          });
    }
  }

  /** Waits for pending writes and frees the lock. */
  async close(): Promise<void> {
    await this.#queueWrites.idle();
    this.#closing.abort(new DOMException('Closing', 'AbortError'));
    this.#leave();
  }

  /** Rows of other tabs, by tab. Rows that this version cannot read are left alone. */
  async #foreignRows(handlers: RescueHandlers): Promise<Map<string, ForeignRow[]>> {
    const byTab = new Map<string, ForeignRow[]>();
    const add = (
      { tab: owner, touchedAt }: { tab: string; touchedAt: number },
      hand: () => Promise<void>,
    ) => {
      if (owner === this.#tab) return;
      byTab.set(owner, [...(byTab.get(owner) ?? []), { touchedAt, hand }]);
    };
    for (const key of await this.#deps.keyValues.keys('draft/')) {
      const row = draftSchema.safeParse(await this.#deps.keyValues.get(key)).data;
      if (row)
        add(row, () =>
          handlers.draft({
            key,
            conversationId: asConversationId(row.conversationId),
            answer: row.answer as unknown as Message,
            replaces: row.replaces as MessageId | null,
          }),
        );
    }
    for (const key of await this.#deps.keyValues.keys('queue/')) {
      const row = queueSchema.safeParse(await this.#deps.keyValues.get(key)).data;
      if (row)
        add(row, () =>
          handlers.queue({
            key,
            conversationId: asConversationId(row.conversationId),
            items: row.items as unknown as Queued,
          }),
        );
    }
    return byTab;
  }

  async #handOver(rows: readonly ForeignRow[]): Promise<void> {
    for (const { hand } of rows) {
      try {
        await hand();
      } catch (error) {
        this.#deps.onProblem(toProblem(error));
      }
    }
  }
}
