// Shows a block of code as a drawing: Mermaid as a picture, HTML and SVG in a frame that
// reaches neither the network nor the page.
import { useEffect, useId, useRef, useState } from 'react';
import { ignore } from '../../../domain/base/log.ts';
import { startOf } from '../../../domain/text/whole-characters.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Spinner } from '../../shell/controls.tsx';

type PreviewKind = 'mermaid' | 'html' | 'svg';

/** How code of a language can be shown; null: it cannot. */
export function previewOf(language: string, code: string): PreviewKind | null {
  if (language === 'mermaid' || language === 'mmd') return 'mermaid';
  if (language === 'svg' || (language === 'xml' && /^\s*(?:<\?xml[^>]*\?>\s*)?<svg[\s>]/.test(code)))
    return 'svg';
  return language === 'html' || language === 'htm' || language === 'xhtml' ? 'html' : null;
}

export function Preview({ kind, code }: { kind: PreviewKind; code: string }) {
  return kind === 'mermaid' ? <Diagram code={code} /> : <Framed kind={kind} code={code} />;
}

type Drawn = { readonly svg: string; readonly width: number | null } | { readonly problem: string } | null;

/** A diagram is shown as a picture: nothing in a picture runs or loads anything. */
function Diagram({ code }: { code: string }) {
  const { t } = useTranslation('chat');
  const id = useId().replace(/\W/g, '');
  const [drawn, setDrawn] = useState<Drawn>(null);
  const dark = document.documentElement.dataset.theme === 'dark';
  useEffect(() => {
    let here = true;
    const draw = import('./diagram.ts').then(({ drawDiagram }) => drawDiagram(`diagram-${id}`, code, dark));
    ignore(
      draw.then(
        (picture) => here && setDrawn(picture),
        (error: unknown) =>
          here && setDrawn({ problem: error instanceof Error ? error.message : String(error) }),
      ),
      'both ends are handled',
    );
    return () => {
      here = false;
    };
  }, [code, dark, id]);
  if (drawn === null)
    return (
      <p className="flex items-center gap-2 p-4 text-ink-3 text-sm">
        <Spinner /> {t('drawing')}
      </p>
    );
  if ('problem' in drawn)
    return (
      <div className="p-4 text-sm">
        <p>{t('notDrawn')}</p>
        <pre className="mt-2 whitespace-pre-wrap text-ink-3 text-xs">{startOf(drawn.problem, 500)}</pre>
      </div>
    );
  return (
    <div className="overflow-x-auto p-4">
      <img
        className="mx-auto max-w-full"
        width={drawn.width ?? undefined}
        alt={t('diagram', { kind: /\w[\w-]*/.exec(code)?.[0] ?? '' })}
        src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn.svg)}`}
      />
    </div>
  );
}

/** Address of the page that holds the frame (`public/preview.html`); it reports when it has loaded. */
const PAGE = '/preview.html';

/**
 * A strange page in a frame within a frame of our own: the outer one forbids the network, the inner one has no origin.
 */
function Framed({ kind, code }: { kind: 'html' | 'svg'; code: string }) {
  const { t } = useTranslation('chat');
  const frame = useRef<HTMLIFrameElement>(null);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    const receive = (event: MessageEvent) => {
      if (event.source === frame.current?.contentWindow && event.data === 'preview-ready') setReady(true);
    };
    window.addEventListener('message', receive);
    return () => window.removeEventListener('message', receive);
  }, []);
  useEffect(() => {
    if (ready) frame.current?.contentWindow?.postMessage({ kind, code }, location.origin);
  }, [ready, kind, code]);
  return (
    <iframe
      ref={frame}
      title={t('previewOf', { kind: kind.toUpperCase() })}
      src={PAGE}
      referrerPolicy="no-referrer"
      className="block h-96 w-full border-0"
    />
  );
}
