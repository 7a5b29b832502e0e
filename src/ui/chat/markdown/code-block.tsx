// A block of code: its language and what can be done with it above, the code below, byte for byte.
import { Check, Code, Copy, Download, Eye, WrapText } from 'lucide-react';
import { memo, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classes, IconButton } from '../../shell/controls.tsx';
import { download } from '../../shell/conversation-actions.tsx';
import { useCopy } from '../../shell/problem-notice.tsx';
import { CodeLines } from './code-lines.tsx';
import { Preview, previewOf } from './preview.tsx';
import { languageNamed } from './tree.ts';

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
  const name = languageNamed(language);
  const kind = open ? null : previewOf(name, code);
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
            <CodeLines code={code} language={name} open={open} />
          </pre>
        </section>
      )}
    </div>
  );
});
