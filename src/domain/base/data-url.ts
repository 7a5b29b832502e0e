// Bytes as text: base64, and the `data:` URLs in which files lie (RFC 2397).
import { log } from './log.ts';

declare const atob: (text: string) => string;
declare const TextEncoder: new () => { encode(text: string): Uint8Array<ArrayBuffer> };
declare const btoa: (binary: string) => string;

/** Bytes for which one call makes characters: a call takes a limited number of arguments. */
const AT_ONCE = 0x8000;

/** Encodes bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE)
    binary += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(binary);
}

/** Decodes base64. Throws an InvalidCharacterError if it is none. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** Encodes bytes as a `data:` URL. `mediaType` may have parameters. */
export const dataUrlOf = (mediaType: string, bytes: Uint8Array): string =>
  `data:${mediaType};base64,${toBase64(bytes)}`;

/**
 * Decodes the bytes of a `data:` URL, base64 or percent-encoded; null if it is none, or not in the encoding it names.
 */
export function bytesOfDataUrl(url: string): Uint8Array<ArrayBuffer> | null {
  const comma = url.indexOf(',');
  if (comma < 0 || !/^data:/i.test(url.slice(0, 5))) return null;
  const data = url.slice(comma + 1);
  try {
    return /;base64$/i.test(url.slice(0, comma))
      ? fromBase64(data)
      : new TextEncoder().encode(decodeURIComponent(data));
  } catch (error) {
    log.debug('A file is not in the encoding that its address names', error);
    return null;
  }
}
