// Tells where one task of a conversation ends and another begins, by its words alone: what was done is the best to compact, and the next
// questions need least of it.
import type { Message } from '../chat/message.ts';
import { isDoneByAssistant, isDoneByPerson, isQuestion, turnsToAnother } from '../text/cues.ts';
import { sentencesOf } from '../text/sentences.ts';
import { queryOf } from './query.ts';
import { documentOf } from './reading.ts';
import { unitsOf } from './units.ts';

/** Said messages before a request in which its subject is looked for. */
const BEFORE = 8;
/** A request of less than so many words says too little of its subject. */
const LEAST_WORDS = 4;
/** It is about something else where it shares no more than this of its words; and no more than that where it says so. */
const SHARED = 0.2;
const SHARED_SAID = 0.6;

/** Sentences of the prose. */
const sentencesIn = (message: Message | undefined): string[] =>
  message ? unitsOf(message).flatMap(({ kind, text }) => (kind === 'prose' ? sentencesOf(text) : [])) : [];

const saidBefore = (path: readonly Message[], at: number): Message[] =>
  path
    .slice(0, at)
    .filter(({ kind, role }) => kind === 'message' && role !== 'system')
    .slice(-BEFORE);

/** The last answer or the request itself says that the task is done, and nothing is open: no question of the assistant, no failed call. */
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
 * True where the request at the end of a path begins another task: it is about something else than the messages before it, and what they were
 * about is done. A request that is short or goes back to what was said is none.
 */
export function beginsAnotherTask(path: readonly Message[]): boolean {
  const request = path.at(-1);
  if (request?.role !== 'user' || request.kind !== 'message') return false;
  const before = saidBefore(path, path.length - 1);
  if (before.length < 2) return false;
  const prose = sentencesIn(request);
  // Skip thanks and closings: they say nothing of the next subject.
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
