// Tells where one task of a conversation ends and another begins, by its words alone: what was done is the best to compact, and the next
// questions need least of it.
import type { Message } from '../chat/message.ts';
import { sentencesOf } from '../text/sentences.ts';
import { isQuestion } from './cues.ts';
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

const DONE_BY_PERSON =
  /^\W*(?:(?:many )?thanks|thank you|thx|perfect|excellent|great|wonderful|brilliant|nice|done\b|merged|shipped|that['’]s (?:it|all|that)|that (?:works|did it|fixed it|settles)|it works|works (?:now|fine|great|perfectly)|all (?:good|done|set|green)|looks? good|good[,.!])|\b(?:is|are|that['’]s) (?:done|finished|merged|shipped|settled|solved|off the table)\b|^\s*(?:谢谢|多谢|感谢|太好了|很好|好了|搞定|完成|可以了|行了|没问题|解决了|辛苦)|(?:搞定|弄好|做完|完成|解决|修好|合并|上线|结束)了/iu;
const DONE_BY_ASSISTANT =
  /^\W*(?:done|finished|fixed|completed|implemented|merged|deployed|all set|ready)\b|\b(?:is|are) (?:now )?(?:done|finished|fixed|merged|in place|complete|deployed|green|ready)\b|\ball (?:\w+ ){0,3}(?:pass|passed|green)\b|\bI(?:['’]ve| have)(?: now| also)? (?:added|updated|fixed|written|moved|renamed|removed|finished|changed|created|merged|deployed|sent|booked|put|saved|replaced)\b|(?:已(?:经)?|都|全部)(?:修|改|加|写|移|删|建|更新|合并|部署|发|完成|替换|保存|订|通过|处理|弄)|完成了|修好了|搞定|弄好了|改好了/iu;
const ANOTHER =
  /\b(?:(?:new|next|different|other|another|separate|unrelated) (?:topic|task|subject|thing|question|issue|project|matter)|something (?:else|different|completely different|new)|(?:let['’]s )?mov(?:e|ing) on|on to the next|change of (?:topic|subject)|switching (?:topics?|to))\b|(?:换个|另一个|另外一个|下一个|新的?)(?:话题|任务|问题|事情|项目|主题)|另外一件事|说点别的|换件事|接下来做/iu;

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
      .some((text) => DONE_BY_PERSON.test(text))
  )
    return true;
  if (said.slice(-2).some(isQuestion)) return false;
  const asked = before.findLast(({ role }) => role === 'user');
  return (
    said.some((text) => DONE_BY_ASSISTANT.test(text)) ||
    sentencesIn(asked)
      .slice(0, 2)
      .some((text) => DONE_BY_PERSON.test(text))
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
  const subject = prose.filter((text, at) => at > 1 || !(text.length < 60 && DONE_BY_PERSON.test(text)));
  const { weights, asked } = queryOf(subject.join(' '));
  let [all, shared, words] = [0, 0, 0];
  for (const term of asked) {
    const weight = weights.get(term) ?? 0;
    all += weight;
    if (weight >= 0.5) words += 1;
    if (before.some((message) => documentOf(message).counts.has(term))) shared += weight;
  }
  if (words < LEAST_WORDS) return false;
  const most = prose.slice(0, 3).some((text) => ANOTHER.test(text)) ? SHARED_SAID : SHARED;
  return shared <= all * most && isDone(request, before);
}
