// One box for messages, conversations, commands and settings. Keyboard first: arrows, Enter, Esc; filters are text.
import { Command, defaultFilter } from 'cmdk';
import {
  Archive,
  Brain,
  CornerDownLeft,
  Download,
  HardDrive,
  Keyboard,
  ListFilter,
  MessageSquare,
  Search as SearchIcon,
  Settings,
  Slash,
  SquarePen,
  X,
} from 'lucide-react';
import { Dialog as RadixDialog } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MessageId } from '../../domain/base/ids.ts';
import { parseSearch } from '../../domain/memory/query.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import type { SearchHit } from '../../services/memory/memory.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { MarkedText, plainText } from '../memory/marked-text.tsx';
import { ScoreMeter } from '../memory/scores.tsx';
import { SETTING_ENTRIES } from '../settings/sections.ts';
import { classes, Kbd, Spinner, useFocusReturn } from '../shell/controls.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { useShortcutKeys } from '../shell/shortcuts.ts';
import {
  completionsOf,
  FILTER_NAMES,
  filterTokens,
  openFilter,
  withFilter,
  withoutFilter,
} from './filters.ts';
import { useSearch } from './use-search.ts';

const MESSAGES = 30;
const CONVERSATIONS = 5;
const RECENT = 6;
/** How well a command or setting must match a few letters, 0–1. */
const CLOSE_ENOUGH = 0.12;
/** Filters offered below the box before one types. */
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

export interface PaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function Palette({ open, onOpenChange }: PaletteProps) {
  const { t } = useTranslation('palette');
  // What an item does once the palette is gone and the focus is free.
  const afterwards = useRef<(() => void) | null>(null);
  const { onOpenAutoFocus, onCloseAutoFocus } = useFocusReturn();
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
            className="pointer-events-auto flex max-h-[min(34rem,76dvh)] w-full max-w-160 animate-rise flex-col overflow-hidden rounded-xl border border-line bg-raised text-ink shadow-float outline-none max-md:h-dvh max-md:max-h-none max-md:rounded-none max-md:border-0"
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

/** Words that all occur in a title, best where they come early. 0: not a match. */
function titleMatch(title: string, words: readonly string[]): number {
  const lower = title.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const at = lower.indexOf(word);
    if (at < 0) return 0;
    sum += 1 / (1 + at);
  }
  return 1 + sum / words.length;
}

