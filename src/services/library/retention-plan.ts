// Plans the next clean-up and its time. Decides, writes nothing.
import { z } from 'zod';
import { asConversationId } from '../../domain/base/ids.ts';
import { timeSchema } from '../../domain/base/time.ts';
import { isExcluded } from '../../domain/memory/privacy.ts';
import { withInner } from '../../domain/projects/filing.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { LibraryEntry, LibraryListing } from '../documents/documents.ts';

const DAY_MS = 86_400_000;
/** A conversation is announced for so long before it is moved to the trash, ms. */
const NOTICE_MS = 30 * DAY_MS;
/** A conversation that a clean-up put into the trash stays there for so long, ms. */
const TRASH_MS = 30 * DAY_MS;
/** Time from one run to the next, ms. */
export const RUN_EVERY_MS = DAY_MS;
/**
 * After a longer pause, a run deletes nothing: the clock may be wrong, and the person may
 * not have seen the announcements, ms.
 */
const MOST_PAUSE_MS = 14 * DAY_MS;
/** Most reports of past runs that are kept. */
const MOST_RUNS = 30;

const ids = z.array(z.string().transform(asConversationId)).readonly();
const runSchema = z.object({
  /** ms since 1970; the conversations that the run moved carry the same time. */
  at: timeSchema,
  archived: ids,
  trashed: ids,
  /** A number without names: an erased conversation is named nowhere any more. */
  erased: z.number(),
  undone: z.boolean().catch(false),
  /** Days after which it archived and trashed; absent in older runs. */
  days: z.object({ archive: z.number(), trash: z.number() }).optional().catch(undefined),
});
export type RetentionRun = Readonly<z.infer<typeof runSchema>>;

/**
 * This device's record of its clean-ups. Parsed leniently: a damaged part starts again empty, and then nothing is due.
 */
export const retentionStateSchema = z.object({
  /** Time of the last run, ms since 1970. */
  ranAt: timeSchema.nullable().catch(null),
  /** Time at which the person agreed to the deletion of archived conversations; null: not agreed. */
  agreedAt: timeSchema.nullable().catch(null),
  /** For each announced conversation, the time of its announcement. */
  announced: z.record(z.string(), timeSchema).catch({}),
  /** For each conversation, the time at which a run put it into the trash. */
  trashed: z.record(z.string(), timeSchema).catch({}),
  /** Newest first. */
  runs: z.array(runSchema).readonly().catch([]),
});
export type RetentionState = Readonly<z.infer<typeof retentionStateSchema>>;
export const NO_RETENTION: RetentionState = {
  ranAt: null,
  agreedAt: null,
  announced: {},
  trashed: {},
  runs: [],
};

/** An archived conversation, and the time at which it moves to the trash, ms since 1970. */
interface Announced {
  readonly entry: LibraryEntry;
  readonly at: number;
}

export interface RetentionPlan {
  /** To archive now. Longest untouched first, as in the lists below. */
  readonly archive: readonly LibraryEntry[];
  /** Archived ones that will move to the trash within thirty days; without consent, those that would. */
  readonly announced: readonly Announced[];
  /** To move to the trash now. */
  readonly trash: readonly LibraryEntry[];
  /** Trashed by a run at least thirty days ago: to erase now. */
  readonly erase: readonly LibraryEntry[];
  /** To move back now: a run moved them before it knew of their use on another device. */
  readonly back: readonly LibraryEntry[];
}

/** Time of the newest message, or of the person's last move into or out of archive or trash, ms since 1970. */
const touchedAt = ({ updatedAt, movedAt }: LibraryEntry): number => Math.max(updatedAt, movedAt);

/**
 * Makes the plan. It never contains pinned conversations, sources of a memory note or a pinned passage (`noted`),
 * samples, conversations that another one started, and those that the settings except. `now` in ms since 1970.
 */
