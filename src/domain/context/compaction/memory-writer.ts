// Writes the session memory: notes on a stretch of conversation as structured Markdown, by rules and
// quotation alone. The person's rules are in it word for word, corrected facts appear in their last
// version, and it fills the allowed space.
import { withoutBullet } from '../../chat/memory-file.ts';
import type { Message } from '../../chat/message.ts';
import { isAcknowledgement } from '../../text/cues.ts';
import type { TokenMeter } from '../meter.ts';
import { type Note, type NoteLane, notesOf, type SessionNoteKind } from '../notes.ts';
import { unitsOf } from '../units.ts';
import { HEADINGS, type HeadingLanguage } from './headings.ts';

export interface MemoryOptions {
  readonly language: HeadingLanguage;
  readonly meter: TokenMeter;
  /** Most tokens. The person's rules are always in it, at any cost. */
  readonly tokens: number;
  /** Words of an instruction, which weigh more. */
  readonly focus?: ReadonlySet<string> | undefined;
  /** A memory in the person's or a model's own words: kept unchanged, in front. */
  readonly base?: string | null | undefined;
  /** Leaves out the person's rules, which are carried elsewhere. */
  readonly withoutRules?: boolean | undefined;
  /** Lines that are elsewhere, or that the person deleted: without bullets. */
  readonly without?: ReadonlySet<string> | undefined;
  /** Leaves out title and current state. */
  readonly notesOnly?: boolean | undefined;
}

interface Placed {
  readonly note: Note;
  readonly at: number;
  /** Note that it corrects. */
  readonly about: Note | null;
  /** Weight for its length, by a first estimate. */
  readonly density: number;
  /** Position of the first message that corrects it; never: Infinity. */
  until: number;
  /** Its written form, once it was computed. */
  line: string | null;
  /** Tokens of the line, and the meter that counted them. */
  price: { readonly meter: TokenMeter; readonly tokens: number } | null;
}

/** Sections in the order in which they are written. */
const SECTIONS: readonly (readonly [keyof (typeof HEADINGS)['en'], readonly SessionNoteKind[]])[] = [
  ['rules', ['rule', 'limit']],
  ['corrections', ['correction']],
  ['person', ['person']],
  ['decisions', ['decision']],
  ['facts', ['fact']],
  ['files', ['file']],
  ['workflow', ['workflow']],
  ['errors', ['error']],
  ['todo', ['todo']],
];
/** Shares of the space for notes that are reserved for each lane. */
const SHARES: Readonly<Record<NoteLane, number>> = { person: 0.4, assistant: 0.28, tool: 0.32 };
/** Most messages between a correction and its fact. */
const REACH = 40;
/** Below this length headings would cost more than they are worth, tokens. */
const SMALL = 120;

/** For each correction the note it corrects, and the messages among which that was found. */
const links = new WeakMap<Note, { readonly among: readonly Message[]; readonly about: Note | null }>();

/** Finds the note that a correction concerns: the same kind of value about the same things, preferably a near one. */
function aboutOf(correction: Note, at: number, messages: readonly Message[]): Note | null {
  const among = messages.slice(Math.max(0, at - REACH), at);
  const known = links.get(correction);
  if (known?.among.length === among.length && known.among.every((message, place) => message === among[place]))
    return known.about;
  let best: Note | null = null;
  let most = 0;
  for (let there = at - 1; there >= Math.max(0, at - REACH); there--)
    for (const other of notesOf(messages[there] as Message)) {
      if (other.kind === 'rule' || other.text === correction.text) continue;
      let sameKind = false;
      for (const value of correction.values) if (value !== 'name' && other.values.has(value)) sameKind = true;
      if (!sameKind) continue;
      let shared = 0;
      for (const term of correction.terms) if (other.terms.has(term)) shared += 1;
      const near = at - there <= 2;
      const fit = shared + (near ? 0.8 : 0) - (at - there) / (REACH * 2);
      if ((shared >= 2 || (near && shared >= 1)) && fit > most) {
        most = fit;
        best = other;
      }
    }
  links.set(correction, { among, about: best });
  return best;
}

/** Notes of a list of messages, which grows with the conversation. */
interface Grown {
  readonly messages: Message[];
  readonly byNote: Map<Note, Placed>;
  /** The person's rules, oldest first. */
  readonly rules: Placed[];
  /** All other notes, and the same sorted by density, as many as at the last sorting. */
  readonly others: Placed[];
  ranked: Placed[];
}

/** By first message: the newest list that was read. */
const grown = new WeakMap<Message, Grown>();

/** Returns the notes of these messages. For a longer list, or its beginning, only new messages are read. */
function knownOf(messages: readonly Message[]): Grown | null {
  const [first] = messages;
  if (!first) return null;
  let known = grown.get(first);
  const shared = known ? Math.min(known.messages.length, messages.length) : 0;
  let same = 0;
  while (same < shared && known?.messages[same] === messages[same]) same += 1;
  if (!known || same < shared) {
    known = { messages: [], byNote: new Map(), rules: [], others: [], ranked: [] };
    grown.set(first, known);
  }
  for (let at = known.messages.length; at < messages.length; at++) place(known, messages[at] as Message);
  if (known.ranked.length < known.others.length)
    // Mostly sorted already, since few notes are new.
    known.ranked = [...known.ranked, ...known.others.slice(known.ranked.length)].sort(
      (a, b) => b.density - a.density,
    );
  return known;
}

