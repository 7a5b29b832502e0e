// Gemini in Google's export of activities (My Activity): what was asked and answered, without conversations. Entries
// that follow one another within half an hour are read as one conversation.
import { isFields } from '../../domain/base/json.ts';
import { timeOf } from './times.ts';

/** One entry. `chat`: the conversation, if the export names it. */
export interface LoggedActivity {
  readonly header: string;
  readonly chat?: string | undefined;
  readonly title: string;
  /** ms since 1970. */
  readonly time: number;
  readonly answer: string;
  /** Names of attached files. */
  readonly files: readonly string[];
}

/** A longer pause begins a conversation, ms. */
const PAUSE_MS = 30 * 60_000;
const OF_GEMINI = /gemini|bard/i;
/** Verbs before what a person said, as Google writes them in English. */
const SAID = /^(?:Prompted(?: with:)?|Asked(?: (?:Gemini|Bard):)?|Said|Answered)\s+/;
/** Verbs of entries that nobody said. */
const DONE =
  /^(?:Used|Created|Gave|Selected|Shared|Deleted|Viewed|Visited|Searched|Edited|Pinned|Renamed|Exported|Updated)\s/;

/** Fewer titles show no verb: a person may begin several in the same way. */
const FEWEST_TITLES = 3;
/** The words with a colon that Google sets before what a person said, in a language other than English. */
function verbOf(titles: readonly string[]): string {
  const verb = /^[^:：\n]{1,40}[:：]\s?/.exec(titles[0] ?? '')?.[0] ?? '';
  const isInAll = titles.length >= FEWEST_TITLES && titles.every((title) => title.startsWith(verb));
  return isInAll && !titles.some((title) => SAID.test(title)) ? verb : '';
}
const withoutVerb = (title: string, verb: string): string =>
  verb !== '' && title.startsWith(verb) ? title.slice(verb.length) : title.replace(SAID, '');

/** Messages of the entries about Gemini, oldest first, as conversations; undefined if there are none. */
export function sessionsOfActivities(activities: readonly LoggedActivity[]): unknown[] | undefined {
  const own = activities
    .filter(({ header }) => header === '' || OF_GEMINI.test(header))
    .sort((a, b) => a.time - b.time);
  const said = own.filter(({ answer }) => answer !== '').map(({ title }) => title);
  const verb = verbOf(said);
  const sessions: { id: string; until: number; messages: unknown[] }[] = [];
  const byChat = new Map<string, (typeof sessions)[number]>();
  const times = new Map<string, number>();
  for (const { chat, title, time, answer, files } of own) {
    const last = chat === undefined ? sessions.at(-1) : byChat.get(chat);
    const goesOn = last && (chat !== undefined || time - last.until <= PAUSE_MS);
    const session = goesOn ? last : { id: `gemini ${chat ?? time}`, until: time, messages: [] };
    if (!goesOn) sessions.push(session);
    if (chat !== undefined) byChat.set(chat, session);
    session.until = time;
    const before = times.get(`${time}`) ?? 0;
    times.set(`${time}`, before + 1);
    const id = before === 0 ? `${time}` : `${time}-${before}`;
    const isSaid = answer !== '' || !DONE.test(title);
    session.messages.push({
      id,
      role: isSaid ? 'user' : 'system',
      content: isSaid ? withoutVerb(title, verb) : title,
      timestamp: time,
      ...(files.length > 0 ? { files: files.map((name) => ({ name })) } : {}),
    });
    if (answer !== '')
      session.messages.push({ id: `${id}-answer`, role: 'assistant', content: answer, timestamp: time });
  }
  return sessions.length === 0 ? undefined : sessions.map(({ id, messages }) => ({ id, messages }));
}

/** Reads the entries of `MyActivity.json`; `markdownOf` turns the answer's HTML into Markdown. */
export function activitiesIn(
  records: readonly unknown[],
  markdownOf: (html: string) => string,
): readonly LoggedActivity[] {
  return records.filter(isFields).flatMap((record): LoggedActivity[] => {
    const time = timeOf(record.time);
    if (typeof record.title !== 'string' || typeof time !== 'number') return [];
    const products = Array.isArray(record.products) ? record.products : [];
    const answers = [record.safeHtmlItem].flat().flatMap((item): string[] => {
      const html = isFields(item) ? (item.html ?? item.htmlValue) : undefined;
      return typeof html === 'string' ? [markdownOf(html)] : [];
    });
    const files = [record.attachedFiles, record.imageFile].flat().filter((name) => typeof name === 'string');
    const chat = /gemini\.google\.com\/app\/([\w-]{4,80})/.exec(
      typeof record.titleUrl === 'string' ? record.titleUrl.slice(0, 200) : '',
    )?.[1];
    const header = [record.header, ...products].filter((name) => typeof name === 'string').join(' ');
    return [{ header, chat, title: record.title, time, answer: answers.join('\n\n').trim(), files }];
  });
}
