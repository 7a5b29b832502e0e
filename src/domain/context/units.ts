// Cuts a message into units: the smallest pieces that say something by themselves, each verbatim. Passages brought
// back, session memories and summaries without a model consist of units. Read once per message.
import type { Message } from '../chat/message.ts';
import { isMemoryTool } from '../memory/own-tools.ts';
import { blocksOf } from '../text/code.ts';
import { cutAtPauses, endsAbbreviated, sentencesOf } from '../text/sentences.ts';

export interface Unit {
  /** Verbatim. */
  readonly text: string;
  /**
   * Heading of the unit: heading, introducing line, head of a table, name and arguments
   * of the answered call. May be empty.
   */
  readonly lead: string;
  readonly kind: 'prose' | 'code' | 'call' | 'result';
  /** The whole sentence, if this is a piece of one; absent for a text that is too long for one. */
  readonly sentence?: string;
  /** True for another person's words, in a quoted line. */
  readonly quoted?: true;
  /** Block of its message that a line of a table, list, code or output belongs to. Lines of one block stay together. */
  readonly block?: number;
  /** `lead` names the columns of this line. */
  readonly headed?: true;
}

/** Most units of one message: the first and the last ones. */
const MAX_UNITS = 600;
const HEAD_UNITS = 400;
/** Longest unit, characters; longer sentences and lines are cut where a reader would pause. */
const MAX_UNIT = 320;
/** Longest sentence, characters; anything longer is a page without full stops. */
export const MAX_SENTENCE = 600;

const cache = new WeakMap<Message, readonly Unit[]>();

/**
 * Cuts a message into units, in order. Reasoning and recalled passages, also in results of memory's tools, have none:
 * they were not said here, and a summary would keep them after their source was deleted.
 */
export function unitsOf(message: Message): readonly Unit[] {
  const known = cache.get(message);
  if (known) return known;
  const units: Unit[] = [];
  const blocks = { count: 0 };
  for (const part of message.parts) {
    if (part.type === 'text') proseAndCode(part.text, units, blocks);
    else if (part.type === 'tool-call')
      for (const text of pieces(`${part.name} ${part.arguments}`))
        units.push({ text, lead: '', kind: 'call' });
    else if (part.type === 'tool-result' && !isMemoryTool(part))
      lines(part.text, part.name ?? '', 'result', units, blocks.count++);
  }
  const kept =
    units.length > MAX_UNITS
      ? [...units.slice(0, HEAD_UNITS), ...units.slice(HEAD_UNITS - MAX_UNITS)]
      : units;
  cache.set(message, kept);
  return kept;
}

const HEADING = /^\s{0,3}#{1,6}\s+\S/;
const QUOTING = /^\s*>/;
const LEAD_IN = /[:：][\s*]*$/;
const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)、])\s+\S/;
const TABLE_ROW = /^\s*\|.*\|\s*$/;
/** Too short for two sentences, or without a mark between two. */
const ONE_SENTENCE = /^.{0,24}$|^[^.!?。！？…]*[.!?。！？…]?\s*$/u;
const SAYS = /[\p{L}\p{N}]/u;

const pieces = (text: string): string[] => cutAtPauses(text, MAX_UNIT);

/** Numbers the blocks of a message. */
interface Blocks {
  count: number;
}

