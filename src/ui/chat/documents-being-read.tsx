// Lists documents whose text is being extracted: progress of each, and a button to cancel.
import { X } from 'lucide-react';
import { formatNumber } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { IconButton, Progress, Spinner } from '../shell/controls.tsx';
import type { BeingRead } from './use-attachments.ts';

function Row({ file: { name, done, total, cancel } }: { file: BeingRead }) {
  const { t } = useTranslation('chat');
  return (
    <li className="flex max-w-80 items-center gap-2 rounded-md border border-dashed bg-side py-1 pr-1 pl-2 text-sm">
      <Spinner className="shrink-0 scale-75" />
      <span className="min-w-0 truncate text-ink-2">{name}</span>
      {total > 1 && (
        <>
          <span className="w-16 shrink-0 max-sm:hidden">
            <Progress value={done / total} label={name} />
          </span>
          <span className="shrink-0 text-ink-3 text-xs tabular-nums">
            {t('reading.of', { done: formatNumber(done), total: formatNumber(total) })}
          </span>
        </>
      )}
      <IconButton
        size="sm"
        label={t('reading.cancel', { name })}
        icon={<X size={14} aria-hidden />}
        onClick={cancel}
      />
    </li>
  );
}

export function DocumentsBeingRead({ files }: { files: readonly BeingRead[] }) {
  const { t } = useTranslation('chat');
  return (
    <>
      <p role="status" className="sr-only">
        {files.length > 0 && t('reading.status', { count: files.length })}
      </p>
      {files.length > 0 && (
        <ul
          aria-label={t('reading.list')}
          className="flex max-h-[30dvh] flex-wrap gap-2 overflow-y-auto px-3 pt-3"
        >
          {files.map((file) => (
            <Row key={file.id} file={file} />
          ))}
        </ul>
      )}
    </>
  );
}
