// Imports files. `Documents` is the only writer.
//
//   files ──► sources ──► sniff ──► read ──► plan (ids, what is new) ──► room? ──► changeMany ──► onImported
//
// A whole source is read and understood before anything of it is written. Up to WHOLE_UP_TO_BYTES it is one
// durable append; a larger source is read a second time and appended in a few large parts, and if one of those
// fails, or the person cancels, all additions are erased again. Changes to existing conversations come last, in
// one append, so they never need undoing.
import type { Importer, ImportSource, Skipped, SourceFile } from '../../adapters/importers/importer.ts';
import { IMPORTERS } from '../../adapters/importers/index.ts';
import { baseName } from '../../adapters/importers/source-file.ts';
import { isAbort, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { log, orElse } from '../../domain/base/log.ts';
import type { Activities } from './activities.ts';
import {
  ImportRun,
  type ImportRunDeps,
  NO_MESSAGES,
  NOTHING_LATER,
  type SourceReader,
} from './import-run.ts';
import type { ImportReport } from './library.ts';
import { groupFiles, type RecognisedSource, recognise } from './sources.ts';

/** Sources up to this unpacked size are held in memory and appended at once, bytes. */
const WHOLE_UP_TO_BYTES = 64 * 1024 * 1024;
/** Most left-out files of a folder that the report names; it counts the others. */
const NAMED = 20;

export interface ImportingDeps extends Omit<ImportRunDeps, 'interruption' | 'wholeUpToBytes'> {
  /** Sources up to this size are appended at once, bytes. */
  readonly wholeUpToBytes?: number | undefined;
  readonly activities: Activities;
  /**
   * Name of an import that is being written in parts. One that is still there at the start was cut off with its tab.
   */
  readonly unfinished:
    | { recall(): Promise<string | null | undefined>; keep(name: string | null): Promise<void> }
    | undefined;
  /** Default: all importers. */
  readonly importers?: readonly Importer[] | undefined;
}

interface Importing {
  /** Errors are in the reports. One call at a time: each import sees what the one before brought. */
  importFiles(files: readonly SourceFile[], signal?: AbortSignal): Promise<ImportReport[]>;
  /** Reports an import that was cut off. */
  reportInterrupted(): Promise<void>;
}

/** Makes the importing half of the library: reads files one after the other; `activities` show progress. */
export function createImporting(deps: ImportingDeps): Importing {
  return new FileImporter(deps);
}

class FileImporter implements Importing {
  readonly #deps: ImportingDeps;
  readonly #importers: readonly Importer[];
  readonly #runDeps: ImportRunDeps;

  constructor(deps: ImportingDeps) {
    this.#deps = deps;
    this.#importers = deps.importers ?? IMPORTERS;
    this.#runDeps = {
      ...deps,
      wholeUpToBytes: deps.wholeUpToBytes ?? WHOLE_UP_TO_BYTES,
      interruption: {
        begin: async (name) => await deps.unfinished?.keep(name),
        end: () => this.#ended(),
      },
    };
  }

  readonly reportInterrupted: Importing['reportInterrupted'] = async () => {
    const name = await this.#deps.unfinished?.recall();
    if (typeof name !== 'string') return;
    const cutOff = new RecollectError('import-cut-off', `The import of ${name} was cut off`, {
      params: { name },
    });
    const running = this.#deps.activities.run({ label: 'import', params: { name }, total: 0 }, () =>
      Promise.reject(cutOff),
    );
    await orElse(running, undefined, 'an import that was cut off, which the list of activities shows');
    await this.#ended();
  };

  async importFiles(files: readonly SourceFile[], signal?: AbortSignal): Promise<ImportReport[]> {
    const reports: ImportReport[] = [];
    for (const source of groupFiles(files)) reports.push(...(await this.#importSource(source, signal)));
    return reports;
  }

  /**
   * If the record cannot be removed, the next start reports an interruption by mistake: no
   * reason to call this import a failure.
   */
  async #ended(): Promise<void> {
    await this.#deps.unfinished
      ?.keep(null)
      .catch((error: unknown) => log.warn('The mark of an import that ended stays', error));
  }

  /** `known`: the importer, if it has been found already. */
  async #importSource(
    dropped: ImportSource,
    signal: AbortSignal | undefined,
    known?: Importer,
  ): Promise<ImportReport[]> {
    const started = performance.now();
    const empty = (): ImportReport => ({
      source: dropped.name,
      importer: null,
      conversations: { added: 0, changed: 0, unchanged: 0 },
      messages: NO_MESSAGES,
      branches: 0,
      attachments: 0,
      later: NOTHING_LATER,
      notesAndFeedback: 0,
      skipped: [],
      tookMs: Math.round(performance.now() - started),
      problem: null,
      cancelled: false,
      trashed: [],
      first: null,
    });
    let importer = known;
    let skipped: readonly Skipped[] = [];
    let unread: readonly Skipped[] = [];
    let done: Partial<ImportReport> = {};
    let activity: string | undefined;
    try {
      return await this.#deps.activities.run(
        { label: 'import', params: { name: dropped.name }, total: 0 },
        async (progress) => {
          activity = progress.id;
          const found: RecognisedSource = known
            ? { pieces: [{ source: dropped, importer: known }], zips: [], unread: [] }
            : await recognise(dropped, this.#importers, progress.signal);
          unread = leftOver(found.unread);
          const [piece] = found.pieces;
          if (!piece || found.pieces.length + found.zips.length > 1) {
            const reports: ImportReport[] = [];
            for (const { source, importer } of found.pieces)
              reports.push(...(await this.#importSource(source, progress.signal, importer)));
            for (const source of found.zips)
              reports.push(...(await this.#importSource(source, progress.signal)));
            const { kept, files, silent } = withoutForeignZips(reports, found.zips);
            for (const { activity } of silent)
              if (activity !== undefined) this.#deps.activities.acknowledge(activity);
            unread = leftOver([...found.unread, ...files]);
            const lost = found.isCut ? cutOff(dropped, kept) : [];
            return kept.map((report, at) =>
              at === 0 ? { ...report, skipped: [...report.skipped, ...lost, ...unread] } : report,
            );
          }
          importer = piece.importer;
          const run = new ImportRun(this.#runDeps, readerOf(piece.importer), piece.source, progress, {
            onSkipped: (all) => {
              skipped = all;
            },
            onKept: (kept) => {
              done = {
                conversations: { added: kept.length, changed: 0, unchanged: 0 },
                first: kept[0] ?? null,
              };
            },
          });
          const { failed, brought, ...figures } = await run.run();
          const result = { ...figures, notesAndFeedback: brought };
          done = result;
          if (failed !== undefined) throw failed;
          const report = { ...empty(), ...result, importer: piece.importer.id };
          const lost = found.isCut ? cutOff(dropped, [report]) : [];
          return [{ ...report, skipped: [...result.skipped, ...lost, ...unread] }];
        },
        signal,
      );
    } catch (error) {
      const stopped = isAbort(error);
      return [
        {
          ...empty(),
          ...done,
          importer: importer?.id ?? null,
          skipped: [...skipped, ...unread],
          cancelled: stopped,
          problem: stopped ? null : toProblem(error),
          ...(activity === undefined || stopped ? {} : { activity }),
        },
      ];
    }
  }
}

const readerOf =
  (importer: Importer): SourceReader =>
  (source, { onBrought, ...options }) =>
    importer.read(source, { ...options, ...(onBrought ? { onNotesAndFeedback: onBrought } : {}) });

/** A ZIP within a ZIP that holds no conversations counts as an unread file, if others held some. */
function withoutForeignZips(
  reports: readonly ImportReport[],
  zips: readonly ImportSource[],
): Readonly<Record<'kept' | 'silent', readonly ImportReport[]>> & { readonly files: readonly SourceFile[] } {
  const inner = new Map(
    zips.flatMap(({ name, files: [file] }) => (file?.within ? [[name, file] as const] : [])),
  );
  const isForeign = ({ source, problem }: ImportReport) =>
    problem?.code === 'import-unknown' && inner.has(source);
  const kept = reports.filter((report) => !isForeign(report));
  if (!kept.some(({ problem }) => problem === null)) return { kept: reports, silent: [], files: [] };
  const silent = reports.filter(isForeign);
  return { kept, silent, files: silent.flatMap(({ source }) => inner.get(source) ?? []) };
}

/** Names a ZIP that broke off, unless a file in it was named as cut off already. */
function cutOff({ name }: ImportSource, reports: readonly ImportReport[]): readonly Skipped[] {
  if (reports.some(({ skipped }) => skipped.some(({ reason }) => reason === 'damaged-file'))) return [];
  const kept = reports.reduce(
    (sum, { conversations: { added, changed, unchanged } }) => sum + added + changed + unchanged,
    0,
  );
  return kept === 0 ? [] : [{ reason: 'damaged-file', count: 1, example: `${baseName(name)}: ${kept}` }];
}

/** Reports unread files as one omission. */
function leftOver(files: readonly SourceFile[]): readonly Skipped[] {
  if (files.length === 0) return [];
  const named = files.slice(0, NAMED).map(({ path }) => path);
  const example = [...named.sort(), ...(files.length > NAMED ? ['…'] : [])].join('\n');
  return [{ reason: 'unread-file', count: files.length, example }];
}
