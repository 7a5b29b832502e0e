// Joins a source with its repetitions: the earlier question, and an answer made from what memory gave. They resemble
// the question more than the source does, and as separate passages would push it down with each asking. So they count
// as one with their source: it is found by their words too, and they leave the ranking.
import { memoized } from '../base/once.ts';
import type { Role } from '../chat/message.ts';
import { asksInWords, makesCorrection, setsRule, speakerIn } from '../text/cues.ts';
import { roughWords } from '../text/words.ts';

/** Fields of a candidate that show if it repeats another. */
interface Given {
  readonly chunkId: number;
  readonly messageId: string;
  readonly conversationId: string;
  readonly text: string;
  readonly role?: Role;
  /** ms since 1970 */
  readonly createdAt: number;
  readonly before?: string | null;
  /** Chunks said right before and after it. */
  readonly previous?: number | null;
  readonly next?: number | null;
  readonly cosine: number | null;
  readonly terms: readonly number[];
  /** Messages that memory gave to the answer it is from. */
  readonly recalled?: readonly string[];
  readonly note?: boolean;
}

/** Messages that memory gave to one answer, with its question; and its source messages, if it says nothing else. */
export interface AnswerSources {
  readonly given: ReadonlySet<string>;
  readonly used: ReadonlySet<string>;
}

/**
 * Candidates left to rank, chunks whose words and token vectors also count for each of them,
 * and messages that were given together.
 */
export interface Grouped<C extends Given> {
  readonly sources: readonly C[];
  readonly repeatedBy: ReadonlyMap<number, readonly number[]>;
  readonly recalls: readonly AnswerSources[];
}

/** Share of an answer's words that its question or its given passages must have. */
const COVERED = 0.5;
/**
 * An answer comes from the given passage that has most of its words, and from those with at least this part of as many.
 */
const NEARLY_AS_MANY = 0.5;

/** A longer answer without a manifest says more than one thing, characters. */
const RESTATES_AT_MOST = 240;
/**
 * For an answer without a manifest: share of its additions that one earlier message must have, least number of added
 * words, and of shared words of the question.
 */
const [RESTATED, ADDS_AT_LEAST, SHARED_AT_LEAST] = [0.8, 3, 2];

type Rough = ReturnType<typeof roughWords>;

/** True if a message only asks, and says nothing that its answer did not have from memory. */
const onlyAsks = ({ role, text }: Given): boolean =>
  role === 'user' && asksInWords(text) && !makesCorrection(text) && !setsRule(text);

const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((word) => other.has(word)).length;

/** Finds the chunks that an answer was made from: those with most of its words, and with its figures if any has one. */
function madeOf<C extends Given>(said: Rough, given: readonly C[], rough: (one: C) => Rough): C[] {
  const counted = given.map((one) => ({
    one,
    words: shared(said.words, rough(one).words),
    figures: shared(said.figures, rough(one).figures),
  }));
  const figures = Math.max(0, ...counted.map((one) => one.figures));
  const rest = counted.filter((one) => one.figures === figures && one.words > 0);
  const words = Math.max(0, ...rest.map((one) => one.words));
  return rest.filter((one) => one.words >= NEARLY_AS_MANY * words).map(({ one }) => one);
}

/** Most messages fetched because memory gave them to an answer. */
const BROUGHT = 40;

/**
 * Lists passages given to found answers that were not found themselves, since the answers may repeat
 * them. Those of the first answers first.
 */
export function givenAndMissing<M extends string>(
  candidates: readonly { readonly messageId: M; readonly recalled?: readonly M[] }[],
): M[] {
  const there = new Set(candidates.map(({ messageId }) => messageId));
  const given = new Set(candidates.flatMap(({ recalled }) => recalled ?? []));
  return [...given].filter((id) => !there.has(id)).slice(0, BROUGHT);
}

/** Messages of the candidates and their neighbours: a passage is given with its neighbours. */
function neighbourhood<C extends Given>(candidates: readonly C[]) {
  const byMessage = new Map<string, C[]>();
  for (const one of candidates) byMessage.set(one.messageId, [...(byMessage.get(one.messageId) ?? []), one]);
  const byChunk = new Map(candidates.map((one) => [one.chunkId, one]));
  const ofMessage = (id: string | null | undefined): readonly C[] =>
    typeof id === 'string' ? (byMessage.get(id) ?? []) : [];
  const around = (ids: readonly string[]): C[] => [
    ...new Set(
      ids
        .flatMap(ofMessage)
        .flatMap((one) => [
          one,
          ...[one.previous, one.next].flatMap((chunk) => ofMessage(byChunk.get(chunk ?? -1)?.messageId)),
        ]),
    ),
  ];
  return { byChunk, ofMessage, around };
}

/**
 * Lists messages of other conversations that an answer without a manifest restates: earlier ones on the same topic with
 * nearly all it adds to its question, and each of its figures. Empty if it says something of its own.
 */
