// Finds, waits for an undo, removes, confirms. Level-triggered: every record that this device has not confirmed is
// work to do, whichever device made it.
import { v7 } from 'uuid';
import { z } from 'zod';
import { LOG_REPAIRED } from '../../adapters/log/recovering.ts';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, type DocumentId, isConversation, isTemporary } from '../../domain/base/ids.ts';
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
import { arrivedSince } from './arrivals.ts';
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
/**
 * Prefix of the records that this disk has carried out, with the quotations that the asking device knows; a copy of the
 * disk that is put back has fewer of them.
 */
const CARRIED_OUT = 'forgetting/seen/';
/** Last entry of the log that was searched for what arrives late. */
const READ_UP_TO = 'forgetting/read/log';
/** Records of which something arrived late, each with its documents, until their places are clean again. */
const LATE = 'forgetting/late';
/** Documents that another device cleaned, until the index has let go of what they held. */
const CLEANED = 'forgetting/cleaned';
/** Least time in ms between two such cleanings, since each writes the whole index. */
const FILES_REST_MS = 600_000;
/** Longest time in ms after which the log is searched for what another thread wrote to it. */
const ARRIVED_MS = 1_000;
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
const carriedOutSchema = z.object({ quotes: quotesSchema }).catch({ quotes: [] });
const lateSchema = z.record(z.string(), z.array(z.string())).catch({});
const underWaySchema = z.object({ quotes: quotesSchema, found: foundSchema });
const cleanedSchema = z.array(z.string()).catch([]);
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
  /** True once this device confirmed the record: what arrives after that is found by reading the log on. */
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
  #isFollowing = false;
  /** When the files of the index were last written anew for what another device cleaned, by the monotonic clock, ms. */
  #indexCleanedAt = Number.NEGATIVE_INFINITY;
  /** True if the log recovered entries from its second copy, which may contain anything forgotten before. */
  #isRepaired = false;

  constructor(deps: ForgetDeps, state: Writable<ForgetState>) {
    this.#deps = deps;
    this.state = state;
    const { notes, sync, keyValues, log: entries, signal } = deps;
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
      entries.subscribe(({ foreign }) => {
        if (foreign) this.#job.wakeWithin(ARRIVED_MS);
      }),
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
      const records = notes.forgotten.get();
      const done = new Set<string>();
      for (const record of records)
        if (record.confirmed.get(device)?.left === 0 && (await this.#isCarriedOut(record)))
          done.add(record.id);
      const late = await this.#readOn(records.filter(({ id }) => done.has(id)));
      for (const record of records) {
        const isBegun = this.#begun?.record.id === record.id;
        const arrived = late.get(record.id);
        const isDue = isRepaired || isBegun || arrived !== undefined || this.#isOnScreen(record.id);
        if (done.has(record.id) && !isDue) continue;
        const progress = this.#progressOf(record.id);
        const leftMs = progress.notBefore - performance.now();
        if (isBegun || leftMs <= 0) await this.#carryOut(record, progress, isRepaired, arrived);
        // An earlier wake takes the place of a later one.
        else this.#job.wakeWithin(leftMs + 1);
      }
    });
  }

  /** False on a copy of the disk from before: another device sent back what this one had confirmed. */
  async #isCarriedOut({ id }: ForgottenRecord): Promise<boolean> {
    return (await this.#deps.keyValues.get(CARRIED_OUT + id)) !== undefined;
  }

  /**
   * Reads the log on from where it was read before, for something of these records that arrived late. Returns, by
   * record, the documents that have it, with those of an earlier run that are not clean yet.
   */
  async #readOn(records: readonly ForgottenRecord[]): Promise<ReadonlyMap<string, readonly DocumentId[]>> {
    const { documents, keyValues, log: entries } = this.#deps;
    const pending = await this.#late();
    const head = await entries.head();
    if (records.length === 0) {
      await keyValues.set(READ_UP_TO, head);
      return new Map();
    }
    const stored = await keyValues.get(READ_UP_TO);
    // A log that begins anew counts from 0 again.
    const from = typeof stored === 'number' && stored <= head ? stored : 0;
    const erasers: Eraser[] = [];
    for (const record of records) erasers.push(createEraser(record, await this.#quotesOf(record)));
    const { upTo, late, cleaned } = await arrivedSince(this.#deps, erasers, from);
    // Only the device that was asked knows what quotes a message; what it takes out goes here as well.
    if (cleaned.size > 0) await documents.purge(createEraser(NOTHING), [...cleaned]);
    for (const [id, documents] of late) {
      pending.set(id, [...new Set([...(pending.get(id) ?? []), ...documents])]);
      const progress = this.#progressOf(id);
      progress.clean.clear();
      progress.notBefore = 0;
    }
    if (late.size > 0) await keyValues.set(LATE, Object.fromEntries(pending));
    await this.#cleanIndexOf(cleaned);
    if (upTo !== stored) await keyValues.set(READ_UP_TO, upTo);
    return pending;
  }

  /**
   * Takes what another device cleaned out of the index and its files, with what an earlier run could not: the index
   * was not open or behind, or its files were written anew a moment ago.
   */
  async #cleanIndexOf(cleaned: ReadonlySet<DocumentId>): Promise<void> {
    const { keyValues } = this.#deps;
    const inside = new Set([...cleanedSchema.parse(await keyValues.get(CLEANED)), ...cleaned]);
    const place = this.#places.find(({ id }) => id === 'index');
    if (inside.size === 0 || !place) return;
    if (cleaned.size > 0) await keyValues.set(CLEANED, [...inside]);
    const restMs = this.#indexCleanedAt + FILES_REST_MS - performance.now();
    if (restMs > 0) {
      this.#job.wakeWithin(restMs + 1);
      return;
    }
    this.#indexCleanedAt = performance.now();
    const eraser = createEraser({ ...NOTHING, inside: [...inside] });
    await place.remove(eraser);
    if ((await place.verify(eraser)).waiting) this.#job.wakeWithin(FILES_REST_MS + 1);
    else await keyValues.set(CLEANED, undefined);
  }

  async #quotesOf({ id }: ForgottenRecord): Promise<ForgetPlan['quotes']> {
    return carriedOutSchema.parse(await this.#deps.keyValues.get(CARRIED_OUT + id)).quotes;
  }

  async #late(): Promise<Map<string, readonly DocumentId[]>> {
    const stored = lateSchema.parse((await this.#deps.keyValues.get(LATE)) ?? {});
    return new Map(Object.entries(stored) as [string, DocumentId[]][]);
  }

  /** `arrived`: documents into which something of it came after this device had confirmed it. */
  async #carryOut(
    asked: ForgottenRecord,
    progress: Progress,
    isRepaired: boolean,
    arrived: readonly DocumentId[] = [],
  ): Promise<void> {
    const record = { ...asked, inside: [...new Set([...asked.inside, ...arrived])] };
    const { keyValues, notes, sync, now } = this.#deps;
    const plan = this.#begun?.record.id === record.id ? this.#begun : undefined;
    const shown = this.state.get();
    const kept = underWaySchema.safeParse(await keyValues.get(UNDER_WAY + record.id)).data;
    // A request from another device waits for sync, which first moves conversations with new messages from here into
    // the trash.
    const isOwn = plan !== undefined || kept !== undefined;
    if (!isOwn && sync.account.get() !== null && sync.status.get().state !== 'synced') return;
    const quotes = kept?.quotes ?? (await this.#quotesOf(record));
    const eraser = createEraser(record, quotes, isOwn || isRepaired);
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
      const confirmed = record.confirmed.get(await this.#device());
      if (confirmed?.left !== left) await notes.confirm(record.id, await this.#device(), { at: now(), left });
      progress.isConfirmed = true;
      if (left === 0) await this.#settle(record.id, quotes);
    }
    if (!isHere || left > 0 || verified.some(({ waiting }) => waiting)) this.#tryAgain(progress);
  }

  /** Notes that nothing of the record is left here. */
  async #settle(id: string, quotes: ForgetPlan['quotes']): Promise<void> {
    const { keyValues } = this.#deps;
    await keyValues.set(CARRIED_OUT + id, { quotes });
    await keyValues.set(UNDER_WAY + id, undefined);
    const late = await this.#late();
    if (late.delete(id)) await keyValues.set(LATE, late.size > 0 ? Object.fromEntries(late) : undefined);
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
