// Files of a project: added by picking or dropping, read, and removed.
import { FileText, FileUp, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import { byTime } from '../../domain/chat/conversation.ts';
import { textOfFile } from '../../domain/chat/files.ts';
import type { PartOf } from '../../domain/chat/message.ts';
import type { ProjectEntry } from '../../services/documents/documents.ts';
import { attach } from '../chat/attachments.ts';
import { useFileDrop } from '../chat/file-drop.tsx';
import { useApp } from '../hooks/app.tsx';
import { useConversation } from '../hooks/conversation.ts';
import { useMedia } from '../hooks/media.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, Dialog, FilePicker, IconButton, Skeleton } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { Loading, ReadFailed } from '../shell/reading.tsx';
import { Part } from './project-part.tsx';

/** Longest part of a text that is shown, characters. */
const SHOWN = 200_000;

interface KeptFile {
  readonly id: MessageId;
  readonly part: PartOf<'file'>;
}

export function ProjectFiles({ project, itemId }: { project: ProjectEntry; itemId: MessageId | null }) {
  const { t } = useTranslation(['projects', 'chat', 'shell']);
  const app = useApp();
  const report = useReport();
  const picker = useRef<HTMLInputElement>(null);
  const state = useConversation(project.id);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const [shown, setShown] = useState<MessageId | null>(itemId);
  useEffect(() => setShown(itemId), [itemId]);
  const files: KeptFile[] =
    state.state !== 'open'
      ? []
      : [...state.conversation.messages.values()]
          .sort(byTime)
          .flatMap(({ id, parts }) => parts.flatMap((part) => (part.type === 'file' ? [{ id, part }] : [])));

  const add = async (given: readonly File[]) => {
    setBusy(true);
    // The person may leave the page meanwhile; the text is kept anyway.
    const reading = { extraction: app.extraction, signal: new AbortController().signal };
    const read = await Promise.all(given.map((file) => attach(file, reading)));
    setRefused(read.flatMap((one) => (one.ok ? [] : [t(`chat:refused.${one.reason}`, { name: one.name })])));
    const parts = read.flatMap((one) => (one.ok ? [one.part] : []));
    if (parts.length > 0) await app.projects.addFiles(project.id, parts);
  };
  const take = (given: readonly File[]) => {
    add(given)
      .catch(report)
      .finally(() => setBusy(false));
  };
  const drop = useFileDrop(({ files }) => take(files));
  const takeOut = ({ id, part }: KeptFile) => {
    const name = part.name ?? t('page.files');
    app.projects.takeOut(project.id, [id]).then(
      (undo) =>
        offer(t('removedItem', { name }), {
          label: t('shell:undo'),
          onClick: () => void undo().catch(report),
        }),
      report,
    );
  };
  return (
    <div
      {...drop.handlers}
      className={classes(
        'rounded-lg',
        drop.over && 'outline-2 outline-accent outline-dashed outline-offset-4',
      )}
    >
      <Part
        title={t('page.files')}
        words={<FilesWords />}
        actions={
          <Button
            size="sm"
            busy={busy}
            icon={<FileUp size={14} aria-hidden />}
            onClick={() => picker.current?.click()}
          >
            {t('page.addFiles')}
          </Button>
        }
      >
        <FilePicker ref={picker} multiple onFiles={take} />
        {state.state === 'failed' && <ReadFailed problem={state.problem} onRetry={state.again} compact />}
        {state.state === 'loading' && project.project.files > 0 && (
          <Loading>
            <Skeleton className="h-8 w-3/5" />
          </Loading>
        )}
        {project.project.files === 0 && <p className="text-ink-3 text-sm">{t('page.noFiles')}</p>}
        <ul className="-mx-2">
          {files.map((file) => {
            const name = file.part.name ?? t('page.files');
            return (
              <li key={file.id} className="flex items-center gap-1 rounded-md pr-1 hover:bg-fill">
                <button
                  type="button"
                  aria-label={t('page.view', { name })}
                  onClick={() => setShown(file.id)}
                  className="touchable flex min-h-9 min-w-0 flex-1 items-center gap-3 px-2 text-left text-ink-2 hover:text-ink"
                >
                  <FileText size={15} aria-hidden className="shrink-0 text-ink-3" />
                  <span dir="auto" className="min-w-0 flex-1 truncate">
                    {name}
                  </span>
                </button>
                <IconButton
                  size="sm"
                  label={t('page.takeOut', { name })}
                  icon={<X size={14} aria-hidden />}
                  onClick={() => takeOut(file)}
                />
              </li>
            );
          })}
        </ul>
        {refused.length > 0 && (
          <p role="alert" className="pt-1 text-danger text-sm">
            {refused.join(' ')}
          </p>
        )}
      </Part>
      <FileWindow file={files.find(({ id }) => id === shown)} onClose={() => setShown(null)} />
    </div>
  );
}

function FilesWords() {
  const { t } = useTranslation('projects');
  const touch = useMedia('(pointer: coarse)');
  return <>{sentences(t('page.filesWords'), !touch && t('page.filesDrop'))}</>;
}

function FileWindow({ file, onClose }: { file: KeptFile | undefined; onClose: () => void }) {
  const { t } = useTranslation(['projects', 'shell']);
  const text = file && textOfFile(file.part, SHOWN);
  return (
    <Dialog
      open={file !== undefined}
      onOpenChange={onClose}
      title={file?.part.name ?? t('page.files')}
      footer={<Button onClick={onClose}>{t('shell:close')}</Button>}
    >
      {file && text === null && file.part.mediaType.startsWith('image/') && (
        <img src={file.part.url} alt={file.part.name ?? ''} className="max-w-full rounded-md" />
      )}
      {file && text === null && !file.part.mediaType.startsWith('image/') && (
        <p className="text-ink-2">{t('page.noText')}</p>
      )}
      {text && (
        <pre
          dir="auto"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable by keyboard
          tabIndex={0}
          className="max-h-[60vh] overflow-y-auto whitespace-pre-wrap rounded-md bg-side p-3 font-mono text-xs [overflow-wrap:anywhere]"
        >
          {text}
        </pre>
      )}
    </Dialog>
  );
}
