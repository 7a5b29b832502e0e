// The source and its repetitions: a question that was asked before, and an answer to it that was made from what memory gave. They stand nearer
// to the question asked again than the source does; counted as passages of their own they would push it down with each asking.
import type { Role } from '../chat/message.ts';
import { asks } from './cues.ts';
import { roughWords } from './rough-words.ts';

/** What of a candidate tells whether it repeats another. */
interface Given {
  readonly chunkId: number;
  readonly messageId: string;
  readonly text: string;
  readonly role?: Role;
  readonly before?: string | null;
  /** The messages that memory gave to the answer it is of. */
  readonly recalled?: readonly string[];
  readonly note?: boolean;
}

/** So much of what an answer says stands in its question or in what memory gave to it. */
const COVERED = 0.5;
/**
 * The chunks that only repeat others among these, by id: of answers that memory was given to, what says little beyond the question and the
 * passages given, and no other figure; and the questions all of whose answer does so. The source stands for them.
 */
export function repeatsIn(candidates: readonly Given[]): ReadonlySet<number> {
  const answers = candidates.filter(({ recalled, note }) => !note && (recalled?.length ?? 0) > 0);
  const repeats = new Set<number>();
  if (answers.length === 0) return repeats;
  const byMessage = new Map<string, Given[]>();
  for (const one of candidates) byMessage.set(one.messageId, [...(byMessage.get(one.messageId) ?? []), one]);
  /** Questions of which something was answered that stands nowhere else. */
  const answered = new Set<string>();
  for (const answer of answers) {
    const sources = (answer.recalled ?? []).flatMap((id) => byMessage.get(id) ?? []);
    const asked = typeof answer.before === 'string' ? (byMessage.get(answer.before) ?? []) : [];
    const said = roughWords(answer.text);
    const known = [...sources, ...asked].map(({ text }) => roughWords(text));
    const stands = (word: string, of: 'words' | 'figures') => known.some((rough) => rough[of].has(word));
    const covered = [...said.words].filter((word) => stands(word, 'words')).length;
    const isRepeat =
      sources.length > 0 &&
      covered >= COVERED * said.words.size &&
      [...said.figures].every((figure) => stands(figure, 'figures'));
    if (isRepeat) repeats.add(answer.chunkId);
    else if (typeof answer.before === 'string') answered.add(answer.before);
  }
  for (const { chunkId, before } of answers)
    for (const question of repeats.has(chunkId) && typeof before === 'string' && !answered.has(before)
      ? (byMessage.get(before) ?? [])
      : [])
      if (question.role === 'user' && asks(question.text)) repeats.add(question.chunkId);
  return repeats;
}
