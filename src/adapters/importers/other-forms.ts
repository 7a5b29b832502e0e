// Files whose conversations stand in another form than JSON for programs: pages, XML, logs of coding agents, tables,
// YAML, chats of messengers, JSON with comments. Each is handed on as the JSON that the importers read.
import { parse } from 'yaml';
import { isFields } from '../../domain/base/json.ts';
import { attempt } from '../../domain/base/log.ts';
import { isRichText, wordsOfRichText } from '../../domain/text/rich-text.ts';
import { separatedRows } from '../../domain/text/separated-values.ts';
import { activitiesIn, sessionsOfActivities } from './activity-log.ts';
import { aiderSessions, sessionsIn } from './agent-logs.ts';
import type { Damage, SourceFile } from './importer.ts';
import { decode, fromFirstRecord, linesOf, looksBinary, parseJson, recordsOf } from './lenient-json.ts';
import { isMessengerText, messengerSession } from './messenger-texts.ts';
import { baseName, chunksOf, headOf, joined } from './source-file.ts';
import { isTerminalText, terminalSession } from './terminal-texts.ts';

/** Largest file that is turned into JSON, bytes. */
const MAX_BYTES = 192 * 1024 * 1024;

const ENDING = /\.(?:x?html?|mhtml?|mht|xml|jsonl?|jsonc|json5|csv|tsv|ya?ml|md|txt|log|rtf)$/i;
/** Marks of agents' logs; no list of messages that is read as it is has them. */
const OF_AGENTS =
  /"type"\s*:\s*"(?:session_meta|thread\.started|response_item|context\.append_\w{1,20}|turn\.prompt)"|"parentUuid"\s*:|"projectHash"\s*:|"info"\s*:\s*\{\s*"id"\s*:\s*"ses|"responderUsername"\s*:|"instructions"\s*:|"pastedContents"\s*:|"raw_content"\s*:|"from_id"\s*:|"type"\s*:\s*"(?:say|ask|step_start|tool(?:Request|Response))"|"working_dir"\s*:|\{\s*"(?:User|Agent)"\s*:\s*\{|"segments"\s*:\s*\[|"source"\s*:\s*"(?:user|agent|environment)"|"gamestarted"\s*:|"object"\s*:\s*"interaction"|"previous_interaction_id"\s*:|"type"\s*:\s*"(?:user_input|model_output)"/;
/** True for the beginning of a messenger's chat among people, as text or as Telegram's JSON. */
export const isAmongPeople = (head: string): boolean => isMessengerText(head) || /"from_id"\s*:/.test(head);

/** Marks of Google's activities. */
const OF_ACTIVITIES = /"safeHtmlItem"\s*:|"header"\s*:\s*"[^"]{0,40}(?:Gemini|Bard)/;

/** Holds the file that was turned into JSON last: several readers look at one before the next. */
export interface LastForm {
  of?: { readonly file: SourceFile; readonly bytes: Uint8Array };
}

/** A text as conversations; `isCut` if it ends too early. */
interface Read {
  readonly value: unknown;
  readonly isCut?: boolean;
}
type Form = (text: string) => Read | Promise<Read>;

/**
 * Turns a file of another form into JSON, under its own name, with its ids; undefined if it is in none. `isAlone`: any
 * ending will do, and Markdown gets its own; `title`: of a log that names none. Throws the problems of reading it.
 */
export async function inJson(
  file: SourceFile,
  last: LastForm,
  signal: AbortSignal,
  { isAlone = false, title }: { isAlone?: boolean; title?: string | undefined } = {},
): Promise<SourceFile | undefined> {
  const ending = ENDING.exec(file.path)?.[0].toLowerCase() ?? '';
  if ((ending === '' && !isAlone) || file.size === 0) return undefined;
  const first = await headOf(file, signal);
  const head = looksBinary(first) ? '' : fromFirstRecord(decode(first).trimStart(), file.path);
  if (head.startsWith('<') && PAGE.test(head)) return pageOf(file);
  if (isRichText(head) && file.size <= MAX_BYTES) return asWords(file);
  const form = file.size > MAX_BYTES ? undefined : fileFormOf(head, ending, title);
  if (!form)
    return isAlone && mayBeMarkdown(head, file.path)
      ? { ...file, path: `${file.path.replace(ENDING, '')}.md` }
      : undefined;
  let cut: Damage | undefined;
  const bytesOf = async (cancel: AbortSignal) => {
    if (last.of?.file === file) return last.of.bytes;
    const { value, isCut } = await form(await wholeOf(file, cancel));
    if (isCut) cut = { isFound: true, name: baseName(file.path) };
    const bytes = new TextEncoder().encode(value === undefined ? '' : JSON.stringify(value));
    last.of = { file, bytes };
    return bytes;
  };
  if ((await bytesOf(signal)).length === 0) return undefined;
  const damage = file.damage ?? cut;
  return {
    path: file.path.replace(ENDING, '').concat('.json'),
    size: file.size,
    modifiedAt: file.modifiedAt,
    ...(damage ? { damage } : {}),
    bytes: bytesOf,
  };
}

