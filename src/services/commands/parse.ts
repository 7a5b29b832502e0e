// Parses a typed line as a command: words, quotes, flags. Errors say what would have worked.
import { closest, distance } from 'fastest-levenshtein';
import { type Problem, type ProblemParams, RecollectError } from '../../domain/base/errors.ts';
import type { ArgumentDescription, Command, CommandArguments } from './command.ts';

type ParsedCommand =
  | { readonly ok: true; readonly command: Command; readonly args: CommandArguments }
  | { readonly ok: false; readonly problem: Problem };

/** One word of a line. */
export interface Word {
  /** Without quotes and escapes. */
  readonly text: string;
  /** True if it began with a quotation mark: never a flag. */
  readonly quoted: boolean;
  /** Position in the line, quotes included. */
  readonly from: number;
  readonly to: number;
}

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '”',
  '‘': '’',
  '「': '」',
  '＂': '＂',
  '＇': '＇',
};

/** True if a line begins with a slash, including the wide one of Chinese input methods. */
export const hasSlash = (line: string): boolean => /^[/／]/.test(line);

/**
 * Splits a line into words. Quotation marks count at the beginning of a word (or a flag's value), so that "what's"
 * stays a word; inside them a backslash keeps the next character. An unclosed mark lasts to the end of the line.
 */
export function wordsOfLine(line: string): Word[] {
  const words: Word[] = [];
  let at = 0;
  while (at < line.length) {
    if (/\s/.test(line[at] as string)) {
      at += 1;
      continue;
    }
    const from = at;
    const quoted = CLOSING[line[at] as string] !== undefined;
    let text = '';
    for (let start = true; at < line.length && !/\s/.test(line[at] as string); start = false) {
      const closing =
        start || text.endsWith('=') || text.endsWith('＝') ? CLOSING[line[at] as string] : undefined;
      if (closing === undefined) {
        text += line[at];
        at += 1;
        continue;
      }
      at += 1;
      while (at < line.length && line[at] !== closing) {
        if (line[at] === '\\' && at + 1 < line.length) at += 1;
        text += line[at];
        at += 1;
      }
      at += 1;
    }
    words.push({ text, quoted, from, to: Math.min(at, line.length) });
  }
  return words;
}

const COMMA_BEHIND = /[,，、]$/;
const COMMA_BEFORE = /^[,，、]/;

/**
 * Flag that a word names, with the value after its equals sign. Also accepts a dash or wide hyphens,
 * which keyboards make of two hyphens.
 */
function flagOf(word: Word): { name: string; value: string | undefined } | undefined {
  const match = word.quoted
    ? null
    : /^(?:--|—|–|——|－－)([\p{L}][\p{L}\d-]*)(?:[=＝](.*))?$/su.exec(word.text);
  return match ? { name: (match[1] as string).toLowerCase(), value: match[2] } : undefined;
}

const fail = (
  code: 'command-argument' | 'command-flag',
  message: string,
  params: ProblemParams,
): ParsedCommand => ({ ok: false, problem: new RecollectError(code, message, { params }).problem });

/** Finds the candidate that was probably meant; empty if none is near. */
export function nearest(word: string, candidates: readonly string[]): string {
  if (word === '' || candidates.length === 0) return '';
  const best = closest(word.toLowerCase(), candidates);
  return distance(word.toLowerCase(), best) <= Math.max(1, Math.floor(best.length / 2)) ? best : '';
}

/** Finds the item named in full, or by a unique beginning. */
export function findByName<T>(word: string, all: readonly T[], nameOf: (item: T) => string): T | undefined {
  const wanted = word.toLowerCase();
  const exact = all.find((item) => nameOf(item) === wanted);
  if (exact || wanted === '') return exact;
  const begun = all.filter((item) => nameOf(item).startsWith(wanted));
  return begun.length === 1 ? begun[0] : undefined;
}

/** Values that an argument accepts, in words: its choices, its range, or true and false; otherwise ''. */
export const allowedValuesOf = (argument: ArgumentDescription): string =>
  argument.choices
    ? argument.choices.join(', ')
    : argument.range
      ? `${argument.range[0]}–${argument.range[1]}`
      : argument.value === 'none'
        ? 'true, false'
        : '';

/** Converts a value for the argument; undefined if it does not fit. */
function checked(argument: ArgumentDescription, text: string): string | number | boolean | undefined {
  if (argument.value === 'none') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (argument.choices) return findByName(text, argument.choices, (choice) => choice);
  if (argument.value !== 'number') return text;
  // Wide digits are digits.
  const digits = text.normalize('NFKC');
  const number = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  const [min, max] = argument.range ?? [0, Number.MAX_SAFE_INTEGER];
  return number >= min && number <= max ? number : undefined;
}

