// Finds, waits for an undo, removes, confirms. Level-triggered: every record that this device has not confirmed is
// work to do, whichever device made it.
import { v7 } from 'uuid';
import { z } from 'zod';
import { LOG_REPAIRED } from '../../adapters/log/recovering.ts';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, isConversation, isTemporary } from '../../domain/base/ids.ts';
import { ignore, log } from '../../domain/base/log.ts';
import type { Writable } from '../../domain/base/readable.ts';
import type { Message } from '../../domain/chat/message.ts';
import { imprintOf, imprintsOf } from '../../domain/forget/imprint.ts';
import {
  type Forgotten,
  forgottenSchema,
  quotesOf,
  type Sought,
  soughtIn,
} from '../../domain/forget/sought.ts';
import { readLibrary } from '../documents/documents.ts';
import type { ForgottenRecord } from '../documents/forgotten-records.ts';
import { sourceKey } from '../library/import-plan.ts';
import { createJob } from '../scheduler.ts';
import { createEraser, type Eraser } from './eraser.ts';
import type { Forget, ForgetPlan, ForgetReport, ForgetState } from './forget.ts';
import { type Find, FORGET_PLACES, type ForgetPlace, type PlaceDeps, type PlaceId } from './place.ts';
import { CREATE_PLACES } from './places/index.ts';
import { withChildren, withoutRecalled } from './traces.ts';

/** Time during which a person can undo, before anything is removed, in ms. */
const UNDO_MS = 10_000;
/** Prefix of the records that this device is carrying out, until every place was verified. */
const UNDER_WAY = 'forgetting/';
/** Prefix of the reports of what this device has forgotten. */
const REPORT = 'forgetting/report/';
/** Prefix of the other devices whose confirmation of a record this device has seen. */
const SEEN = 'forgetting/seen/';
/** Key of the request that has not begun yet (`Asked`). */
const ASKED = 'forgetting/asked';
/** Begins a request of another page that is this much overdue, in ms: that page is gone. */
const GRACE_MS = 5_000;
/**
 * First and longest delay before an unconfirmed record is tried again, in ms; each delay is twice the one before. The
 * second copy follows within seconds, and a person may be reading the report.
 */
const [RETRY_MS, MAX_RETRY_MS] = [4_000, 3_600_000];
/** First delay after a failure, in ms. */
const AFTER_FAILURE_MS = 60_000;
/** Stands for this device while it has no account. */
const NO_ACCOUNT = 'local';

const quotesSchema = z.array(z.object({ tokens: z.number().int().positive(), hash: z.string() }));
/** Number of finds in each place, for the report of a page that opens later. */
const foundSchema = z.partialRecord(z.enum(FORGET_PLACES), z.number().int().nonnegative()).catch({});
type FoundPlaces = z.infer<typeof foundSchema>;
const seenSchema = z.array(z.string());
const underWaySchema = z.object({ quotes: quotesSchema, found: foundSchema });
const askedSchema = z.object({
  record: forgottenSchema,
  quotes: quotesSchema,
  found: foundSchema,
  startsAt: z.number(),
});
type Begun = Pick<ForgetPlan, 'record' | 'quotes'> & { readonly found: FoundPlaces };
type Asked = Begun & { readonly startsAt: number };
/** Ids, times and counts, none of the words. */
const reportSchema = z.object({
  id: z.string(),
  kind: forgottenSchema.shape.kind,
  at: z.number(),
  doneAt: z.number(),
  places: z.array(
    z.object({
      place: z.enum(FORGET_PLACES),
      found: z.number(),
      left: z.number(),
      waiting: z.boolean(),
      kept: z.number().exactOptional(),
    }),
  ),
});
const foundIn = ({ finds }: ForgetPlan): FoundPlaces => {
  const found: FoundPlaces = {};
  for (const { place, count } of finds) found[place] = (found[place] ?? 0) + count;
  return found;
};

export interface ForgetDeps extends PlaceDeps {
  readonly now: () => number;
  /** Runs one job at a time across all tabs. */
  readonly exclusive: <T>(work: () => Promise<T>) => Promise<T>;
  /** Returns this device's id in its account. */
  readonly device: () => Promise<string | null>;
  /** Replaces `UNDO_MS` and `GRACE_MS` in tests. */
  readonly undoMs?: number;
  readonly graceMs?: number;
}

