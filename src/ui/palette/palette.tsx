// One box for messages, conversations, commands and settings. Keyboard first: arrows, Enter, Esc; filters are text.
import { Command } from 'cmdk';
import {
  Brain,
  Download,
  HardDrive,
  Keyboard,
  ListFilter,
  Search as SearchIcon,
  Settings,
  SquarePen,
  X,
} from 'lucide-react';
import { Dialog as RadixDialog } from 'radix-ui';
import {
  type KeyboardEvent,
  startTransition,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import type { MessageId } from '../../domain/base/ids.ts';
import { until } from '../../domain/base/readable.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import type { SearchHit } from '../../services/memory/memory.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { sentences } from '../i18n/sentences.ts';
import { MarkedText } from '../memory/marked-text.tsx';
import { SETTING_ENTRIES } from '../settings/sections.ts';
import { classes, useFocusReturn } from '../shell/controls.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { isComposing, useShortcutKeys } from '../shell/shortcuts.ts';
import { completionsOf, FILTER_NAMES, filterTokens, withFilter, withoutFilter } from './filters.ts';
import { FilterRow, Footer } from './frame.tsx';
import { actionsFor, commandsFor, conversationsFor, readLine, settingsFor } from './matches.ts';
import {
  ActionRows,
  CommandRows,
  ConversationRow,
  Group,
  HitRow,
  type PaletteAction,
  Row,
  Waiting,
} from './rows.tsx';
import { settingWords } from './setting-words.ts';
import { type Search, useSearch } from './use-search.ts';

const MESSAGES = 30;
/** Rows that are in sight at first: they are drawn at once, those below a moment later. */
const IN_SIGHT = 8;

/** How long rows out of sight wait for meaning, ms since the last of a search's news: longer than between two keys of somebody who types. */
const FOLLOW_MS = 150;

export interface PaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function Palette({ open, onOpenChange }: PaletteProps) {
  const { t } = useTranslation('palette');
  // What an item does once the palette is gone and the focus is free.
  const afterwards = useRef<(() => void) | null>(null);
  const { onOpenAutoFocus, onCloseAutoFocus } = useFocusReturn();
  // From here on a key that follows the call goes into it.
  useEffect(() => void performance.mark('recollect:palette'), []);
  return (
    <RadixDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-50 animate-fade bg-scrim" />
        <div className="pointer-events-none fixed inset-0 z-50 flex items-start justify-center p-4 pt-[12vh] max-md:p-0">
          <RadixDialog.Content
            aria-describedby={undefined}
            onOpenAutoFocus={onOpenAutoFocus}
            onCloseAutoFocus={(event) => {
              if (!afterwards.current) return onCloseAutoFocus(event);
              event.preventDefault();
              afterwards.current();
              afterwards.current = null;
            }}
            className="pointer-events-auto flex max-h-[min(34rem,76dvh)] w-full max-w-160 animate-rise flex-col overflow-hidden rounded-xl border border-line bg-raised text-ink shadow-float outline-none max-md:h-dvh max-md:max-h-none max-md:rounded-none max-md:border-0 max-md:pt-(--safe-top) max-md:pr-(--safe-right) max-md:pb-(--safe-bottom) max-md:pl-(--safe-left)"
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

/** What is found as the rows out of sight show it: they follow when all is in, or when the next key is late. */
function useLater(search: Search): Search {
  const [later, setLater] = useState(search);
  useEffect(() => {
    const follow = () => startTransition(() => setLater(search));
    if (search.phase === 'done' || search.phase === 'idle') return follow();
    const timer = setTimeout(follow, FOLLOW_MS);
    return () => clearTimeout(timer);
  }, [search]);
  return later;
}

function Box({ onDone }: { onDone: (then?: () => void) => void }) {
  const { t } = useTranslation(['palette', 'settings', 'commands']);
  const app = useApp();
  const navigation = useNavigation();
  const session = useSession();
  const { ready, entries } = useReadable(app.documents.library);
  const [query, setQuery] = useState('');
  /** The row that an arrow or the pointer chose; null: the first one, whatever comes in. */
  const [chosen, setChosen] = useState<string | null>(null);
  const steered = useRef(false);
  const [attempt, setAttempt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);

  const line = useMemo(() => readLine(query, Date.now(), app.commands), [query, app.commands]);
  const { text, filter, open, asCommand, narrowed, blank } = line;
  const tokens = filterTokens(query);

  const underCursor = (): MessageId | null =>
    chosen?.startsWith('message ') ? (chosen.slice('message '.length) as MessageId) : null;
  const search = useSearch(
    { text: asCommand ? '' : text, filter: asCommand ? {} : filter, limit: MESSAGES, attempt },
    underCursor,
  );

  const later = useLater(search);
  const inSight = search.hits.slice(0, IN_SIGHT);
  // Late in what they mark, never in whether they are there: what is not of this answer is not in the list.
  const outOfSight = new Set(search.hits.slice(IN_SIGHT).map(({ messageId }) => messageId));
  const below = later.hits.filter(({ messageId }) => outOfSight.has(messageId));

  const listed = useMemo(
    () => entries.filter((entry) => entry.deletedAt === null && !entry.child),
    [entries],
  );
  const conversations = useMemo(() => conversationsFor(line, listed), [line, listed]);
  const commands = useMemo(
    () => commandsFor(line, query, app.commands, (name) => t(`commands:${name}.summary`)),
    [line, query, app.commands, t],
  );
  const said = useMemo(
    () =>
      SETTING_ENTRIES.map((entry) => {
        const section = t(`settings:section.${entry.section}.title`);
        return {
          entry,
          section,
          label: t(`settings:${entry.key}`),
          also: `${section} ${entry.path ?? ''}`,
          more: settingWords(entry, (key) => t(key, { returnObjects: true, defaultValue: '' })),
        };
      }),
    [t],
  );
  const settings = useMemo(() => settingsFor(line, said), [line, said]);

  const actions: readonly PaletteAction[] = [
    {
      id: 'new',
      label: t('action.new'),
      also: t('action.newAlso').split(', '),
      icon: <SquarePen size={16} aria-hidden />,
      keys: useShortcutKeys('new'),
      run: () =>
        onDone(() => {
          navigation.newConversation();
          session.composer.get()?.focus();
        }),
    },
    {
      id: 'import',
      label: t('action.import'),
      icon: <Download size={16} aria-hidden />,
      run: () => onDone(() => session.floating.set('import')),
    },
    {
      id: 'memory',
      label: t('action.memory'),
      icon: <Brain size={16} aria-hidden />,
      run: () => onDone(() => navigation.openScreen('memory')),
    },
    {
      id: 'settings',
      label: t('action.settings'),
      icon: <Settings size={16} aria-hidden />,
      run: () => onDone(() => navigation.openScreen('settings')),
    },
    {
      id: 'storage',
      label: t('action.storage'),
      icon: <HardDrive size={16} aria-hidden />,
      run: () => onDone(() => navigation.openScreen('settings', 'storage')),
    },
    {
      id: 'shortcuts',
      label: t('action.shortcuts'),
      icon: <Keyboard size={16} aria-hidden />,
      keys: useShortcutKeys('shortcuts'),
      run: () => onDone(() => session.floating.set('shortcuts')),
    },
  ];
  const { meant, close } = actionsFor(line, actions);

  const completions = open ? completionsOf(open, listed, Date.now()) : [];
  const names = open || !/(?:^|\s)([a-z]{1,6})$/i.test(query) ? [] : FILTER_NAMES;
  const halfName = /(?:^|\s)([a-z]{1,6})$/i.exec(query)?.[1]?.toLowerCase() ?? '';
  const nameCompletions = names.filter((name) => halfName.length > 1 && name.startsWith(halfName));

  const growing =
    open && (completions.length > 0 || (open.problem === 'date' && /^\d[\d./年月-]*$/.test(open.value)))
      ? open.start
      : null;

  const searching = search.phase === 'words' || search.phase === 'meaning';
  const found =
    conversations.length +
    search.hits.length +
    commands.length +
    settings.length +
    meant.length +
    close.length;
  const notes = [
    ...(search.total !== null && search.total > search.hits.length
      ? [t('newest', { shown: search.hits.length, count: search.total })]
      : []),
    ...tokens
      .filter((token) => token.problem !== null && token.start !== growing)
      .map((token) => t(`filters.wrong.${token.problem ?? 'value'}.note`, { filter: token.text })),
  ];
  const nothing = !blank && !searching && found === 0 && completions.length === 0 && search.problem === null;

  const change = (next: string) => {
    setQuery(next);
    setChosen(null);
    steered.current = false;
    entered.current = false;
    // Another answer is read from its beginning, and only there it is drawn at once.
    list.current?.scrollTo({ top: 0 });
    input.current?.focus();
  };
  const openConversation = (entry: LibraryEntry) => onDone(() => navigation.openConversation(entry.id));
  const opening = useRef((_: SearchHit) => {});
  opening.current = (hit) => onDone(() => navigation.openConversation(hit.conversationId, hit.messageId));
  const openHit = useCallback((hit: SearchHit) => opening.current(hit), []);
  const runCommand = (name: string) => {
    const typed = query.trim();
    const line = typed.startsWith(`/${name} `) ? typed : `/${name} `;
    onDone(() => {
      if (!session.composer.get()) navigation.newConversation();
      // The composer of the page just opened is there with the next frame, or when its code is.
      requestAnimationFrame(() => {
        void until(session.composer, (there) => there !== null).then((composer) => composer?.insert(line));
      });
    });
  };

  // What Enter opens is the first row, also while better ones are still on their way: it waits for the words.
  const above =
    completions.length + nameCompletions.length + meant.length + conversations.length > 0 || asCommand;
  const first =
    [
      ...completions.map((completion) => `filter ${completion.text}`),
      ...nameCompletions.map((name) => `filter ${name}:`),
      ...(asCommand ? commands.map(({ name }) => `command ${name}`) : []),
      ...(blank ? [] : meant.map(({ id }) => `action ${id}`)),
      ...conversations.map(({ id }) => `conversation ${id}`),
      ...search.hits.map(({ messageId }) => `message ${messageId}`),
      ...commands.map(({ name }) => `command ${name}`),
      ...settings.map(({ entry }) => `setting ${entry.key}`),
      ...[...meant, ...close].map(({ id }) => `action ${id}`),
    ][0] ?? '';
  const entered = useRef(false);
  const { phase } = search;
  useEffect(() => {
    if (phase === 'words' || !entered.current) return;
    entered.current = false;
    list.current?.querySelector<HTMLElement>('[cmdk-item]')?.click();
  }, [phase]);
  const steer = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      steered.current = true;
      // Whoever chooses a row themselves does not mean the first one any more.
      entered.current = false;
    }
    if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
    if (steered.current || above || phase !== 'words' || event.target !== input.current) return;
    event.preventDefault();
    event.stopPropagation();
    entered.current = true;
  };
  const keepCaretKeys = (event: KeyboardEvent<HTMLInputElement>) => {
    if ((event.key === 'Home' || event.key === 'End') && query !== '') event.stopPropagation();
    const last = tokens.at(-1);
    const atEnd = event.currentTarget.selectionStart === query.length;
    if (event.key === 'Tab' && !event.shiftKey && completions[0]) {
      event.preventDefault();
      event.stopPropagation();
      change(withFilter(withoutFilter(query, open ?? (last as never)), completions[0].text));
    } else if (
      event.key === 'Backspace' &&
      last &&
      atEnd &&
      last.end === query.trimEnd().length &&
      /\s$/.test(query)
    ) {
      // One stroke takes a finished filter away.
      event.preventDefault();
      change(withoutFilter(query, last));
    }
  };

  return (
    <Command
      label={t('title')}
      shouldFilter={false}
      loop
      vimBindings={false}
      value={chosen ?? first}
      onValueChange={(value) => steered.current && setChosen(value)}
      onKeyDownCapture={steer}
      // A row that comes to lie under a resting pointer was not chosen.
      onPointerMoveCapture={(event) => {
        if (event.movementX !== 0 || event.movementY !== 0) steered.current = true;
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex items-center gap-2.5 border-b px-4">
        <SearchIcon size={17} aria-hidden className="shrink-0 text-ink-3" />
        <Command.Input
          ref={input}
          value={query}
          onValueChange={change}
          onKeyDown={keepCaretKeys}
          placeholder={t('placeholder')}
          aria-label={t('title')}
          data-first-focus=""
          className="h-13 min-w-0 flex-1 bg-transparent text-base outline-none"
        />
        {query !== '' && (
          <button
            type="button"
            aria-label={t('clear')}
            onClick={() => change('')}
            className="touchable inline-flex size-7 items-center justify-center rounded-sm text-ink-3 hover:bg-fill hover:text-ink"
          >
            <X size={16} aria-hidden />
          </button>
        )}
        <button
          type="button"
          onClick={() => onDone()}
          className="touchable shrink-0 rounded-sm px-1 text-ink-3 text-sm hover:text-ink md:hidden"
        >
          {t('shell:close')}
        </button>
      </div>
      <FilterRow tokens={tokens} growing={growing} query={query} onChange={change} />
      <Command.List
        ref={list}
        label={t('results')}
        className={classes(
          'min-h-0 scroll-py-2 overflow-y-auto overscroll-contain px-2 pb-2',
          nothing ? 'sr-only' : 'flex-1',
        )}
      >
        {(completions.length > 0 || nameCompletions.length > 0) && (
          <Group heading={t('group.filter')}>
            {completions.map((completion) => (
              <Row
                key={completion.text}
                value={`filter ${completion.text}`}
                onSelect={() =>
                  change(withFilter(open ? withoutFilter(query, open) : query, completion.text))
                }
                icon={<ListFilter size={15} aria-hidden />}
              >
                <span className="truncate font-mono text-xs">{completion.text}</span>
                <span className="truncate text-ink-3">
                  {'key' in completion.hint ? t(completion.hint.key) : completion.hint.plain}
                </span>
              </Row>
            ))}
            {nameCompletions.map((name) => (
              <Row
                key={name}
                value={`filter ${name}:`}
                onSelect={() => change(`${query.slice(0, query.length - halfName.length)}${name}:`)}
                icon={<ListFilter size={15} aria-hidden />}
              >
                <span className="font-mono text-xs">{name}:</span>
                <span className="truncate text-ink-3">{t(`filters.${name}.help`)}</span>
              </Row>
            ))}
          </Group>
        )}

        {asCommand && commands.length > 0 && (
          <CommandRows
            names={commands.map((command) => command.name)}
            onSelect={runCommand}
            heading={t('group.commands')}
          />
        )}

        {!blank && meant.length > 0 && <ActionRows heading={t('group.actions')} actions={meant} />}

        {conversations.length > 0 && (
          <Group heading={blank ? t('group.recent') : t('group.conversations')}>
            {conversations.map((entry) => (
              <ConversationRow
                key={entry.id}
                entry={entry}
                query={text}
                onSelect={() => openConversation(entry)}
              />
            ))}
          </Group>
        )}

        {(search.hits.length > 0 || (searching && !asCommand)) && (
          <Group heading={t('group.messages')}>
            {[...inSight, ...below].map((hit, at) => (
              <HitRow
                key={hit.messageId}
                hit={hit}
                query={at < inSight.length ? search.text : later.text}
                onOpen={openHit}
              />
            ))}
            {search.hits.length === 0 && <Waiting />}
          </Group>
        )}
        {!asCommand && commands.length > 0 && (
          <CommandRows
            names={commands.map((command) => command.name)}
            onSelect={runCommand}
            heading={t('group.commands')}
          />
        )}

        {settings.length > 0 && (
          <Group heading={t('group.settings')}>
            {settings.map(({ entry, label, section }) => (
              <Row
                key={entry.key}
                value={`setting ${entry.key}`}
                onSelect={() => onDone(() => navigation.openScreen('settings', entry.section))}
                icon={<Settings size={16} aria-hidden />}
              >
                <span className="min-w-0 truncate">
                  <MarkedText text={label} query={text} typing />
                </span>
                <span className="min-w-0 flex-1 truncate text-ink-3 text-xs">{section}</span>
              </Row>
            ))}
          </Group>
        )}

        {(blank ? meant : close).length > 0 && (
          <ActionRows heading={t('group.actions')} actions={blank ? meant : close} />
        )}
      </Command.List>
      {search.problem && (
        <div className="p-2">
          <ProblemNotice
            problem={search.problem}
            compact
            actions={
              <button
                type="button"
                className="font-medium text-accent hover:underline"
                onClick={() => setAttempt(attempt + 1)}
              >
                {t('retry')}
              </button>
            }
          />
        </div>
      )}
      {nothing && (
        <div className="mx-auto max-w-100 flex-1 px-4 py-10 text-center" role="status">
          <p className="font-medium">{t('empty.title')}</p>
          <p className="mt-1 text-ink-2">
            {sentences(
              ready && listed.length === 0 ? t('empty.library') : t('empty.text'),
              narrowed && t('empty.filters'),
            )}
          </p>
          {narrowed && (
            <button
              type="button"
              className="mt-3 rounded-xs font-medium text-accent hover:underline"
              onClick={() => change(text)}
            >
              {t('empty.clearFilters')}
            </button>
          )}
        </div>
      )}
      <Footer
        searching={searching}
        phase={search.phase}
        count={blank ? null : found}
        notes={notes}
        completes={completions.length > 0}
      />
    </Command>
  );
}
