// Cleans up once a day, if the person switched that on: archives unused conversations, deletes those they agreed to.
// Each run is reported and can be undone.
//
//   wake every hour ──► a day since the last run? ──► plan ──► report written first ──► archive, trash, erase
import { ignore, log } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import { type Documents, readLibrary } from '../documents/documents.ts';
import type { Notes, NotesState } from '../documents/notes.ts';
import { createJob } from '../scheduler.ts';
import type { Settings } from '../settings/settings.ts';
import {
  NO_RETENTION,
  type RetentionPlan,
  type RetentionRun,
  type RetentionState,
  RUN_EVERY_MS,
  retentionPlan,
  retentionStateSchema,
  runBy,
} from './retention-plan.ts';

/** Delay of the first check after a start, ms, so that the app has settled. */
const FIRST_CHECK_MS = 60_000;
/** Time between two checks whether a run is due, ms. */
const CHECK_EVERY_MS = 3_600_000;
/** Name of this device's record of clean-ups. */
const ITEM = 'retention';

export interface Retention {
  /** Record of past runs; undefined until it was read. */
  readonly state: Readable<RetentionState | undefined>;
  /** The automatic run that just ended in this tab and moved something; null: none. */
  readonly finished: Readable<RetentionRun | null>;
  /** Plans a run now. Empty lists until everything was read. */
  preview(): RetentionPlan;
  /** Runs now, due or not. Null: there was nothing to do. */
  run(): Promise<RetentionRun | null>;
  /** Moves back the conversations of a run that have not moved since; returns their count. Unknown run: 0. */
  undo(at: number): Promise<number>;
  /**
   * Records or withdraws the person's consent to delete archived conversations; a withdrawal ends all announcements.
   */
  agree(agreed: boolean): Promise<void>;
}

interface RetentionDeps {
  readonly documents: Pick<Documents, 'library' | 'changeMany' | 'erase'>;
  readonly notes: Pick<Notes, 'state' | 'known'>;
  readonly settings: Pick<Settings, 'config' | 'recallItem' | 'keepItem'>;
  readonly now: () => number;
  /** Runs one piece of work at a time over all tabs. */
  readonly exclusive: <T>(work: () => Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
}

const NOTHING: RetentionPlan = { archive: [], announced: [], trash: [], erase: [], back: [] };

/** Conversations that are the source of a note or a pinned passage. */
const notedIn = ({ notes, feedback }: NotesState): ReadonlySet<string> =>
  new Set<string>([
    ...notes.flatMap(({ source }) => (source ? [source.conversationId] : [])),
    ...feedback.filter(({ verdict }) => verdict === 'pinned').map(({ conversationId }) => conversationId),
  ]);

/** Lists the moves of a run at this time, ms since 1970. */
const changesOf = ({ archive, trash, back }: RetentionPlan, at: number) => [
  ...archive.map(({ id }) => ({ id, change: { meta: { archived: true, movedAt: at } } })),
  ...back.map(({ id }) => ({ id, change: { meta: { archived: false, deletedAt: null, movedAt: at } } })),
  ...trash.map(({ id }) => ({ id, change: { meta: { deletedAt: at, movedAt: at } } })),
];

/** Starts the checks; they end with the signal. */
export function createRetention({
  documents,
  notes,
  settings,
  now,
  exclusive,
  signal,
}: RetentionDeps): Retention {
  const state = writable<RetentionState | undefined>(undefined);
  const finished = writable<RetentionRun | null>(null);

  /** Reads the record each time, since another tab may have run. */
  const read = async (): Promise<RetentionState> => {
    const kept = retentionStateSchema.safeParse(await settings.recallItem(ITEM));
    const read = kept.success ? kept.data : NO_RETENTION;
    state.set(read);
    return read;
  };
  const write = async (next: RetentionState): Promise<void> => {
    await settings.keepItem(ITEM, next);
    state.set(next);
  };
  const plan = (from: RetentionState) =>
    retentionPlan(
      documents.library.get(),
      settings.config.get().storage.cleanup,
      from,
      notedIn(notes.state.get()),
      now(),
    );

  const run = (): Promise<RetentionRun | null> =>
    exclusive(async () => {
      await readLibrary(documents.library, signal);
      await notes.known();
      const before = await read();
      const at = now();
      const what = plan(before);
      const { done, next } = runBy(what, before, settings.config.get().storage.cleanup, at);
      // Written before anything is moved, so that an interrupted run can be undone as far as it came.
      await write(next);
      const changes = changesOf(what, at);
      if (changes.length > 0) await documents.changeMany(changes, 'user');
      if (what.erase.length > 0) await documents.erase(what.erase.map(({ id }) => id));
      return done;
    });

  const undo: Retention['undo'] = (at) =>
    exclusive(async () => {
      const before = await read();
      const past = before.runs.find((one) => one.at === at);
      if (!past) return 0;
      const entries = new Map(documents.library.get().entries.map((entry) => [entry.id, entry]));
      const movedAt = now();
      const changes = [
        ...past.archived.flatMap((id) => {
          const entry = entries.get(id);
          return entry?.archived && entry.movedAt === at
            ? [{ id, change: { meta: { archived: false, movedAt } } }]
            : [];
        }),
        ...past.trashed.flatMap((id) =>
          entries.get(id)?.deletedAt === at ? [{ id, change: { meta: { deletedAt: null, movedAt } } }] : [],
        ),
      ];
      if (changes.length > 0) await documents.changeMany(changes, 'user');
      await write({
        ...before,
        runs: before.runs.map((one) => (one.at === at ? { ...one, undone: true } : one)),
      });
      return changes.length;
    });

  const agree: Retention['agree'] = (agreed) =>
    exclusive(async () => {
      const before = await read();
      const at = now();
      await write({
        ...before,
        agreedAt: agreed ? at : null,
        announced: agreed
          ? Object.fromEntries(plan(before).announced.map(({ entry }) => [entry.id, at]))
          : {},
      });
    });

  const isDue = ({ ranAt }: RetentionState): boolean =>
    ranAt === null || now() < ranAt || now() - ranAt >= RUN_EVERY_MS;
  const job = createJob({
    run: async () => {
      if (settings.config.get().storage.cleanup.enabled && isDue(await read())) {
        const done = await run();
        if (done && done.archived.length + done.trashed.length > 0) finished.set(done);
      }
      job.wakeWithin(CHECK_EVERY_MS);
    },
    signal,
    onError: (error, pauseMs) => log.warn(`The clean-up waits ${Math.round(pauseMs / 1000)} s`, error),
  });
  job.wakeWithin(FIRST_CHECK_MS);
  ignore(read(), 'the reports of past clean-ups; they are read again before the next one');

  return {
    state,
    finished,
    preview: () => {
      const from = state.get();
      return from ? plan(from) : NOTHING;
    },
    run,
    undo,
    agree,
  };
}