function proseAndCode(text: string, units: Unit[], numbers: Blocks): void {
  let lead = '';
  const blocks =
    text.includes('```') || text.includes('~~~') ? blocksOf(text) : [{ kind: 'prose' as const, text }];
  for (const block of blocks) {
    if (block.kind === 'code') {
      const inner = block.text.split('\n').slice(1);
      if (/^[ \t]*(?:`{3,}|~{3,})[ \t]*$/.test(inner.at(-1) ?? '')) inner.pop();
      lines(inner.join('\n'), lead, 'code', units, numbers.count++);
      continue;
    }
    let table = '';
    /** The list or table that a line continues. */
    const open: { of: 'table' | 'list' | null; block: number } = { of: null, block: 0 };
    const within = (of: 'table' | 'list'): number => {
      if (open.of !== of) Object.assign(open, { of, block: numbers.count++ });
      return open.block;
    };
    for (const line of block.text.split('\n')) {
      if (!SAYS.test(line)) {
        if (line.trim() === '') {
          table = '';
          if (open.of === 'table') open.of = null;
        }
        continue;
      }
      if (TABLE_ROW.test(line)) {
        const under = table ? `${lead} ${table}`.trim() : lead;
        if (!table) table = line.trim();
        const headed = under === lead ? {} : { headed: true as const };
        for (const piece of pieces(line.trim()))
          units.push({ text: piece, lead: under, kind: 'prose', block: within('table'), ...headed });
        continue;
      }
      table = '';
      if (!LIST_ITEM.test(line)) open.of = null;
      const listed = LIST_ITEM.test(line) ? { block: within('list') } : {};
      const quoted = QUOTING.test(line) ? { quoted: true as const } : {};
      for (const sentence of ONE_SENTENCE.test(line) ? [line.trim()] : rejoined(sentencesOf(line))) {
        const cut = pieces(sentence);
        const whole = cut.length > 1 && sentence.length <= MAX_SENTENCE ? { sentence } : {};
        for (const piece of cut)
          units.push({ text: piece, lead, kind: 'prose', ...whole, ...quoted, ...listed });
      }
      if (HEADING.test(line) || LEAD_IN.test(line)) lead = line.trim();
    }
  }
}

/**
 * True if it says too little to stand alone: it then joins the next piece, or else the one before.
 * Two Han characters are about a word.
 */
const isFragment = (text: string): boolean =>
  text.length <= 30 &&
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).reduce(
    (words, run) => words + (/\p{Script=Han}/u.test(run) ? run.length / 2 : 1),
    0,
  ) < 3;

/**
 * Rejoins sentences of one line that were cut behind an abbreviation, and fragments with their
 * neighbours. Each is verbatim in the line.
 */
function rejoined(sentences: readonly string[]): string[] {
  const out: string[] = [];
  let held = '';
  const joinedTo = (first: string, second: string): string =>
    /[\u3000-\u9fff\uff00-\uffef]$/u.test(first) ? first + second : `${first} ${second}`;
  for (const sentence of sentences) {
    const text = held === '' ? sentence : joinedTo(held, sentence);
    if ((endsAbbreviated(text) || isFragment(text)) && text.length < MAX_UNIT / 2) held = text;
    else {
      out.push(text);
      held = '';
    }
  }
  if (held !== '') {
    const last = out.at(-1);
    if (last !== undefined && last.length + held.length < MAX_UNIT / 2)
      out[out.length - 1] = joinedTo(last, held);
    else out.push(held);
  }
  return out;
}

/**
 * True for names of columns: three or more, separated by wide spaces, bars, commas
 * or tabs, without a figure among them.
 */
const isColumns = (line: string): boolean => {
  if (/\d/.test(line)) return false;
  const cells = line.trim().split(/[|,;\t]/);
  return (
    cells.every((cell) => cell.trim() !== '') &&
    cells.reduce((sum, cell) => sum + cell.trim().split(/\s{2,}/).length, 0) >= 3
  );
};

function lines(text: string, lead: string, kind: Unit['kind'], units: Unit[], block: number): void {
  let under = lead;
  let columns = false;
  let first = true;
  for (const line of text.split('\n')) {
    if (!SAYS.test(line)) continue;
    for (const piece of pieces(line.trim()))
      units.push({ text: piece, lead: under, kind, block, ...(columns ? { headed: true as const } : {}) });
    // A row means little without the heads of its columns.
    if (first && kind === 'result' && line.length < 200 && isColumns(line)) {
      under = line.trim();
      columns = true;
    }
    first = false;
  }
}
