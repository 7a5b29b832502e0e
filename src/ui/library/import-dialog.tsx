// Imports conversations: drop or pick files, watch, read the report. Closing the dialog does not stop the work.
import { FileUp, FolderOpen, Upload } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { SourceFile } from '../../adapters/importers/importer.ts';
import { isAbort, toProblem } from '../../domain/base/errors.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useLatest } from '../hooks/latest.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatNumber, formatPercent } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, Dialog, FilePicker, Progress, Spinner } from '../shell/controls.tsx';
import { offer } from '../shell/offer.ts';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { filesOfInput, MOST_FILES, TooManyFiles } from './drop.ts';
import { Reports } from './import-report.tsx';
import { begun, closed, ended, handedOver, NO_IMPORTS, type Notice, type Run, viewOf } from './imports.ts';
import { FORMATS } from './tool-name.ts';
import { useDropTarget } from './use-drop-target.ts';

export interface ImportDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /**
   * Files dropped elsewhere, from `filesOfDrop` called inside the event; the import
   * starts as soon as they are collected.
   */
  files?: Promise<readonly SourceFile[]> | null;
}

export function ImportDialog({ open, onOpenChange, files }: ImportDialogProps) {
  const { t } = useTranslation('library');
  const app = useApp();
  const session = useSession();
  const navigation = useNavigation();
  const [imports, setImports] = useState(NO_IMPORTS);
  const shown = useLatest(open);

  const begin = useCallback(
    (collected: Promise<readonly SourceFile[]>) => {
      const run: Run = { stop: new AbortController(), handed: false };
      setImports((all) => begun(all, run));
      const end = (outcome: Parameters<typeof ended>[2]) => setImports((all) => ended(all, run, outcome));
      collected
        .then((files) => {
          if (files.length === 0) return null;
          setImports((all) => handedOver(all, run));
          return app.library.importFiles(files, run.stop.signal);
        })
        .then(
          (reports) => {
            if (reports === null) return end({ sentence: t('import.nothing') });
            end({ reports });
            if (shown.current) return;
            const added = reports.reduce((sum, report) => sum + report.conversations.added, 0);
            offer(added > 0 ? t('import.report.added', { count: added }) : t('import.report.title'), {
              label: t('import.report.title'),
              onClick: () => session.floating.set('import'),
            });
          },
          (error: unknown) => {
            if (isAbort(error)) end({});
            else if (error instanceof TooManyFiles)
              end({ sentence: t('import.tooMany', { count: MOST_FILES }) });
            else end({ problem: toProblem(error) });
          },
        );
    },
    [app, session, t, shown],
  );

  const handed = useRef<unknown>(null);
  useEffect(() => {
    if (!files || handed.current === files) return;
    handed.current = files;
    begin(files);
  }, [files, begin]);

  const view = viewOf(imports);
  const [current, ...waiting] = imports.runs;
  // Acknowledges failures that the person read in the report, so that no other place shows them.
  const { library } = app;
  const read = open && view === 'report' ? imports.reports : null;
  useEffect(
    () => () => {
      for (const { activity } of read ?? []) if (activity !== undefined) library.acknowledge(activity);
    },
    [read, library],
  );
  // Runs however the dialog was closed: by its button, by Esc, or by opening a conversation.
  useEffect(() => {
    if (!open) setImports(closed);
  }, [open]);
  // Keeps runs that began since.
  const putAway = () => setImports((all) => ({ ...NO_IMPORTS, runs: all.runs }));
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      size="md"
      title={view === 'report' ? t('import.report.title') : t('import.title')}
      {...(view === 'pick' ? { description: t('import.lead') } : {})}
      footer={
        current ? (
          <Button
            disabled={current.stop.signal.aborted}
            onClick={() => {
              current.stop.abort();
              setImports((all) => ({ ...all }));
            }}
          >
            {waiting.length > 0 ? t('import.cancelThis') : t('import.cancel')}
          </Button>
        ) : view === 'report' ? (
          <>
            <Button onClick={putAway}>{t('import.more')}</Button>
            <Button variant="primary" onClick={() => onOpenChange(false)}>
              {t('import.done')}
            </Button>
          </>
        ) : undefined
      }
    >
      {view === 'pick' && <Pick onFiles={begin} notices={imports.notices} />}
      {view === 'reading' && <Reading waiting={waiting.length} />}
      {view === 'report' && (
        <div role="status" className="space-y-3">
          <Notices notices={imports.notices} />
          <Reports
            reports={imports.reports}
            onOpen={(id) => {
              onOpenChange(false);
              navigation.openConversation(id);
            }}
          />
        </div>
      )}
    </Dialog>
  );
}

