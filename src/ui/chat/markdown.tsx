// Draws words of models and imports. They are strangers' words: nothing in them runs, and nothing is fetched for them.
import { memo, useMemo, useState } from 'react';
import { startOf } from '../../domain/text/whole-characters.ts';
import { formatNumber } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../shell/controls.tsx';
import { DrawnOrPlain, PlainWords } from './drawn-or-plain.tsx';
import { PLAIN_FROM } from './markdown/drawn-words.ts';
import { LaidOut } from './markdown/laid-out.tsx';
import { NestingGuard } from './nesting.ts';

/** Most characters shown of a text that is too long to draw: laying out ten million would freeze the tab. */
const PLAIN_SHOWN = 20_000;

interface MarkdownProps {
  text: string;
  streaming?: boolean;
}

/** `streaming`: unfinished constructs are closed provisionally, and settled blocks are not drawn again. */
export const Markdown = memo(function Markdown({ text, streaming = false }: MarkdownProps) {
  const { t } = useTranslation('chat');
  const [whole, setWhole] = useState(false);
  const [guard] = useState(() => new NestingGuard());
  const tooDeep = useMemo(() => text.length <= PLAIN_FROM && guard.isTooDeep(text), [guard, text]);
  if (text.length > PLAIN_FROM && !whole)
    return (
      <div className="prose">
        <pre dir="auto" className="whitespace-pre-wrap break-words font-sans">
          {startOf(text, PLAIN_SHOWN)}…
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
    // If drawing an unfinished text fails, the next attempt comes when it has ended, not with every word.
    <DrawnOrPlain words={() => text} of={streaming || text}>
      <LaidOut text={text} streaming={streaming} />
    </DrawnOrPlain>
  );
});
