// One field for messages, conversations, commands and settings. Keyboard first: arrows, Enter, Esc; filters are text.
import { Command } from 'cmdk';
import { Search as SearchIcon, X } from 'lucide-react';
import { Dialog as RadixDialog } from 'radix-ui';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { leaveToNotices, useFocusReturn } from '../shell/controls.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { ListFailed } from '../shell/reading.tsx';
import { isComposing } from '../shell/shortcuts.ts';
import { withFilter, withoutFilter } from './filters.ts';
import { FilterRow, Footer } from './frame.tsx';
import { Results } from './results.tsx';
import { usePaletteActions } from './use-actions.tsx';
import { firstRow, hasEarlyRows, type PaletteFinds, useFound } from './use-found.ts';
import type { Aim } from './use-search.ts';

export interface PaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function Palette({ open, onOpenChange }: PaletteProps) {
  const { t } = useTranslation('palette');
  // Effect of an item, run once the palette has closed and released the focus.
  const afterwards = useRef<(() => void) | null>(null);
  const { onOpenAutoFocus, onCloseAutoFocus } = useFocusReturn();
  // Marks the time from which typed keys go into the palette.
  useEffect(() => void performance.mark('recollect:palette'), []);
  return (
    <RadixDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-50 animate-fade bg-scrim" />
        <div className="pointer-events-none fixed inset-x-0 top-(--visible-top) bottom-(--hidden-below) z-50 flex items-start justify-center p-4 pt-[12vh] max-md:p-0">
          <RadixDialog.Content
            aria-describedby={undefined}
            onInteractOutside={leaveToNotices}
            onOpenAutoFocus={onOpenAutoFocus}
            onCloseAutoFocus={(event) => {
              if (!afterwards.current) return onCloseAutoFocus(event);
              event.preventDefault();
              afterwards.current();
              afterwards.current = null;
            }}
            className="pointer-events-auto flex max-h-[min(34rem,calc(var(--visible-height)*0.76))] w-full max-w-160 animate-rise flex-col overflow-hidden rounded-xl border border-line bg-raised text-ink shadow-float outline-none max-md:h-(--visible-height) max-md:max-h-none max-md:rounded-none max-md:border-0 max-md:pt-(--safe-top) max-md:pr-(--safe-right) max-md:pb-(--safe-bottom) max-md:pl-(--safe-left)"
          >
            <RadixDialog.Title className="sr-only">{t('title')}</RadixDialog.Title>
            <Box
              onDone={(then) => {
                afterwards.current = then ?? null;
                onOpenChange(false);
              }}
            />
          </RadixDialog.Content>
        </div>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

function Box({ onDone }: { onDone: (then?: () => void) => void }) {
  const { t } = useTranslation('palette');
  const [query, setQuery] = useState('');
  const [attempt, setAttempt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const cursor = useCursor();
  const found = useFound(query, usePaletteActions(onDone), cursor.aim, attempt);
  const { tokens, search, growing } = found;
  const early = useEarlyEnter({ found, cursor, input, list });

  const change = (next: string) => {
    setQuery(next);
    cursor.reset();
    early.forget();
    // New results start at the top, which is also the only part drawn at once.
    list.current?.scrollTo({ top: 0 });
    input.current?.focus();
  };
  return (
    <Command
      label={t('title')}
      shouldFilter={false}
      loop
      vimBindings={false}
      value={cursor.chosen ?? firstRow(found)}
      onValueChange={cursor.choose}
      onKeyDownCapture={early.onKeyDown}
      // A row that moves under a resting pointer does not count as chosen.
      onPointerMoveCapture={(event) => {
        if (event.movementX !== 0 || event.movementY !== 0) cursor.steer();
      }}
      // A finger or a wheel on the list aims at any of its rows.
      onPointerDownCapture={({ target }) => {
        if (list.current?.contains(target as Node)) cursor.holdAll();
      }}
      onWheelCapture={cursor.holdAll}
      className="flex min-h-0 flex-1 flex-col"
    >
      <QueryField ref={input} query={query} found={found} onChange={change} onClose={() => onDone()} />
      <FilterRow tokens={tokens} growing={growing} query={query} onChange={change} />
      <Results ref={list} found={found} query={query} onChange={change} onDone={onDone} />
      {found.listProblem && (
        <div className="p-2">
          <ListFailed problem={found.listProblem} compact />
        </div>
      )}
      {search.problem && (
        <div className="p-2">
          <ProblemNotice
            problem={search.problem}
            place="read"
            compact
            actions={
              <button
                type="button"
                className="touchable font-medium text-accent hover:underline"
                onClick={() => setAttempt(attempt + 1)}
              >
                {t('retry')}
              </button>
            }
          />
        </div>
      )}
      {found.isNothing && <Nothing found={found} onChange={change} />}
      <Footer
        searching={found.isSearching}
        phase={search.phase}
        count={found.line.blank ? null : found.count}
        notes={[
          ...(search.total !== null && search.total > search.hits.length
            ? [t('newest', { shown: search.hits.length, count: search.total })]
            : []),
          ...tokens
            .filter((token) => token.problem !== null && token.start !== growing)
            .map((token) => t(`filters.wrong.${token.problem ?? 'value'}.note`, { filter: token.text })),
        ]}
        completes={found.completions.length > 0}
      />
    </Command>
  );
}

interface Cursor {
  /** Row chosen by arrow key or pointer; null: the first one, whatever arrives. */
  readonly chosen: string | null;
  isSteered(): boolean;
  /** Call when the person chooses a row. */
  steer(): void;
  choose(row: string): void;
  /** Call when the person reaches for the rows without choosing one. */
  holdAll(): void;
  reset(): void;
  /** Rows of messages that have to stay in place. */
  aim(): Aim;
}

function useCursor(): Cursor {
  const [chosen, setChosen] = useState<string | null>(null);
  const steered = useRef(false);
  const isHeld = useRef(false);
  return {
    chosen,
    isSteered: () => steered.current,
    steer: () => {
      steered.current = true;
    },
    choose: (row) => {
      if (steered.current) setChosen(row);
    },
    holdAll: () => {
      isHeld.current = true;
    },
    reset: () => {
      setChosen(null);
      steered.current = false;
      isHeld.current = false;
    },
    aim: () => {
      if (isHeld.current) return 'all';
      return chosen?.startsWith('message ') ? (chosen.slice('message '.length) as MessageId) : null;
    },
  };
}

/** Enter opens the first row even if better ones are still on their way: it waits only for the words. */
function useEarlyEnter({
  found,
  cursor,
  input,
  list,
}: {
  found: PaletteFinds;
  cursor: Cursor;
  input: RefObject<HTMLInputElement | null>;
  list: RefObject<HTMLDivElement | null>;
}) {
  const entered = useRef(false);
  const { phase } = found.search;
  useEffect(() => {
    if (phase === 'words' || !entered.current) return;
    entered.current = false;
    list.current?.querySelector<HTMLElement>('[cmdk-item]')?.click();
  }, [phase, list]);
  const forget = () => {
    entered.current = false;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      cursor.steer();
      // A person who chooses a row no longer means the first one.
      forget();
    }
    if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
    // Enter presses the focused button; the list would open its chosen row instead.
    if (event.target instanceof HTMLButtonElement) return event.stopPropagation();
    if (cursor.isSteered() || hasEarlyRows(found) || phase !== 'words' || event.target !== input.current)
      return;
    event.preventDefault();
    event.stopPropagation();
    entered.current = true;
  };
  return { forget, onKeyDown };
}

function QueryField({
  ref,
  query,
  found: { line, tokens, completions },
  onChange,
  onClose,
}: {
  ref: RefObject<HTMLInputElement | null>;
  query: string;
  found: PaletteFinds;
  onChange: (query: string) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation(['palette', 'shell']);
  const keepCaretKeys = (event: KeyboardEvent<HTMLInputElement>) => {
    if ((event.key === 'Home' || event.key === 'End') && query !== '') event.stopPropagation();
    const last = tokens.at(-1);
    const atEnd = event.currentTarget.selectionStart === query.length;
    if (event.key === 'Tab' && !event.shiftKey && completions[0]) {
      event.preventDefault();
      event.stopPropagation();
      onChange(withFilter(withoutFilter(query, line.open ?? (last as never)), completions[0].text));
    } else if (
      event.key === 'Backspace' &&
      last &&
      atEnd &&
      last.end === query.trimEnd().length &&
      /\s$/.test(query)
    ) {
      // One key removes a complete filter.
      event.preventDefault();
      onChange(withoutFilter(query, last));
    }
  };

  return (
    <div className="flex items-center gap-2.5 border-b px-4">
      <SearchIcon size={17} aria-hidden className="shrink-0 text-ink-3" />
      <Command.Input
        ref={ref}
        value={query}
        onValueChange={onChange}
        onKeyDown={keepCaretKeys}
        dir="auto"
        placeholder={t('placeholder')}
        aria-label={t('title')}
        data-first-focus=""
        className="h-13 min-w-0 flex-1 bg-transparent text-base outline-none"
      />
      {query !== '' && (
        <button
          type="button"
          aria-label={t('clear')}
          onClick={() => onChange('')}
          className="touchable inline-flex size-7 items-center justify-center rounded-sm text-ink-3 hover:bg-fill hover:text-ink"
        >
          <X size={16} aria-hidden />
        </button>
      )}
      <button
        type="button"
        onClick={onClose}
        className="touchable shrink-0 rounded-sm px-1 text-ink-3 text-sm hover:text-ink md:hidden"
      >
        {t('shell:close')}
      </button>
    </div>
  );
}

/** Says that nothing was found, and how to find more. */
function Nothing({
  found: { line, isLibraryEmpty },
  onChange,
}: {
  found: PaletteFinds;
  onChange: (query: string) => void;
}) {
  const { t } = useTranslation('palette');
  return (
    <div className="mx-auto max-w-100 flex-1 px-4 py-10 text-center" role="status">
      <p className="font-medium">{t('empty.title')}</p>
      <p className="mt-1 text-ink-2">
        {sentences(
          isLibraryEmpty ? t('empty.library') : t('empty.text'),
          line.narrowed && t('empty.filters'),
        )}
      </p>
      {line.narrowed && (
        <button
          type="button"
          className="touchable mt-3 rounded-xs font-medium text-accent hover:underline"
          onClick={() => onChange(line.text)}
        >
          {t('empty.clearFilters')}
        </button>
      )}
    </div>
  );
}
