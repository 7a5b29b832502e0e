// Files in a message: which of them are words, and what those say.

import { log } from '../base/log.ts';
import type { PartOf } from './message.ts';

/** Whether a file of this media type is words. Drawings in SVG are pictures. */
export const isTextType = (mediaType: string): boolean =>
  /^text\/|^application\/(json|xml|x?-?yaml|toml|javascript|typescript|sql|x-sh|x-ndjson)\b|\+(json|xml)$/i.test(
    mediaType,
  ) && !/^image\/svg\+xml/i.test(mediaType);

// The platform's, which this floor does not know.
declare const atob: (digits: string) => string;
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };

/** Bytes that the longest character takes in UTF-8. */
const BYTES_OF_CHARACTER = 4;

/**
 * The words of a file, at most the first `most` characters of them; null where it is none of words, came without its bytes, or holds bytes
 * that are none. Bytes that are no UTF-8 become U+FFFD.
 */
export function textOfFile(
  { mediaType, url }: PartOf<'file'>,
  most = Number.POSITIVE_INFINITY,
): string | null {
  const head = isTextType(mediaType) ? /^data:([^,]*),/i.exec(url ?? '') : null;
  if (!head || url === undefined) return null;
  const from = head[0].length;
  try {
    if (!/;base64$/i.test(head[1] as string)) return decodeURIComponent(url.slice(from)).slice(0, most);
    // Four digits are three bytes.
    const digits = Math.ceil((most * BYTES_OF_CHARACTER) / 3) * 4;
    const binary = atob(url.slice(from, from + digits));
    return new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0))).slice(0, most);
  } catch (error) {
    log.debug('An attached file is not in the encoding it names', error);
    return null;
  }
}
