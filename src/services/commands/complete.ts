// Completes a half-typed command at the caret. Pure; returns keys of help texts.
import type { ArgumentDescription, Command } from './command.ts';
import { allowedValuesOf, findByName, hasSlash, type Word, wordsOfLine } from './parse.ts';

export interface Suggestion {
  readonly kind: 'command' | 'choice' | 'flag' | 'value';
  /** Replacement for the word at the caret, without the space behind it. */
  readonly text: string;
  /**
   * Key of the help line in the catalogue's `commands` namespace, e.g.
   * `recall.summary`, `recall.--limit`, `memory.list`.
   */
  readonly help: string;
  /** Value that the flag wants: `1–50`, `json, markdown`; empty if it wants none (said). */
  readonly wants: string;
  /** Shown instead of a help line: meaning of an offered name. */
  readonly says?: string;
}

/** An existing name, for arguments that offer names. */
export interface Offered {
  readonly name: string;
  readonly says: string;
}

/** Command at the beginning of a line; undefined for none. */
const commandOf = (commands: readonly Command[], words: readonly Word[]): Command | undefined =>
  commands.find((candidate) => candidate.name === words[0]?.text.slice(1).toLowerCase());

const COMMA = /[,，、]/;

const rankOf = (name: string, letters: string): number =>
  name === letters ? 0 : name.startsWith(letters) ? 1 : 2;

/** True if completing this line needs the names of checkpoints. */
export const wantsCheckpoints = (commands: readonly Command[], input: string): boolean =>
  commandOf(commands, wordsOfLine(input))?.arguments.some(({ offers }) => offers === 'checkpoints') ?? false;

