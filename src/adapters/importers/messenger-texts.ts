// Chats that messengers write out as text (WhatsApp, Signal, Telegram), where one side is a model. A chat among people
// alone is none: it is named as what it is.
import { speakerIn } from './speakers.ts';
import { timeOf } from './times.ts';

/** `[1/2/26, 10:00:00 AM] Anna: Hello`, `12.03.24, 10:00 - Anna: Hello`, `2026-01-02 10:00 - Anna: Hello`. */
const LINE =
  /^[\u200E\u200F]?\[?(\d{1,4})([./-])(\d{1,2})\2(\d{1,4}),?[ \u202F]{1,2}(\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:[ \u202F]?[apAP]\.?[mM]\.?)?)(?:\][ ]?|[ ]-[ ])([^:\n]{1,60}): ?(.*)$/;
/** `Anna, [02.01.2026 10:00]` above the words, as Telegram copies them. */
const ABOVE =
  /^(.{1,60}), \[(\d{1,4})([./-])(\d{1,2})\3(\d{1,4}),? (?:at )?(\d{1,2}:\d\d(?::\d\d)?(?: [AP]M)?)\]:?$/;
/** Lines of the beginning that tell. */
const MOST_EXAMINED = 200;

interface Spoken {
  readonly name: string;
  readonly date: readonly [string, string, string];
  /** Between the numbers of the date. */
  readonly mark: string;
  readonly clock: string;
  words: string;
}

function spokenIn(line: string): Spoken | undefined {
  const short = line.slice(0, 200);
  const found = LINE.exec(short);
  if (found) {
    const [, first = '', mark = '', second = '', third = '', clock = '', name = ''] = found;
    const words = line.slice(short.length - (found[7] ?? '').length);
    return { name: name.trim(), date: [first, second, third], mark, clock, words };
  }
  const [, name, first = '', mark = '', second = '', third = '', clock = ''] = ABOVE.exec(short) ?? [];
  return name === undefined
    ? undefined
    : { name: name.trim(), date: [first, second, third], mark, clock, words: '' };
}

/** True if the beginning of a text is a chat as messengers write it. */
export const isMessengerText = (head: string): boolean =>
  head.split(/\r\n|\n|\r/, MOST_EXAMINED).filter((line) => spokenIn(line) !== undefined).length >= 2;

/** Reads such a chat with a model; undefined if nobody in it is known as one. */
export function messengerSession(text: string): { readonly messages: readonly unknown[] } | undefined {
  const said: Spoken[] = [];
  const before: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    const next = spokenIn(line);
    const last = said.at(-1);
    if (next) said.push(next);
    else if (last) last.words += `\n${line}`;
    else if (line.trim() !== '') before.push(line);
  }
  const names = new Set(said.map(({ name }) => name));
  const models = new Set([...names].filter((name) => speakerIn(`${name}: x`)?.role === 'assistant'));
  if (models.size === 0 || names.size < 2) return undefined;
  const isDayFirst = orderOf(said);
  const messages = said.map(({ name, date, clock, words }) => ({
    role: models.has(name) ? 'assistant' : 'user',
    content: names.size - models.size > 1 && !models.has(name) ? `${name}: ${words.trim()}` : words.trim(),
    timestamp: written(date, clock, isDayFirst),
    ...(models.has(name) ? { model: name } : {}),
  }));
  return {
    messages: before.length === 0 ? messages : [{ role: 'system', content: before.join('\n') }, ...messages],
  };
}

/** True if days stand before months: a number above 12 tells, else the order in which the dates go on. */
function orderOf(said: readonly Spoken[]): boolean {
  const numbers = said.map(({ date: [first, second] }) => [Number(first), Number(second)] as const);
  if (numbers.some(([first]) => first > 12 && first < 32)) return true;
  if (numbers.some(([, second]) => second > 12)) return false;
  const [{ clock, mark }] = said as [Spoken, ...Spoken[]];
  if (mark === '.') return true;
  let [forth, back] = [0, 0];
  for (let at = 1; at < numbers.length; at += 1) {
    const [[a, b], [c, d]] = [
      numbers[at - 1] as readonly [number, number],
      numbers[at] as readonly [number, number],
    ];
    if (d * 31 + c < b * 31 + a) back += 1;
    if (c * 31 + d < a * 31 + b) forth += 1;
  }
  // Clocks of twelve hours go with the month first.
  return /m/i.test(clock) ? back < forth : back <= forth;
}

/** The time as ISO 8601, which has one meaning. */
function written([first, second, third]: Spoken['date'], clock: string, isDayFirst: boolean): string {
  const [year, month, day] =
    first.length === 4
      ? [first, second, third]
      : isDayFirst
        ? [third, second, first]
        : [third, first, second];
  const whole = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = timeOf(
    `${whole} ${clock
      .replace(/\u202F/g, ' ')
      .replace(/\./g, ':')
      .replace(/([ap]):?(m):?/i, '$1$2')}`,
  );
  return typeof time === 'number' ? new Date(time).toISOString() : `${whole} ${clock}`;
}
