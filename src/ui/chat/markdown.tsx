// Words of models and imports as text one likes to read. They are strangers' words: nothing in them runs, and nothing is fetched for them.
import { Check, Copy, ExternalLink, ImageOff } from 'lucide-react';
import { type ComponentProps, memo, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type CodeHighlighterPlugin,
  type Components,
  defaultRehypePlugins,
  type IconMap,
  type MathPlugin,
  type PluginConfig,
  Streamdown,
} from 'streamdown';
import { routeOf, useNavigation } from '../hooks/navigation.tsx';
import { formatNumber } from '../i18n/index.ts';
import { Button } from '../shell/controls.tsx';
import { DrawnOrPlain, PlainWords } from './drawn-or-plain.tsx';
import { mayHaveFormula, withFormulaMarks } from './formula-marks.ts';
import { nestsTooDeep } from './nesting.ts';

/** Longer texts are shown as plain text first: making a page of ten million characters would stop the tab. */
const PLAIN_FROM = 200_000;
const PLAIN_SHOWN = 20_000;

// ── what is loaded only when a text needs it ───────────────────────────────────────────────────────────────────────

/** Light and dark. The plain light theme of the family is too pale to be read easily (4.3 : 1). */
const THEMES: ['github-light-high-contrast', 'github-dark'] = ['github-light-high-contrast', 'github-dark'];

const parts = {
  code: undefined as CodeHighlighterPlugin | undefined,
  math: undefined as MathPlugin | undefined,
};
const loading: Partial<Record<keyof typeof parts, Promise<void>>> = {};

function load(part: keyof typeof parts): Promise<void> {
  loading[part] ??= (
    part === 'code'
      ? import('@streamdown/code').then((module) => {
          parts.code = module.createCodePlugin({ themes: THEMES });
        })
      : import('./maths.ts').then((module) => {
          parts.math = module.mathPlugin;
        })
  ).catch((error: unknown) => {
    // Offline before it was ever loaded: the text stays readable without it; tried again with the next text.
    delete loading[part];
    console.warn('A part of the Markdown renderer could not be loaded', error);
  });
  return loading[part];
}

function usePlugins(text: string): PluginConfig {
  const wantsCode = text.includes('```') || text.includes('~~~');
  const wantsMath = mayHaveFormula(text);
  const [, setLoaded] = useState(0);
  useEffect(() => {
    let here = true;
    const redraw = () => here && setLoaded((times) => times + 1);
    if (wantsCode && !parts.code) load('code').then(redraw, redraw);
    if (wantsMath && !parts.math) load('math').then(redraw, redraw);
    return () => {
      here = false;
    };
  }, [wantsCode, wantsMath]);
  const code = wantsCode ? parts.code : undefined;
  const math = wantsMath ? parts.math : undefined;
  return useMemo(() => ({ ...(code ? { code } : {}), ...(math ? { math } : {}) }), [code, math]);
}

// ── how elements are drawn ─────────────────────────────────────────────────────────────────────────────────────────

/** A link leaves the app only by a click, in a new tab that learns nothing of where it came from. Links into the app stay in it. */
function Link({ href, children }: ComponentProps<'a'>) {
  const navigation = useNavigation();
  if (!href) return <span>{children}</span>;
  const inside = href.startsWith('/') && !href.startsWith('//') ? routeOf(...split(href)) : null;
  if (inside?.screen === 'conversation' && inside.conversationId !== null) {
    const { conversationId, messageId } = inside;
    return (
      <a
        href={href}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          navigation.openConversation(conversationId, messageId);
        }}
      >
        {children}
      </a>
    );
  }
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {children}
    </a>
  );
}

const split = (href: string): [string, string] => {
  const url = new URL(href, location.origin);
  return [url.pathname, url.search];
};

/** Only what is here already is shown; an image elsewhere would tell its server that this was read. */
function Image({ src, alt }: ComponentProps<'img'>) {
  const { t } = useTranslation('chat');
  const url = typeof src === 'string' ? src : '';
  const local = /^(data:image\/|blob:)/.test(url) || url.startsWith(`${location.origin}/`);
  if (local) return <img src={url} alt={alt ?? ''} loading="lazy" className="max-h-120 rounded-md" />;
  if (!/^https?:/.test(url)) return <span>{alt}</span>;
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={url}
      className="not-prose inline-flex max-w-full items-center gap-2 rounded-md border px-2.5 py-1.5 text-sm"
    >
      <ImageOff size={15} aria-hidden className="shrink-0 text-ink-3" />
      <span className="truncate">{t('remoteImage', { name: alt || new URL(url).hostname })}</span>
      <ExternalLink size={13} aria-hidden className="shrink-0 text-ink-3" />
    </a>
  );
}