/** Error for an unknown command, with the one that was probably meant. */
export const unknownCommand = (commands: readonly Command[], name: string): RecollectError =>
  new RecollectError('command-unknown', `There is no command /${name}.`, {
    params: {
      name,
      nearest: nearest(
        name,
        commands.map((command) => command.name),
      ),
    },
  });

/**
 * Reads `line`, which begins with a slash. Problems: `command-unknown` (name, nearest), `command-flag` (command, flag,
 * allowed, nearest), `command-argument` (command, argument, value, allowed, nearest).
 */
export function parseCommand(commands: readonly Command[], line: string): ParsedCommand {
  const [head, ...words] = wordsOfLine(line);
  const name = (head?.text ?? '').replace(/^[/／]/, '');
  const command = findByName(name, commands, (candidate) => candidate.name);
  if (!command) return { ok: false, problem: unknownCommand(commands, name).problem };

  const wrong = (argument: string, value: string, allowed: string, among: readonly string[] = []) =>
    fail(
      'command-argument',
      `/${command.name} cannot take ${JSON.stringify(value)} as ${argument || 'a word'}.`,
      {
        command: command.name,
        argument,
        value,
        allowed,
        nearest: nearest(value, among),
      },
    );
  const flags = command.arguments.filter((argument) => argument.kind === 'flag');
  const choices = command.arguments.filter((argument) => argument.kind === 'choice');
  const rest = command.arguments.find((argument) => argument.kind === 'rest');
  const args: Record<string, string | number | boolean | undefined> = {};

  // Words alone are taken literally, with spaces and quotation marks; one pair around all of them is dropped.
  if (rest && command.arguments.length === 1) {
    const text = head ? line.slice(head.to).trim() : '';
    const whole = words.length === 1 && words[0]?.quoted ? words[0].text : text;
    if (whole !== '') args[rest.name] = whole;
    else if (!rest.optional) return wrong(rest.name, '', allowedValuesOf(rest));
    return { ok: true, command, args };
  }

  const plain: string[] = [];
  let onlyWords = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (!onlyWords && !word.quoted && word.text === '--') {
      onlyWords = true;
      continue;
    }
    const flag = onlyWords ? undefined : flagOf(word);
    if (!flag) {
      plain.push(word.text);
      continue;
    }
    const argument = findByName(flag.name, flags, (candidate) => candidate.name);
    if (!argument) {
      const [choice] = choices;
      const chosen = choice && findByName(plain[0] ?? '', choice.choices ?? [], (text) => text);
      const known = flags
        .filter(({ of }) => !of || chosen === undefined || of.includes(chosen))
        .map((candidate) => candidate.name);
      const line = chosen === undefined ? command.name : `${command.name} ${chosen}`;
      return fail('command-flag', `/${line} does not know --${flag.name}.`, {
        command: line,
        flag: `--${flag.name}`,
        allowed: known.map((candidate) => `--${candidate}`).join(', '),
        nearest: nearest(flag.name, known) && `--${nearest(flag.name, known)}`,
      });
    }
    let text = flag.value;
    if (text === undefined && argument.value === 'none') text = 'true';
    if (text === undefined) {
      const next = words[at + 1];
      if (next && !flagOf(next)) {
        text = next.text;
        at += 1;
      }
    }
    // After a comma at the edge of a word, the list continues behind the space.
    while (
      argument.many &&
      text &&
      (COMMA_BEHIND.test(text) || COMMA_BEFORE.test(words[at + 1]?.text ?? ''))
    ) {
      const next = words[at + 1];
      if (!next || next.quoted || flagOf(next)) break;
      text += next.text;
      at += 1;
    }
    const value = text === undefined || text === '' ? undefined : checked(argument, text);
    if (value === undefined)
      return wrong(argument.name, text ?? '', allowedValuesOf(argument), argument.choices);
    const before = args[argument.name];
    args[argument.name] = argument.many && before !== undefined ? `${before},${value}` : value;
  }

  for (const choice of choices) {
    const text = plain.shift();
    if (text === undefined && choice.optional) continue;
    const value = text === undefined ? undefined : checked(choice, text);
    if (value === undefined) return wrong(choice.name, text ?? '', allowedValuesOf(choice), choice.choices);
    args[choice.name] = value;
  }
  const text = plain.join(' ').trim();
  if (rest && text !== '') args[rest.name] = text;
  else if (rest && !rest.optional) return wrong(rest.name, '', allowedValuesOf(rest));
  else if (!rest && text !== '') return wrong('', text, '');
  return { ok: true, command, args };
}