export interface Completion {
  /** Offset of the stretch of the input that a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  readonly suggestions: readonly Suggestion[];
}

/**
 * Returns suggestions for the word at `caret` (an offset in `input`). None if the input is no command.
 * @param offered names for an argument that offers some
 */
export function complete(
  commands: readonly Command[],
  input: string,
  caret: number,
  offered: readonly Offered[] = [],
): Completion {
  const none: Completion = { from: caret, to: caret, suggestions: [] };
  if (!hasSlash(input)) return none;
  const words = wordsOfLine(input);
  const at = words.findIndex((word) => word.from <= caret && caret <= word.to);
  const word = words[at];
  const [from, to] = word ? [word.from, word.to] : [caret, caret];
  const typed = word ? input.slice(word.from, caret).toLowerCase() : '';
  const answer = (suggestions: readonly Suggestion[]): Completion => ({ from, to, suggestions });
  if (at === 0) return answer(namesOf(commands, typed));
  const command = commandOf(commands, words);
  if (!command || word?.quoted) return none;

  const before = words.slice(1).filter((other) => other.to < from);
  const flag = flagOf(command, before.at(-1));
  if (flag) return answer(valuesOf(command, flag, typed, offered));
  const rest = command.arguments.find(({ kind, offers }) => kind === 'rest' && offers);
  if (rest && !typed.startsWith('-')) {
    const begin = Math.min(plainWords(command, words.slice(1))[0]?.from ?? caret, caret);
    const letters = input.slice(begin, caret).toLowerCase();
    return {
      from: begin,
      to: Math.max(to, input.trimEnd().length),
      suggestions: offer(command, offered, letters, rest.name, false),
    };
  }
  const others = words.slice(1).filter((other) => other !== word);
  return answer(choicesAndFlags(command, typed, others, plainWords(command, before).length === 0));
}

/** Commands whose name begins with `typed`, which includes the slash. */
const namesOf = (commands: readonly Command[], typed: string): Suggestion[] =>
  commands
    .filter((command) => command.name.startsWith(typed.slice(1)))
    .map((command) => ({
      kind: 'command',
      text: `/${command.name}`,
      help: `${command.name}.summary`,
      wants: '',
    }));

/** Flag that this word is, if it takes a value. */
const flagOf = (command: Command, word: Word | undefined): ArgumentDescription | undefined =>
  command.arguments.find(
    (argument) =>
      argument.kind === 'flag' && argument.value !== 'none' && word?.text === `--${argument.name}`,
  );

/** Words that are neither a flag nor a flag's value. */
const plainWords = (command: Command, among: readonly Word[]): Word[] =>
  among.filter((other, index) => !other.text.startsWith('-') && !flagOf(command, among[index - 1]));

/**
 * Names that contain these letters: an exact match first, then those that begin with them. A flag's
 * value is one word, so spaces need quotes.
 */
const offer = (
  command: Command,
  offered: readonly Offered[],
  letters: string,
  help: string,
  oneWord: boolean,
): Suggestion[] =>
  offered
    .filter(({ name }) => name.toLowerCase().includes(letters))
    .map(({ name, says }) => ({ name, says, rank: rankOf(name.toLowerCase(), letters) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ name, says }) => ({
      kind: 'value',
      text: oneWord && /[\s"']/.test(name) ? JSON.stringify(name) : name,
      help: `${command.name}.${help}`,
      wants: '',
      says,
    }));

/** Values that a flag can take. */
function valuesOf(
  command: Command,
  flag: ArgumentDescription,
  typed: string,
  offered: readonly Offered[],
): Suggestion[] {
  if (flag.many) return listValuesOf(command, flag, flag.many, typed);
  if (flag.offers) return offer(command, offered, typed, `--${flag.name}`, true);
  return (flag.choices ?? [])
    .filter((choice) => choice.startsWith(typed))
    .map((choice) => ({
      kind: 'value',
      text: choice,
      help: `${command.name}.--${flag.name}`,
      wants: '',
    }));
}

/** For a value with several parts: the part being typed; present parts are not offered again. */
function listValuesOf(
  command: Command,
  flag: ArgumentDescription,
  many: readonly string[],
  typed: string,
): Suggestion[] {
  const said = typed.split(COMMA);
  const letters = said.at(-1) ?? '';
  const already = said.slice(0, -1).map((one) => one.trim());
  const { oneOf = [] } = flag;
  const taken = oneOf.some((one) => already.includes(one)) ? oneOf : [];
  return many
    .filter((one) => one.startsWith(letters) && !already.includes(one) && !taken.includes(one))
    .map((one) => ({
      kind: 'value',
      text: `${typed.slice(0, typed.length - letters.length)}${one}`,
      help: `${command.name}.${flag.name}.${one}`,
      wants: '',
    }));
}

/** `others`: the words besides the typed one; `isFirst`: no plain word precedes it. */
function choicesAndFlags(
  command: Command,
  typed: string,
  others: readonly Word[],
  isFirst: boolean,
): Suggestion[] {
  const suggestions: Suggestion[] = [];
  const choice = command.arguments.find((argument) => argument.kind === 'choice');
  if (choice && !typed.startsWith('-') && isFirst)
    for (const text of choice.choices ?? [])
      if (text.startsWith(typed))
        suggestions.push({ kind: 'choice', text, help: `${command.name}.${text}`, wants: '' });
  const chosen =
    choice && findByName(plainWords(command, others)[0]?.text ?? '', choice.choices ?? [], (text) => text);
  // Before the choice is made, flags of some choices are only listed on request.
  const belongs = ({ of }: ArgumentDescription) =>
    !of || (chosen === undefined ? typed !== '' : of.includes(chosen));
  if (typed === '' || typed.startsWith('-'))
    for (const argument of command.arguments) {
      const text = `--${argument.name}`;
      if (argument.kind !== 'flag' || !text.startsWith(typed) || !belongs(argument)) continue;
      if (others.some((other) => other.text === text || other.text.startsWith(`${text}=`))) continue;
      suggestions.push({
        kind: 'flag',
        text,
        help: `${command.name}.--${argument.name}`,
        wants: argument.value === 'none' ? '' : allowedValuesOf(argument) || '…',
      });
    }
  return suggestions;
}