/** A text with styles as its words alone, which may be a conversation like any other text. */
const asWords = (file: SourceFile): SourceFile => ({
  path: `${file.path.replace(ENDING, '')}.md`,
  size: file.size,
  modifiedAt: file.modifiedAt,
  ...(file.damage ? { damage: file.damage } : {}),
  bytes: async (signal) => new TextEncoder().encode(wordsOfRichText(await wholeOf(file, signal))),
});

/** Endings by which Markdown is known; ids of conversations hold the name. */
const OF_MARKDOWN = /\.(?:md|markdown|mdown|txt)$/i;
/** True for a text that may be Markdown under another ending. */
const mayBeMarkdown = (head: string, path: string): boolean =>
  head !== '' && !/^[[{<]/.test(head) && !OF_MARKDOWN.test(path);

/** The form of a file by its beginning, and by its ending where that alone tells. */
function fileFormOf(head: string, ending: string, title: string | undefined): Form | undefined {
  if (/^\.mht/.test(ending)) return mhtml;
  const isTree = /^\.(?:x?html?|xml)$/.test(ending);
  if (/^<(?:!doctype html|html)\b/i.test(head) || (head.startsWith('<') && /^\.x?html?$/.test(ending)))
    return page;
  if (head.startsWith('<?xml') || (head.startsWith('<') && isTree))
    return /<html\b/i.test(head.slice(0, 2000)) ? page : xml;
  if (isMessengerText(head)) return (text) => ({ value: inList(messengerSession(text)) });
  if (/^(?:[[{]|\/[/*])/.test(head)) {
    if (OF_AGENTS.test(head)) return (text) => ({ value: sessionsIn(recordsIn(text), title) });
    if (OF_ACTIVITIES.test(head)) return activities;
    return withoutComments(head) === head ? undefined : commented;
  }
  if (/ya?ml$/.test(ending)) return yaml;
  if (isTerminalText(head)) return (text) => ({ value: [terminalSession(text)] });
  if (AIDER.test(head) && /^(?:\.(?:md|txt))?$/.test(ending))
    return (text) => ({ value: aiderSessions(text) });
  const [line = ''] = head.split(/[\r\n]/, 1);
  return [',', '\t', ';'].map((separator) => tableBy(line, separator)).find((form) => form !== undefined);
}

const inList = <T>(one: T | undefined): T[] | undefined => (one === undefined ? undefined : [one]);

const page: Form = async (text) => ({
  value: (await import('./chat-pages.ts')).conversationsOfPage(text),
  isCut: /<html\b/i.test(text.slice(0, 2000)) && !/<\/html/i.test(text.slice(-2000)),
});
const mhtml: Form = async (text) => ({
  value: (await import('./chat-pages.ts')).conversationsOfMhtml(text),
});
const xml: Form = async (text) => (await import('./chat-pages.ts')).valueOfXml(text);
const activities: Form = async (text) => {
  const { markdownOf } = await import('./chat-pages.ts');
  return { value: sessionsOfActivities(activitiesIn(recordsIn(text).flat(), markdownOf)) };
};
const commented: Form = (text) => {
  const bare = withoutComments(text);
  const value = parseJson(bare);
  return {
    value: value ?? attempted(recordsOf(bare).flatMap(({ value }) => (value === undefined ? [] : [value]))),
  };
};
const attempted = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);
const yaml: Form = (text) => ({
  value: listsIn(
    attempt(() => parse(text, { schema: 'core' }) as unknown, undefined, 'a file that is no YAML'),
  ),
});

/** The one document of a file, or its lines; a line that is no JSON stays a text. */
function recordsIn(text: string): unknown[] {
  const whole = parseJson(text);
  if (whole !== undefined) return [whole];
  return /^\s*\{\s*[\r\n]/.test(text.slice(0, 1000))
    ? indented(text)
    : recordsOf(text).map(({ value, line }) => value ?? line);
}

/** Documents of several lines, one behind another, of which each begins and ends at the margin. */
function indented(text: string): unknown[] {
  const documents: unknown[] = [];
  let lines: string[] = [];
  const end = () => {
    const document = lines.join('\n').trim().replace(/,$/, '');
    if (document !== '') documents.push(parseJson(document) ?? document);
    lines = [];
  };
  for (const line of linesOf(text)) {
    if (line.startsWith('{')) end();
    lines.push(line);
    if (line.startsWith('}')) end();
  }
  end();
  return documents;
}

async function wholeOf(file: SourceFile, signal: AbortSignal): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of chunksOf(file, signal)) pieces.push(piece);
  return decode(
    joined(
      pieces,
      pieces.reduce((sum, { length }) => sum + length, 0),
    ),
  );
}

/** YAML that holds lists or names, and is no bare text. */
const listsIn = (value: unknown): unknown =>
  Array.isArray(value) ? value : isFields(value) ? [value] : undefined;

const AIDER = /^# aider chat started at /m;

/** JSON without the comments that editors allow; strings keep their content. Reads each character once. */
function withoutComments(text: string): string {
  let [out, from, inString] = ['', 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (inString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) {
      const isLine = text[at + 1] === '/';
      const end = text.indexOf(isLine ? '\n' : '*/', at + 2);
      out += text.slice(from, at);
      from = end < 0 ? text.length : end + (isLine ? 0 : 2);
      at = from - 1;
    }
  }
  return out + text.slice(from);
}

// ------------------------------------------------------------------------------------------------ ChatGPT's page
/** The page of an export holds all conversations in a script. */
const PAGE = /\bjsonData\s*=\s*\[/;
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d,
];

function pageOf(file: SourceFile): SourceFile {
  async function* stream(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let [depth, inString, escaped, isBegun] = [0, false, false, false];
    let before: Uint8Array = new Uint8Array(0);
    for await (const chunk of chunksOf(file, signal)) {
      let piece = chunk;
      if (!isBegun) {
        before = joined([before, chunk], before.length + chunk.length);
        // Each byte is one character in Latin-1, so that places are the same.
        const head = String.fromCharCode(...before.subarray(0, HEAD_BYTES));
        const found = PAGE.exec(head);
        if (!found) continue;
        piece = before.subarray(found.index + found[0].length - 1);
        isBegun = true;
      }
      for (let at = 0; at < piece.length; at += 1) {
        const byte = piece[at] as number;
        if (escaped) escaped = false;
        else if (inString) {
          if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) inString = false;
        } else if (byte === QUOTE) inString = true;
        else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
        else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
          depth -= 1;
          if (depth > 0) continue;
          yield piece.subarray(0, at + 1);
          return;
        }
      }
      yield piece;
    }
  }
  return {
    path: file.path.replace(ENDING, '').concat('.json'),
    size: file.size,
    modifiedAt: file.modifiedAt,
    ...(file.damage ? { damage: file.damage } : {}),
    stream,
    bytes: async (signal) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of stream(signal)) pieces.push(piece);
      return joined(
        pieces,
        pieces.reduce((sum, { length }) => sum + length, 0),
      );
    },
  };
}
/** Part of a page in which its script begins, bytes. */
const HEAD_BYTES = 64 * 1024;

// ------------------------------------------------------------------------------------------------ tables
const SPEAKER_COLUMN = /^(?:role|sender|from|author|speaker)$/;
const WORDS_COLUMN = /^(?:content|text|message|body|value)$/;

/** Names of the columns, or undefined for a table that has none for who spoke or none for the words. */
function columnsOf(line: string, separator: string): readonly string[] | undefined {
  const [names = []] = separatedRows(line.replace(/^\uFEFF/, ''), separator);
  const columns = names.map((name) => name.trim().toLowerCase().replace(/[ -]/g, '_'));
  return columns.some((name) => SPEAKER_COLUMN.test(name)) && columns.some((name) => WORDS_COLUMN.test(name))
    ? columns
    : undefined;
}

/** Reads tables with such columns by this separator; undefined for any other first line. */
function tableBy(line: string, separator: string): Form | undefined {
  const columns = columnsOf(line, separator);
  return columns && ((text) => ({ value: rowsOf(text, separator, columns) }));
}

function rowsOf(text: string, separator: string, columns: readonly string[]): unknown[] {
  return [...separatedRows(text.replace(/^\uFEFF/, ''), separator)]
    .slice(1)
    .filter((row) => row.some((cell) => cell.trim() !== ''))
    .map((row) => {
      const { conversation, ...fields } = Object.fromEntries(
        columns.map((name, at) => [name, row[at] ?? '']),
      );
      // Copilot tells conversations apart by their titles.
      return conversation === undefined
        ? fields
        : { conversation_id: conversation, conversation_title: conversation, ...fields };
    });
}
