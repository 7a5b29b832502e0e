// What `--scope` of /recall means: words put together with commas, each of which narrows. Pure.

import type { IndexFilter } from '../../adapters/index/memory-index.ts';
import { RecollectError } from '../../domain/base/errors.ts';
import { nearest } from './parse.ts';

const WORDS = ['here', 'pinned', 'active', 'archived', 'all'] as const;
const ALLOWED = `${WORDS.join(', ')}, 2025-03, 2025-01-01..2025-03-31, ..2025-03, 2025-03..`;

/** A year, a month or a day; its first moment and the first one after it, in the person's time zone. */
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

/**
 * `here`: conversations of this work dir; `pinned`: those only; `active`: without archived ones; `archived`: those only; `all`: both (the
 * default, as where memory is asked by itself); a date, a month, a year or a range of them. `workDir` is that of the conversation on the screen. Throws `command-argument`.
 */
export function filterOfScope(scope: string, workDir: string | null): IndexFilter {
  let filter: IndexFilter = {};
  for (const word of scope
    .toLowerCase()
    .split(/[\s,，、]+/)
    .filter((part) => part !== '')) {
    const dates = datesOf(word);
    if (word === 'here') {
      if (workDir === null)
        throw new RecollectError('command-argument', 'This conversation has no work directory.', {
          params: {
            command: 'recall',
            argument: 'scope',
            value: 'here',
            allowed: 'pinned, active, archived, all',
            nearest: '',
          },
        });
      filter = { ...filter, workDir };
    } else if (word === 'pinned') filter = { ...filter, pinned: true };
    else if (word === 'active') filter = { ...filter, archived: false };
    else if (word === 'archived') filter = { ...filter, archived: true };
    else if (word === 'all') continue;
    else if (dates) filter = { ...filter, ...dates };
    else
      throw new RecollectError('command-argument', `There is no scope ${word}.`, {
        params: {
          command: 'recall',
          argument: 'scope',
          value: word,
          allowed: ALLOWED,
          nearest: nearest(word, WORDS),
        },
      });
  }
  return filter;
}
