// Parses `--scope` of /recall: words joined with commas, each of which narrows the search. Pure.

import type { IndexFilter } from '../../adapters/index/memory-index.ts';
import { RecollectError } from '../../domain/base/errors.ts';
import { timesIn } from '../../domain/text/dates.ts';
import { nearest } from './parse.ts';

/** Scopes besides a time. */
export const SCOPES = ['here', 'pinned', 'active', 'archived', 'all'] as const;
/** Scopes that exclude one another: completion offers no second one. */
export const ONE_SCOPE = ['active', 'archived', 'all'] as const;
const ALLOWED = `${SCOPES.join(', ')}, 2025-03, 2025-01-01..2025-03-31, ..2025-03, 2025-03.., last-week`;

/** A year, a month or a day: its first moment, and the first one after it, in the person's time zone. */
function stretchOf(text: string): { from: number; to: number } | undefined {
  const match = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(text);
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2] ?? 1) - 1, Number(match[3] ?? 1)];
  const from = new Date(year, month, day);
  if (from.getFullYear() !== year || from.getMonth() !== month || from.getDate() !== day) return undefined;
  const to = match[3]
    ? new Date(year, month, day + 1)
    : match[2]
      ? new Date(year, month + 1, 1)
      : new Date(year + 1, 0, 1);
  return { from: from.getTime(), to: to.getTime() };
}

function datesOf(text: string): Pick<IndexFilter, 'after' | 'before'> | undefined {
  const [first = '', last, more] = text.split('..');
  if (more !== undefined || (first === '' && !last)) return undefined;
  if (last === undefined) {
    const stretch = stretchOf(first);
    return stretch && { after: stretch.from, before: stretch.to };
  }
  const [from, to] = [first === '' ? null : stretchOf(first), last === '' ? null : stretchOf(last)];
  if (from === undefined || to === undefined || (from && to && from.from >= to.to)) return undefined;
  return { ...(from ? { after: from.from } : {}), ...(to ? { before: to.to } : {}) };
}

/** A time in words, `last week`, `last-week` or 上周. */
function namedTime(text: string, now: number): Pick<IndexFilter, 'after' | 'before'> | undefined {
  const words = text.replace(/(?<=\p{L})-|-(?=\p{L})/gu, ' ');
  const { spans, rest } = timesIn(words, now);
  const [span, more] = spans;
  return span && !more && rest === '' ? { after: span.from, before: span.to } : undefined;
}

/** Filter that requires both; null if nothing can pass. */
function narrowed(one: IndexFilter, other: IndexFilter): IndexFilter | null {
  if (one.archived !== undefined && other.archived !== undefined && one.archived !== other.archived)
    return null;
  const after = Math.max(one.after ?? Number.NEGATIVE_INFINITY, other.after ?? Number.NEGATIVE_INFINITY);
  const before = Math.min(one.before ?? Number.POSITIVE_INFINITY, other.before ?? Number.POSITIVE_INFINITY);
  if (after >= before) return null;
  return {
    ...one,
    ...other,
    ...(Number.isFinite(after) ? { after } : {}),
    ...(Number.isFinite(before) ? { before } : {}),
  };
}

/**
 * Filter of a scope. `here`: this work dir; `all`, the default: with archived ones; or a time in words or numbers.
 * @param workDir that of the conversation on the screen
 * @param now ms since 1970; times are seen from there
 * @throws `command-argument`; `command-here` without a work dir; `command-scopes` if two words exclude each other
 */
export function filterOfScope(scope: string, workDir: string | null, now: number): IndexFilter {
  const refused = (value: string, allowed: string, near: string, message: string) =>
    new RecollectError('command-argument', message, {
      params: { command: 'recall', argument: 'scope', value, allowed, nearest: near },
    });
  const named = (word: string): IndexFilter | undefined => {
    if (word === 'here') {
      if (workDir === null)
        throw new RecollectError('command-here', 'This conversation has no work directory.', {
          params: { command: 'recall' },
        });
      return { workDir };
    }
    if (word === 'pinned') return { pinned: true };
    if (word === 'active') return { archived: false };
    if (word === 'archived') return { archived: true };
    return word === 'all' ? {} : datesOf(word);
  };
  let filter: IndexFilter = {};
  for (const piece of scope.toLowerCase().split(/[,，、]+/)) {
    const words = piece.trim();
    const whole = named(words) ?? namedTime(words, now);
    for (const word of whole ? [words] : words.split(/\s+/).filter((part) => part !== '')) {
      const meant: IndexFilter | undefined = whole ?? named(word) ?? namedTime(word, now);
      if (!meant) throw refused(word, ALLOWED, nearest(word, SCOPES), `There is no scope ${word}.`);
      const both = narrowed(filter, meant);
      if (!both)
        throw new RecollectError(
          'command-scopes',
          `The scope ${scope} asks for two things that exclude each other.`,
          { params: { command: 'recall', value: scope } },
        );
      filter = both;
    }
  }
  return filter;
}