function Box({ onDone }: { onDone: (then?: () => void) => void }) {
  const { t } = useTranslation(['palette', 'settings', 'commands']);
  const app = useApp();
  const navigation = useNavigation();
  const session = useSession();
  const { ready, entries } = useReadable(app.documents.library);
  const [query, setQuery] = useState('');
  const [selected, setSelected] = useState('');
  const [attempt, setAttempt] = useState(0);
  const input = useRef<HTMLInputElement>(null);

  const open = openFilter(query);
  const tokens = filterTokens(query);
  const { text, filter } = useMemo(() => {
    // A filter that is still being typed narrows nothing and is not a word either.
    const waiting = openFilter(query);
    const line = waiting ? parseSearch(query, Date.now()) : undefined;
    if (waiting && line?.unknown.some((piece) => piece === waiting.text || waiting.value === ''))
      return parseSearch(withoutFilter(query, waiting), Date.now());
    return line ?? parseSearch(query, Date.now());
  }, [query]);
  const asCommand = query.trimStart().startsWith('/');
  const narrowed = Object.keys(filter).length > 0;
  const blank = text === '' && !narrowed && !open;

  const underCursor = (): MessageId | null =>
    selected.startsWith('message ') ? (selected.slice('message '.length) as MessageId) : null;
  const search = useSearch(
    { text: asCommand ? '' : text, filter: asCommand ? {} : filter, limit: MESSAGES, attempt },
    underCursor,
  );

  const listed = useMemo(
    () => entries.filter((entry) => entry.deletedAt === null && !entry.child),
    [entries],
  );
  const conversations = useMemo(() => {
    if (asCommand) return [];
    const allowed = listed.filter(
      (entry) =>
        (filter.archived === undefined
          ? !entry.archived || text !== ''
          : entry.archived === filter.archived) &&
        (filter.pinned === undefined || entry.pinned === filter.pinned) &&
        (filter.titleContains === undefined ||
          entry.title.toLowerCase().includes(filter.titleContains.toLowerCase())) &&
        (filter.workDir === undefined || (entry.workDir ?? '').includes(filter.workDir)) &&
        (filter.before === undefined || entry.createdAt < filter.before) &&
        (filter.after === undefined || entry.updatedAt >= filter.after),
    );
    // Who spoke and whether there is code is said of messages.
    if (filter.roles || filter.hasCode !== undefined) return [];
    if (text === '') return blank || narrowed ? allowed.slice(0, RECENT) : [];
    const words = text.toLowerCase().split(/\s+/);
    return allowed
      .map((entry) => ({ entry, match: titleMatch(entry.title, words) }))
      .filter(({ match }) => match > 0)
      .sort((a, b) => b.match - a.match || b.entry.updatedAt - a.entry.updatedAt)
      .slice(0, CONVERSATIONS)
      .map(({ entry }) => entry);
  }, [listed, filter, text, blank, narrowed, asCommand]);

  const commands = useMemo(() => {
    const typed = query.trim().replace(/^\//, '').split(/\s/)[0]?.toLowerCase() ?? '';
    if (asCommand) return app.commands.filter((command) => command.name.startsWith(typed));
    if (text.length < 2 || narrowed) return [];
    return app.commands.filter(
      (command) =>
        defaultFilter(`${command.name} ${t(`commands:${command.name}.summary`)}`, text, []) > CLOSE_ENOUGH,
    );
  }, [app.commands, asCommand, narrowed, query, t, text]);

  const settings = useMemo(() => {
    if (text.length < 2 || asCommand || narrowed) return [];
    const lower = text.toLowerCase();
    return SETTING_ENTRIES.map((entry) => {
      const label = t(`settings:${entry.key}`);
      const section = t(`settings:section.${entry.section}.title`);
      const plain = `${label} ${section} ${entry.path ?? ''}`.toLowerCase();
      return { entry, label, section, match: plain.includes(lower) ? 1 : defaultFilter(label, text, []) };
    })
      .filter(({ match }) => match > 0.3)
      .sort((a, b) => b.match - a.match)
      .slice(0, 5);
  }, [asCommand, narrowed, t, text]);

  const actions: { id: string; label: string; icon: ReactNode; run: () => void; keys?: string }[] = [
    {
      id: 'new',
      label: t('action.new'),
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
  const shownActions = blank
    ? actions
    : asCommand || narrowed || text.length < 2
      ? []
      : actions.filter((action) => defaultFilter(action.label, text, []) > 0.3);

  const completions = open ? completionsOf(open, listed, Date.now()) : [];
  const names = open || !/(?:^|\s)([a-z]{1,6})$/i.test(query) ? [] : FILTER_NAMES;
  const halfName = /(?:^|\s)([a-z]{1,6})$/i.exec(query)?.[1]?.toLowerCase() ?? '';
  const nameCompletions = names.filter((name) => halfName.length > 1 && name.startsWith(halfName));

  const searching = search.phase === 'words' || search.phase === 'meaning';
  const found =
    conversations.length + search.hits.length + commands.length + settings.length + shownActions.length;
  const nothing = !blank && !searching && found === 0 && completions.length === 0 && search.problem === null;

  const change = (next: string) => {
    setQuery(next);
    // The first row is what Enter opens, until an arrow says otherwise.
    setSelected('');
    input.current?.focus();
  };
  const openConversation = (entry: LibraryEntry) => onDone(() => navigation.openConversation(entry.id));
  const openHit = (hit: SearchHit) =>
    onDone(() => navigation.openConversation(hit.conversationId, hit.messageId));
  const runCommand = (name: string) => {
    const typed = query.trim();
    const line = typed.startsWith(`/${name} `) ? typed : `/${name} `;
    onDone(() => {
      if (!session.composer.get()) navigation.newConversation();
      // The composer of the page just opened is there with the next frame.
      requestAnimationFrame(() => session.composer.get()?.insert(line));
    });
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
      value={selected}
      onValueChange={setSelected}
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
          {t('keys.close')}
        </button>
      </div>
      <FilterRow query={query} onChange={change} />
      <Command.List
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
          <Commands
            names={commands.map((command) => command.name)}
            onSelect={runCommand}
            heading={t('group.commands')}
          />
        )}

        {conversations.length > 0 && (
          <Group heading={blank ? t('group.recent') : t('group.conversations')}>
            {conversations.map((entry) => (
              <Row
                key={entry.id}
                value={`conversation ${entry.id}`}
                onSelect={() => openConversation(entry)}
                icon={
                  entry.archived ? <Archive size={16} aria-hidden /> : <MessageSquare size={16} aria-hidden />
                }
              >
                <span className="min-w-0 flex-1 truncate">
                  <MarkedText text={entry.title || t('untitled')} query={text} typing />
                </span>
                <span className="shrink-0 text-ink-3 text-xs max-sm:hidden">
                  {t('messages', { count: entry.messageCount })}
                </span>
                <time
                  dateTime={new Date(entry.updatedAt).toISOString()}
                  title={formatExact(entry.updatedAt)}
                  className="shrink-0 text-ink-3 text-xs"
                >
                  {formatRelative(entry.updatedAt)}
                </time>
              </Row>
            ))}
          </Group>
        )}

        {(search.hits.length > 0 || (searching && !asCommand)) && (
          <Group heading={t('group.messages')}>
            {search.hits.map((hit) => (
              <Hit key={hit.messageId} hit={hit} query={text} onSelect={() => openHit(hit)} />
            ))}
            {search.hits.length === 0 && <Waiting />}
          </Group>
        )}
        {!asCommand && commands.length > 0 && (
          <Commands
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

        {shownActions.length > 0 && (
          <Group heading={t('group.actions')}>
            {shownActions.map((action) => (
              <Row key={action.id} value={`action ${action.id}`} onSelect={action.run} icon={action.icon}>
                <span className="min-w-0 flex-1 truncate">{action.label}</span>
                {action.keys && <Kbd keys={action.keys} className="max-md:hidden" />}
              </Row>
            ))}
          </Group>
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
      <Footer searching={searching} phase={search.phase} count={blank ? null : found} />
    </Command>
  );
}

const HEADING =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-3 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-ink-3 [&_[cmdk-group-heading]]:text-xs';

const Group = ({ heading, children }: { heading: string; children: ReactNode }) => (
  <Command.Group heading={heading} className={HEADING}>
    {children}
  </Command.Group>
);

function Row({
  value,
  onSelect,
  icon,
  children,
  className,
}: {
  value: string;
  onSelect: () => void;
  icon?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className={classes(
        'group flex min-h-9 cursor-pointer select-none items-center gap-2.5 rounded-md px-2 py-1.5 data-[selected=true]:bg-fill pointer-coarse:min-h-11',
        className,
      )}
    >
      {icon && <span className="shrink-0 text-ink-3">{icon}</span>}
      {children}
    </Command.Item>
  );
}

function Commands({
  names,
  heading,
  onSelect,
}: {
  names: readonly string[];
  heading: string;
  onSelect: (name: string) => void;
}) {
  const { t } = useTranslation('commands');
  return (
    <Group heading={heading}>
      {names.map((name) => (
        <Row
          key={name}
          value={`command ${name}`}
          onSelect={() => onSelect(name)}
          icon={<Slash size={16} aria-hidden />}
        >
          <span className="shrink-0 font-medium">/{name}</span>
          <span className="min-w-0 flex-1 truncate text-ink-3">{t(`${name}.summary`)}</span>
        </Row>
      ))}
    </Group>
  );
}

function Hit({ hit, query, onSelect }: { hit: SearchHit; query: string; onSelect: () => void }) {
  const { t, i18n } = useTranslation('palette');
  const role = i18n.exists(`role.${hit.role}`, { ns: 'palette' }) ? t(`role.${hit.role}`) : hit.role;
  return (
    <Row value={`message ${hit.messageId}`} onSelect={onSelect} className="items-start">
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2 text-xs">
          <span className="shrink-0 font-medium text-ink-2">{role}</span>
          <span className="min-w-0 flex-1 truncate text-ink-3">
            {hit.title || t('untitled')}
            {hit.archived && ` · ${t('archived')}`}
          </span>
          <time
            dateTime={new Date(hit.createdAt).toISOString()}
            title={formatExact(hit.createdAt)}
            className="shrink-0 text-ink-3"
          >
            {formatRelative(hit.createdAt)}
          </time>
          <ScoreMeter scores={hit.scores} focusable={false} className="max-sm:hidden" />
        </span>
        <span className="mt-0.5 line-clamp-2 leading-5 [overflow-wrap:anywhere]">
          <MarkedText text={plainText(hit.snippet)} query={query} typing />
        </span>
      </span>
    </Row>
  );
}

/** Grey lines where results will be; they appear only if it takes long. */
const Waiting = () => (
  <div className="space-y-3 px-2 py-2.5" aria-hidden>
    {['w-1/3', 'w-5/6', 'w-2/3'].map((width) => (
      <span
        key={width}
        className={classes('block h-3.5 animate-pulse rounded-sm bg-fill [animation-delay:200ms]', width)}
      />
    ))}
  </div>
);

/** The filters as pills: written ones first, to take out again, then those that can be put in. */
function FilterRow({ query, onChange }: { query: string; onChange: (query: string) => void }) {
  const { t } = useTranslation('palette');
  const tokens = filterTokens(query);
  const written = new Set(tokens.map((token) => token.name));
  const offered = OFFERED.filter((text) => !written.has(text.split(':')[0] as never));
  const pill =
    'touchable inline-flex h-6 shrink-0 items-center gap-1 rounded-full border px-2 font-mono text-xs transition-colors pointer-coarse:h-9';
  return (
    <div
      role="toolbar"
      aria-label={t('filters.label')}
      className="flex gap-1.5 overflow-x-auto px-4 pt-2.5 pb-1 [scrollbar-width:none]"
    >
      {tokens
        .filter((token) => token.value !== '')
        .map((token) => (
          <button
            key={token.start}
            type="button"
            aria-label={t('filters.remove', { filter: token.text })}
            onClick={() => onChange(withoutFilter(query, token))}
            className={classes(pill, 'max-w-52 border-accent bg-accent-soft text-accent')}
          >
            <span className="truncate">{token.text}</span>
            <X size={12} aria-hidden className="shrink-0" />
          </button>
        ))}
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

/** How complete the answer is, and which keys do what. */
function Footer({ searching, phase, count }: { searching: boolean; phase: string; count: number | null }) {
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
            : [count === null ? '' : t('count', { count }), behind].filter(Boolean).join(' · ')}
        </span>
      </p>
      <span aria-hidden className="flex shrink-0 items-center gap-3 max-md:hidden">
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
