// Marks private words in a text: shows the words with the sent token in a tooltip, or the tokens.
import { Children, type ReactNode, useMemo } from 'react';
import type { Replaced } from '../../services/privacy/privacy-filter.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useAllWords } from '../i18n/use-all-words.ts';
import { useTranslation } from '../i18n/use-translation.ts';

/** Longer texts are not searched for marks, characters, so that drawing does not have to wait. */
const MARKED_UP_TO = 20_000;

interface PrivateTextProps {
  readonly text: string;
  /** Ascending and not overlapping. */
  readonly replaced: readonly Replaced[];
  readonly shows?: 'words' | 'token';
}

/** Most texts have no private words; for those even an answer of thousands of words costs nothing. */
export const PrivateText = (props: PrivateTextProps): ReactNode =>
  props.replaced.length === 0 ? props.text : <MarkedText {...props} />;

function MarkedText({ text, replaced, shows = 'words' }: PrivateTextProps) {
  const { t } = useTranslation('settings');
  const hasWords = useAllWords(true);
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const { from, to, token } of replaced) {
    pieces.push(text.slice(at, from));
    pieces.push(
      shows === 'token' ? (
        <mark key={from} title={text.slice(from, to)} className="rounded-sm bg-memory-mark px-0.5 text-ink">
          {token}
        </mark>
      ) : (
        <abbr
          key={from}
          data-sent-as={token}
          {...(hasWords ? { title: t('privacy.words.sentAs', { token }) } : {})}
          className="underline decoration-ink-3 decoration-dotted underline-offset-4"
        >
          {text.slice(from, to)}
        </abbr>
      ),
    );
    at = to;
  }
  pieces.push(text.slice(at));
  return <>{pieces}</>;
}

/** Words of the conversation, marking those that a model received as tokens. */
export function SentText({ text }: { text: string }) {
  const { privacy, settings } = useApp();
  const config = useReadable(settings.config);
  const version = useReadable(privacy.tokens.version);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter depends on configuration and table
  const replaced = useMemo(
    () => (text.length > MARKED_UP_TO ? [] : privacy.sentAs(text)),
    [privacy, text, config, version],
  );
  return <PrivateText text={text} replaced={replaced} />;
}

/** Children of an element, with the same marks in its own text. */
export const sentWords = (children: ReactNode): ReactNode =>
  Children.map(children, (child) => (typeof child === 'string' ? <SentText text={child} /> : child));

/** Returns a function that turns text from the index into readable text, with words in place of tokens. */
export function useReadableWords(): (text: string) => string {
  const { privacy } = useApp();
  useReadable(privacy.tokens.version);
  return privacy.readable;
}
