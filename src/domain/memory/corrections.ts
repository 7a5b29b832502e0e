// Lets the newest correction stand for a fact: a later sentence of the person that corrects an earlier one ("no, port
// 8081", 改到周四了) often shares fewer words with the question than the corrected one.
import { memoized } from '../base/once.ts';
import type { Role } from '../chat/message.ts';
import { NEW } from '../text/cue-words/change.ts';
import { endsWithQuestionMark, makesCorrection, speakerIn } from '../text/cues.ts';
import { sentencesOf } from '../text/sentences.ts';
import { roughWords } from '../text/words.ts';
import type { AnswerSources } from './sources.ts';
import { changesValue, type Values, valuesIn } from './values.ts';

/** Fields of a candidate that show if it corrects another. */
interface Said {
  readonly messageId: string;
  readonly text: string;
  readonly role?: Role;
  /** ms since 1970 */
  readonly createdAt: number;
  readonly note?: boolean;
}

/** Longer messages say much besides, and words do not show which part is meant, characters. */
const LONGEST = 400;
/**
 * Facts are looked for among the first number of best passages, corrections among the second:
 * they seldom share the question's words.
 */
const [FACTS, CORRECTIONS] = [50, 100];
/**
 * Least words that two texts about one thing share, one fewer if the question has one of them, and their share of the
 * shorter text.
 */
const [SHARED_WORDS, SHARED_SHARE] = [3, 0.2];
/**
 * An answer that was given both texts counts as made from the newer one if it shares so many words with that one alone.
 */
const USED_SHARED = 2;
/** Share of the shorter text that must agree if only a new value suggests a correction. */
const SHARED_IF_NEW = 0.3;

function wordsOf(text: string): ReadonlySet<string> {
  const { words, figures } = roughWords(text);
  return new Set([...words].filter((word) => !figures.has(word)));
}

/** Returns whether a text corrects something or says that something is new, and its speaker. */
const readCorrection = (text: string) => ({
  corrects: sentencesOf(text).some(makesCorrection),
  isNew: NEW.test(text),
  speaker: speakerIn(text),
});
const isShort = ({ text, role, note }: Said): boolean => role === 'user' && !note && text.length <= LONGEST;

/**
 * Returns them best first, as they came, except that the newest correction of a passage takes its place with its
 * probability, and the passage comes right after.
 */
export function promoteCorrections<
  S extends { readonly candidate: Said; readonly scores: { readonly final: number } },
>(question: string, ranked: readonly S[], recalls: readonly AnswerSources[] = []): S[] {
  const statedIn = (most: number): S[] =>
    ranked
      .slice(0, most)
      .filter(({ candidate }) => isShort(candidate) && !endsWithQuestionMark(candidate.text));
  const facts = statedIn(FACTS);
  const usedAlone = (newer: S, older: S): boolean =>
    recalls.some(
      ({ given, used }) =>
        given.has(older.candidate.messageId) &&
        !used.has(older.candidate.messageId) &&
        used.has(newer.candidate.messageId),
    );
  const answering = new Set(recalls.flatMap(({ used }) => [...used]));
  const saysOf = memoized((one: S) => readCorrection(one.candidate.text));
  const corrections = statedIn(CORRECTIONS).filter(
    (one) => saysOf(one).isNew || saysOf(one).corrects || answering.has(one.candidate.messageId),
  );
  if (corrections.length === 0) return [...ranked];
  const asked = wordsOf(question);
  const wordsIn = memoized((one: S) => wordsOf(one.candidate.text));
  const values = memoized((one: S): Values => valuesIn(one.candidate.text));
  const isOf = (newer: S, older: S): boolean => {
    if (newer.candidate.createdAt <= older.candidate.createdAt) return false;
    if (newer.candidate.messageId === older.candidate.messageId) return false;
    if (saysOf(newer).speaker !== saysOf(older).speaker) return false;
    const { corrects: says, isNew } = saysOf(newer);
    const isUsed = usedAlone(newer, older);
    if (!says && !isNew && !isUsed) return false;
    // Memory gave both to one answer, or the older one to the answer to the newer: they concern the same thing.
    const together = recalls.some(
      ({ given }) => given.has(newer.candidate.messageId) && given.has(older.candidate.messageId),
    );
    const changes = (says || isNew) && changesValue(values(newer), values(older), together);
    if (!changes && !isUsed) return false;
    const [a, b] = [wordsIn(newer), wordsIn(older)];
    const shared = [...a].filter((word) => b.has(word));
    // Memory gave both, and the answer was made from the newer one alone: so the older one no longer held.
    if (shared.length >= USED_SHARED && isUsed) return true;
    if (!changes) return false;
    const least = SHARED_WORDS - (shared.some((word) => asked.has(word)) ? 1 : 0) - (together ? 1 : 0);
    return (
      shared.length >= least &&
      (together || shared.length >= (says ? SHARED_SHARE : SHARED_IF_NEW) * Math.min(a.size, b.size))
    );
  };
  const order = [...ranked];
  for (const older of facts) {
    const newest = corrections
      .filter((one) => isOf(one, older))
      .sort((a, b) => b.candidate.createdAt - a.candidate.createdAt)[0];
    if (!newest) continue;
    const [at, from] = [order.indexOf(older), order.findIndex((one) => one.candidate === newest.candidate)];
    if (from < at) continue;
    order.splice(from, 1);
    const final = Math.max(newest.scores.final, older.scores.final);
    order.splice(at, 0, { ...newest, scores: { ...newest.scores, final } });
  }
  return order;
}