/** Progress of this page with one record. */
interface Progress {
  /** Places that were verified and had nothing left. */
  readonly clean: Set<PlaceId>;
  /** Number of failed attempts, and time of the next one by the monotonic clock, in ms. */
  attempts: number;
  notBefore: number;
  /** True once this device confirmed the record: what arrives by sync after that is already clean. */
  isConfirmed: boolean;
}

/** The service without what the page does by itself (`late-forget.ts`). */
type ForgetService = Omit<Forget, 'records' | 'reopen' | 'dismiss'>;

/** Builds the service, which sets `state` and also carries out records of other devices until the signal aborts. */
export const createForget = (deps: ForgetDeps, state: Writable<ForgetState>): ForgetService =>
  new Forgetting(deps, state);

class Forgetting implements ForgetService {
  readonly #deps: ForgetDeps;
  readonly #places: readonly ForgetPlace[];
  readonly state: Writable<ForgetState>;
  readonly #job;
  readonly #progress = new Map<string, Progress>();
  /** The plan that this page began, shown while it runs. */
  #begun: ForgetPlan | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Resolves when the request is stored. */
  #asking: Promise<void> = Promise.resolve();
  #wasSynced = false;
  readonly #listeners = new Set<(eraser: Eraser) => void>();
  /** Records of which listeners were notified, and the pending notifications of those not yet carried out here. */
  readonly #notified = new Map<string, Promise<void>>();
  readonly #underWay = new Map<string, Eraser>();
  /** Other devices of which this page knows that they confirmed a record. */
  readonly #seen = new Map<string, readonly string[]>();
  #isFollowing = false;
  /** True if the log recovered entries from its second copy, which may contain anything forgotten before. */
  #isRepaired = false;

