// Parses the filters in the search text: finds written ones, completes the one being typed, adds and removes them.

import { localDay } from '../../domain/base/time.ts';
import { filtersIn, isUnderstood } from '../../domain/memory/query.ts';
import { comparableForm, isIn } from '../../domain/text/find.ts';
import type { LibraryEntry, ProjectEntry } from '../../services/documents/documents.ts';

export const FILTER_NAMES = ['in', 'from', 'dir', 'project', 'before', 'after', 'has', 'is'] as const;
type FilterName = (typeof FILTER_NAMES)[number];

const ALIASES: Readonly<Record<string, FilterName>> = { title: 'in', folder: 'dir', since: 'after' };

export interface FilterToken {
  readonly name: FilterName;
  /** Without its quotes. */
  readonly value: string;
  /** As written. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /**
   * Why it has no effect: its value is no `date`, or not one that this filter knows.
   * Null if it works or has no value yet.
   */
  readonly problem: 'date' | 'value' | null;
}

/** Filters in a query, in order. The last one may still lack a value. */
export const filterTokens = (query: string, now = Date.now()): FilterToken[] =>
  filtersIn(query).map((written) => {
    const { value, text, start, end, negated } = written;
    const name = ALIASES[written.name] ?? (written.name as FilterName);
    const isDated = (name === 'before' || name === 'after') && !negated;
    const problem = value === '' || isUnderstood(written, now) ? null : isDated ? 'date' : 'value';
    return { name, value, text, start, end, problem };
  });

/** Removes one filter from the query. */
export const withoutFilter = (query: string, token: FilterToken): string =>
  `${query.slice(0, token.start)}${query.slice(token.end)}`.replace(/\s{2,}/g, ' ').trimStart();

/** Appends `text` to the query, ready for more typing: no space after a filter that still needs a value. */
export const withFilter = (query: string, text: string): string =>
  `${query.trimEnd()}${query.trim() === '' ? '' : ' '}${text}${text.endsWith(':') ? '' : ' '}`;

/** Filter at the end of the query that is still being typed. */
export function openFilter(query: string): FilterToken | undefined {
  const last = filterTokens(query).at(-1);
  if (!last || last.end !== query.length || /^[^:：]*[:：]\s?(?:"[^"]*"|“[^”]*”|'[^']*')$/.test(last.text))
    return undefined;
  return last;
}

const quoted = (value: string): string => (/\s/.test(value) ? `"${value}"` : value);

interface Completion {
  /** The whole filter, e.g. `from:me`. */
  readonly text: string;
  /** Hint beside it: words of the catalogue, or plain text. */
  readonly hint: { readonly key: string } | { readonly plain: string };
}

const DAY = 86_400_000;
const DAYS: readonly (readonly [string, number])[] = [
  ['today', 0],
  ['week', 7],
  ['month', 30],
  ['quarter', 91],
  ['year', 365],
];

/** Completions of the filter being typed, best first, at most 6. */
export function completionsOf(
  token: FilterToken,
  {
    entries,
    projects,
  }: { readonly entries: readonly LibraryEntry[]; readonly projects: readonly ProjectEntry[] },
  now: number,
): Completion[] {
  const typed = comparableForm(token.value);
  const offer = (values: readonly [string, { key: string } | { plain: string }][]): Completion[] =>
    values
      .filter(([value]) => isIn(comparableForm(value), typed))
      .slice(0, 6)
      .map(([value, hint]) => ({ text: `${token.name}:${quoted(value)}`, hint }))
      .filter((completion) => completion.text !== token.text);
  switch (token.name) {
    case 'in': {
      const titles = [...new Set(entries.map((entry) => entry.title).filter(Boolean))];
      return offer(titles.map((title) => [title.replaceAll('"', ''), { plain: '' }]));
    }
    case 'dir': {
      const dirs = [...new Set(entries.flatMap((entry) => (entry.workDir ? [entry.workDir] : [])))];
      return offer(dirs.map((dir) => [dir, { plain: '' }]));
    }
    case 'project': {
      const names = [
        ...new Set(projects.filter(({ deletedAt }) => deletedAt === null).map(({ title }) => title)),
      ];
      return offer(names.map((name) => [name.replaceAll('"', ''), { plain: '' }]));
    }
    case 'from':
      return offer([
        ['me', { key: 'filters.from.me' }],
        ['model', { key: 'filters.from.model' }],
      ]);
    case 'has':
      return offer([['code', { key: 'filters.has.code' }]]);
    case 'is':
      return offer([['archived', { key: 'filters.is.archived' }]]);
    case 'before':
    case 'after':
      return offer(
        DAYS.map(([name, days]) => [localDay(now - days * DAY), { key: `filters.day.${name}` }] as const),
      );
  }
}
