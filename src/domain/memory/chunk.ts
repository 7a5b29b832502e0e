// Cuts a message into chunks, the unit of recall: what is shown, what is searched by words, what is embedded.
import { hashOfText } from '../base/hash.ts';
import { READ_UP_TO, sourceLine, textOfFile } from '../chat/files.ts';
import type { ExtractedText, Message } from '../chat/message.ts';
import { wordsOfUnknown } from '../chat/unknown.ts';
import { endWithinTokens, estimateTokens } from '../context/tokens.ts';
import { cleanHead } from '../privacy/scan.ts';
import { blocksOf } from '../text/code.ts';
import { speakerIn } from '../text/cues.ts';
import { sentencesOf } from '../text/sentences.ts';
import { dateWords } from '../text/spellings.ts';
import { endOf, startOf } from '../text/whole-characters.ts';
import { words } from '../text/words.ts';
import { isMemoryTool } from './own-tools.ts';

/** Most tokens in a chunk: the shipped models read 512, including prefix, speaker and the error of the estimate. */
export const CHUNK_TOKENS = 380;
/** A last piece smaller than this joins the one before it. */
const SMALL_TOKENS = 48;
/** Most chunks of one message: a pasted book must not bury the library. */
const MAX_CHUNKS = 400;
/** Most chunks with an attached document, some 600 pages. */
const MAX_DOCUMENT_CHUNKS = 1_500;
/** Longer code, and tool output, is shown and embedded by its beginning and end only; characters. */
const LONG_CODE = 4_000;
const HEAD = 900;
const TAIL = 400;
/** Most search words taken from the middle that is cut out. */
const MAX_MIDDLE_WORDS = 1_500;

/** Most characters of the previous message that precede the embedded text, as context. */
const CONTEXT = 300;
/**
 * Most tokens of a passage with its context; a longer one has none. Short passages need context, and the model's time
 * is proportional to length: with 300 characters of context for every passage, no set got better.
 */
const READ_TOKENS = 100;

/** Order of embedding: words of people and models, long code and attached texts, calls and results of tools. */
const CLASS = { said: 0, code: 1, attached: 1, tool: 2 } as const;
/** Attached texts that are read as prose; of any other, if it is longer than code may be, only the ends are. */
const PROSE = /^text\/(?:plain|markdown|html|rtf)\b/i;
const CLASS_STEP = 100_000_000;

export interface Chunk {
  readonly ordinal: number;
  readonly text: string;
  readonly words: string;
  readonly embedded: string;
  readonly hash: string;
  readonly priority: number;
}

export interface ChunkOptions {
  /** Removes secrets; `redact` with the person's keywords. */
  readonly redact: (text: string) => string;
  /** Speaker in front of the embedded text. Default: the name that the text opens with, else the role's. */
  readonly speaker?: string;
  /** The previous message, redacted; its end precedes the embedded text. */
  readonly before?: string;
}

const SPEAKERS: Readonly<Record<Message['role'], string>> = {
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
  system: 'System',
};

interface Piece {
  readonly text: string;
  readonly class: keyof typeof CLASS;
  /** Search words beyond those of the text. */
  readonly hidden?: string;
}

/** Splits a paragraph or line that is too long: at sentences, then at words, then anywhere. */
function splitLong(text: string, limit: number): string[] {
  const out: string[] = [];
  let held = '';
  const push = (piece: string, joint: string) => {
    const joined = held ? held + joint + piece : piece;
    if (estimateTokens(joined) <= limit) held = joined;
    else {
      if (held) out.push(held);
      held = piece;
    }
  };
  const hard = (piece: string) => {
    // A character costs at most one token, so `limit` characters always fit.
    const characters = [...piece];
    for (let i = 0; i < characters.length; i += limit) push(characters.slice(i, i + limit).join(''), '');
  };
  for (const sentence of sentencesOf(text)) {
    const joint = /[\p{Script=Han}。！？]$/u.test(held) ? '' : ' ';
    if (estimateTokens(sentence) <= limit) push(sentence, joint);
    else
      for (const word of sentence.split(/\s+/)) {
        if (estimateTokens(word) <= limit) push(word, ' ');
        else hard(word);
      }
  }
  if (held) out.push(held);
  return out;
}

