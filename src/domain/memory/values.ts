// Reads the values in a sentence (times, days, amounts, numbers), by kind, to find out if another sentence
// gives another value for the same thing.

/** Kinds are `clock`, `weekday`, `date`, `code` or the beginning of the counted word; `number` for a bare number. */
export type Values = ReadonlyMap<string, ReadonlySet<string>>;

const NUMBER_WORD =
  '(?:(?:a |one |two |three |four |five |six |seven |eight |nine )?hundred(?: and \\w+(?:-\\w+)?)?|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|(?:thir|four|fif|six|seven|eigh|nine)teen|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)';
const MONTH =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)';
const HAN_NUMBER = '[零一二两三四五六七八九十百千万半]';
const CLOCK = `\\d{1,2}[:：]\\d{2}(?: ?[ap]m)?|\\b\\d{1,2} ?[ap]m\\b|\\b(?:nine|ten|eleven|seven|eight|six|five) thirty\\b|(?:\\d{1,2}|${HAN_NUMBER}{1,3})点(?:半|${HAN_NUMBER}{1,3}|\\d{1,2})?`;
const WEEKDAY = '\\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b|(?:周|星期|礼拜)[一二三四五六日天]';
const DATE = `\\b\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b|\\b(?:january|february|march|april|june|july|august|september|october|november|december)(?: \\d{1,2}(?:st|nd|rd|th)?)?\\b|\\bmay \\d{1,2}\\b|(?:\\d{1,2}|${HAN_NUMBER}{1,2})月(?:(?:\\d{1,2}|${HAN_NUMBER}{1,3})[日号]?)?`;
const CODE = '\\b(?=[a-z]*\\d)[a-z]{1,3}[- ]?\\d{1,4}\\b|\\S+@\\S+\\w';
const COUNTED = `(?:\\d+(?:[.,]\\d+)*|\\b${NUMBER_WORD}\\b)\\s?(?:\\p{Script=Han}|[a-z]{2,}|°[cf]?|%|€|\\$)?|${HAN_NUMBER}+(?:\\p{Script=Han})?`;
const VALUE = new RegExp(
  `(?<clock>${CLOCK})|(?<weekday>${WEEKDAY})|(?<date>${DATE})|(?<code>${CODE})|(?<counted>${COUNTED})`,
  'giu',
);
const SPLIT = new RegExp(`^((?:\\d+(?:[.,]\\d+)*)|${NUMBER_WORD}|${HAN_NUMBER}+)\\s?(.*)$`, 'iu');
/** Words after a number that it does not count. */
const NOT_COUNTED =
  /^(?:now|already|and|or|for|on|at|in|of|to|by|from|with|behind|as|is|was|went|since|because|because|then|after|before|every|the|an?|[了吧，的被到后起])$/iu;
/** Most characters of a text that are read; letters that identify a counted word. */
const [READ, WORD] = [500, 4];

/** Lists the values of a text's beginning. Linear in the part that is read. */
export function valuesIn(text: string): Values {
  const values = new Map<string, Set<string>>();
  const add = (kind: string, value: string) => {
    values.set(kind, (values.get(kind) ?? new Set()).add(value));
  };
  for (const { groups = {}, 0: match } of text
    .slice(0, READ)
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(VALUE)) {
    const kind = ['clock', 'weekday', 'date', 'code'].find((name) => groups[name] !== undefined);
    if (kind) add(kind, match.replace(/s$/u, ''));
    else {
      const [, value = match, counted = ''] = SPLIT.exec(match) ?? [];
      // A single Han figure without a measure word is seldom a number ("一下", "一样").
      if (counted === '' && /^\p{Script=Han}$/u.test(value)) continue;
      add(counted === '' || NOT_COUNTED.test(counted) ? 'number' : counted.slice(0, WORD), value);
      // Long numbers name things (ports, rooms, versions), so the next word is not counted.
      if (/^\d{3,}|\d[.,]\d/u.test(value)) add(`of ${value.length}`, value);
    }
  }
  return values;
}

/**
 * True if `newer` names a value that `older` lacks, of a kind of which `older` has another; `loosely`: any number may
 * replace any other.
 */
export function changesValue(newer: Values, older: Values, loosely: boolean): boolean {
  const isNew = (kind: string, among: ReadonlySet<string>) =>
    [...(newer.get(kind) ?? [])].some((value) => !among.has(value));
  for (const [kind, values] of older) if (isNew(kind, values)) return true;
  if (!loosely) return false;
  const all = new Set([...older.values()].flatMap((values) => [...values]));
  return all.size > 0 && [...newer.keys()].some((kind) => isNew(kind, all));
}
