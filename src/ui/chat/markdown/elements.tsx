// How the elements of an answer are drawn. They are strangers' words: nothing in them
// runs, and nothing is fetched for them.
import type { Element } from 'hast';
import type { Components } from 'hast-util-to-jsx-runtime';
import { ExternalLink, ImageOff } from 'lucide-react';
import { type ComponentProps, type MouseEvent, useContext } from 'react';
import { routeOf, useNavigation } from '../../hooks/navigation.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { sentWords } from '../../shell/private-text.tsx';
import { CodeBlock } from './code-block.tsx';
import { Formula } from './formula.tsx';
import { AnswerContext, BlockContext, callId, jumpTo, noteId } from './scope.ts';
import { codeOf, textContent } from './tree.ts';

type Props<Tag extends keyof React.JSX.IntrinsicElements> = ComponentProps<Tag> & {
  node?: Element | undefined;
};

const split = (href: string): [string, string] => {
  const url = new URL(href, location.origin);
  return [url.pathname, url.search];
};

/** A link leaves the app only by a click, in a new tab without a referrer. Links into the app stay in it. */
function Link({ href, children, title }: Props<'a'>) {
  const navigation = useNavigation();
  if (!href) return <span {...(title ? { title } : {})}>{children}</span>;
  if (href.startsWith('#')) return <Within href={href}>{children}</Within>;
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
  // A relative path, e.g. of a file in a project, leads nowhere from here.
  if (!/^[a-z][a-z0-9+.-]*:|^\/\//i.test(href)) return <span title={href}>{children}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={title ? `${title}\n${href}` : href}
    >
      {children}
    </a>
  );
}

const slugOf = (words: string): string =>
  words
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** A link to a heading of the same answer, as a table of contents has them. */
function Within({ href, children }: { href: string; children?: React.ReactNode }) {
  const jump = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault();
    const answer = event.currentTarget.closest('.prose');
    const wanted = href.slice(1).toLowerCase();
    const heading = [...(answer?.querySelectorAll<HTMLElement>('h1, h2, h3, h4, h5, h6') ?? [])].find(
      ({ textContent }) =>
        [slugOf(textContent), encodeURIComponent(slugOf(textContent)).toLowerCase()].includes(wanted),
    );
    heading?.scrollIntoView({ block: 'start' });
  };
  return (
    <a href={href} onClick={jump}>
      {children}
    </a>
  );
}

/** Shows only images that are on the device; an image elsewhere would let its server know that it was read. */
function Image({ src, alt }: Props<'img'>) {
  const { t } = useTranslation('chat');
  const url = typeof src === 'string' ? src : '';
  const local = /^(data:image\/|blob:)/.test(url) || url.startsWith(`${location.origin}/`);
  if (local) return <img src={url} alt={alt ?? ''} loading="lazy" className="max-h-120 rounded-md" />;
  if (!URL.canParse(url) || !/^https?:/.test(url))
    return (
      <span className="inline-flex items-center gap-1.5 text-ink-3 text-sm">
        <ImageOff size={15} aria-hidden className="shrink-0" />
        {alt ? t('imageLeftOutNamed', { name: alt }) : t('imageLeftOut')}
      </span>
    );
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

/** Wide tables scroll in themselves; the page never does. */
function Table({ children, dir }: Props<'table'>) {
  const { t } = useTranslation('chat');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroller" tabIndex={0} aria-label={t('table')}>
      <table dir={dir}>{children}</table>
    </section>
  );
}

/** A formula, or words that HTML sets apart. */
function Span({ node, ...rest }: Props<'span'>) {
  const kind = node?.properties.dataFormula;
  if (!node || kind === undefined) return <span {...rest} />;
  const value = node.children.map(textContent).join('');
  return <Formula value={value} display={kind === 'block'} open={node.properties.dataOpen !== undefined} />;
}

/** The number that refers to a footnote, or words that are set higher. */
function Sup({ node, ...rest }: Props<'sup'>) {
  const { t } = useTranslation('chat');
  const { id, footnotes } = useContext(AnswerContext);
  const { from } = useContext(BlockContext);
  const identifier = node?.properties.dataFootnote;
  if (typeof identifier !== 'string') return <sup {...rest} />;
  const number = footnotes.find((footnote) => footnote.identifier === identifier)?.number;
  if (number === undefined) return <>[^{identifier}]</>;
  const target = noteId(id, identifier);
  return (
    <sup>
      <a
        id={callId(id, identifier, `${from}-${node?.properties.dataCall}`)}
        href={`#${target}`}
        aria-label={t('footnote', { number })}
        onClick={(event) => {
          event.preventDefault();
          jumpTo(target);
        }}
      >
        {number}
      </a>
    </sup>
  );
}

function Pre({ node }: Props<'pre'>) {
  const { open } = useContext(BlockContext);
  if (!node) return null;
  const { code, language } = codeOf(node);
  return <CodeBlock code={code} language={language} open={open} />;
}

/** The box of a task. What is done is said in words as well. */
function Box({ checked }: Props<'input'>) {
  const { t } = useTranslation('chat');
  return (
    <input
      type="checkbox"
      checked={checked === true}
      disabled
      aria-label={t(checked ? 'taskDone' : 'taskOpen')}
    />
  );
}

function Item({ node, ...rest }: Props<'li'>) {
  const mark = node?.properties.dataMark;
  // A mark that no style of lists has, drawn as it was written.
  const style = typeof mark === 'string' ? { listStyleType: JSON.stringify(`${mark} `) } : undefined;
  return (
    <li {...rest} style={style}>
      {sentWords(rest.children)}
    </li>
  );
}

function Numbered({ node, ...rest }: Props<'ol'>) {
  const widest = Number(node?.properties.dataWidest ?? 0);
  // A number of more figures than usual would begin beyond the edge of a phone.
  const style = widest > 0 ? { paddingInlineStart: `${widest + 1}ch` } : undefined;
  return <ol {...rest} style={style} />;
}

/** Kinds of callouts that have a name in the person's language. */
const CALLOUTS = ['note', 'tip', 'important', 'warning', 'caution', 'info'] as const;
const isKnown = (kind: string): kind is (typeof CALLOUTS)[number] =>
  (CALLOUTS as readonly string[]).includes(kind);

/** The kind of a callout, a note or a warning, and its title. */
function Label({ kind, dir, children }: { kind: string } & Pick<Props<'p'>, 'dir' | 'children'>) {
  const { t } = useTranslation('chat');
  const name = isKnown(kind) ? t(`callout.${kind}`) : kind.charAt(0).toUpperCase() + kind.slice(1);
  return (
    <p dir={dir} className="callout-label">
      {name !== '' && <strong>{name}</strong>} {sentWords(children)}
    </p>
  );
}

function Paragraph({ node, ...rest }: Props<'p'>) {
  const callout = node?.properties.dataCallout;
  if (typeof callout === 'string')
    return (
      <Label kind={callout} dir={rest.dir}>
        {rest.children}
      </Label>
    );
  return node?.properties.dataVerbatim === undefined ? (
    <p {...rest}>{sentWords(rest.children)}</p>
  ) : (
    <p dir="auto" className="whitespace-pre-wrap">
      {sentWords(rest.children)}
    </p>
  );
}

export const COMPONENTS: Partial<Components> = {
  a: Link,
  img: Image,
  input: Box,
  li: Item,
  ol: Numbered,
  p: Paragraph,
  pre: Pre,
  span: Span,
  sup: Sup,
  table: Table,
};
