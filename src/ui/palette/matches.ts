// Parses a line of the palette and matches it against the library, the commands and the
// settings; messages are searched elsewhere.
import { defaultFilter } from 'cmdk';
import { isNamedFolder, parseSearch } from '../../domain/memory/query.ts';
import { projectsNamed } from '../../domain/projects/filing.ts';
import { comparableForm, isIn, isSame, spotsIn } from '../../domain/text/find.ts';
import { isStopWord } from '../../domain/text/stop-words.ts';
import { queryWords, words as searchWords } from '../../domain/text/words.ts';
import type { LibraryEntry, ProjectEntry } from '../../services/documents/documents.ts';
import type { MemoryFilter } from '../../services/memory/memory.ts';
import { type FilterToken, filterTokens, openFilter } from './filters.ts';

const CONVERSATIONS = 5;
const RECENT = 6;
const SETTINGS = 5;
/** Least match of a command for a few letters, and of a label that is shorter, 0–1. */
const CLOSE_COMMAND = 0.12;
const CLOSE_LABEL = 0.3;

export interface PaletteLine {
  /** The words, without filters. */
  readonly text: string;
  readonly filter: MemoryFilter;
  /** The filter still being typed: it has no effect yet. */
  readonly open: FilterToken | undefined;
  readonly asCommand: boolean;
  readonly narrowed: boolean;
  /** True if the line asks for nothing yet. */
  readonly blank: boolean;
}

/** Command name at the start of a line, in lower case; null if the line does not start with a slash. */
const commandTyped = (query: string): string | null =>
  query.trimStart().startsWith('/') ? (query.trim().slice(1).split(/\s/)[0]?.toLowerCase() ?? '') : null;

/**
 * `now`: ms since 1970, for filters like `after:`. `commands`: names of commands; a line like `/etc/gatekeeper`, which
 * begins none of them, is searched. If absent, every line with a slash is a command.
 */
export function readLine(
  query: string,
  now: number,
  commands?: readonly { readonly name: string }[],
): PaletteLine {
  const typed = commandTyped(query);
  const open = openFilter(query);
  // Leaves out a filter still being typed, or with an unreadable date: no title contains such words.
  const words = filterTokens(query, now)
    .filter((token) =>
      token.start === open?.start ? token.value === '' || token.problem !== null : token.problem === 'date',
    )
    .reduceRight((rest, { start, end }) => `${rest.slice(0, start)}${rest.slice(end)}`, query);
  const { text, filter } = parseSearch(words, now);
  const narrowed = Object.keys(filter).length > 0;
  return {
    text,
    filter,
    open,
    asCommand: typed !== null && (commands?.some(({ name }) => name.startsWith(typed)) ?? true),
    narrowed,
    blank: text === '' && !narrowed && !open,
  };
}

const JOINED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;

/**
 * True if a text contains a whole word, both as `comparableForm` gives them. In
 * scripts without spaces any position counts.
 */
function isWholeIn(text: string, word: string): boolean {
  for (const [from, to] of spotsIn(text, word))
    if (JOINED.test(word) || !(LETTER.test(text.slice(0, from).slice(-1)) || LETTER.test(text.charAt(to))))
      return true;
  return false;
}

/**
 * Score of words that all occur in a title, both as `comparableForm` gives them: exact title first, then all whole
 * words, better if they come early. 0: no match.
 */
function titleMatch(title: string, words: readonly string[]): number {
  const lower = comparableForm(title);
  let sum = 0;
  for (const word of words) {
    const [[at] = [-1]] = spotsIn(lower, word);
    if (at < 0) return 0;
    sum += 1 / (1 + at);
  }
  const early = sum / words.length;
  if (isSame(lower.trim(), words.join(' '))) return 5 + early;
  return (words.every((word) => isWholeIn(lower, word)) ? 3 : 1) + early;
}

const titleWords = new WeakMap<LibraryEntry, readonly string[]>();
/** Titles with fewer search words are found only by their own words: "Notes" occurs in many questions. */
const TITLE_LEAST = 2;

/**
 * Weight of a title if a question's search words include all of the title's, or the reverse, in any form and order:
 * "what did we say about renovating the kitchen?" finds "Kitchen renovation". Lower than any match by letters.
 */
function titleMeant(entry: LibraryEntry, asked: ReadonlySet<string>): number {
  if (asked.size === 0) return 0;
  let own = titleWords.get(entry);
  if (!own) {
    own = [...new Set(searchWords(entry.title).split(' ').filter(Boolean))];
    titleWords.set(entry, own);
  }
  const shared = own.filter((word) => asked.has(word)).length;
  return shared > 0 && (shared === asked.size || (shared === own.length && shared >= TITLE_LEAST)) ? 0.5 : 0;
}

