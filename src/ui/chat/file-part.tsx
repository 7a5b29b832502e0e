// Files in a message: pictures large, texts and documents readable in place, all others by name.
import { FileText, Paperclip } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { isTextType, placeLabel, READ_UP_TO, sourceLine, textOfFile } from '../../domain/chat/files.ts';
import type { PartOf, SectionPlace } from '../../domain/chat/message.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import { useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatBytes, formatNumber } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, Dialog } from '../shell/controls.tsx';
import { DocumentWords } from './document-words.tsx';
import { BLOCK } from './verbatim-block.ts';

/** Size of a base64 `data:` URL's content in bytes, without decoding it. */
const sizeOf = (url: string): number => Math.floor(((url.length - url.indexOf(',') - 1) * 3) / 4);

const carriedBy = (part: PartOf<'file'>): string | undefined =>
  part.url?.startsWith('data:') ? part.url : undefined;

/** True for a picture that a browser can draw and whose bytes are here. */
export const isPicture = (part: PartOf<'file'>): boolean =>
  carriedBy(part) !== undefined && /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/.test(part.mediaType);

/** True if the file's text can be read here. */
const isReadable = (part: PartOf<'file'>): boolean =>
  part.extract !== undefined || (carriedBy(part) !== undefined && isTextType(part.mediaType));

/** True if the file can be opened as a picture or as text. */
export const canOpen = (part: PartOf<'file'>): boolean => isPicture(part) || isReadable(part);

const nameOf = (part: PartOf<'file'>): string => part.name || part.reference || part.mediaType;

/** Shows a file large. `at`: place in a document to open it at. */
export function FileDialog({
  part,
  at,
  open,
  onOpenChange,
}: {
  part: PartOf<'file'>;
  at?: SectionPlace | null;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const name = nameOf(part);
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={name} size="lg">
      {isPicture(part) ? (
        <img src={carriedBy(part)} alt={name} className="mx-auto max-h-[64dvh] max-w-full object-contain" />
      ) : part.extract ? (
        <DocumentWords name={name} part={part} extract={part.extract} at={at ?? null} />
      ) : (
        <FileWords part={part} />
      )}
    </Dialog>
  );
}

/** Shows as much of a text file as recall reads. */
function FileWords({ part }: { part: PartOf<'file'> }) {
  const { t } = useTranslation('chat');
  const text = useMemo(() => textOfFile(part, READ_UP_TO + 1) ?? '', [part]);
  return (
    <>
      <pre dir="auto" className={classes(BLOCK, 'max-h-none')}>
        {startOf(text, READ_UP_TO)}
      </pre>
      {text.length > READ_UP_TO && (
        <p className="pt-2 text-ink-3 text-sm">{t('fileShownInPart', { size: formatNumber(READ_UP_TO) })}</p>
      )}
    </>
  );
}

/** Opens a document at the place of a passage that was recalled or found elsewhere. */
function useOpening(part: PartOf<'file'>, message: string | undefined) {
  const { openingFile } = useSession();
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState<SectionPlace | null>(null);
  const wanted = useReadable(openingFile);
  const isMeant =
    wanted !== null &&
    wanted.messageId === message &&
    part.extract?.sections.some(
      ({ place }) =>
        place !== undefined &&
        sourceLine(nameOf(part), place) === `[${wanted.source.file} · ${placeLabel(wanted.source.place)}]`,
    ) === true;
  useEffect(() => {
    if (!isMeant || !wanted) return;
    setAt(wanted.source.place);
    setOpen(true);
    openingFile.set(null);
  }, [isMeant, wanted, openingFile]);
  return {
    open,
    at,
    setOpen: (next: boolean) => {
      if (!next) setAt(null);
      setOpen(next);
    },
  };
}

/** Shows a picture that opens large, or a chip for any other file. `messageId`: message that contains the part. */
export function FilePart({ part, messageId }: { part: PartOf<'file'>; messageId?: string }) {
  const { t } = useTranslation('chat');
  const { open, at, setOpen } = useOpening(part, messageId);
  const name = nameOf(part);
  const url = carriedBy(part);
  if (url && isPicture(part))
    return (
      <>
        <button
          type="button"
          onClick={() => setOpen(true)}
          aria-label={t('enlarge', { name })}
          className="block overflow-hidden rounded-md border"
        >
          <img src={url} alt={name} loading="lazy" className="max-h-64 max-w-full object-contain" />
        </button>
        <FileDialog part={part} open={open} onOpenChange={setOpen} />
      </>
    );
  const readable = isReadable(part);
  const chip = (
    <>
      {readable ? (
        <FileText size={15} aria-hidden className="shrink-0" />
      ) : (
        <Paperclip size={15} aria-hidden className="shrink-0" />
      )}
      <span dir="auto" className="min-w-0 max-w-60 truncate">
        {name}
      </span>
      <span className="shrink-0 text-ink-3 text-xs">
        {part.extract ? formatBytes(part.extract.bytes) : url ? formatBytes(sizeOf(url)) : t('notCarried')}
      </span>
    </>
  );
  const style = 'inline-flex max-w-full items-center gap-2 rounded-md border bg-paper px-2.5 py-1.5 text-sm';
  if (!readable) return <span className={style}>{chip}</span>;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)} className={classes(style, 'hover:bg-fill')}>
        {chip}
      </button>
      <FileDialog part={part} at={at} open={open} onOpenChange={setOpen} />
    </>
  );
}
