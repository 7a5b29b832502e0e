// Files whose conversations stand in another form than JSON for programs: the page of a ChatGPT export, logs of coding
// agents, tables and YAML with lists of messages. Each is handed on as the JSON that the importers read.
import { parse } from 'yaml';
import { isFields } from '../../domain/base/json.ts';
import { attempt } from '../../domain/base/log.ts';
import { aiderSessions, sessionsIn } from './agent-logs.ts';
import type { SourceFile } from './importer.ts';
import { decode, parseJson, recordsOf } from './lenient-json.ts';
import { chunksOf, headOf, joined } from './source-file.ts';

/** Largest file that is turned into JSON, bytes. */
const MAX_BYTES = 192 * 1024 * 1024;

const ENDING = /\.(?:html?|jsonl?|csv|tsv|ya?ml|md)$/i;
/** Marks of agents' logs; no list of messages that is read as it is has them. */
const OF_AGENTS =
  /"type"\s*:\s*"(?:session_meta|response_item)"|"parentUuid"\s*:|"projectHash"\s*:|"info"\s*:\s*\{\s*"id"\s*:\s*"ses|"responderUsername"\s*:|"instructions"\s*:/;

/** Holds the file that was turned into JSON last: several readers look at one before the next. */
export interface LastForm {
  of?: { readonly file: SourceFile; readonly bytes: Uint8Array };
}

/**
 * Turns a file of another form into JSON, under its own name; undefined if it is in none. Ids and order are kept.
 * Reading the result throws the problems of reading the file.
 */
export async function inJson(
  file: SourceFile,
  last: LastForm,
  signal: AbortSignal,
): Promise<SourceFile | undefined> {
  const ending = ENDING.exec(file.path)?.[0].toLowerCase();
  if (ending === undefined || file.size === 0 || file.size > MAX_BYTES) return undefined;
  const head = decode(await headOf(file, signal));
  if (/^\.html?$/.test(ending)) return PAGE.test(head) ? pageOf(file) : undefined;
  if (/^\.jsonl?$/.test(ending) && !OF_AGENTS.test(head)) return undefined;
  if (ending === '.md' && !AIDER.test(head)) return undefined;
  const bytesOf = async (cancel: AbortSignal) => {
    if (last.of?.file === file) return last.of.bytes;
    const value = messagesIn(await wholeOf(file, cancel), ending);
    const bytes = new TextEncoder().encode(value === undefined ? '' : JSON.stringify(value));
    last.of = { file, bytes };
    return bytes;
  };
  if ((await bytesOf(signal)).length === 0) return undefined;
  return {
    path: file.path.replace(ENDING, '.json'),
    size: file.size,
    modifiedAt: file.modifiedAt,
    ...(file.damage ? { damage: file.damage } : {}),
    bytes: bytesOf,
  };
}

/** The one document of a file, or its lines; a line that is no JSON stays a text. */
function recordsIn(text: string): unknown[] {
  const whole = parseJson(text);
  return whole === undefined ? recordsOf(text).map(({ value, line }) => value ?? line) : [whole];
}

/** Conversations as lists of messages; undefined if the text has none. */
function messagesIn(text: string, ending: string): unknown {
  if (ending === '.md') return aiderSessions(text);
  return /^\.jsonl?$/.test(ending)
    ? sessionsIn(recordsIn(text))
    : /ya?ml$/.test(ending)
      ? listsIn(
          attempt(() => parse(text, { schema: 'core' }) as unknown, undefined, 'a file that is no YAML'),
        )
      : rowsOf(text, ending === '.tsv' ? '\t' : ',');
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
    path: file.path.replace(ENDING, '.json'),
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

/** Rows of a table with a column for who spoke and one for the words; undefined for any other table. */
function rowsOf(text: string, separator: string): unknown[] | undefined {
  const [names, ...rows] = cellsOf(text.replace(/^\uFEFF/, ''), separator);
  const columns = (names ?? []).map((name) => name.trim().toLowerCase().replace(/[ -]/g, '_'));
  if (!columns.some((name) => SPEAKER_COLUMN.test(name)) || !columns.some((name) => WORDS_COLUMN.test(name)))
    return undefined;
  return rows
    .filter((row) => row.some((cell) => cell.trim() !== ''))
    .map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? ''])));
}

/** Cells of a table (RFC 4180): a quoted cell may hold separators, line ends and doubled quotes. */
function cellsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  let [cell, isQuoted] = ['', false];
  const endCell = () => {
    rows.at(-1)?.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (sign === '"' && cell === '') isQuoted = true;
    else if (sign === separator) endCell();
    else if (sign === '\n') {
      endCell();
      rows.push([]);
    } else if (sign !== '\r') cell += sign;
  }
  endCell();
  return rows;
}
