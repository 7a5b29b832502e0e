// Sends documents that exceed their share of the window in part: sections that answer the question, and the beginning.
// Omissions are named in their place, so that a model can ask for them.
import { placeLabel } from '../chat/files.ts';
import { type Message, type Part, type PartOf, type Section, textOf } from '../chat/message.ts';
import { divideBudget } from '../memory/passages.ts';
import { gainOf, idfOf } from '../text/bm25.ts';
import { termCounts, termsOf } from '../text/words.ts';
import { cutToTokens, estimateTokens } from './tokens.ts';

/** Share of the prompt for documents, all of them together. */
const SHARE = 0.5;
/** Cost of a section's heading and of a note about the omission before it, tokens. */
const NOTE_TOKENS = 24;

/** A document that was sent in part: count of sent sections, and of all. */
export interface CutFile {
  readonly name: string;
  readonly sent: number;
  readonly of: number;
}

interface Fitted {
  /** A message that loses nothing stays the same object. */
  readonly path: readonly Message[];
  readonly files: readonly CutFile[];
}

type Document = PartOf<'file'> & { readonly extract: NonNullable<PartOf<'file'>['extract']> };
const isDocument = (part: Part): part is Document => part.type === 'file' && part.extract !== undefined;

const costs = new WeakMap<Section, number>();
function costOf(section: Section): number {
  let cost = costs.get(section);
  if (cost === undefined) {
    cost = estimateTokens(section.text) + NOTE_TOKENS;
    costs.set(section, cost);
  }
  return cost;
}
const costOfDocument = ({ extract }: Document): number =>
  extract.sections.reduce((sum, section) => sum + costOf(section), 0);

const counts = new WeakMap<Section, ReadonlyMap<string, number>>();
function termsIn(section: Section): ReadonlyMap<string, number> {
  let terms = counts.get(section);
  if (!terms) {
    terms = termCounts(`${section.place?.name ?? ''} ${section.text}`);
    counts.set(section, terms);
  }
  return terms;
}

/** Scores each section for the question, by BM25 without lengths; 0 for none of its words. */
function scoresOf(sections: readonly Section[], question: string): number[] {
  const scores = new Array<number>(sections.length).fill(0);
  for (const term of new Set(termsOf(question))) {
    const often = sections.map((section) => termsIn(section).get(term) ?? 0);
    const having = often.filter((count) => count > 0).length;
    const idf = idfOf(having, sections.length);
    for (const [at, count] of often.entries()) scores[at] = (scores[at] ?? 0) + gainOf(idf, count);
  }
  return scores;
}

const span = (from: Section, to: Section): string => {
  const [first, last] = [from, to].map(({ place }) => (place ? placeLabel(place) : 'a part without a name'));
  return first === last ? String(first) : `${first} to ${last}`;
};

/**
 * Cuts a document to at most `budget` tokens: its beginning, then what fits `question` best, in its own order.
 */
function cutDocument(part: Document, question: string, budget: number): { part: Document; file: CutFile } {
  const { sections } = part.extract;
  const scores = scoresOf(sections, question);
  const order = sections
    .map((_, at) => at)
    .sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other);
  const chosen = new Set<number>();
  let left = budget;
  for (const at of [0, ...order]) {
    const cost = costOf(sections[at] as Section);
    if (chosen.has(at) || cost > left) continue;
    chosen.add(at);
    left -= cost;
  }
  const out: Section[] = [];
  let gap = -1;
  const note = (to: number) => {
    if (gap >= 0)
      out.push({
        text: `[Left out for want of room: ${span(sections[gap] as Section, sections[to] as Section)}]`,
      });
    gap = -1;
  };
  for (const [at, section] of sections.entries()) {
    if (chosen.has(at)) {
      note(at - 1);
      out.push(section);
    } else if (gap < 0) gap = at;
  }
  // No section fits whole: the best one is cut.
  if (chosen.size === 0) {
    const best = sections[order[0] ?? 0] as Section;
    out.push({ ...best, text: cutToTokens(best.text, Math.max(1, budget - NOTE_TOKENS)) });
  }
  note(sections.length - 1);
  return {
    part: { ...part, extract: { ...part.extract, sections: out } },
    file: { name: part.name ?? part.mediaType, sent: Math.max(1, chosen.size), of: sections.length },
  };
}

/** Caches its results: equal questions give the same objects, on which other caches depend. */
export class Fitting {
  #known = new WeakMap<
    Message,
    { readonly key: string; readonly message: Message; readonly files: CutFile[] }
  >();

  /**
   * Returns the messages as they go to a model. `limit`: largest prompt. `isOut`: true for positions that are not sent.
   */
  path(path: readonly Message[], limit: number, isOut: (at: number) => boolean): Fitted {
    const places = path.flatMap((message, at) => (message.parts.some(isDocument) && !isOut(at) ? [at] : []));
    const all = places.flatMap((at) => (path[at] as Message).parts.filter(isDocument));
    const wants = all.map(costOfDocument);
    const budget = Math.floor(limit * SHARE);
    if (wants.reduce((sum, want) => sum + want, 0) <= budget) return { path, files: [] };
    const shares = divideBudget(wants, budget);
    const budgets = new Map(all.map((part, at) => [part, { budget: shares[at] ?? 0, want: wants[at] ?? 0 }]));
    const asked = path.findLast(({ role, kind }) => role === 'user' && kind === 'message');
    const files: CutFile[] = [];
    const made = [...path];
    for (const at of places) {
      const message = path[at] as Message;
      const question =
        [asked, message].map((one) => (one ? textOf(one) : '')).find((text) => termsOf(text).length > 0) ??
        '';
      const own = message.parts.filter(isDocument).map((part) => budgets.get(part)?.budget ?? 0);
      const key = `${own.join(' ')} ${question}`;
      let known = this.#known.get(message);
      if (known?.key !== key) {
        const cut: CutFile[] = [];
        const parts = message.parts.map((part) => {
          const { budget = 0, want = 0 } = isDocument(part) ? (budgets.get(part) ?? {}) : {};
          if (!isDocument(part) || want <= budget) return part;
          const { part: shorter, file } = cutDocument(part, question, budget);
          cut.push(file);
          return shorter;
        });
        known = { key, message: { ...message, parts }, files: cut };
        this.#known.set(message, known);
      }
      made[at] = known.message;
      files.push(...known.files);
    }
    return { path: made, files };
  }

  /** How many tokens cutting a draft's documents to `limit` saves. */
  saved(draft: readonly Part[], limit: number): number {
    const want = draft.filter(isDocument).reduce((sum, part) => sum + costOfDocument(part), 0);
    return Math.max(0, want - Math.floor(limit * SHARE));
  }
}
