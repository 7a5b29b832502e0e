// Reads times as exports write them: numbers by their magnitude, dates of ISO 8601, RFC 2822 and similar, and the
// objects that databases wrap around them. An ambiguous date, such as 06/07/2025, is no time.

/** There were no chat exports before the web; an earlier time is a mistake. */
const EARLIEST = Date.UTC(1995, 0, 1);
/**
 * Fixed instead of the clock's time: a device with a wrong clock must read the same
 * dates, and make the same ids of them.
 */
const LATEST = Date.UTC(2100, 0, 1);
/** Longest date that is read, characters: a browser's, with the full name of its zone. */
const LONGEST = 100;

/** ms since 1970; `impossible` if the value cannot be a message's time; undefined if there is none. */
export function timeOf(value: unknown): number | 'impossible' | undefined {
  const said = bare(value);
  if (said === null || said === undefined || (typeof said === 'string' && said.trim() === ''))
    return undefined;
  const ms =
    typeof said === 'number' ? fromNumber(said) : typeof said === 'string' ? fromText(said.trim()) : NaN;
  return isPossible(ms) ? ms : 'impossible';
}

const isPossible = (ms: number): boolean => ms >= EARLIEST && ms <= LATEST;

const WRAPS = ['$date', '$numberLong', '$numberDouble', 'iso', 'value'] as const;

/** Unwraps the time of a database: MongoDB's `{"$date": {"$numberLong": "…"}}`, Firestore's seconds and nanoseconds. */
function bare(value: unknown): unknown {
  let inner = value;
  for (let depth = 0; depth < 3 && typeof inner === 'object' && inner !== null; depth += 1) {
    const fields = inner as Readonly<Record<string, unknown>>;
    const seconds = Number(fields.seconds ?? fields._seconds ?? NaN);
    const nanos = Number(fields.nanos ?? fields.nanoseconds ?? fields._nanoseconds ?? 0);
    if (Number.isFinite(seconds)) return seconds + (Number.isFinite(nanos) ? nanos / 1e9 : 0);
    const wrap = WRAPS.find((name) => Object.hasOwn(fields, name));
    if (wrap === undefined) return inner;
    inner = fields[wrap];
  }
  return inner;
}

function fromNumber(value: number): number {
  const size = Math.abs(value);
  if (size < 1e11) return Math.round(value * 1000);
  if (size < 1e14) return Math.round(value);
  if (size < 1e17) return Math.round(value / 1e3);
  return Math.round(value / 1e6);
}

