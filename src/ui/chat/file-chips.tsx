// Chips for the files of a message: a click shows a file, and a long paste can be turned back into text.
import { FileText, Undo2, X } from 'lucide-react';
import { useState } from 'react';
import type { DraftFile } from '../../services/chat/composer-drafts.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { IconButton } from '../shell/controls.tsx';
import { fitsField } from './attachments.ts';
import { canOpen, FileDialog } from './file-part.tsx';

function FileChip({
  file,
  onTurnBack,
  onRemove,
}: {
  file: DraftFile;
  onTurnBack: () => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation('chat');
  const [open, setOpen] = useState(false);
  const { part, pasted } = file;
  const face = (
    <>
      {part.mediaType.startsWith('image/') ? (
        <img src={part.url} alt="" className="-ml-1 size-8 rounded-xs object-cover" />
      ) : (
        <FileText size={15} aria-hidden className="shrink-0 text-ink-3" />
      )}
      <span className="min-w-0 truncate">{part.name}</span>
    </>
  );
  return (
    <li className="flex max-w-64 items-center gap-1.5 rounded-md border bg-side py-1 pr-1 pl-2 text-sm">
      {canOpen(part) ? (
        <>
          <button
            type="button"
            onClick={() => setOpen(true)}
            className="touchable flex min-w-0 items-center gap-1.5 rounded-sm hover:text-accent"
          >
            {face}
          </button>
          <FileDialog part={part} open={open} onOpenChange={setOpen} />
        </>
      ) : (
        face
      )}
      {pasted !== null && fitsField(pasted) && (
        <IconButton
          size="sm"
          label={t('turnBack')}
          icon={<Undo2 size={14} aria-hidden />}
          onClick={onTurnBack}
        />
      )}
      <IconButton
        size="sm"
        label={t('removeFile', { name: part.name ?? '' })}
        icon={<X size={14} aria-hidden />}
        onClick={onRemove}
      />
    </li>
  );
}

export function FileChips({
  files,
  onTurnBack,
  onRemove,
}: {
  files: readonly DraftFile[];
  /** Called only for a file that was made from pasted text. */
  onTurnBack: (file: DraftFile) => void;
  onRemove: (file: DraftFile) => void;
}) {
  const { t } = useTranslation('chat');
  if (files.length === 0) return null;
  return (
    <ul aria-label={t('attached')} className="flex max-h-[30dvh] flex-wrap gap-2 overflow-y-auto px-3 pt-3">
      {files.map((file) => (
        <FileChip
          key={file.id}
          file={file}
          onTurnBack={() => onTurnBack(file)}
          onRemove={() => onRemove(file)}
        />
      ))}
    </ul>
  );
}