/** What the guard puts in place of an image it refuses: `[Image blocked: NAME]`. */
const LEFT_OUT = 'image-left-out';
function Span({ node: _, ...rest }: ComponentProps<'span'> & { node?: unknown }) {
  return rest.className === LEFT_OUT ? <LeftOut words={String(rest.children)} /> : <span {...rest} />;
}
function LeftOut({ words }: { words: string }) {
  const { t } = useTranslation('chat');
  const name = /^\[Image blocked: (.*)\]$/s.exec(words)?.[1] ?? '';
  return (
    <span className="inline-flex items-center gap-1.5 text-ink-3 text-sm">
      <ImageOff size={15} aria-hidden className="shrink-0" />
      {name === '' || name === 'No description' ? t('imageLeftOut') : t('imageLeftOutNamed', { name })}
    </span>
  );
}

/** Wide tables scroll in themselves; the page never does. */
function Table({ children }: ComponentProps<'table'>) {
  const { t } = useTranslation('chat');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroller" tabIndex={0} aria-label={t('table')}>
      <table>{children}</table>
    </section>
  );
}

const PLAIN_TAGS = [
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'li',
  'blockquote',
  'hr',
  'strong',
  'sub',
  'sup',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
] as const;

// The renderer's type wants components that take any property; ours name the ones they read.
const components = {
  ...Object.fromEntries(PLAIN_TAGS.map((tag) => [tag, tag])),
  a: Link,
  img: Image,
  span: Span,
  table: Table,
  inlineCode: ({ children }: ComponentProps<'code'>) => <code>{children}</code>,
} as Components;

const icons: Partial<IconMap> = {
  CopyIcon: ({ size, ...rest }) => <Copy {...rest} size={size ?? 14} aria-hidden />,
  CheckIcon: ({ size, ...rest }) => <Check {...rest} size={size ?? 14} aria-hidden />,
};

const CONTROLS = {
  table: false,
  code: { copy: true, download: false },
  mermaid: false,
  image: false,
} as const;
const NO_MODAL = { enabled: false };

/** The renderer's own guards, but for their English words: of a link that may not be followed the text remains, an image is marked. */
const GUARDS = Object.entries(defaultRehypePlugins).map(([name, plugin]): typeof plugin => {
  if (name !== 'harden' || !Array.isArray(plugin)) return plugin;
  const [harden, options] = plugin;
  return [harden, { ...(options as object), blockedImageClass: LEFT_OUT, linkBlockPolicy: 'text-only' }];
});

/** What scrolls sideways in the renderer's own elements can be reached by keyboard. They come late: code is coloured when its language is there. */
function useReachableScrollers(wanted: boolean) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = box.current;
    if (!root || !wanted) return;
    const mark = () => {
      for (const element of root.querySelectorAll(
        '[data-streamdown="code-block-body"]:not([tabindex]), .katex-display:not([tabindex])',
      ))
        element.setAttribute('tabindex', '0');
    };
    mark();
    const watch = new MutationObserver(mark);
    watch.observe(root, { childList: true, subtree: true });
    return () => watch.disconnect();
  }, [wanted]);
  return box;
}

interface MarkdownProps {
  text: string;
  streaming?: boolean;
}

/** `streaming`: what is half written is closed provisionally, and settled blocks are not drawn again. */
export const Markdown = memo(function Markdown({ text, streaming = false }: MarkdownProps) {
  const { t } = useTranslation('chat');
  const [whole, setWhole] = useState(false);
  const tooDeep = useMemo(() => text.length <= PLAIN_FROM && nestsTooDeep(text), [text]);
  if (text.length > PLAIN_FROM && !whole)
    return (
      <div className="prose">
        <pre className="whitespace-pre-wrap break-words font-sans">{text.slice(0, PLAIN_SHOWN)}…</pre>
        <Button size="sm" onClick={() => setWhole(true)}>
          {t('showAll', { size: formatNumber(text.length) })}
        </Button>
      </div>
    );
  if (text.length > PLAIN_FROM)
    return <pre className="prose whitespace-pre-wrap break-words font-sans">{text}</pre>;
  if (tooDeep) return <PlainWords text={text} />;
  return (
    // What failed half written is tried again once it has ended, not with every word.
    <DrawnOrPlain words={() => text} of={streaming || text}>
      <LaidOut text={text} streaming={streaming} />
    </DrawnOrPlain>
  );
});

function LaidOut({ text, streaming }: Required<MarkdownProps>) {
  const { t } = useTranslation('chat');
  const plugins = usePlugins(text);
  const box = useReachableScrollers(text.includes('```') || mayHaveFormula(text));
  const words = useMemo(() => ({ copyCode: t('copyCode'), copied: t('copied') }), [t]);
  return (
    <div ref={box}>
      <Streamdown
        className="prose"
        mode={streaming ? 'streaming' : 'static'}
        isAnimating={streaming}
        parseIncompleteMarkdown={streaming}
        components={components}
        plugins={plugins}
        rehypePlugins={GUARDS}
        controls={CONTROLS}
        linkSafety={NO_MODAL}
        lineNumbers={false}
        codeBlockMaxHeight={0}
        icons={icons}
        translations={words}
      >
        {withFormulaMarks(text)}
      </Streamdown>
    </div>
  );
}