/** Packs prose and short code into pieces of at most `limit` tokens, at paragraphs where possible. */
function pack(units: readonly string[], limit: number): string[] {
  const out: string[] = [];
  let held = '';
  let size = 0;
  for (const unit of units) {
    const cost = estimateTokens(unit);
    if (held && size + cost <= limit) {
      held += `\n\n${unit}`;
      size += cost + 1;
      continue;
    }
    if (held) out.push(held);
    held = unit;
    size = cost;
  }
  if (held) {
    const before = out.at(-1);
    if (before !== undefined && size < SMALL_TOKENS && estimateTokens(before) + size <= limit * 1.2)
      out[out.length - 1] = `${before}\n\n${held}`;
    else out.push(held);
  }
  return out;
}

/** Keeps the beginning and end of something long; the words of the middle stay findable. */
function ends(text: string, of: keyof typeof CLASS): Piece {
  if (text.length <= HEAD + TAIL + 200) return { text, class: of };
  const head = startOf(text, HEAD);
  const tail = endOf(text, TAIL);
  const middle = new Set(words(text.slice(head.length, text.length - tail.length)).split(' '));
  return {
    text: `${head.trimEnd()}\n…\n${tail.trimStart()}`,
    class: of,
    hidden: [...middle].slice(0, MAX_MIDDLE_WORDS).join(' '),
  };
}

function saidPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let units: string[] = [];
  const flush = () => {
    for (const piece of pack(units, CHUNK_TOKENS)) pieces.push({ text: piece, class: 'said' });
    units = [];
  };
  for (const block of blocksOf(text)) {
    if (block.kind === 'code') {
      if (estimateTokens(block.text) <= CHUNK_TOKENS) units.push(block.text.trim());
      else {
        flush();
        if (block.text.length > LONG_CODE) pieces.push(ends(block.text.trim(), 'code'));
        else
          for (const piece of pack(
            block.text
              .split('\n')
              .flatMap((line) =>
                estimateTokens(line) <= CHUNK_TOKENS ? [line] : splitLong(line, CHUNK_TOKENS),
              )
              .filter((line) => line.trim()),
            CHUNK_TOKENS,
          ))
            pieces.push({ text: piece.replaceAll('\n\n', '\n'), class: 'code' });
      }
      continue;
    }
    for (const paragraph of block.text.split(/\n[ \t]*\n+/)) {
      const clean = paragraph.trim();
      if (!clean) continue;
      if (estimateTokens(clean) <= CHUNK_TOKENS) units.push(clean);
      else units.push(...splitLong(clean, CHUNK_TOKENS));
    }
  }
  flush();
  return pieces;
}

/** Most characters, and levels, of a call's arguments that are read for their values. */
const [CALL_READ, CALL_DEPTH] = [20_000, 4];
/** Most characters of them in the line. */
const CALL_SHOWN = 400;

/** Lists the values of arguments as words. */
const valuesOf = (value: unknown, depth = CALL_DEPTH): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth === 0) return JSON.stringify(value);
  return Array.isArray(value)
    ? value.map((one) => valuesOf(one, depth - 1)).join(', ')
    : Object.entries(value)
        .map(([name, one]) => `${name}: ${valuesOf(one, depth - 1)}`)
        .join(', ');
};

