// Parses the search line:
// `in:"title" from:me dir:~/work project:shop before:2026-05 after:7d has:code is:pinned` and free words.
import type { Role } from '../chat/message.ts';
import { datesIn } from '../text/dates.ts';
import { endOf, startOf } from '../text/whole-characters.ts';

/** A longer text is reduced to so many characters of its beginning and end: an answer keeps the whole question. */
const [ASKED_HEAD, ASKED_TAIL] = [1_000, 3_000];

/** Makes the query for a message: all of it, or the beginning and the end of a long one, which hold its question. */
export function queryForMessage(text: string): string {
  const whole = text.trim();
  if (whole.length <= ASKED_HEAD + ASKED_TAIL) return whole;
  const head = startOf(whole, ASKED_HEAD);
  const tail = endOf(whole, ASKED_TAIL);
  return `${head}\n…\n${tail}`;
}

/** Filters of a search line. Times in ms since 1970; absent keys do not narrow. */
export interface SearchFilter {
  titleContains?: string;
  roles?: readonly Role[];
  workDir?: string;
  /** Part of the name of a project. */
  project?: string;
  before?: number;
  after?: number;
  hasCode?: boolean;
  pinned?: boolean;
  archived?: boolean;
}

export interface SearchLine {
  /** The words that are searched. */
  readonly text: string;
  readonly filter: SearchFilter;
  /** Filters that were named but not understood, as typed: they are searched as words too. */
  readonly unknown: readonly string[];
}

const slashed = (path: string): string => path.replaceAll('\\', '/').replace(/(?<!\/)\/+$/, '');

/**
 * True if `dir:` means this folder: any part of its path, in any case; `~` is anybody's home. False without a folder.
 */
export const isNamedFolder = (workDir: string | null, part: string): boolean =>
  workDir !== null &&
  slashed(workDir)
    .toLowerCase()
    .includes(
      slashed(part)
        .replace(/^~(?=\/|$)/, '')
        .toLowerCase(),
    );

/** True if a folder is this one or lies in it, compared exactly, since a path belongs to its device. */
export const isWithinFolder = (workDir: string | null, folder: string): boolean =>
  workDir !== null && `${slashed(workDir)}/`.startsWith(`${slashed(folder)}/`);

const ROLES: Readonly<Record<string, readonly Role[]>> = {
  me: ['user'],
  user: ['user'],
  i: ['user'],
  我: ['user'],
  model: ['assistant'],
  assistant: ['assistant'],
  ai: ['assistant'],
  模型: ['assistant'],
  助手: ['assistant'],
  tool: ['tool'],
  tools: ['tool'],
  工具: ['tool'],
};
const DAY = 86_400_000;
const SPANS: Readonly<Record<string, number>> = {
  h: DAY / 24,
  d: DAY,
  w: 7 * DAY,
  m: 30 * DAY,
  y: 365 * DAY,
  时: DAY / 24,
  天: DAY,
  周: 7 * DAY,
  月: 30 * DAY,
  年: 365 * DAY,
};
/** `7d`, `7 days ago`, `7天前`: the unit is known by its first letter. */
const SPAN =
  /^(\d{1,4})\s?(?:([hdwmy])|(hour|day|week|month|year)s?(?:\s+(?:ago|back))?|个?(小时|天|周|星期|月|年)(?:之|以)?前)$/i;
const NAMED_DAYS: Readonly<Record<string, number>> = { today: 0, 今天: 0, yesterday: 1, 昨天: 1, 前天: 2 };
/** Times too rough to filter by a day: "a few weeks ago". */
const ROUGH = /\b(?:ago|back|earlier|other day)\b|前$|前[几两些]/i;

/** Beginning of a day; undefined for one that does not exist, which Date would move to the next month. */
function dayOf(year: number, month: number, date: number): number | undefined {
  const at = new Date(year, month - 1, date);
  return at.getMonth() === month - 1 && at.getDate() === date ? at.getTime() : undefined;
}

/**
 * Reads `23.11.2026`, and slashes or hyphens if only one order is possible: 5/6 is in
 * May for some and in June for others.
 */
function dayFirst(text: string): number | undefined {
  const [, first = '', mark, second = '', year] = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(text) ?? [];
  if (mark === undefined) return undefined;
  const [a, b] = [Number(first), Number(second)];
  if (mark === '.' || a > 12 || a === b) return dayOf(Number(year), b, a);
  return b > 12 ? dayOf(Number(year), a, b) : undefined;
}

/** Beginning of a time in words that questions use as well: `last week`, `May 2026`, `上周三`, `11月23日`. */
function dayInWords(text: string, now: number): number | undefined {
  if (ROUGH.test(text)) return undefined;
  const [span] = datesIn(text, now) ?? datesIn(`in ${text}`, now) ?? [];
  // Spans are widened by half a day in front.
  return span && span.from + DAY / 2;
}

