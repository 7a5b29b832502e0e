// Keeps the imports of the dialog apart: which one is running, and the results of those that ended. Pure.
import type { Problem } from '../../domain/base/errors.ts';
import type { ImportReport } from '../../services/library/library.ts';

/** One drop or one choice of files. */
export interface Run {
  readonly stop: AbortController;
  /** True once its files are collected and handed to the library. */
  readonly handed: boolean;
}

/** Why a drop led to no report. */
export interface Notice {
  readonly sentence?: string;
  readonly problem?: Problem;
}

interface Imports {
  /** The library runs one import at a time: the first is running and is the one to cancel; the others wait. */
  readonly runs: readonly Run[];
  /** Reports of all imports that ended since the last were dismissed. */
  readonly reports: readonly ImportReport[];
  readonly notices: readonly Notice[];
}

export const NO_IMPORTS: Imports = { runs: [], reports: [], notices: [] };

/** State after an import was added; notices on earlier drops go unless others are still running. */
export const begun = (imports: Imports, run: Run): Imports => ({
  ...imports,
  runs: [...imports.runs, run],
  notices: imports.runs.length > 0 ? imports.notices : [],
});

/**
 * State after the library got an import's files: it moves behind those handed over earlier
 * and before those still being collected.
 */
export function handedOver(imports: Imports, { stop }: Run): Imports {
  const others = imports.runs.filter((run) => run.stop !== stop);
  if (others.length === imports.runs.length) return imports;
  const before = others.filter((run) => run.handed);
  return {
    ...imports,
    runs: [...before, { stop, handed: true }, ...others.filter((run) => !run.handed)],
  };
}

/**
 * State after an import ended: its reports, or why there are none; neither if the person stopped it before it began.
 */
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

/**
 * State after the dialog was closed: its reports are dropped, unless an import is running,
 * which then reports everything at its end.
 */
export const closed = (imports: Imports): Imports => (imports.runs.length > 0 ? imports : NO_IMPORTS);

/** Chooses the view of the import dialog: a running import first, then reports, else the choice of files. */
export const viewOf = ({ runs, reports }: Imports): 'pick' | 'reading' | 'report' =>
  runs.length > 0 ? 'reading' : reports.length > 0 ? 'report' : 'pick';