/** A tool call in a line: its name and the plain values of its arguments. */
function callLine(name: string, args: string): string {
  let values: string;
  try {
    if (args.length > CALL_READ) throw new RangeError('too long to be read whole');
    values = valuesOf(JSON.parse(args));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    // Truncated, nested too deep, or no JSON: only its signs are removed.
    values = args.replace(/[{}[\]"]+/g, ' ').replace(/\\[nrt]/g, ' ');
  }
  const short = values.replace(/\s+/g, ' ').trim();
  return `${name}: ${short.length > CALL_SHOWN ? `${startOf(short, CALL_SHOWN)}…` : short}`;
}

/**
 * Returns the end of the previous message on one line, as long as `text` leaves space; a
 * line break separates it from the text.
 */
function contextOf(before: string, text: string): string {
  const line = before
    .slice(-CONTEXT * 2)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(-CONTEXT)
    .replace(/^[\udc00-\udfff]/, '');
  const end = endWithinTokens(line, READ_TOKENS - estimateTokens(text)).trim();
  return end && `${end}\n`;
}

/** 128 bits of SHA-256, hex: equal texts share a vector. */
export const hashOf = (text: string): string => hashOfText(text, 32);

/** Cuts an attached text into pieces: a long paste becomes one, and is asked for later like any words. */
const attachedPieces = (text: string, mediaType: string): Piece[] =>
  text.length > LONG_CODE && !PROSE.test(mediaType)
    ? [ends(text, 'attached')]
    : saidPieces(text).map((piece) => ({ ...piece, class: 'attached' }));

/** Cuts a document into pieces, section by section, each headed by the file and its page, sheet, slide or chapter. */
function documentPieces(
  name: string,
  { sections }: ExtractedText,
  redact: (text: string) => string,
): Piece[] {
  const pieces: Piece[] = [];
  for (const { place, text } of sections) {
    if (pieces.length >= MAX_DOCUMENT_CHUNKS) break;
    const words = redact(text.slice(0, READ_UP_TO)).trim();
    const line = redact(sourceLine(name, place));
    for (const piece of saidPieces(words)) pieces.push({ text: `${line}\n${piece.text}`, class: 'attached' });
  }
  return pieces;
}

/**
 * Cuts a message into chunks, in order, attached texts last; a picture, or a PDF
 * without words, gives its name. None for:
 * - notes, system prompts, answers given from memory
 * - letters of a model to an earlier point: no person said them, and their branch has the content
 * - reasoning, and recalls in an answer or by a tool: memories must not be remembered again as if they had been said
 */
export function chunksOf(message: Message, options: ChunkOptions): Chunk[] {
  if (message.kind !== 'message' || message.role === 'system' || message.dmail?.by === 'model') return [];
  const pieces: Piece[] = [];
  const attached: Piece[] = [];
  let hasDocument = false;
  for (const part of message.parts) {
    if (isMemoryTool(part)) continue;
    if (part.type === 'text') {
      const text = cleanHead(part.text, READ_UP_TO, options.redact).trim();
      if (text) pieces.push(...(message.role === 'tool' ? [ends(text, 'tool')] : saidPieces(text)));
    } else if (part.type === 'tool-result') {
      const text = cleanHead(part.text, READ_UP_TO, options.redact).trim();
      if (text) pieces.push(ends(text, 'tool'));
    } else if (part.type === 'tool-call')
      pieces.push({
        text: options.redact(callLine(part.name, part.arguments.slice(0, READ_UP_TO))),
        class: 'tool',
      });
    else if (part.type === 'file') {
      if (part.name) pieces.push({ text: options.redact(part.name), class: 'tool' });
      if (part.extract) {
        hasDocument = true;
        attached.push(...documentPieces(part.name ?? part.mediaType, part.extract, options.redact));
        continue;
      }
      const text = options.redact(textOfFile(part, READ_UP_TO) ?? '').trim();
      if (text && message.role === 'tool') pieces.push(ends(text, 'tool'));
      else if (text) attached.push(...attachedPieces(text, part.mediaType));
    } else if (part.type === 'unknown') {
      const text = options.redact(wordsOfUnknown(part.original)).trim();
      if (text) pieces.push(ends(text, 'tool'));
    }
  }
  const said = [...pieces, ...attached]
    .filter((piece) => /[\p{L}\p{N}]/u.test(piece.text))
    .slice(0, hasDocument ? MAX_DOCUMENT_CHUNKS : MAX_CHUNKS);
  const named = speakerIn(said[0]?.text ?? '');
  const speaker = options.speaker ?? named ?? SPEAKERS[message.role];
  const when = dateWords(message.createdAt);
  const age = Math.max(0, Math.floor(message.createdAt / 60_000));
  return said.map((piece, ordinal) => {
    const before = ordinal > 0 ? said[ordinal - 1]?.text : options.before;
    const embedded = `${contextOf(before ?? '', piece.text)}${piece.text.startsWith(`${speaker}:`) ? '' : `${speaker}: `}${piece.text}`;
    const own = words(piece.text);
    return {
      ordinal,
      text: piece.text,
      words: [own, piece.hidden, when].filter(Boolean).join(' '),
      embedded,
      hash: hashOf(embedded),
      // Newest first within a class; fits 32 bits until the year 2150.
      priority: CLASS[piece.class] * CLASS_STEP + CLASS_STEP - Math.min(age, CLASS_STEP),
    };
  });
}
