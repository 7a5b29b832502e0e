// The imports of the window, each apart: which one is at work, what has come of those that have ended. Pure.
import type { Problem } from '../../domain/base/errors.ts';
import type { ImportReport } from '../../services/library/library.ts';

/** One drop, or one choice of files. */
export interface Run {
  readonly stop: AbortController;
  /** Its files are together, and the library has them. */
  readonly handed: boolean;
}

/** Why a drop came to no report. */
export interface Notice {
  readonly sentence?: string;
  readonly problem?: Problem;
}

interface Imports {
  /** The library takes one after the other: the first is at work, and the one to be cancelled; the others wait. */
  readonly runs: readonly Run[];
  /** Reports of all that have ended since the last were put away. */
  readonly reports: readonly ImportReport[];
  readonly notices: readonly Notice[];
}

export const NO_IMPORTS: Imports = { runs: [], reports: [], notices: [] };

/** The next one; what was said of an earlier drop is over unless others are still at work. */
export const begun = (imports: Imports, run: Run): Imports => ({
  ...imports,
  runs: [...imports.runs, run],
  notices: imports.runs.length > 0 ? imports.notices : [],
});

/** The library has its files: it comes behind those that it had before, and before those that are still being collected. */
export function handedOver(imports: Imports, { stop }: Run): Imports {
  const others = imports.runs.filter((run) => run.stop !== stop);
  if (others.length === imports.runs.length) return imports;
  const before = others.filter((run) => run.handed);
  return {
    ...imports,
    runs: [...before, { stop, handed: true }, ...others.filter((run) => !run.handed)],
  };
}

/** State after an import ended: its reports, or why there are none; neither if a person stopped it before it began. */
export function ended(
  imports: Imports,
  { stop }: Run,
  { reports = [], ...notice }: Notice & { readonly reports?: readonly ImportReport[] },
): Imports {
  return {
    runs: imports.runs.filter((run) => run.stop !== stop),
    reports: [...imports.reports, ...reports],
    notices: notice.sentence || notice.problem ? [...imports.notices, notice] : imports.notices,
  };
}

/** The window was closed, and what it told is over; while something is at work all is told at its end. */
export const closed = (imports: Imports): Imports => (imports.runs.length > 0 ? imports : NO_IMPORTS);

/** Chooses the view of the import window: an import that runs comes first, then reports, else the choice of files. */
export const viewOf = ({ runs, reports }: Imports): 'pick' | 'reading' | 'report' =>
  runs.length > 0 ? 'reading' : reports.length > 0 ? 'report' : 'pick';