function Notices({ notices }: { notices: readonly Notice[] }) {
  return notices.map(({ sentence, problem }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows
    <div key={at}>
      {sentence && (
        <p role="alert" className="text-danger">
          {sentence}
        </p>
      )}
      {problem && <ProblemNotice problem={problem} />}
    </div>
  ));
}

function Pick({
  onFiles,
  notices,
}: {
  onFiles: (files: Promise<readonly SourceFile[]>) => void;
  notices: readonly Notice[];
}) {
  const { t } = useTranslation('library');
  const target = useDropTarget(onFiles);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const picked = (given: readonly File[]) => onFiles(Promise.resolve(filesOfInput(given)));
  return (
    <div className="space-y-5">
      <div
        {...target.handlers}
        className={classes(
          'flex flex-col items-center gap-3 rounded-lg border border-dashed px-4 py-8 text-center transition-colors',
          target.over ? 'border-accent bg-accent-soft' : 'border-line-strong bg-side',
        )}
      >
        <Upload size={22} aria-hidden className={target.over ? 'text-accent' : 'text-ink-3'} />
        <p className="font-medium pointer-coarse:hidden">
          {target.over ? t('import.dropNow') : t('import.dropTitle')}
        </p>
        <div className="flex flex-wrap justify-center gap-2">
          <Button
            variant="primary"
            icon={<FileUp size={16} aria-hidden />}
            onClick={() => files.current?.click()}
          >
            {t('import.files')}
          </Button>
          <Button icon={<FolderOpen size={16} aria-hidden />} onClick={() => folder.current?.click()}>
            {t('import.folder')}
          </Button>
        </div>
        <FilePicker ref={files} multiple data-import="files" onFiles={picked} />
        <FilePicker
          ref={(input) => {
            folder.current = input;
            // React has no such attribute: it makes the input pick a folder.
            input?.setAttribute('webkitdirectory', '');
          }}
          data-import="folder"
          onFiles={picked}
        />
      </div>
      <Notices notices={notices} />
      <section aria-label={t('import.formats')}>
        <h3 className="mb-1 text-ink-3 text-xs">{t('import.formats')}</h3>
        <dl className="divide-y divide-line">
          {FORMATS.map((format) => (
            <div key={format} className="flex gap-3 py-2 max-sm:flex-col max-sm:gap-0.5">
              <dt className="w-24 shrink-0 font-medium">{t(`import.format.${format}.name`)}</dt>
              <dd className="min-w-0 text-ink-2">{t(`import.format.${format}.how`)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}

/** Shows which source the library is reading, of all that were handed over. */
function Reading({ waiting }: { waiting: number }) {
  const { t } = useTranslation('library');
  const activity = useReadable(useApp().library.activities, (all) =>
    all.find((one) => one.label === 'import' && one.state === 'running'),
  );
  const name = activity?.params?.name;
  return (
    <div className="flex min-h-52 flex-col justify-center gap-3">
      {activity ? (
        <>
          <div className="flex items-baseline gap-3">
            <p className="min-w-0 flex-1 truncate font-medium">
              {name === undefined ? t('activity.label.import') : t('import.reading', { name })}
            </p>
            <p className="shrink-0 text-ink-3 text-xs tabular-nums">
              {activity.total > 0
                ? formatPercent(activity.done / activity.total)
                : activity.done > 0
                  ? t('import.progressOpen', { count: activity.done, formatted: formatNumber(activity.done) })
                  : ''}
            </p>
          </div>
          <Progress
            value={activity.total > 0 ? activity.done / activity.total : null}
            label={t('activity.label.import')}
          />
        </>
      ) : (
        <Spinner label={t('import.preparing')} className="text-ink-2" />
      )}
      {waiting > 0 && <p className="text-ink-2">{t('import.waiting', { count: waiting })}</p>}
      <p className="text-ink-3">{t('import.keepsGoing')}</p>
    </div>
  );
}
