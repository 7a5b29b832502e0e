// Words of models and imports as text one likes to read. They are strangers' words: nothing in them runs, and nothing is fetched for them.
import { memo, useMemo, useState } from 'react';
import { formatNumber } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../shell/controls.tsx';
import { DrawnOrPlain, PlainWords } from './drawn-or-plain.tsx';
import { PLAIN_FROM } from './markdown/drawn-words.ts';
import { LaidOut } from './markdown/laid-out.tsx';
import { NestingGuard } from './nesting.ts';

/** Of a text that is shown as it was written, so much first: making a page of ten million characters would stop the tab. */
const PLAIN_SHOWN = 20_000;

interface MarkdownProps {
  text: string;
  streaming?: boolean;
}

/** `streaming`: what is half written is closed provisionally, and settled blocks are not drawn again. */
export const Markdown = memo(function Markdown({ text, streaming = false }: MarkdownProps) {
  const { t } = useTranslation('chat');
  const [whole, setWhole] = useState(false);
  const [guard] = useState(() => new NestingGuard());
  const tooDeep = useMemo(() => text.length <= PLAIN_FROM && guard.isTooDeep(text), [guard, text]);
  if (text.length > PLAIN_FROM && !whole)
    return (
      <div className="prose">
        <pre dir="auto" className="whitespace-pre-wrap break-words font-sans">
          {text.slice(0, PLAIN_SHOWN)}…
        </pre>
        <Button size="sm" onClick={() => setWhole(true)}>
          {t('showAll', { size: formatNumber(text.length) })}
        </Button>
      </div>
    );
  if (text.length > PLAIN_FROM)
    return (
      <pre dir="auto" className="prose whitespace-pre-wrap break-words font-sans">
        {text}
      </pre>
    );
  if (tooDeep) return <PlainWords text={text} />;
  return (
    // What failed half written is tried again once it has ended, not with every word.
    <DrawnOrPlain words={() => text} of={streaming || text}>
      <LaidOut text={text} streaming={streaming} />
    </DrawnOrPlain>
  );
});