export function retentionPlan(
  { entries, projects }: Pick<LibraryListing, 'entries' | 'projects'>,
  cleanup: Config['storage']['cleanup'],
  state: RetentionState,
  noted: ReadonlySet<string>,
  now: number,
): RetentionPlan {
  const kept = new Set(
    cleanup.except_projects.flatMap((id) => [...withInner(asConversationId(id), projects)]),
  );
  const mayMove = entries
    .filter(
      ({ id, pinned, sample, child, source, workDir, projectId }) =>
        !pinned &&
        !sample &&
        !child &&
        !noted.has(id) &&
        !(source && cleanup.except_sources.includes(source.tool)) &&
        !isExcluded(workDir, cleanup.except_work_dirs) &&
        !(projectId !== null && kept.has(projectId)),
    )
    .sort((a, b) => touchedAt(a) - touchedAt(b));
  const here = mayMove.filter(({ deletedAt }) => deletedAt === null);
  const restedFor = (entry: LibraryEntry, days: number) => now - touchedAt(entry) >= days * DAY_MS;
  const back = mayMove.filter((entry) => wasUsed(entry, state));
  const announced = here
    .filter(({ archived }) => archived)
    .map((entry) => ({
      entry,
      at: Math.max(
        touchedAt(entry) + cleanup.delete_archived_after_days * DAY_MS,
        (state.announced[entry.id] ?? now) + NOTICE_MS,
      ),
    }))
    .filter(({ entry, at }) => at <= now + NOTICE_MS && restedFor(entry, 0))
    .sort((a, b) => a.at - b.at);
  const paused = state.ranAt === null || now < state.ranAt || now - state.ranAt > MOST_PAUSE_MS;
  const mayDelete = state.agreedAt !== null && !paused;
  return {
    archive: here.filter((entry) => !entry.archived && restedFor(entry, cleanup.archive_after_days)),
    announced,
    trash: mayDelete
      ? announced
          .filter(({ entry, at }) => at <= now && state.announced[entry.id] !== undefined)
          .map(({ entry }) => entry)
      : [],
    erase: mayDelete
      ? mayMove.filter(
          ({ id, deletedAt, updatedAt }) =>
            deletedAt !== null &&
            state.trashed[id] === deletedAt &&
            // False if a person wrote in it since, on another device.
            updatedAt <= deletedAt &&
            now - deletedAt >= TRASH_MS &&
            !back.some((one) => one.id === id),
        )
      : [],
    back,
  };
}

/**
 * True if a run here moved it only because it did not know the newest message. Judged by that run's own days,
 * since the settings may have changed.
 */
function wasUsed(
  { id, archived, deletedAt, movedAt, updatedAt }: LibraryEntry,
  state: RetentionState,
): boolean {
  const movedBy = (at: number, what: 'archived' | 'trashed') =>
    state.runs.find((run) => !run.undone && run.at === at && run[what].includes(id))?.days;
  if (deletedAt !== null) {
    const days = movedBy(deletedAt, 'trashed');
    return days !== undefined && updatedAt > deletedAt - days.trash * DAY_MS;
  }
  const days = archived ? movedBy(movedAt, 'archived') : undefined;
  return days !== undefined && updatedAt > movedAt - days.archive * DAY_MS;
}

/**
 * Computes the report of a run by this plan, and the state after it; `done` is null if
 * nothing moves. `at` in ms since 1970.
 */
export function runBy(
  { archive, announced, trash, erase }: RetentionPlan,
  before: RetentionState,
  cleanup: Config['storage']['cleanup'],
  at: number,
): { readonly done: RetentionRun | null; readonly next: RetentionState } {
  const run: RetentionRun = {
    at,
    archived: archive.map(({ id }) => id),
    trashed: trash.map(({ id }) => id),
    erased: erase.length,
    undone: false,
    days: { archive: cleanup.archive_after_days, trash: cleanup.delete_archived_after_days },
  };
  const done = archive.length + trash.length + erase.length > 0 ? run : null;
  const erased = new Set<string>(erase.map(({ id }) => id));
  const waiting = announced.filter(({ entry }) => !trash.includes(entry));
  return {
    done,
    next: {
      ...before,
      ranAt: at,
      announced:
        before.agreedAt === null
          ? {}
          : Object.fromEntries(waiting.map(({ entry: { id } }) => [id, before.announced[id] ?? at])),
      trashed: {
        ...Object.fromEntries(Object.entries(before.trashed).filter(([id]) => !erased.has(id))),
        ...Object.fromEntries(run.trashed.map((id) => [id, at])),
      },
      runs: done ? [done, ...before.runs].slice(0, MOST_RUNS) : before.runs,
    },
  };
}
