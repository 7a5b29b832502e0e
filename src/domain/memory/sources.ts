// The source and its repetitions: what was asked before, and an answer to it that was made from what memory gave. They stand nearer to the
// question asked again than the source does; counted as passages of their own they would push it down with each asking. So they are one with
// their source: it is found by the words in which it was asked for, and they leave the ranking.
import type { Role } from '../chat/message.ts';
import { corrects, setsRule } from '../context/cues.ts';
import { asksInWords } from './cues.ts';
import { roughWords } from './rough-words.ts';

/** What of a candidate tells whether it repeats another. */
interface Given {
  readonly chunkId: number;
  readonly messageId: string;
  readonly text: string;
  readonly role?: Role;
  readonly before?: string | null;
  readonly cosine: number | null;
  readonly terms: readonly number[];
  /** The messages that memory gave to the answer it is of. */
  readonly recalled?: readonly string[];
  readonly note?: boolean;
}

/** Messages that memory gave to one answer, and the one that it answers. */
export interface Recalled {
  readonly given: ReadonlySet<string>;
}

/** What is left to rank, whose words and pieces each chunk answers to as well (by id), and what was given together. */
export interface Grouped<C extends Given> {
  readonly sources: readonly C[];
  readonly repeatedBy: ReadonlyMap<number, readonly number[]>;
  readonly recalls: readonly Recalled[];
}

/** So much of what an answer says stands in its question or in what memory gave to it. */
const COVERED = 0.5;
/** An answer is of the given passage that has most of its words, and of those that have this part of as many. */
const NEARLY_AS_MANY = 0.5;

type Rough = ReturnType<typeof roughWords>;

/** Whether a message only asks, and tells nothing that its answer did not have from memory. */
const onlyAsks = ({ role, text }: Given): boolean =>
  role === 'user' && asksInWords(text) && !corrects(text) && !setsRule(text);

const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((word) => other.has(word)).length;

/** The chunks that an answer was made of: those with most of its words, and with its figures where any of them has one. */
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

/** Groups candidates with their sources. Linear in the candidates, and in the passages given to those that are answers. */
export function groupedBySource<C extends Given>(candidates: readonly C[]): Grouped<C> {
  const answers = candidates.filter(({ recalled, note }) => !note && (recalled?.length ?? 0) > 0);
  if (answers.length === 0) return { sources: candidates, repeatedBy: new Map(), recalls: [] };
  const known = new Map<C, Rough>();
  const rough = (one: C): Rough => {
    const made = known.get(one) ?? roughWords(one.text);
    known.set(one, made);
    return made;
  };
  const byMessage = new Map<string, C[]>();
  for (const one of candidates) byMessage.set(one.messageId, [...(byMessage.get(one.messageId) ?? []), one]);
  const repeats = new Set<number>();
  /** Questions of which something was answered that stands nowhere else. */
  const answered = new Set<string>();
  const made = new Map<C, readonly C[]>();
  const recalls: Recalled[] = [];
  for (const answer of answers) {
    const given = (answer.recalled ?? []).flatMap((id) => byMessage.get(id) ?? []);
    const asked = typeof answer.before === 'string' ? (byMessage.get(answer.before) ?? []) : [];
    const said = rough(answer);
    recalls.push({
      given: new Set([...(answer.recalled ?? []), ...asked.map(({ messageId }) => messageId)]),
    });
    const all = [...given, ...asked].map(rough);
    const stands = (word: string, of: 'words' | 'figures') => all.some((one) => one[of].has(word));
    const covered = [...said.words].filter((word) => stands(word, 'words')).length;
    const isRepeat =
      given.length > 0 &&
      covered >= COVERED * said.words.size &&
      [...said.figures].every((figure) => stands(figure, 'figures'));
    if (isRepeat) {
      repeats.add(answer.chunkId);
      made.set(answer, madeOf(said, given, rough));
    } else if (typeof answer.before === 'string') answered.add(answer.before);
  }
  const repeatedBy = new Map<number, number[]>();
  const addRepeat = (source: C, repeat: C): void => {
    repeatedBy.set(source.chunkId, [...(repeatedBy.get(source.chunkId) ?? []), repeat.chunkId]);
  };
  for (const [answer, of] of made) {
    for (const source of of) addRepeat(source, answer);
    if (typeof answer.before !== 'string' || answered.has(answer.before)) continue;
    for (const question of byMessage.get(answer.before) ?? [])
      if (onlyAsks(question)) {
        repeats.add(question.chunkId);
        for (const source of of) addRepeat(source, question);
      }
  }
  const byChunk = new Map(candidates.map((one) => [one.chunkId, one]));
  const sources = candidates
    .filter(({ chunkId }) => !repeats.has(chunkId))
    .map((one) => {
      const repeated = (repeatedBy.get(one.chunkId) ?? []).flatMap((id) => byChunk.get(id) ?? []);
      return repeated.length === 0 ? one : withRepeats(one, repeated);
    });
  return { sources, repeatedBy, recalls };
}

/** The source as it is found by the words and the meaning of what repeats it. */
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

/** Late interaction of a chunk, or of what repeats it, whichever is more. */
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
