// A block of code: its language and what can be done with it above, the code below, byte for byte.
import { Check, Code, Copy, Download, Eye, WrapText } from 'lucide-react';
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classes, IconButton } from '../../shell/controls.tsx';
import { download } from '../../shell/conversation-actions.tsx';
import { useCopy } from '../../shell/problem-notice.tsx';
import { createLazy, useLazy } from './lazy.ts';
import { Preview, previewOf } from './preview.tsx';

/** Light and dark. The plain light theme of the family is too pale to be read easily (4.3 : 1). */
const THEMES: ['github-light-high-contrast', 'github-dark'] = ['github-light-high-contrast', 'github-dark'];

const highlighter = createLazy(async () =>
  (await import('@streamdown/code')).createCodePlugin({ themes: THEMES }),
);

interface Token {
  readonly content: string;
  readonly htmlStyle?: Record<string, string>;
}
type Lines = readonly (readonly Token[])[];

/** Code that is being written is coloured this often at most, ms: its grammar begins at the first line each time. */
const COLOUR_MS = 300;

/** The lines of code in their colours; undefined until they are known. `open`: still being written. */
function useColours(code: string, language: string, open: boolean): Lines | undefined {
  const plugin = useLazy(highlighter, language !== '');
  const able = plugin?.supportsLanguage(language as never) ? plugin : undefined;
  const lastAt = useRef(Number.NEGATIVE_INFINITY);
  const [late, setLate] = useState<{ code: string; lines: Lines } | null>(null);
  useEffect(() => {
    if (!able) return;
    let here = true;
    const take = (lines: Lines) => here && setLate({ code, lines });
    const colour = () => {
      lastAt.current = performance.now();
      const now = able.highlight(
        { code, language: language as never, themes: THEMES, isIncomplete: open },
        (result) => take(result.tokens as Lines),
      );
      if (now) take(now.tokens as Lines);
    };
    const wait = open ? lastAt.current + COLOUR_MS - performance.now() : 0;
    const timer = wait > 0 ? setTimeout(colour, wait) : undefined;
    if (timer === undefined) colour();
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [able, code, language, open]);
  // While it grows, the lines that were coloured keep their colours.
  if (!able || late === null) return undefined;
  if (late.code === code) return late.lines;
  return code.startsWith(late.code) ? withRest(late.lines, code.slice(late.code.length)) : undefined;
}

const withRest = (lines: Lines, rest: string): Lines => {
  const [first = '', ...others] = rest.split('\n');
  const last = lines.at(-1) ?? [];
  return [...lines.slice(0, -1), [...last, { content: first }], ...others.map((content) => [{ content }])];
};

const Line = memo(function Line({ tokens, last }: { tokens: readonly Token[]; last: boolean }) {
  return (
    <>
      {tokens.map(({ content, htmlStyle }, at) => {
        const { color, '--shiki-dark': dark, '--shiki-light': light } = htmlStyle ?? {};
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line have no other identity
          <span key={at} style={{ '--light': light ?? color, '--dark': dark } as object}>
            {content}
          </span>
        );
      })}
      {!last && '\n'}
    </>
  );
});

/** Endings of files for languages whose name is none. */
const ENDINGS: Readonly<Record<string, string>> = {
  bash: 'sh',
  csharp: 'cs',
  javascript: 'js',
  kotlin: 'kt',
  markdown: 'md',
  mermaid: 'mmd',
  powershell: 'ps1',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  shell: 'sh',
  shellscript: 'sh',
  typescript: 'ts',
  yaml: 'yml',
};
const endingOf = (language: string): string =>
  ENDINGS[language] ?? (/^[a-z0-9]{1,8}$/.test(language) ? language : 'txt');

interface CodeBlockProps {
  readonly code: string;
  readonly language: string;
  readonly open: boolean;
}

export const CodeBlock = memo(function CodeBlock({ code, language, open }: CodeBlockProps) {
  const { t } = useTranslation('chat');
  const [copy, copied] = useCopy();
  const [wraps, setWraps] = useState(false);
  const [shown, setShown] = useState(false);
  const name = language.toLowerCase();
  const kind = open ? null : previewOf(name, code);
  const lines = useColours(code, name, open);
  const body = useMemo<ReactNode>(
    () =>
      lines === undefined
        ? code
        : lines.map((tokens, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
            <Line key={at} tokens={tokens} last={at === lines.length - 1} />
          )),
    [lines, code],
  );
  return (
    <div className="code-block" data-language={name}>
      <div className="code-block-header">
        <span>{language}</span>
        <span className="flex-1" />
        {kind && (
          <IconButton
            size="sm"
            label={shown ? t('showCode') : t('preview')}
            icon={shown ? <Code size={14} aria-hidden /> : <Eye size={14} aria-hidden />}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
          />
        )}
        <IconButton
          size="sm"
          label={t('wrapLines')}
          icon={<WrapText size={14} aria-hidden />}
          aria-pressed={wraps}
          disabled={shown}
          onClick={() => setWraps(!wraps)}
        />
        <IconButton
          size="sm"
          label={t('downloadCode')}
          icon={<Download size={14} aria-hidden />}
          onClick={() =>
            download({
              name: `code.${endingOf(name)}`,
              mediaType: 'text/plain',
              blob: new Blob([code], { type: 'text/plain;charset=utf-8' }),
            })
          }
        />
        <IconButton
          size="sm"
          label={copied ? t('copied') : t('copyCode')}
          icon={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          onClick={() => copy(code)}
        />
      </div>
      {kind && shown ? (
        <Preview kind={kind} code={code} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className="code-block-body" tabIndex={0} aria-label={t('code')}>
          <pre dir="ltr" className={classes(wraps && 'whitespace-pre-wrap [overflow-wrap:anywhere]')}>
            <code>{body}</code>
          </pre>
        </section>
      )}
    </div>
  );
});
