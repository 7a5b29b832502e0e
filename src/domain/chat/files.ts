// Files in a message: which of them are text, their words, and the place of words in a document.

import { fromBase64 } from '../base/data-url.ts';
import { log } from '../base/log.ts';
import type { ExtractedText, PartOf, SectionPlace } from './message.ts';

/** True if files of this media type are text. Drawings in SVG are pictures. */
export const isTextType = (mediaType: string): boolean =>
  /^text\/|^application\/(json|xml|x?-?yaml|toml|javascript|typescript|sql|x-sh|x-ndjson)\b|\+(json|xml)$/i.test(
    mediaType,
  ) && !/^image\/svg\+xml/i.test(mediaType);

// The platform's function, whose type this floor does not have.
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };

/** Longest text of one part that is read for memory and shown, characters. The log has the rest. */
export const READ_UP_TO = 400_000;
/** Bytes that the longest character takes in UTF-8. */
const BYTES_OF_CHARACTER = 4;

/** Label of a place for models and the index: `page 3`, `sheet Costs A1:D20`. */
export const placeLabel = ({ kind, name }: SectionPlace): string =>
  `${kind} ${name}`.replace(/[\s[\]·]+/g, ' ').trim();

/** Joins a document into one text, each place in a line of its own above its words; at most `most` characters. */
export function extractText(
  { sections }: Pick<ExtractedText, 'sections'>,
  most = Number.POSITIVE_INFINITY,
): string {
  const out: string[] = [];
  let length = 0;
  for (const { place, text } of sections) {
    if (length > most) break;
    const words = place ? `[${placeLabel(place)}]\n${text}` : text;
    out.push(words);
    length += words.length + 2;
  }
  return out.join('\n\n').slice(0, most);
}

/** Line above each passage of a document in the index: its file and place. */
export const sourceLine = (file: string, place: SectionPlace | undefined): string =>
  `[${file.replace(/[\s[\]·]+/g, ' ').trim()}${place ? ` · ${placeLabel(place)}` : ''}]`;

const SOURCE_LINE = /^\[([^[\]·\n]{1,300}) · (page|slide|sheet|rows|chapter|section) ([^[\]·\n]{1,300})\]\n/;

export interface PassageSource {
  readonly file: string;
  readonly place: SectionPlace;
}

/** Splits a passage into the file and place it is from (null: it was said) and its words. */
export function passageSource(passage: string): {
  readonly source: PassageSource | null;
  readonly text: string;
} {
  const [line, file, kind, name] = SOURCE_LINE.exec(passage) ?? [];
  if (line === undefined || file === undefined || kind === undefined || name === undefined)
    return { source: null, text: passage };
  return { source: { file, place: { kind, name } }, text: passage.slice(line.length) };
}

/**
 * Returns at most the first `most` characters of a file's words, or of its extracted text; null for a file without
 * words, without its bytes, or with bytes that are no text. Bytes that are no UTF-8 become U+FFFD.
 */
export function textOfFile(
  { mediaType, url, extract }: PartOf<'file'>,
  most = Number.POSITIVE_INFINITY,
): string | null {
  if (extract) return extractText(extract, most);
  const head = isTextType(mediaType) ? /^data:([^,]*),/i.exec(url ?? '') : null;
  if (!head || url === undefined) return null;
  const from = head[0].length;
  try {
    if (!/;base64$/i.test(head[1] as string)) return decodeURIComponent(url.slice(from)).slice(0, most);
    // Four digits are three bytes.
    const digits = Math.ceil((most * BYTES_OF_CHARACTER) / 3) * 4;
    return new TextDecoder().decode(fromBase64(url.slice(from, from + digits))).slice(0, most);
  } catch (error) {
    log.debug('An attached file is not in the encoding it names', error);
    return null;
  }
}