function place({ messages, byNote, rules, others }: Grown, message: Message): void {
  const at = messages.length;
  messages.push(message);
  for (const note of notesOf(message)) {
    const about = note.kind === 'correction' ? aboutOf(note, at, messages) : null;
    const corrected = about && byNote.get(about);
    if (corrected) corrected.until = Math.min(corrected.until, at);
    const entry: Placed = {
      note,
      at,
      about,
      density: note.weight / (note.tokens + 2) ** 0.6,
      until: Number.POSITIVE_INFINITY,
      line: null,
      price: null,
    };
    (note.kind === 'rule' ? rules : others).push(entry);
    byNote.set(note, entry);
  }
}

/** Most that the newest note gains over the oldest: newer ones are slightly more likely to matter. */
const NEWER = 0.25;

/**
 * Picks the notes that are most likely to be chosen: the best `enough` by a first estimate, and equally good ones,
 * without those that another of these messages corrects.
 */
function promising(
  { ranked }: Grown,
  end: number,
  enough: number,
  standingOf: (entry: Placed) => number,
  mostStanding: number,
): Placed[] {
  const found: Placed[] = [];
  let least = 0;
  for (const entry of ranked) {
    // Even the highest standing cannot lift it above those already found.
    if (entry.density * mostStanding < least) break;
    if (entry.at >= end || entry.until < end) continue;
    found.push(entry);
    if (found.length === enough) least = entry.density;
  }
  if (found.length <= enough) return found;
  const values = found.map((entry) => entry.density * standingOf(entry));
  const bound = Float64Array.from(values).sort()[found.length - enough] as number;
  return found.filter((_, index) => (values[index] as number) >= bound);
}

/** The person's newest request that says more than "go on". */
function currentRequest(messages: readonly Message[]): string {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at] as Message;
    if (message.role !== 'user' || message.kind !== 'message') continue;
    const unit = unitsOf(message).find(
      ({ text, kind }) => kind === 'prose' && !isAcknowledgement(text) && text.length > 8,
    );
    if (unit) return unit.text;
  }
  return '';
}

function titleOf(messages: readonly Message[]): string {
  for (const message of messages) {
    if (message.role !== 'user' || message.kind !== 'message') continue;
    const unit = unitsOf(message).find(({ text, kind }) => kind === 'prose' && text.length > 8);
    if (unit) return unit.text.length > 80 ? `${[...unit.text].slice(0, 78).join('').trimEnd()}…` : unit.text;
  }
  return '';
}

/** Heading of a block's lines: the names of its columns, or the line that introduces a list. */
const headOf = ({ lead, headed, lane }: Note): string =>
  headed || (lane !== 'tool' && lead !== '' && lead.length < 120) ? lead : '';

/** Block of a note's line; null for a sentence. */
const blockOf = ({ note, at }: Pick<Placed, 'note' | 'at'>): string | null =>
  note.block === undefined || note.kind === 'rule' ? null : `${at}/${note.block}`;

/** Writes a note as one line, with its heading and the note it corrects. */
function lineOf({ note, at, about }: Placed): string {
  if (blockOf({ note, at }) !== null) return `- ${note.text}`;
  if (about && about.text.length < 160) return `- ${about.text} → ${note.text}`;
  const lead =
    note.lead !== '' && note.terms.size < 6 && note.lead.length < 120
      ? `${note.lead.replace(/[:：]?$/, ':')} `
      : '';
  return `- ${lead}${note.text}`;
}

/** Joins the lines of one block under their heading; an omission between two of them is a line `…`. */
function blocksOf(notes: readonly (Pick<Placed, 'note' | 'at'> & { readonly line: string })[]): string[] {
  const lines: string[] = [];
  let last: (typeof notes)[number] | null = null;
  for (const entry of notes) {
    const { note, line } = entry;
    const block = blockOf(entry);
    if (block !== null && last && blockOf(last) === block) {
      if (note.index - last.note.index > 1) lines.push('  …');
      lines.push(`  ${note.text}`);
    } else {
      const head = block === null ? '' : headOf(note);
      if (head !== '' && head !== note.text) lines.push(`- ${head}`, `  ${note.text}`);
      else lines.push(line);
    }
    last = entry;
  }
  return lines;
}