/**
 * Beginning of a written day, month or year in this device's time zone: `2026-05`, `2.5.2026`, `5月2日`, `yesterday`, or
 * a span back from now: `7d`, `7 days ago`, `7天前`. Undefined for anything else, and for no real day.
 * @param now ms since 1970, like the result
 */
export function parseDay(text: string, now: number): number | undefined {
  const span = SPAN.exec(text);
  if (span) {
    const unit = span[2] ?? span[3] ?? span[4]?.replace('小', '').replace('星期', '周') ?? '';
    return now - Number(span[1]) * (SPANS[(unit[0] as string).toLowerCase()] as number);
  }
  const back = NAMED_DAYS[text.toLowerCase()];
  if (back !== undefined) {
    const today = new Date(now);
    return new Date(today.getFullYear(), today.getMonth(), today.getDate() - back).getTime();
  }
  const day = /^(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2})[日号號]?)?月?)?年?$/.exec(text);
  if (day) return dayOf(Number(day[1]), Number(day[2] ?? 1), Number(day[3] ?? 1));
  return dayFirst(text) ?? (/^[\d./-]+$/.test(text) ? undefined : dayInWords(text, now));
}

/**
 * Returns a text without search words, which is then searched for literally: one Han or kana character, or signs
 * without any letter or digit, such as an emoji. Null for all others.
 */
export function literalQuery(text: string): string | null {
  const sign = text.trim();
  const isOne = /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\p{L}\p{N}\s]{1,16})$/u.test(
    sign,
  );
  // Drops the variation selector for colour, which some write and others leave out.
  return isOne ? sign.replace(/(?<=.)\ufe0f$/u, '') : null;
}

const FILTER =
  /(?<!\S)(-?)(in|title|from|dir|folder|project|before|after|since|has|is)[:：](?:\s?(?:"([^"]*)"?|“([^”]*)”?|'([^']*)'|(\S+)))?/giu;

/** A filter as typed in a search line. */
export interface WrittenFilter {
  /** In lower case. */
  readonly name: string;
  readonly negated: boolean;
  /** Without its quotes; empty if there is none yet. */
  readonly value: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Lists the filters typed in a line, in order, understood or not. The last may still be without a value. */
export const filtersIn = (line: string): WrittenFilter[] =>
  [...line.matchAll(FILTER)].map((match) => {
    const [text, minus, name = '', ...values] = match;
    return {
      name: name.toLowerCase(),
      negated: minus === '-',
      value: values.find((value) => value !== undefined) ?? '',
      text,
      start: match.index,
      end: match.index + text.length,
    };
  });

/** Reads one filter into `filter`; false if its value means nothing. */
function read(filter: SearchFilter, name: string, value: string, negated: boolean, now: number): boolean {
  switch (name) {
    case 'in':
    case 'title':
      filter.titleContains = value;
      return !negated;
    case 'from': {
      const roles = ROLES[value.toLowerCase()];
      if (!roles) return false;
      if (negated)
        filter.roles = (['user', 'assistant', 'tool'] as const).filter((role) => !roles.includes(role));
      else filter.roles = [...new Set([...(filter.roles ?? []), ...roles])];
      return true;
    }
    case 'dir':
    case 'folder':
      filter.workDir = value;
      return !negated;
    case 'project':
      filter.project = value;
      return !negated;
    case 'before':
    case 'after':
    case 'since': {
      const day = parseDay(value, now);
      if (day === undefined || negated) return false;
      if (name === 'before') filter.before = day;
      else filter.after = day;
      return true;
    }
    case 'has':
      if (!/^(?:code|代码)$/i.test(value)) return false;
      filter.hasCode = !negated;
      return true;
    default:
      if (/^(?:archived?|已?归档)$/i.test(value)) filter.archived = !negated;
      else if (/^(?:pinned|pin|置顶)$/i.test(value)) filter.pinned = !negated;
      else return false;
      return true;
  }
}

/** True if a filter's value means something, so that the filter narrows. `now`: ms since 1970. */
export const isUnderstood = ({ name, negated, value }: WrittenFilter, now: number): boolean =>
  value.trim() !== '' && read({}, name, value.trim(), negated, now);

/**
 * Parses a search line. Never fails: anything else is a word. A leading `-` negates `from:`, `has:` and `is:`.
 * @param now ms since 1970
 */
export function parseSearch(line: string, now: number): SearchLine {
  const filter: SearchFilter = {};
  const unknown: string[] = [];
  let text = '';
  let at = 0;
  for (const { name, negated, value, text: written, start, end } of filtersIn(line)) {
    const wanted = value.trim();
    const trial: SearchFilter = { ...filter };
    const isKnown = wanted !== '' && read(trial, name, wanted, negated, now);
    if (isKnown) Object.assign(filter, trial);
    else if (value !== '' || !/[:：]$/.test(written)) unknown.push(written);
    text += `${line.slice(at, start)}${isKnown ? ' ' : written}`;
    at = end;
  }
  text += line.slice(at);
  return { text: text.replace(/\s+/g, ' ').trim(), filter, unknown };
}
