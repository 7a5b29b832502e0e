// What the next clean-up would do, and when. Decides, writes nothing.
import { z } from 'zod';
import { asConversationId } from '../../domain/base/ids.ts';
import { timeSchema } from '../../domain/base/time.ts';
import { isExcluded } from '../../domain/memory/privacy.ts';
import { withInner } from '../../domain/projects/filing.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { LibraryEntry, LibraryListing } from '../documents/documents.ts';

const DAY_MS = 86_400_000;
/** A conversation stands in the list for so long before it goes to the trash, ms. */
const NOTICE_MS = 30 * DAY_MS;
/** What a clean-up put into the trash stays there for so long, ms. */
const TRASH_MS = 30 * DAY_MS;
/** From one run to the next, ms. */
export const RUN_EVERY_MS = DAY_MS;
/** After a longer pause than this, ms, a run deletes nothing: the clock may be wrong, and the person may have seen no list. */
const MOST_PAUSE_MS = 14 * DAY_MS;
/** So many reports of past runs are kept. */
const MOST_RUNS = 30;

const ids = z.array(z.string().transform(asConversationId)).readonly();
const runSchema = z.object({
  /** ms since 1970; also the time that each conversation it moved carries. */
  at: timeSchema,
  archived: ids,
  trashed: ids,
  /** A number and no names: what is erased is named nowhere any more. */
  erased: z.number(),
  undone: z.boolean().catch(false),
  /** After how many days it archived and put into the trash; absent in runs of before. */
  days: z.object({ archive: z.number(), trash: z.number() }).optional().catch(undefined),
});
export type RetentionRun = Readonly<z.infer<typeof runSchema>>;

/** What is kept on this device of its clean-ups. Read leniently: what cannot be read begins anew, and then nothing is due. */
export const retentionStateSchema = z.object({
  /** When the last run was, ms since 1970. */
  ranAt: timeSchema.nullable().catch(null),
  /** When the person agreed that archived conversations are deleted; null: they have not. */
  agreedAt: timeSchema.nullable().catch(null),
  /** Since when each conversation has stood in the list of those that will be deleted. */
  announced: z.record(z.string(), timeSchema).catch({}),
  /** When a run put each conversation into the trash. */
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

/** An archived conversation and when it goes to the trash, ms since 1970. */
interface Announced {
  readonly entry: LibraryEntry;
  readonly at: number;
}

export interface RetentionPlan {
  /** To be archived now. Longest untouched first, as below. */
  readonly archive: readonly LibraryEntry[];
  /** Archived; in the list of those that go to the trash within thirty days. Without consent: those that would. */
  readonly announced: readonly Announced[];
  /** To be moved to the trash now. */
  readonly trash: readonly LibraryEntry[];
  /** Put into the trash by a run thirty days ago or more: to be erased now. */
  readonly erase: readonly LibraryEntry[];
  /** Moved by a run that did not know yet that it was used on another device: to be taken back now. */
  readonly back: readonly LibraryEntry[];
}

/** The newest message, or when the person last moved it into or out of archive or trash, ms since 1970. */
const touchedAt = ({ updatedAt, movedAt }: LibraryEntry): number => Math.max(updatedAt, movedAt);

/**
 * Pinned conversations, those that a memory note or a pinned passage came from (`noted`), samples, and those that another conversation started
 * are never in it, nor what the settings except. `now` in ms since 1970.
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
            // Somebody wrote in it since, on another device.
            updatedAt <= deletedAt &&
            now - deletedAt >= TRASH_MS &&
            !back.some((one) => one.id === id),
        )
      : [],
    back,
  };
}

/** Whether a run here moved it that would not have, had it known of the newest message. By the days of that run: other ones may be set since. */
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

/** What a run by this plan will have done, and the state after it; `done` is null where nothing moves. `at` in ms since 1970. */
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
