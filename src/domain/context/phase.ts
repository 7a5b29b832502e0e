// Finds the border between two tasks of a conversation, by words alone: a finished task is the best to compact,
// since the next questions need it least.
import type { Message } from '../chat/message.ts';
import { isDoneByAssistant, isDoneByPerson, isQuestion, turnsToAnother } from '../text/cues.ts';
import { sentencesOf } from '../text/sentences.ts';
import { queryOf } from './query.ts';
import { documentOf } from './reading.ts';
import { unitsOf } from './units.ts';

/** Most messages before a request in which its subject is looked for. */
const BEFORE = 8;
/** A request with fewer words says too little about its subject. */
const LEAST_WORDS = 4;
/** Largest share of its words that a request on another subject has in common with earlier messages. */
const SHARED = 0.2;
const SHARED_SAID = 0.6;

/** Lists the sentences of a message's prose. */
const sentencesIn = (message: Message | undefined): string[] =>
  message ? unitsOf(message).flatMap(({ kind, text }) => (kind === 'prose' ? sentencesOf(text) : [])) : [];

const saidBefore = (path: readonly Message[], at: number): Message[] =>
  path
    .slice(0, at)
    .filter(({ kind, role }) => kind === 'message' && role !== 'system')
    .slice(-BEFORE);

/**
 * True if the last answer or the request itself says that the task is done, and nothing is open: no
 * question of the assistant, no failed call.
 */
function isDone(request: Message, before: readonly Message[]): boolean {
  const answer = before.findLast(({ role }) => role === 'assistant');
  const said = sentencesIn(answer);
  const failed = before.at(-1)?.parts.some((part) => part.type === 'tool-result' && part.isError === true);
  if (failed) return false;
  if (
    sentencesIn(request)
      .slice(0, 2)
      .some((text) => isDoneByPerson(text))
  )
    return true;
  if (said.slice(-2).some(isQuestion)) return false;
  const asked = before.findLast(({ role }) => role === 'user');
  return (
    said.some((text) => isDoneByAssistant(text)) ||
    sentencesIn(asked)
      .slice(0, 2)
      .some((text) => isDoneByPerson(text))
  );
}

/**
 * True if the request at the end of a path begins another task: it is on another subject than the messages before it,
 * whose task is done. A request that is short or refers to earlier words begins none.
 */
export function beginsAnotherTask(path: readonly Message[]): boolean {
  const request = path.at(-1);
  if (request?.role !== 'user' || request.kind !== 'message') return false;
  const before = saidBefore(path, path.length - 1);
  if (before.length < 2) return false;
  const prose = sentencesIn(request);
  // Thanks and closings say nothing about the next subject.
  const subject = prose.filter((text, at) => at > 1 || !(text.length < 60 && isDoneByPerson(text)));
  const { weights, asked } = queryOf(subject.join(' '));
  let [all, shared, words] = [0, 0, 0];
  for (const term of asked) {
    const weight = weights.get(term) ?? 0;
    all += weight;
    if (weight >= 0.5) words += 1;
    if (before.some((message) => documentOf(message).counts.has(term))) shared += weight;
  }
  if (words < LEAST_WORDS) return false;
  const most = prose.slice(0, 3).some((text) => turnsToAnother(text)) ? SHARED_SAID : SHARED;
  return shared <= all * most && isDone(request, before);
}
