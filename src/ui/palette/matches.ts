// What a line in the palette means and what of the library, the commands and the settings it fits; messages are searched elsewhere.
import { defaultFilter } from 'cmdk';
import type { IndexFilter } from '../../adapters/index/memory-index.ts';
import { isNamedFolder, parseSearch } from '../../domain/memory/query.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { type FilterToken, openFilter, withoutFilter } from './filters.ts';

const CONVERSATIONS = 5;
const RECENT = 6;
const SETTINGS = 5;
/** How well a command must match a few letters, and a label that is shorter, 0–1. */
const CLOSE_COMMAND = 0.12;
const CLOSE_LABEL = 0.3;

export interface PaletteLine {
  /** The words, without filters. */
  readonly text: string;
  readonly filter: IndexFilter;
  /** The filter that is still being typed: it narrows nothing yet. */
  readonly open: FilterToken | undefined;
  readonly asCommand: boolean;
  readonly narrowed: boolean;
  /** Nothing is asked yet. */
  readonly blank: boolean;
}

/** `now`: ms since 1970, for filters like `after:`. */
export function readLine(query: string, now: number): PaletteLine {
  const open = openFilter(query);
  const line = parseSearch(query, now);
  // A filter that is still being typed is not a word either.
  const { text, filter } =
    open && (open.value === '' || line.unknown.includes(open.text))
      ? parseSearch(withoutFilter(query, open), now)
      : line;
  const narrowed = Object.keys(filter).length > 0;
  return {
    text,
    filter,
    open,
    asCommand: query.trimStart().startsWith('/'),
    narrowed,
    blank: text === '' && !narrowed && !open,
  };
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

/** Conversations by their titles, best first; the latest where nothing is asked. */
export function conversationsFor(
  { text, filter, asCommand, blank, narrowed }: PaletteLine,
  listed: readonly LibraryEntry[],
): readonly LibraryEntry[] {
  // Who spoke and whether there is code is said of messages.
  if (asCommand || filter.roles || filter.hasCode !== undefined) return [];
  const allowed = listed.filter(
    (entry) =>
      (filter.archived === undefined ? !entry.archived || text !== '' : entry.archived === filter.archived) &&
      (filter.pinned === undefined || entry.pinned === filter.pinned) &&
      (filter.titleContains === undefined ||
        entry.title.toLowerCase().includes(filter.titleContains.toLowerCase())) &&
      (filter.workDir === undefined || isNamedFolder(entry.workDir, filter.workDir)) &&
      (filter.before === undefined || entry.createdAt < filter.before) &&
      (filter.after === undefined || entry.updatedAt >= filter.after),
  );
  if (text === '') return blank || narrowed ? allowed.slice(0, RECENT) : [];
  const words = text.toLowerCase().split(/\s+/);
  return allowed
    .map((entry) => ({ entry, match: titleMatch(entry.title, words) }))
    .filter(({ match }) => match > 0)
    .sort((a, b) => b.match - a.match || b.entry.updatedAt - a.entry.updatedAt)
    .slice(0, CONVERSATIONS)
    .map(({ entry }) => entry);
}

/** Commands by name after a slash, else by what they are about. */
export function commandsFor<C extends { readonly name: string }>(
  { text, asCommand, narrowed }: PaletteLine,
  query: string,
  commands: readonly C[],
  summaryOf: (name: string) => string,
): readonly C[] {
  if (asCommand) {
    const typed = query.trim().slice(1).split(/\s/)[0]?.toLowerCase() ?? '';
    return commands.filter(({ name }) => name.startsWith(typed));
  }
  if (text.length < 2 || narrowed) return [];
  return commands.filter(({ name }) => defaultFilter(`${name} ${summaryOf(name)}`, text, []) > CLOSE_COMMAND);
}

/** Settings by label, section and key, best first. */
export function settingsFor<S extends { readonly label: string; readonly also: string }>(
  { text, asCommand, narrowed }: PaletteLine,
  settings: readonly S[],
): readonly S[] {
  if (text.length < 2 || asCommand || narrowed) return [];
  const lower = text.toLowerCase();
  return settings
    .map((setting) => ({
      setting,
      match: `${setting.label} ${setting.also}`.toLowerCase().includes(lower)
        ? 1
        : defaultFilter(setting.label, text, []),
    }))
    .filter(({ match }) => match > CLOSE_LABEL)
    .sort((a, b) => b.match - a.match)
    .slice(0, SETTINGS)
    .map(({ setting }) => setting);
}

/**
 * `meant`: actions with a word that begins as the line does; they come before what was said. `close`: those that fit in some way.
 * Where nothing is asked all are meant.
 */
export function actionsFor<A extends { readonly label: string }>(
  { text, asCommand, narrowed, blank }: PaletteLine,
  actions: readonly A[],
): { readonly meant: readonly A[]; readonly close: readonly A[] } {
  if (blank) return { meant: actions, close: [] };
  if (asCommand || narrowed || text.length < 2) return { meant: [], close: [] };
  const typed = text.toLowerCase();
  const begins = ({ label }: A) =>
    label.toLowerCase().startsWith(typed) || label.toLowerCase().split(/\s+/).includes(typed);
  return {
    meant: actions.filter(begins),
    close: actions.filter((action) => !begins(action) && defaultFilter(action.label, text, []) > CLOSE_LABEL),
  };
}