/** Writes the memory of these messages. The same messages and options give the same text. */
export function writeMemory(messages: readonly Message[], options: MemoryOptions): string {
  const { language, meter, tokens, focus, without, base = null } = options;
  const { withoutRules = false, notesOnly = false } = options;
  const words = HEADINGS[language];
  const known = knownOf(messages);
  const cost = (text: string) => meter.text(text) + 1;

  let left = tokens;
  if (base) left -= cost(base);
  const chosen: (Pick<Placed, 'note' | 'at'> & { readonly line: string })[] = [];
  const said = new Set<string>();
  if (!withoutRules)
    for (const entry of known?.rules ?? [])
      if (entry.at < messages.length && !said.has(entry.note.text) && !without?.has(entry.note.text)) {
        said.add(entry.note.text);
        const line = `- ${entry.note.text}`;
        chosen.push({ ...entry, line });
        left -= cost(line);
      }

  const headings = tokens >= SMALL;
  const tops: string[] = [];
  if (headings && !notesOnly) {
    const title = titleOf(messages);
    const state = currentRequest(messages);
    for (const [heading, text] of [
      [words.title, title],
      [words.state, state],
    ] as const) {
      const line = `## ${heading}\n${text}`;
      if (text === '' || cost(line) > left * 0.2 || (heading === words.state && text === title)) continue;
      tops.push(line);
      left -= cost(line);
    }
  }
  // Every used section costs its heading, reserved beforehand so that the text stays within its space.
  if (headings) left -= Math.min(SECTIONS.length, 2 + Math.floor(tokens / 100)) * 5;

  const standingOf = ({ note, at }: Placed): number => {
    let wanted = 0;
    if (focus) for (const term of note.terms) if (focus.has(term)) wanted += 1;
    return (1 + wanted) * (1 + (NEWER * at) / Math.max(1, messages.length));
  };
  // Only notes that may be chosen are examined closely.
  const enough = Math.max(200, Math.ceil(tokens / 4));
  const close = known
    ? promising(known, messages.length, enough, standingOf, (1 + (focus?.size ?? 0)) * (1 + NEWER))
    : [];
  const candidates = close
    .map((entry) => {
      entry.line ??= lineOf(entry);
      const { line } = entry;
      if (entry.price?.meter !== meter) entry.price = { meter, tokens: cost(line) };
      const price = entry.price.tokens;
      return {
        note: entry.note,
        at: entry.at,
        line,
        price,
        value: (entry.note.weight * standingOf(entry)) / price ** 0.6,
      };
    })
    .sort((a, b) => b.value - a.value || a.at - b.at || a.note.index - b.note.index);
  // Terms that were said already lower a note's worth: ten lines of one log count as one.
  const covered = new Map<string, number>();
  const fresh = ({ note }: Pick<Placed, 'note'>): number => {
    let known = 0;
    for (const term of note.terms) known += Math.min(2, covered.get(term) ?? 0);
    return 1 / (1 + known / Math.max(3, note.terms.size));
  };
  const isSaidAlready = ({ line, note }: (typeof candidates)[number]): boolean =>
    without !== undefined && (without.has(withoutBullet(line)) || without.has(note.text));
  const deferred: typeof candidates = [];
  /** Section of each block: that of its first chosen line. */
  const homes = new Map<string, SessionNoteKind>();
  const take = (candidate: (typeof candidates)[number]) => {
    said.add(candidate.line);
    chosen.push(candidate);
    left -= candidate.price;
    const block = blockOf(candidate);
    if (block !== null && !homes.has(block)) {
      homes.set(block, candidate.note.kind);
      const head = headOf(candidate.note);
      if (head !== '') left -= cost(head);
    }
    for (const term of candidate.note.terms) covered.set(term, (covered.get(term) ?? 0) + 1);
  };
  const budget = left;
  const spent: Record<NoteLane, number> = { person: 0, assistant: 0, tool: 0 };
  const waiting: typeof candidates = [];
  for (const candidate of candidates) {
    if (left < 6) break;
    if (candidate.price > left || said.has(candidate.line) || isSaidAlready(candidate)) continue;
    const { lane } = candidate.note;
    if (fresh(candidate) < 0.55) deferred.push(candidate);
    else if (spent[lane] + candidate.price > budget * SHARES[lane]) waiting.push(candidate);
    else {
      spent[lane] += candidate.price;
      take(candidate);
    }
  }
  for (const candidate of waiting)
    if (left >= 6 && candidate.price <= left && !said.has(candidate.line)) take(candidate);
  for (const candidate of deferred)
    if (left >= 6 && candidate.price <= left && !said.has(candidate.line)) take(candidate);

  const sections: string[] = [];
  for (const [heading, kinds] of SECTIONS) {
    const own = chosen
      .filter((entry) => kinds.includes(homes.get(blockOf(entry) ?? '') ?? entry.note.kind))
      .sort((a, b) => a.at - b.at || a.note.index - b.note.index);
    if (own.length === 0) continue;
    const lines = blocksOf(own).join('\n');
    sections.push(headings ? `## ${words[heading]}\n${lines}` : lines);
  }
  return [...(base ? [base] : []), ...tops, ...sections].join(headings ? '\n\n' : '\n');
}

/** Tokens for a memory, if so many are left for it and the newest messages together. */
export const memoryBudget = (available: number): number =>
  Math.max(0, Math.floor(Math.min(available * 0.68, 800 + available * 0.15)));

/** Reads a branch as it grows, so that a compaction under pressure finds it done: only new messages cost anything. */
export function readBranchAhead(path: readonly Message[]): void {
  // Only messages that a plan could compact are read.
  knownOf(path.filter(({ kind, role }) => kind === 'message' && role !== 'system'));
}