function restatedBy<C extends Given>(
  answer: C,
  candidates: readonly C[],
  { ofMessage, around }: ReturnType<typeof neighbourhood<C>>,
  { rough, lowerCase }: { rough: (one: C) => Rough; lowerCase: (one: C) => string },
): C[] {
  const question = ofMessage(answer.before);
  if (question.length === 0 || !question.every(onlyAsks)) return [];
  const asked = new Set(question.flatMap((one) => [...rough(one).words]));
  const said = rough(answer);
  const added = [...said.words].filter((word) => !asked.has(word));
  if (added.length < ADDS_AT_LEAST) return [];
  const isIn = (has: (word: string) => boolean) => added.filter(has).length >= RESTATED * added.length;
  /** The source must also have the answer's words of the question; else it is another thing with the same answer. */
  const speaksOfIt = (one: C): boolean => {
    const words = new Set(around([one.messageId]).flatMap((neighbour) => [...rough(neighbour).words]));
    const named = [...asked].filter((word) => said.words.has(word));
    return shared(asked, words) >= SHARED_AT_LEAST && named.every((word) => words.has(word));
  };
  return candidates.filter((one) => {
    if (one.createdAt >= answer.createdAt || one.conversationId === answer.conversationId) return false;
    // Most messages have none of the words, so they are not compared word by word.
    const text = lowerCase(one);
    if (!isIn((word) => text.includes(word))) return false;
    const { words, figures } = rough(one);
    return (
      isIn((word) => words.has(word)) &&
      [...said.figures].every((figure) => figures.has(figure)) &&
      speaksOfIt(one)
    );
  });
}

/** Groups candidates with their sources. Linear in the candidates, and in the passages given to answers among them. */
export function groupedBySource<C extends Given>(candidates: readonly C[]): Grouped<C> {
  const answers = candidates.filter(
    ({ recalled, note, role, text }) =>
      !note &&
      ((recalled?.length ?? 0) > 0 ||
        // A named person in a chat of several speaks for themselves.
        (role === 'assistant' && text.length <= RESTATES_AT_MOST && speakerIn(text) === null)),
  );
  if (answers.length === 0) return { sources: candidates, repeatedBy: new Map(), recalls: [] };
  const rough = memoized((one: C) => roughWords(one.text));
  const lowerCase = memoized(({ text }: C) => text.normalize('NFKC').toLowerCase());
  const near = neighbourhood(candidates);
  const { byChunk, ofMessage, around } = near;
  const repeats = new Set<number>();
  /** Questions with an answer that is nowhere else. */
  const answered = new Set<string>();
  const made = new Map<C, readonly C[]>();
  const recalls: AnswerSources[] = [];
  for (const answer of answers) {
    const asked = ofMessage(answer.before);
    const { recalled = [] } = answer;
    if (recalled.length === 0) {
      const restated = restatedBy(answer, candidates, near, { rough, lowerCase });
      if (restated.length === 0) continue;
      repeats.add(answer.chunkId);
      made.set(answer, restated);
      continue;
    }
    const given = around(recalled);
    const said = rough(answer);
    const all = [...given, ...asked].map(rough);
    const isSaid = (word: string, of: 'words' | 'figures') => all.some((one) => one[of].has(word));
    const covered = [...said.words].filter((word) => isSaid(word, 'words')).length;
    const isRepeat =
      given.length > 0 &&
      covered >= COVERED * said.words.size &&
      [...said.figures].every((figure) => isSaid(figure, 'figures'));
    const used = isRepeat ? madeOf(said, given, rough) : [];
    recalls.push({
      given: new Set([...recalled, ...asked.map(({ messageId }) => messageId)]),
      used: new Set(used.map(({ messageId }) => messageId)),
    });
    if (isRepeat) {
      repeats.add(answer.chunkId);
      made.set(answer, used);
    } else if (typeof answer.before === 'string') answered.add(answer.before);
  }
  const repeatedBy = new Map<number, number[]>();
  const addRepeat = (source: C, repeat: C): void => {
    repeatedBy.set(source.chunkId, [...(repeatedBy.get(source.chunkId) ?? []), repeat.chunkId]);
  };
  for (const [answer, of] of made) {
    for (const source of of) addRepeat(source, answer);
    if (typeof answer.before !== 'string' || answered.has(answer.before)) continue;
    for (const question of ofMessage(answer.before))
      if (onlyAsks(question)) {
        repeats.add(question.chunkId);
        for (const source of of) addRepeat(source, question);
      }
  }
  const sources = candidates
    .filter(({ chunkId }) => !repeats.has(chunkId))
    .map((one) => {
      const repeated = (repeatedBy.get(one.chunkId) ?? []).flatMap((id) => byChunk.get(id) ?? []);
      return repeated.length === 0 ? one : withRepeats(one, repeated);
    });
  return { sources, repeatedBy, recalls };
}

/** Adds the words and meaning of its repetitions to a source. */
const withRepeats = <C extends Given>(source: C, repeated: readonly C[]): C => ({
  ...source,
  terms: repeated.reduce(
    (terms, one) =>
      Array.from({ length: Math.max(terms.length, one.terms.length) }, (_, at) =>
        Math.max(terms[at] ?? 0, one.terms[at] ?? 0),
      ),
    [...source.terms],
  ),
  cosine: [source, ...repeated].reduce<number | null>(
    (most, { cosine }) => (cosine === null ? most : Math.max(most ?? cosine, cosine)),
    null,
  ),
});

/** Late interaction of a chunk, or of its best repetition, whichever is more. */
export function bestLate(
  chunk: number,
  repeatedBy: Grouped<Given>['repeatedBy'],
  late: ReadonlyMap<number, number | null>,
): number | null {
  return [chunk, ...(repeatedBy.get(chunk) ?? [])].reduce<number | null>((most, id) => {
    const found = late.get(id) ?? null;
    return found === null ? most : Math.max(most ?? found, found);
  }, null);
}
