// Completes the end of an answer that is still being written: open constructs are closed, and signs that may begin one
// stay hidden until that is certain. Pure.
import remend, { type RemendOptions } from 'remend';
import { unfinishedTag } from './html-rule.ts';

const ENDINGS: RemendOptions = {
  comparisonOperators: false,
  // With it on, everything behind a `<` would be hidden until a `>`.
  htmlTags: false,
  images: true,
  inlineKatex: false,
  katex: false,
  linkMode: 'text-only',
  setextHeadings: false,
  singleTilde: false,
};

/** Stands for a bracket that stays a bracket. A private-use character, which people do not type. */
const BRACKET = '\uf8f4';

/** Returns the words of one block with open constructs at their end closed, or left out until they are whole. */
export function closedEnd(words: string): string {
  const begun = withoutTicks(words);
  if ((begun.match(/`/g)?.length ?? 0) % 2 === 1) return remend(begun, ENDINGS);
  if (ADDRESS.test(begun)) return `${begun}>`;
  const tag = unfinishedTag(begun);
  const whole = withoutSigns(withoutHalves(tag < 0 ? begun : begun.slice(0, tag)));
  return remend(whole, ENDINGS).replaceAll(BRACKET, '[');
}

/** An address between `<` and `>` that has not ended. */
const ADDRESS = /<https?:\/\/[^\s<>]+$/i;

/** Without the backticks that code begins with. */
function withoutTicks(words: string): string {
  const rest = words.replace(/(?<!`)`{1,2}$/, '');
  return (rest.match(/`/g)?.length ?? 0) % 2 === 0 ? rest : words;
}

/** Without the signs that emphasis begins with and that nothing follows yet. */
function withoutSigns(words: string): string {
  const [signs, before = ''] = /(^|[^*_~])(?:\*{1,3}|_{1,3}|~~?)$/.exec(words) ?? [];
  if (signs === undefined) return words;
  const isOpen = words.split('**').length % 2 === 0 || /(?:^|\s)\*{3}[^*\s][^*]*\*\*$/.test(words);
  const begins =
    before === '' || /[\s(（「“"|。，、；：！？）」”]/.test(before) || (words.endsWith('*') && isOpen);
  return begins ? words.slice(0, words.length - signs.length + before.length) : words;
}

/** An image as far as it has come, from its first sign. */
const IMAGE = /^!\[[^\]]*(?:\](?:\([^)]*|\[[^\]]*)?)?$/;
/** An unfinished footnote call, or an unfinished definition of a link or a footnote. */
const LABEL = /\[\^[^[\]\s]*$|(?<![^\n])\[(?:[^[\]\n]*\]:|\^[^[\]\n]*\]$)[ \t]*$/;
/** The box of a task, or as much of it. */
const BOX = /^\[[ xX]?\]?[ \t]*$/;
/** The mark of a callout, or as much of it. */
const CALLOUT = /^\[![\w-]{0,30}$/;

/** The address of a link and its title, as far as they have come; an address may have spaces. */
const SPACED_TARGET = /^https?:\/\/[^\s()<>/]+\/[^()<>\n]{1,100}$/i;
const TARGET =
  /^(?:<[^<>\n]*|(?:<[^<>\n]*>|(?:[^\s()<>]|\([^\s()]*\))*(?:\([^\s()]*)?)(?:[ \t]+(?:["'(][^\n]*)?)?)$/;

/** A link whose address has not ended is shown by its words, a call (`f[0](x`) as it is, a picture not at all. */
function withoutTarget(words: string): string {
  const at = words.lastIndexOf('](');
  const target = words.slice(at + 2);
  const isTarget = TARGET.test(target) || SPACED_TARGET.test(target);
  if (at < 0 || !isTarget || /["')][ \t]*\)/.test(target)) return words;
  const from = openBracket(words.slice(0, at + 1));
  if (from < 0) return words;
  const before = words.slice(0, from);
  if (before.endsWith('!')) return before.slice(0, -1);
  const inside = words.slice(from + 1, at);
  return /[A-Za-z0-9_)\]]$/.test(before) && !/^(?:https?:|[/#.]|mailto:)/i.test(target)
    ? `${before}${BRACKET}${inside}](${target}`
    : before + inside;
}

const CHARACTERS =
  'amp lt gt nbsp quot apos copy reg trade mdash ndash hellip times deg euro larr rarr le ge'.split(' ');

/** Without a reference to a character that has not ended: `&am`. */
function withoutReference(words: string): string {
  const [reference = '', name = ''] = /&(#[xX]?[0-9a-fA-F]{0,6}|[a-z]{0,6})$/.exec(words.slice(-10)) ?? [];
  const isBegun = name.startsWith('#') || CHARACTERS.some((one) => one.startsWith(name));
  return reference !== '' && isBegun ? words.slice(0, -reference.length) : words;
}

function withoutHalves(all: string): string {
  if (BOX.test(all) || CALLOUT.test(all)) return '';
  const words = withoutTarget(withoutReference(all));
  const begun = /(?<!\\)(?:\\\\)*\\\n?$/.test(words) ? words.replace(/\\\n?$/, '') : words;
  const image = begun.lastIndexOf('![');
  if (image >= 0 && IMAGE.test(begun.slice(image))) return bracketSettled(begun.slice(0, image));
  const label = LABEL.exec(begun);
  return label ? begun.slice(0, label.index) : bracketSettled(begun);
}

/** Returns the place of the bracket that is still open, or that the last sign closes; -1: none. */
function openBracket(words: string): number {
  let depth = words.endsWith(']') ? -1 : 0;
  for (let at = words.length - 1; at >= 0; at -= 1) {
    if (words[at] === ']') depth += 1;
    else if (words[at] === '[') {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return -1;
}

/**
 * A last bracket that may become a link is shown by its words; an index (`a[i`) or sources (`[1, 2`) stay as they are.
 */
function bracketSettled(words: string): string {
  const at = openBracket(words);
  if (at < 0) return words;
  const [before, inside] = [words.slice(0, at), words.slice(at + 1)];
  if (inside === '' || inside === '!') return before;
  const isClosed = inside.endsWith(']');
  if (/[A-Za-z0-9_)\]]$/.test(before) || /^(?:[\d\s,–-]*|(?:!(?!\[)|\^).*)\]?$/.test(inside))
    return isClosed ? words : `${before}${BRACKET}${inside}`;
  return isClosed ? before + inside.slice(0, -1) : words;
}

/**
 * Head of a table, and the row below it as far as it has come. Without bars at its
 * edge a head needs two signs of that row.
 */
const HEAD = /^(\|[^\n]*)(?:\n[ \t:|-]*)?$/;
const BARE_HEAD = /^([^\n|]+\|[^\n]*)\n[ \t]*:?-+:?[ \t]*\|[ \t:|-]*$/;

/** Returns the first row of a table as a table, before the row below confirms it; undefined if it is no table. */
export function begunTable(words: string): string | undefined {
  const [, bare] = BARE_HEAD.exec(words) ?? [];
  const [, line = bare === undefined ? undefined : `|${bare}`] = HEAD.exec(words) ?? [];
  if (line === undefined) return undefined;
  const head = closedEnd(line.trimEnd());
  if (!/[^|\s]/.test(head)) return '';
  const bars = head.replace(/\\.|`[^`]*`/g, '').match(/\|/g)?.length ?? 0;
  const cells = head.endsWith('|') ? bars - 1 : bars;
  return `${head}\n|${'---|'.repeat(cells)}`;
}
