// Shows a document's extracted text page by page: the text that models read and memory searches.
import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { bytesOfDataUrl } from '../../domain/base/data-url.ts';
import { ignore } from '../../domain/base/log.ts';
import { placeLabel } from '../../domain/chat/files.ts';
import type { ExtractedText, PartOf, SectionPlace } from '../../domain/chat/message.ts';
import { formatBytes } from '../i18n/index.ts';
import { usePlaceWords } from '../i18n/place-words.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes } from '../shell/controls.tsx';
import { download } from '../shell/conversation-actions.tsx';
import type { Markdown } from './markdown.tsx';

/** Longer documents are shown as plain text, in characters: laying out hundreds of pages would take seconds. */
const LAID_OUT = 60_000;

/** Markdown component, loaded with the first opened document; null until then or if it cannot be loaded. */
function useMarkdown(wanted: boolean): typeof Markdown | null {
  const [part, setPart] = useState<{ readonly Markdown: typeof Markdown } | null>(null);
  useEffect(() => {
    if (wanted)
      ignore(
        import('./markdown.tsx').then(setPart),
        'what lays a document out; its words are shown as they are',
      );
  }, [wanted]);
  return part?.Markdown ?? null;
}

export function DocumentWords({
  name,
  part: { url, mediaType },
  extract: { sections, bytes, cut },
  at,
}: {
  name: string;
  part: PartOf<'file'>;
  extract: ExtractedText;
  /** Place to scroll to first. */
  at: SectionPlace | null;
}) {
  const { t } = useTranslation('chat');
  const placeWords = usePlaceWords();
  const meant = useRef<HTMLElement>(null);
  const label = at && placeLabel(at);
  const first = sections.findIndex(({ place }) => place !== undefined && placeLabel(place) === label);
  const LaidOut = useMarkdown(sections.reduce((sum, { text }) => sum + text.length, 0) <= LAID_OUT);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text above changes its height once it is laid out
  useEffect(() => {
    meant.current?.scrollIntoView({ block: 'start' });
  }, [LaidOut]);
  return (
    <div>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 pb-3 text-ink-3 text-sm">
        <p className="min-w-0 max-w-prose">
          {sentences(
            t(cut ? 'document.cut' : 'document.help'),
            url === undefined && t('document.notKept', { size: formatBytes(bytes) }),
          )}
        </p>
        {url !== undefined && (
          <Button
            size="sm"
            icon={<Download size={14} aria-hidden />}
            onClick={() =>
              download({ name, mediaType, blob: new Blob([bytesOfDataUrl(url) ?? url], { type: mediaType }) })
            }
          >
            {t('document.save')}
          </Button>
        )}
      </div>
      {sections.map(({ place, text }, index) => (
        <section
          // Sections never change: their place in the document is their identity.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          key={index}
          ref={index === first ? meant : undefined}
          tabIndex={index === first ? -1 : undefined}
          data-first-focus={index === first ? '' : undefined}
          aria-label={place && placeWords(place)}
          className={classes(
            'rounded-md border-t px-1 py-2.5 outline-none [contain-intrinsic-size:auto_12rem] [content-visibility:auto]',
            index === first && 'border-memory-line bg-memory-soft',
          )}
        >
          {place && <p className="pb-1 font-medium text-ink-3 text-xs">{placeWords(place)}</p>}
          {LaidOut ? (
            <LaidOut text={text} />
          ) : (
            <p
              dir="auto"
              className="whitespace-pre-wrap break-words text-sm leading-[1.55] [overflow-wrap:anywhere]"
            >
              {text}
            </p>
          )}
        </section>
      ))}
    </div>
  );
}