const NUMBER = /^[+-]?\d+(?:\.\d*)?(?:e\+?\d{1,2})?$/i;
const WRAPPED = /^\/?Date\((\d+)(?:[+-]\d{4})?\)\/?$/;
/** SillyTavern's: `2026-01-31@14h23m31s`, `2026-1-31 @14h 23m 31s 123ms`. */
const LETTERED = /^(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?\d{1,3}ms)?$/;
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)?(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;

function fromText(text: string): number {
  if (text.length > LONGEST) return NaN;
  if (NUMBER.test(text)) {
    const ms = fromNumber(Number(text));
    if (isPossible(ms)) return ms;
  }
  const wrapped = WRAPPED.exec(text)?.[1];
  if (wrapped !== undefined) return Number(wrapped);
  const compact = COMPACT.exec(text) ?? LETTERED.exec(text);
  if (compact) {
    const [, year, month, day, hour = '0', minute = '0', second = '0', zone = ''] = compact;
    return instantOf([year, month, day].map(Number), [hour, minute, second].map(Number), zone);
  }
  return fromWords(text);
}

const MONTHS =
  /^(?:(jan(?:uary)?)|(feb(?:ruary)?)|(mar(?:ch)?)|(apr(?:il)?)|(may)|(june?)|(july?)|(aug(?:ust)?)|(sept?(?:ember)?)|(oct(?:ober)?)|(nov(?:ember)?)|(dec(?:ember)?))$/i;
/** Hours from UTC of zone names (RFC 2822, 4.3) with one meaning only: CST is China's as well. */
const ZONES: Readonly<Record<string, number>> = {
  z: 0,
  ut: 0,
  utc: 0,
  gmt: 0,
  est: -5,
  edt: -4,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  wet: 0,
  west: 1,
  cet: 1,
  cest: 2,
  mez: 1,
  mesz: 2,
  eet: 2,
  eest: 3,
  msk: 3,
  trt: 3,
  wib: 7,
  kst: 9,
  brt: -3,
  jst: 9,
};
const CLOCK =
  /(?:^|(?<=\d)T|[\s,_])(上午|下午|午前|午後|오전|오후)?\s?(\d{1,2})(?:[:：时](\d\d)(?:[:：分](\d\d)(?:[.,](\d{1,9}))?)?分?秒?)\s?([ap]\.?m\.?)?(?![\d:])/i;
const CLOCK_OF_HOURS = /(?:^|[\s,])(\d{1,2})\s?([ap]\.?m\.?)(?!\w)/i;
/** Only behind a time: elsewhere a sign and digits are a day or a year. */
const OFFSET =
  /^\s*(?:(?:utc|gmt)?\s*([+-]\d\d:?(?:\d\d)?)|([a-z]{1,4}))?\s*(?:\([^()]*\)|\[[^[\]]*\])?\s*(\d{4})?\s*$/i;
const NUMERIC = /^(\d{1,4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,4})[日.]?\s*$/;
const NAMED =
  /^(?:[a-z]{3,9}\.?,?\s+)??(?:(\d{1,2})(?:st|nd|rd|th)?[\s-]+)?([a-z]{3,9})\.?(?:[\s-]+(\d{1,2})(?:st|nd|rd|th)?(?!\d))?,?(?:[\s-]+(\d{4}))?\s*$/i;

/**
 * Reads a date, perhaps with time and zone. Without a zone it is UTC: a file must give the same times on every machine.
 */
function fromWords(text: string): number {
  const clock = CLOCK.exec(text) ?? undefined;
  const hours = clock ? undefined : (CLOCK_OF_HOURS.exec(text) ?? undefined);
  const found = clock ?? hours;
  const date = (found ? text.slice(0, found.index) : text)
    .replace(/(?:,|\bat|T|\s(?:à|às|um|om|alle|a las|kl\.?|в))\s*$/i, '')
    .trim();
  const rest = found ? text.slice(found.index + found[0].length) : '';
  const tail = OFFSET.exec(rest);
  if (!tail) return NaN;
  const [, offset, zone = '', lateYear] = tail;
  const time = clock
    ? [
        ...clockOf(
          clock[2],
          clock[3],
          clock[4],
          clock[6] ?? (clock[1] && (/[下後후]/.test(clock[1]) ? 'pm' : 'am')),
        ),
        Number(`0.${clock[5] ?? 0}`),
      ]
    : hours
      ? clockOf(hours[1], '0', '0', hours[2])
      : [0, 0, 0];
  return instantOf(dayOf(date, lateYear), time, offset ?? zone);
}

function clockOf(hour = '0', minute = '0', second = '0', half = ''): number[] {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  if (half === '') return [h, m, s];
  return h < 1 || h > 12 ? [NaN] : [(h % 12) + (/^p/i.test(half) ? 12 : 0), m, s];
}

/** Year, month, day; empty if their order is ambiguous. */
function dayOf(date: string, lateYear: string | undefined): number[] {
  const numeric = NUMERIC.exec(date);
  if (numeric) {
    const [, first = '', second = '', third = ''] = numeric;
    const [a, b, c] = [Number(first), Number(second), Number(third)];
    if (first.length === 4) return third.length > 2 ? [] : [a, b, c];
    if (third.length !== 4) return [];
    if (a === b || b > 12) return [c, a, b];
    return a > 12 ? [c, b, a] : [];
  }
  const [, ofMonth, ofName = '', ofYear] = FOREIGN.exec(date) ?? [];
  const foreignMonth = MONTHS.test(ofName) ? undefined : foreignMonths().get(monthName(ofName));
  if (foreignMonth !== undefined) return [Number(ofYear), foreignMonth, Number(ofMonth)];
  const [, before, name = '', after, year = lateYear] = NAMED.exec(date) ?? [];
  const month = (MONTHS.exec(name)?.slice(1) ?? []).findIndex((found) => found !== undefined) + 1;
  const day = before ?? after;
  if (month === 0 || day === undefined || year === undefined || (before !== undefined && after !== undefined))
    return [];
  return [Number(year), month, Number(day)];
}

/** A day before the name of its month in other languages: `1 de jan. de 2026`, `1. janv. 2026`, `1 янв. 2026 г.`. */
const FOREIGN =
  /^(\d{1,2})(?:er|\.|º)?\s(?:de\s)?(\p{L}{2,14}\.?)(?:\s(?:de|del))?,?\s(\d{4})(?:\s[гр]\.?)?\s*$/iu;
/** Languages in which services write dates with the name of the month between day and year. */
const LANGUAGES = 'cs da de el es fi fr hu id it nb nl pl pt ro ru sk sv tr uk'.split(' ');
let months: ReadonlyMap<string, number> | undefined;
const monthName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Months by their names in these languages, short and long; a name of several months is none. */
function foreignMonths(): ReadonlyMap<string, number> {
  if (months) return months;
  const found = new Map<string, number>();
  const several = new Set<string>();
  for (const language of LANGUAGES)
    for (const month of ['short', 'long'] as const) {
      const format = new Intl.DateTimeFormat(language, {
        day: 'numeric',
        month,
        year: 'numeric',
        timeZone: 'UTC',
      });
      for (let at = 1; at <= 12; at += 1) {
        const parts = format.formatToParts(Date.UTC(2026, at - 1, 1));
        const name = monthName(parts.find(({ type }) => type === 'month')?.value ?? '');
        if ((found.get(name) ?? at) !== at) several.add(name);
        found.set(name, at);
      }
    }
  for (const name of several) found.delete(name);
  months = found;
  return found;
}

/** ms since 1970; NaN for a day or a time that does not exist. `zone`: `+02:00`, `-0500`, `PDT`, '' for UTC. */
function instantOf(date: readonly number[], time: readonly number[], zone: string): number {
  const [year = NaN, month = NaN, day = NaN] = date;
  const [hour = NaN, minute = NaN, second = 0, fraction = 0] = time;
  const midnight = Date.UTC(year, month - 1, day);
  const there = new Date(midnight);
  if (there.getUTCMonth() !== month - 1 || there.getUTCDate() !== day) return NaN;
  if (!(hour * 3600 + minute * 60 + second <= 86_400 && minute < 60 && second <= 60)) return NaN;
  const ms = midnight + (hour * 3600 + minute * 60 + second) * 1000 + Math.floor(fraction * 1000);
  const signed = /^([+-])(\d\d):?(\d\d)?$/.exec(zone);
  const ahead = signed
    ? (signed[1] === '-' ? -1 : 1) * (Number(signed[2]) * 60 + Number(signed[3] ?? 0))
    : zone === ''
      ? 0
      : (ZONES[zone.toLowerCase()] ?? NaN) * 60;
  return ms - ahead * 60_000;
}

/**
 * Fills gaps in the times of consecutive messages evenly between their neighbours; the ends take the nearest known
 * time. `fallback` is used if no time is known.
 */
export function interpolated(times: readonly (number | undefined)[], fallback: number): number[] {
  const known = times.flatMap((time, at) => (time === undefined ? [] : [at]));
  const filled: number[] = [];
  let next = 0;
  for (let at = 0; at < times.length; at += 1) {
    while (next < known.length && (known[next] as number) < at) next += 1;
    const after = known[next];
    const before = after === at ? at : known[next - 1];
    const [a, b] = [
      before === undefined ? undefined : times[before],
      after === undefined ? undefined : times[after],
    ];
    if (a !== undefined && b !== undefined && before !== undefined && after !== undefined && after > before)
      filled.push(Math.round(a + ((b - a) * (at - before)) / (after - before)));
    else filled.push(a ?? b ?? fallback);
  }
  return filled;
}
