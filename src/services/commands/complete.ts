// Completions at the caret of a half-written command. Pure; help texts are named, not told.
import type { ArgumentDescription, Command } from './command.ts';
import { allowedOf, hasSlash, named, type Word, wordsOf } from './parse.ts';

export interface Suggestion {
  readonly kind: 'command' | 'choice' | 'flag' | 'value';
  /** Text that replaces the word at the caret, without the space behind it. */
  readonly text: string;
  /** Key of the help line in the catalogue's `commands` namespace, e.g. `recall.summary`, `recall.--limit`, `memory.list`. */
  readonly help: string;
  /** Value that the flag wants: `1–50`, `json, markdown`; empty if it wants none (said). */
  readonly wants: string;
  /** Said instead of a help line: what an offered name stands for. */
  readonly says?: string;
}

/** A name that exists, for arguments that offer names. */
export interface Offered {
  readonly name: string;
  readonly says: string;
}

/** The command a line begins with, or nothing. */
const commandOf = (commands: readonly Command[], words: readonly Word[]): Command | undefined =>
  commands.find((candidate) => candidate.name === words[0]?.text.slice(1).toLowerCase());

const COMMA = /[,，、]/;

const rankOf = (name: string, letters: string): number =>
  name === letters ? 0 : name.startsWith(letters) ? 1 : 2;

/** True if completing this line needs the names of checkpoints. */
export const wantsCheckpoints = (commands: readonly Command[], input: string): boolean =>
  commandOf(commands, wordsOf(input))?.arguments.some(({ offers }) => offers === 'checkpoints') ?? false;

export interface Completion {
  /** The stretch of the input that a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  readonly suggestions: readonly Suggestion[];
}

/**
 * Suggestions for the word at `caret` (a position in `input`). None where the input is no command.
 * @param offered what an argument that offers names can be
 */
export function complete(
  commands: readonly Command[],
  input: string,
  caret: number,
  offered: readonly Offered[] = [],
): Completion {
  const none: Completion = { from: caret, to: caret, suggestions: [] };
  if (!hasSlash(input)) return none;
  const words = wordsOf(input);
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

/** Commands whose name begins so; `typed` with its slash. */
const namesOf = (commands: readonly Command[], typed: string): Suggestion[] =>
  commands
    .filter((command) => command.name.startsWith(typed.slice(1)))
    .map((command) => ({
      kind: 'command',
      text: `/${command.name}`,
      help: `${command.name}.summary`,
      wants: '',
    }));

/** The flag that this word is, where it wants a value. */
const flagOf = (command: Command, word: Word | undefined): ArgumentDescription | undefined =>
  command.arguments.find(
    (argument) =>
      argument.kind === 'flag' && argument.value !== 'none' && word?.text === `--${argument.name}`,
  );

/** Neither a flag nor what a flag wants. */
const plainWords = (command: Command, among: readonly Word[]): Word[] =>
  among.filter((other, index) => !other.text.startsWith('-') && !flagOf(command, among[index - 1]));

/** Names with these letters in them: the one that is these letters first, then those that begin with them. A flag's value is one word, so spaces want quotes. */
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

/** A value of several parts with commas between them: the part that is being typed; what stands already is not offered again. */
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

/** `others`: the words besides the one that is typed; `isFirst`: no plain word stands before it. */
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
    choice && named(plainWords(command, others)[0]?.text ?? '', choice.choices ?? [], (text) => text);
  // Before the choice is made, flags of some choices only are told to who asks for flags.
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
        wants: argument.value === 'none' ? '' : allowedOf(argument) || '…',
      });
    }
  return suggestions;
}
