// Frame around the palette's rows: the filters as pills above, and below how complete the results are.
import { CornerDownLeft, X } from 'lucide-react';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, Kbd, Spinner } from '../shell/controls.tsx';
import { type FilterToken, withFilter, withoutFilter } from './filters.ts';

/** Filters offered below the field before anything is typed. */
const OFFERED = [
  'from:me',
  'from:model',
  'has:code',
  'in:',
  'after:',
  'before:',
  'dir:',
  'is:archived',
] as const;

/** Filters as pills: written ones first, to remove, then those that can be added. */
export function FilterRow({
  tokens,
  growing,
  query,
  onChange,
}: {
  tokens: readonly FilterToken[];
  /** Offset of the filter being typed if it can still become valid. */
  growing: number | null;
  query: string;
  onChange: (query: string) => void;
}) {
  const { t } = useTranslation('palette');
  const written = new Set(tokens.map((token) => token.name));
  const offered = OFFERED.filter((text) => !written.has(text.split(':')[0] as never));
  const pill =
    'touchable inline-flex h-6 shrink-0 items-center gap-1 rounded-full border px-2 font-mono text-xs transition-colors pointer-coarse:h-9';
  return (
    <div
      role="toolbar"
      aria-label={t('filters.label')}
      className="flex shrink-0 gap-1.5 overflow-x-auto px-4 pt-2.5 pb-1 [scrollbar-width:none]"
    >
      {tokens
        .filter((token) => token.value !== '')
        .map((token) => {
          const wrong = token.start === growing ? null : token.problem;
          return (
            <button
              key={token.start}
              type="button"
              aria-label={t(wrong ? `filters.wrong.${wrong}.remove` : 'filters.remove', {
                filter: token.text,
              })}
              onClick={() => onChange(withoutFilter(query, token))}
              className={classes(
                pill,
                token.problem
                  ? 'max-w-72 border-line-strong border-dashed text-ink-2'
                  : 'max-w-52 border-accent bg-accent-soft text-accent',
              )}
            >
              <span className="truncate">{token.text}</span>
              {wrong && (
                <span className="shrink-0 font-sans text-ink-3">{t(`filters.wrong.${wrong}.mark`)}</span>
              )}
              <X size={12} aria-hidden className="shrink-0" />
            </button>
          );
        })}
      {offered.map((text) => (
        <button
          key={text}
          type="button"
          aria-label={t('filters.add', { filter: text })}
          onClick={() => onChange(withFilter(query, text))}
          className={classes(
            pill,
            'border-line text-ink-3 hover:border-line-strong hover:bg-fill hover:text-ink',
          )}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

/** Says how complete the results are, and what the keys do. */
export function Footer({
  searching,
  phase,
  count,
  notes,
  completes,
}: {
  searching: boolean;
  phase: string;
  count: number | null;
  /** Further remarks on the results. */
  notes: readonly string[];
  /** True if Tab would complete the filter being typed. */
  completes: boolean;
}) {
  const { t } = useTranslation('palette');
  const status = useReadable(useApp().memory.status);
  const behind =
    status.state === 'starting'
      ? t('starting')
      : status.unread > 0
        ? t('behind', { count: status.unread })
        : status.waiting > 0
          ? t('waiting', { count: status.waiting })
          : status.embedding.status === 'failed'
            ? t('wordsOnly')
            : '';
  return (
    <footer className="flex min-h-9 items-center gap-3 border-t px-4 py-1.5 text-ink-3 text-xs">
      <p role="status" className="flex min-w-0 flex-1 items-center gap-2">
        {searching && <Spinner className="[&>span]:size-3" />}
        <span className="truncate">
          {searching
            ? phase === 'words'
              ? t('searching')
              : t('meaning')
            : [count === null ? '' : t('count', { count }), ...notes, behind].filter(Boolean).join(' · ')}
        </span>
      </p>
      <span aria-hidden className="flex shrink-0 items-center gap-3 max-md:hidden">
        {completes && (
          <span className="flex items-center gap-1">
            <Kbd keys="Tab" />
            {t('keys.filter')}
          </span>
        )}
        <span className="flex items-center gap-1">
          <Kbd keys="ArrowUp" />
          <Kbd keys="ArrowDown" />
          {t('keys.move')}
        </span>
        <span className="flex items-center gap-1">
          <kbd className="inline-flex h-4.5 min-w-5 items-center justify-center rounded-xs border border-line bg-paper px-1">
            <CornerDownLeft size={11} />
          </kbd>
          {t('keys.open')}
        </span>
        <span className="flex items-center gap-1">
          <Kbd keys="Escape" />
          {t('keys.close')}
        </span>
      </span>
    </footer>
  );
}
