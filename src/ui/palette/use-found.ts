// Everything that the palette lists for a query, in display order.
import { startTransition, useEffect, useMemo, useState } from 'react';
import type { SearchHit } from '../../services/memory/memory.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { wordsFor } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { SETTING_ENTRIES } from '../settings/sections.ts';
import { completionsOf, FILTER_NAMES, type FilterToken, filterTokens } from './filters.ts';
import {
  actionsFor,
  commandsFor,
  conversationsFor,
  type PaletteLine,
  readLine,
  settingsFor,
} from './matches.ts';
import type { PaletteAction } from './rows.tsx';
import { settingWords } from './setting-words.ts';
import { type Aim, type Search, useSearch } from './use-search.ts';

const MESSAGES = 30;
/** Rows visible at first: drawn at once, those below a moment later. */
const IN_SIGHT = 8;
/**
 * Time that rows out of sight wait for results by meaning, ms since a search's latest news:
 * longer than the pause between two keys.
 */
const FOLLOW_MS = 150;

export type PaletteFinds = ReturnType<typeof useFound>;

/** `aim`: what the person has aimed at among the messages. `attempt` increases to search again. */
export function useFound(query: string, actions: readonly PaletteAction[], aim: () => Aim, attempt: number) {
  const app = useApp();
  const { ready, problem: listProblem, entries, projects } = useReadable(app.documents.library);
  const line = useMemo(() => readLine(query, Date.now(), app.commands), [query, app.commands]);
  const { text, filter, open, asCommand, blank } = line;
  const search = useSearch(
    { text: asCommand ? '' : text, filter: asCommand ? {} : filter, limit: MESSAGES, attempt },
    aim,
  );
  const messages = useMessageRows(search);
  const listed = useMemo(
    () => entries.filter((entry) => entry.deletedAt === null && !entry.child),
    [entries],
  );
  const conversations = useMemo(() => conversationsFor(line, listed, projects), [line, listed, projects]);
  const commands = useCommandMatches(line, query);
  const settings = useSettingMatches(line);
  const { meant, close } = actionsFor(line, actions);
  const completions = open ? completionsOf(open, { entries: listed, projects }, Date.now()) : [];
  const names = open ? [] : filterNamesFor(query);
  const tokens = filterTokens(query);
  const isSearching = search.phase === 'words' || search.phase === 'meaning';
  const count =
    conversations.length +
    search.hits.length +
    commands.length +
    settings.length +
    meant.length +
    close.length;
  return {
    line,
    tokens,
    search,
    messages,
    conversations,
    commands,
    settings,
    meant,
    close,
    /** Names and values for the filter being typed. */
    completions,
    names,
    growing: growingFilter(open, completions.length > 0),
    isSearching,
    /** Number of rows, not counting completions. */
    count,
    /** Why the list of conversations could not be read. */
    listProblem,
    // An unread list may hold the title that was typed.
    isNothing:
      !blank &&
      !isSearching &&
      ready &&
      !listProblem &&
      count === 0 &&
      completions.length === 0 &&
      search.problem === null,
    isLibraryEmpty: ready && listed.length === 0,
  };
}

/** A found message, with the words to mark in it. */
interface MessageRow {
  readonly hit: SearchHit;
  readonly query: string;
}

/** The marked words may lag behind, but rows that are not in the current results are gone at once. */
function useMessageRows(search: Search): readonly MessageRow[] {
  const later = useLater(search);
  const outOfSight = new Set(search.hits.slice(IN_SIGHT).map(({ messageId }) => messageId));
  return [
    ...search.hits.slice(0, IN_SIGHT).map((hit) => ({ hit, query: search.text })),
    ...later.hits
      .filter(({ messageId }) => outOfSight.has(messageId))
      .map((hit) => ({ hit, query: later.text })),
  ];
}

/** Results for rows out of sight: they update when the search is complete or typing pauses. */
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

function useCommandMatches(line: PaletteLine, query: string) {
  const { t } = useTranslation('commands');
  const { commands } = useApp();
  return useMemo(
    () => commandsFor(line, query, commands, (name) => t(`${name as 'recall'}.summary`)),
    [line, query, commands, t],
  );
}

function useSettingMatches(line: PaletteLine) {
  const { t } = useTranslation('settings');
  const said = useMemo(
    () =>
      SETTING_ENTRIES.map((entry) => {
        const section = t(`section.${entry.section}.title`);
        return {
          entry,
          section,
          label: wordsFor('settings', entry.key) ?? entry.key,
          also: `${section} ${entry.path ?? ''}`,
          more: settingWords(entry, (key) => t(key as 'section', { returnObjects: true, defaultValue: '' })),
        };
      }),
    [t],
  );
  return useMemo(() => settingsFor(line, said), [line, said]);
}

/** Word that may become a filter's name: the last one, if it has two letters or more. */
export const halfName = (query: string): string => {
  const word = /(?:^|\s)([a-z]{1,6})$/i.exec(query)?.[1]?.toLowerCase() ?? '';
  return word.length > 1 ? word : '';
};

const filterNamesFor = (query: string) => {
  const half = halfName(query);
  return half === '' ? [] : FILTER_NAMES.filter((name) => name.startsWith(half));
};

/** Offset of the filter being typed if it can still become valid; null: none. */
function growingFilter(open: FilterToken | undefined, hasCompletions: boolean): number | null {
  if (!open) return null;
  const isHalfDate = open.problem === 'date' && /^\d[\d./年月-]*$/.test(open.value);
  return hasCompletions || isHalfDate ? open.start : null;
}

/** Value of the first row; empty if there is none. */
export function firstRow({
  line: { asCommand, blank },
  completions,
  names,
  commands,
  meant,
  close,
  conversations,
  search,
  settings,
}: PaletteFinds): string {
  return (
    [
      ...completions.map((completion) => `filter ${completion.text}`),
      ...names.map((name) => `filter ${name}:`),
      ...(asCommand ? commands.map(({ name }) => `command ${name}`) : []),
      ...(blank ? [] : meant.map(({ id }) => `action ${id}`)),
      ...conversations.map(({ id }) => `conversation ${id}`),
      ...search.hits.map(({ messageId }) => `message ${messageId}`),
      ...commands.map(({ name }) => `command ${name}`),
      ...settings.map(({ entry }) => `setting ${entry.key}`),
      ...[...meant, ...close].map(({ id }) => `action ${id}`),
    ][0] ?? ''
  );
}

/** True if there are rows that do not depend on the search. */
export const hasEarlyRows = ({ line, completions, names, meant, conversations }: PaletteFinds): boolean =>
  completions.length + names.length + meant.length + conversations.length > 0 || line.asCommand;
