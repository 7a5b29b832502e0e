// Reads a message for the search: its words, their beginnings, its corrections, its end. Read once and cached
// with the message, so that each send is quick.
import type { Message } from '../chat/message.ts';
import { isQuestion, makesCorrection } from '../text/cues.ts';
import { termCounts, termsOf } from '../text/words.ts';
import { type Unit, unitsOf } from './units.ts';

/** Count of each term in a message, and of all terms. */
interface Document {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

const NONE: ReadonlySet<string> = new Set();
const documents = new WeakMap<Message, Document>();
/** Term → positions in the list of compacted messages, for the last lists that were searched. */
const indexes = new WeakMap<
  Message,
  { readonly messages: readonly Message[]; readonly standing: Map<string, number[]> }
>();

/** Positions of each term among these messages. Built once for a list, which stays the same between two compactions. */
export function termPositionsIn(messages: readonly Message[]): ReadonlyMap<string, number[]> {
  const last = messages.at(-1);
  if (!last) return new Map();
  const known = indexes.get(last);
  if (
    known &&
    known.messages.length === messages.length &&
    known.messages.every((message, i) => message === messages[i])
  )
    return known.standing;
  const standing = new Map<string, number[]>();
  messages.forEach((message, place) => {
    for (const term of documentOf(message).counts.keys()) {
      const list = standing.get(term);
      if (list) list.push(place);
      else standing.set(term, [place]);
    }
  });
  indexes.set(last, { messages, standing });
  return standing;
}

const unitTerms = new WeakMap<Unit, ReadonlyMap<string, number>>();
const leadTerms = new WeakMap<Unit, ReadonlySet<string>>();
const lastWords = new WeakMap<Message, ReadonlySet<string>>();

/** Counts each term of a unit; cached with the unit. */
export function termsIn(unit: Unit): ReadonlyMap<string, number> {
  let counts = unitTerms.get(unit);
  if (!counts) {
    counts = termCounts(unit.text);
    unitTerms.set(unit, counts);
  }
  return counts;
}

/** Terms of a unit's heading. */
export function headingTermsOf(unit: Unit): ReadonlySet<string> {
  if (unit.lead === '') return NONE;
  let terms = leadTerms.get(unit);
  if (!terms) {
    terms = new Set(termsOf(unit.lead));
    leadTerms.set(unit, terms);
  }
  return terms;
}

/** The terms of a whole message. */
export function documentOf(message: Message): Document {
  let document = documents.get(message);
  if (!document) {
    const counts = new Map<string, number>();
    let length = 0;
    for (const unit of unitsOf(message)) {
      for (const [term, count] of termsIn(unit)) {
        counts.set(term, (counts.get(term) ?? 0) + count);
        length += count;
      }
      for (const term of headingTermsOf(unit)) if (!counts.has(term)) counts.set(term, 1);
    }
    document = { counts, length };
    documents.set(message, document);
  }
  return document;
}

/** Reads a message once, so that a later search is quick. For idle time. */
export function readMessageAhead(message: Message): void {
  if (message.kind !== 'message') return;
  documentOf(message);
  wordBeginningsOf(message);
  if (message.role === 'user') correctingUnits(message);
}

const beginnings = new WeakMap<Message, ReadonlySet<string>>();

/** Beginnings of a message's longer words. */
export function wordBeginningsOf(message: Message): ReadonlySet<string> {
  let starts = beginnings.get(message);
  if (!starts) {
    starts = new Set(
      [...documentOf(message).counts.keys()]
        .filter((term) => term.length >= 5)
        .map((term) => term.slice(0, 5)),
    );
    beginnings.set(message, starts);
  }
  return starts;
}

const corrections = new WeakMap<Message, readonly number[]>();

/** Lists the units in which a person corrects something. */
export function correctingUnits(message: Message): readonly number[] {
  let found = corrections.get(message);
  if (!found) {
    found = unitsOf(message).flatMap(({ kind, text }, index) =>
      kind === 'prose' && makesCorrection(text) ? [index] : [],
    );
    corrections.set(message, found);
  }
  return found;
}

/** Terms of a message's end, which the next one answers: its last sentences and its questions. */
export function closingTermsOf(message: Message | undefined): ReadonlySet<string> {
  if (!message) return NONE;
  let terms = lastWords.get(message);
  if (!terms) {
    const units = unitsOf(message);
    const closing = [
      ...units.slice(-2),
      ...units
        .slice(0, -2)
        .filter(({ text }) => isQuestion(text))
        .slice(-2),
    ];
    terms = new Set(closing.flatMap(({ text }) => termsOf(text)));
    lastWords.set(message, terms);
  }
  return terms;
}