/** Conversations by title, best first; the latest ones for an empty line. */
export function conversationsFor(
  { text, filter, asCommand, blank, narrowed }: PaletteLine,
  listed: readonly LibraryEntry[],
  projects: readonly ProjectEntry[] = [],
): readonly LibraryEntry[] {
  // Filters on role and code concern messages.
  if (asCommand || filter.roles || filter.hasCode !== undefined) return [];
  const named = filter.project === undefined ? null : projectsNamed(filter.project, projects);
  const allowed = listed.filter(
    (entry) =>
      (filter.archived === undefined ? !entry.archived || text !== '' : entry.archived === filter.archived) &&
      (filter.pinned === undefined || entry.pinned === filter.pinned) &&
      (filter.titleContains === undefined ||
        isIn(comparableForm(entry.title), comparableForm(filter.titleContains))) &&
      (filter.workDir === undefined || isNamedFolder(entry.workDir, filter.workDir)) &&
      (named === null || (entry.projectId !== null && named.has(entry.projectId))) &&
      (filter.before === undefined || entry.createdAt < filter.before) &&
      (filter.after === undefined || entry.updatedAt >= filter.after),
  );
  if (text === '') return blank || narrowed ? allowed.slice(0, RECENT) : [];
  const typed = comparableForm(text).split(/\s+/);
  const asked = new Set(queryWords(text).split(' ').filter(Boolean));
  return allowed
    .map((entry) => ({ entry, match: titleMatch(entry.title, typed) || titleMeant(entry, asked) }))
    .filter(({ match }) => match > 0)
    .sort((a, b) => b.match - a.match || b.entry.updatedAt - a.entry.updatedAt)
    .slice(0, CONVERSATIONS)
    .map(({ entry }) => entry);
}

/** Commands by name after a slash, otherwise by their description. */
export function commandsFor<C extends { readonly name: string }>(
  { text, asCommand, narrowed }: PaletteLine,
  query: string,
  commands: readonly C[],
  summaryOf: (name: string) => string,
): readonly C[] {
  if (asCommand) {
    const typed = commandTyped(query) ?? '';
    return commands.filter(({ name }) => name.startsWith(typed));
  }
  if (text.length < 2 || narrowed) return [];
  return commands.filter(({ name }) => defaultFilter(`${name} ${summaryOf(name)}`, text, []) > CLOSE_COMMAND);
}

/** True if every word of a non-empty line begins a word in a setting's texts. */
function isSaid(said: string, text: string): boolean {
  const lower = said.toLowerCase();
  const words = text.toLowerCase().split(/\s+/);
  const begins = (word: string) => {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1))
      if (JOINED.test(word) || !LETTER.test(lower.slice(0, at).slice(-1))) return true;
    return false;
  };
  return !words.every(isStopWord) && words.every(begins);
}

/** Settings by label, section and key, then by their texts (`more`: help, choices, everyday words), best first. */
export function settingsFor<
  S extends { readonly label: string; readonly also: string; readonly more: string },
>({ text, asCommand, narrowed }: PaletteLine, settings: readonly S[]): readonly S[] {
  if (text.length < 2 || asCommand || narrowed) return [];
  const lower = text.toLowerCase();
  const matchOf = ({ label, also, more }: S): number => {
    if (label.toLowerCase().includes(lower)) return 3;
    if (`${label} ${also}`.toLowerCase().includes(lower)) return 2;
    return isSaid(more, text) ? 1 : defaultFilter(label, text, []);
  };
  return settings
    .map((setting) => ({ setting, match: matchOf(setting) }))
    .filter(({ match }) => match > CLOSE_LABEL)
    .sort((a, b) => b.match - a.match)
    .slice(0, SETTINGS)
    .map(({ setting }) => setting);
}

/**
 * Actions for a line; for an empty one, all that are listed unasked are `meant`. `meant`: a word of the action or of
 * its other names begins as the line does; these come before messages. `close`: those that match in some other way.
 */
export function actionsFor<
  A extends { readonly label: string; readonly also?: readonly string[]; readonly asked?: true },
>(
  { text, asCommand, narrowed, blank }: PaletteLine,
  actions: readonly A[],
): { readonly meant: readonly A[]; readonly close: readonly A[] } {
  if (blank) return { meant: actions.filter(({ asked }) => !asked), close: [] };
  if (asCommand || narrowed || text.length < 2) return { meant: [], close: [] };
  const typed = text.toLowerCase();
  const startsOther = ({ also = [] }: A) => also.some((name) => name.toLowerCase().startsWith(typed));
  const begins = (action: A) =>
    action.label.toLowerCase().startsWith(typed) ||
    action.label.toLowerCase().split(/\s+/).includes(typed) ||
    // A single-word alias is the likelier target: "start".
    action.also?.some((name) => name.toLowerCase() === typed) ||
    (/\s/.test(typed) && startsOther(action));
  return {
    meant: actions.filter(begins),
    close: actions.filter(
      (action) =>
        !begins(action) && (startsOther(action) || defaultFilter(action.label, text, []) > CLOSE_LABEL),
    ),
  };
}