  constructor(deps: ForgetDeps, state: Writable<ForgetState>) {
    this.#deps = deps;
    this.state = state;
    const { notes, sync, keyValues, signal } = deps;
    this.#places = CREATE_PLACES.map((create) => create(deps));
    this.#job = createJob({
      run: () => this.#run(),
      signal,
      pauseMs: AFTER_FAILURE_MS,
      onError: (error, pauseMs) => {
        log.warn(`Forgetting continues in ${Math.round(pauseMs / 1000)} s`, error);
        if (this.#begun) this.state.set({ step: 'failed', plan: this.#begun, problem: toProblem(error) });
      },
    });
    const stops = [
      notes.forgotten.subscribe(() => {
        this.#job.wake();
        ignore(this.#notifyNew(), 'a record; its listeners are notified before it is carried out');
      }),
      sync.status.subscribe(() => this.#onSync()),
      keyValues.subscribe(({ keys }) => {
        if (keys.includes(LOG_REPAIRED)) this.#onRepaired();
      }),
    ];
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(this.#timer);
        for (const stop of stops) stop();
      },
      { once: true },
    );
    ignore(this.#begin(), 'unfinished forgetting of an earlier page; the next start looks for it again');
  }

  readonly seek: Forget['seek'] = (sought, wanted) => seek(this.#deps, this.#places, sought, wanted);

  readonly begin: Forget['begin'] = async (plan) => {
    const { keyValues, now, undoMs = UNDO_MS } = this.#deps;
    const { step } = this.state.get();
    if (step === 'waiting' || step === 'running')
      throw new RecollectError('forget-busy', 'Something is being forgotten already');
    const startsAt = now() + undoMs;
    this.state.set({ step: 'waiting', plan, startsAt });
    this.#timer = setTimeout(
      () => ignore(this.#start(plan), 'a forgetting whose state reports its end'),
      undoMs,
    );
    const { record, quotes } = plan;
    this.#asking = keyValues.set(ASKED, { record, quotes, found: foundIn(plan), startsAt } satisfies Asked);
    try {
      await this.#asking;
    } catch (error) {
      clearTimeout(this.#timer);
      this.state.set({ step: 'idle' });
      throw error;
    }
  };

  readonly undo: Forget['undo'] = async () => {
    const waiting = this.state.get();
    if (waiting.step !== 'waiting') return false;
    clearTimeout(this.#timer);
    await this.#asking;
    if ((await this.#deps.keyValues.get(ASKED)) === undefined) {
      // Another page took it over: timers of a background page run late.
      await this.#start(waiting.plan);
      return false;
    }
    await this.#deps.keyValues.set(ASKED, undefined);
    this.state.set({ step: 'idle' });
    return true;
  };

  readonly reportOf: Forget['reportOf'] = async (id) =>
    reportSchema.safeParse(await this.#deps.keyValues.get(REPORT + id)).data;

  readonly onForgetting: Forget['onForgetting'] = (listener) => {
    this.#listeners.add(listener);
    for (const eraser of this.#underWay.values()) listener(eraser);
    return () => this.#listeners.delete(listener);
  };

  /** Listeners must drop the words from memory first, or they would write them again after their place was cleaned. */
  async #notifyNew(): Promise<void> {
    const { notes } = this.#deps;
    // This page holds nothing in memory from before it opened.
    const isFirst = !this.#isFollowing;
    this.#isFollowing = true;
    const device = await this.#device();
    for (const record of notes.forgotten.get()) {
      const isDone = record.confirmed.get(device)?.left === 0;
      if (isDone) this.#underWay.delete(record.id);
      if (!this.#notified.has(record.id))
        this.#notified.set(record.id, isFirst && isDone ? Promise.resolve() : this.#notify(record));
    }
    await Promise.all(this.#notified.values());
  }

  async #notify(record: ForgottenRecord): Promise<void> {
    let stored: unknown;
    try {
      stored = await this.#deps.keyValues.get(UNDER_WAY + record.id);
    } catch (error) {
      this.#notified.delete(record.id);
      throw error;
    }
    const eraser = createEraser(record, underWaySchema.safeParse(stored).data?.quotes ?? []);
    this.#underWay.set(record.id, eraser);
    for (const listener of this.#listeners) listener(eraser);
  }

  async #start(plan: ForgetPlan): Promise<void> {
    this.state.set({ step: 'running', plan, done: 0, total: this.#places.length });
    try {
      this.#begun = plan;
      await this.#record({ ...plan, found: foundIn(plan) });
      this.#job.wake(true);
    } catch (error) {
      this.#begun = undefined;
      this.state.set({ step: 'failed', plan, problem: toProblem(error) });
    }
  }

  /** Stores the record; from here on it will be carried out even if this page closes. */
  async #record({ record, quotes, found }: Begun): Promise<void> {
    const { keyValues, notes } = this.#deps;
    await keyValues.set(UNDER_WAY + record.id, { quotes, found });
    await notes.record(record);
    await keyValues.set(ASKED, undefined);
  }

  /** Continues what an earlier page left, once its time is over. */
  async #begin(): Promise<void> {
    const { keyValues, now, signal, graceMs = GRACE_MS } = this.#deps;
    if ((await keyValues.get(LOG_REPAIRED)) !== undefined) this.#isRepaired = true;
    this.#job.wake();
    const read = async (): Promise<Asked | undefined> => {
      const asked = askedSchema.safeParse(await keyValues.get(ASKED)).data;
      return asked && { ...asked, record: asked.record as Forgotten };
    };
    const asked = await read();
    if (!asked || signal.aborted) return;
    const adopt = async () => {
      const still = await read();
      if (still?.record.id === asked.record.id) await this.#record(still);
    };
    const inMs = Math.min(asked.startsAt + graceMs - now(), UNDO_MS + GRACE_MS);
    const timer = setTimeout(
      () => ignore(adopt(), 'a request to forget; the next start takes it up again'),
      Math.max(0, inMs),
    );
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  #onSync(): void {
    const isSynced = this.#deps.sync.status.get().state === 'synced';
    const isNews = isSynced && !this.#wasSynced;
    this.#wasSynced = isSynced;
    if (!isNews) return;
    for (const progress of this.#progress.values()) {
      progress.notBefore = 0;
      // Entries from another device or the second copy may contain more of it.
      if (!progress.isConfirmed) progress.clean.clear();
    }
    this.#job.wake();
  }

  #onRepaired(): void {
    this.#isRepaired = true;
    this.#progress.clear();
    this.#job.wake();
  }

  async #run(): Promise<void> {
    const { documents, notes, exclusive, signal } = this.#deps;
    await readLibrary(documents.library, signal);
    await notes.known();
    await this.#notifyNew();
    await exclusive(async () => {
      const isRepaired = this.#isRepaired;
      this.#isRepaired = false;
      const device = await this.#device();
      for (const record of notes.forgotten.get()) {
        const isBegun = this.#begun?.record.id === record.id;
        const isDone = record.confirmed.get(device)?.left === 0;
        if (isDone && !isRepaired && !isBegun && !this.#isOnScreen(record.id)) {
          await this.#takeOutLate(record, device);
          continue;
        }
        const progress = this.#progressOf(record.id);
        const leftMs = progress.notBefore - performance.now();
        if (isBegun || leftMs <= 0) await this.#carryOut(record, progress, isRepaired);
        // An earlier wake takes the place of a later one.
        else this.#job.wakeWithin(leftMs + 1);
      }
    });
  }

  async #carryOut(record: ForgottenRecord, progress: Progress, isRepaired: boolean): Promise<void> {
    const { keyValues, notes, sync, now } = this.#deps;
    const plan = this.#begun?.record.id === record.id ? this.#begun : undefined;
    const shown = this.state.get();
    const kept = underWaySchema.safeParse(await keyValues.get(UNDER_WAY + record.id)).data;
    // A request from another device waits for sync, which first moves conversations with new messages from here into
    // the trash.
    const isOwn = plan !== undefined || kept !== undefined;
    if (!isOwn && sync.account.get() !== null && sync.status.get().state !== 'synced') return;
    const eraser = createEraser(record, kept?.quotes ?? [], isOwn || isRepaired);
    // More of it may still arrive while sync is fetching.
    const isWhole = sync.account.get() === null || sync.status.get().state === 'synced';
    for (const [done, place] of this.#places.entries()) {
      if (plan) this.state.set({ step: 'running', plan, done, total: this.#places.length });
      if (!progress.clean.has(place.id)) await place.remove(eraser);
    }
    const verified = await this.#verify(eraser, progress, kept?.found ?? {});
    // Words that enter memory from now on were said later.
    if (progress.clean.has('kept')) this.#underWay.delete(record.id);
    const left = verified.reduce((sum, one) => sum + one.left, 0);
    const isHere = verified.every(({ place, waiting }) => place === 'relay' || !waiting);
    const before = await this.reportOf(record.id);
    const isReported =
      plan !== undefined || kept !== undefined || before?.places.some(({ waiting }) => waiting);
    const report: ForgetReport = {
      id: record.id,
      kind: record.kind,
      at: record.at,
      doneAt: now(),
      places: verified.map((one, at) => ({ ...one, found: one.found || (before?.places[at]?.found ?? 0) })),
    };
    if (isReported) await keyValues.set(REPORT + record.id, report);
    if (plan) {
      this.#begun = undefined;
      this.state.set({ step: 'done', report });
    } else if (shown.step === 'done' && this.#isOnScreen(record.id)) this.state.set({ step: 'done', report });
    if (isHere && isWhole) {
      await keyValues.set(SEEN + record.id, othersIn(record, await this.#device()));
      const confirmed = record.confirmed.get(await this.#device());
      if (confirmed?.left !== left) await notes.confirm(record.id, await this.#device(), { at: now(), left });
      progress.isConfirmed = true;
      if (left === 0) await keyValues.set(UNDER_WAY + record.id, undefined);
    }
    if (!isHere || left > 0 || verified.some(({ waiting }) => waiting)) this.#tryAgain(progress);
  }

  /**
   * Takes out of the log what another device wrote before it heard of the request, sent, and then cleaned: its news
   * replaces the words, and the entries that had them stay.
   */
  async #takeOutLate(record: ForgottenRecord, device: string): Promise<void> {
    const { documents, keyValues, sync } = this.#deps;
    const others = othersIn(record, device);
    const seen = this.#seen.get(record.id);
    if (others.length === 0 || others.every((id) => seen?.includes(id))) return;
    if (sync.account.get() !== null && sync.status.get().state !== 'synced') return;
    const key = SEEN + record.id;
    const stored = seenSchema.safeParse(await keyValues.get(key)).data;
    // An earlier version noted none.
    if (stored && !others.every((id) => stored.includes(id))) await documents.purge(createEraser(record));
    await keyValues.set(key, others);
    this.#seen.set(record.id, others);
  }

  /** True if its report is on the screen and still has open items. */
  #isOnScreen(id: string): boolean {
    const shown = this.state.get();
    return (
      shown.step === 'done' && shown.report.id === id && shown.report.places.some(({ waiting }) => waiting)
    );
  }

  #tryAgain(progress: Progress): void {
    const pauseMs = Math.min(RETRY_MS * 2 ** progress.attempts, MAX_RETRY_MS);
    progress.attempts += 1;
    progress.notBefore = performance.now() + pauseMs;
    this.#job.wakeWithin(pauseMs + 1);
  }

  async #verify(eraser: Eraser, progress: Progress, found: FoundPlaces): Promise<ForgetReport['places']> {
    const verified: ForgetReport['places'][number][] = [];
    for (const place of this.#places) {
      const read = progress.clean.has(place.id) ? { left: 0, waiting: false } : await place.verify(eraser);
      if (read.left === 0 && !read.waiting && place.id !== 'relay') progress.clean.add(place.id);
      verified.push({ place: place.id, found: found[place.id] ?? 0, ...read });
    }
    return verified;
  }

  #progressOf(id: string): Progress {
    const known = this.#progress.get(id);
    if (known) return known;
    const made: Progress = { clean: new Set(), attempts: 0, notBefore: 0, isConfirmed: false };
    this.#progress.set(id, made);
    return made;
  }

  async #device(): Promise<string> {
    return (await this.#deps.device()) ?? NO_ACCOUNT;
  }
}

/** Lists the other devices that have nothing left of it. */
const othersIn = ({ confirmed }: ForgottenRecord, device: string): readonly string[] =>
  [...confirmed].flatMap(([id, { left }]) => (id !== device && left === 0 ? [id] : []));

/** Reads every conversation twice: first for what is searched, then for other places that mention it. */
async function seek(
  { documents, log: entries, now }: ForgetDeps,
  places: readonly ForgetPlace[],
  sought: Sought,
  signal: AbortSignal,
): Promise<ForgetPlan> {
  const id = v7();
  const words =
    'words' in sought ? sought.words.flatMap((one) => imprintsOf(one, id, sought.kind === 'person')) : [];
  if ('words' in sought && words.length === 0)
    throw new RecollectError('forget-no-words', 'There is no word to look for');
  const matcher = createEraser({ ...NOTHING, id, words });
  const isNamed = (message: Message) => {
    const said = withoutRecalled(message);
    return matcher.cleanOfWords(said) !== said;
  };
  const whole = new Set<ConversationId>();
  const parentOf = new Map<ConversationId, string>();
  const sources = new Map<ConversationId, string>();
  const messages = new Map<ConversationId, readonly Message[]>();
  for (const document of (await entries.documents()).filter(isConversation)) {
    signal.throwIfAborted();
    const conversation = isTemporary(document) ? undefined : await documents.read(document);
    if (!conversation) continue;
    const { parent, source } = conversation.meta;
    if (parent) parentOf.set(document, parent.conversationId);
    if (source) sources.set(document, sourceKey(source.tool, source.id));
    const part = soughtIn(conversation, sought, isNamed);
    if (part.whole) whole.add(document);
    if (part.messages.length > 0) messages.set(document, part.messages);
  }
  const gone = withChildren(whole, parentOf);
  for (const document of gone)
    if (!messages.has(document))
      messages.set(document, [...((await documents.read(document))?.messages.values() ?? [])]);
  const inParts = [...messages].filter(([document]) => !gone.has(document));
  const record: Forgotten = {
    id,
    at: now(),
    kind: sought.kind,
    ids: [...gone, ...inParts.flatMap(([, some]) => some.map((message) => message.id))],
    inside: [],
    sources: [...gone].flatMap((document) => imprintOf(sources.get(document) ?? '', id)?.hash ?? []),
    words,
    whole: 'whole' in sought && sought.whole,
  };
  const quotes = quotesOf([...messages.values()].flat(), id);
  // Everything found now is meant, whatever its date.
  const eraser = createEraser({ ...record, at: Number.POSITIVE_INFINITY }, quotes);
  const finds: Find[] = [];
  for (const place of places) {
    signal.throwIfAborted();
    finds.push(...(await place.find(eraser)));
  }
  const inside = new Set(finds.flatMap(({ conversation }) => (conversation ? [conversation] : [])));
  return {
    record: {
      ...record,
      inside: [...inside].filter((document) => !gone.has(document)),
      ahead: marksAfter(record.at, finds),
    },
    quotes,
    finds,
  };
}

/** Returns marks of finds dated later than `at`. */
const marksAfter = (at: number, finds: readonly Find[]): string[] => [
  ...new Set(finds.flatMap(({ said = [] }) => said.flatMap((one) => (one.at > at ? one.mark : [])))),
];

const NOTHING: Forgotten = {
  id: '',
  at: Number.POSITIVE_INFINITY,
  kind: 'phrase',
  ids: [],
  inside: [],
  sources: [],
  words: [],
  whole: false,
};
