// Files inside messages: bytes as data: URLs, media types by name.
import { dataUrlOf } from '../../domain/base/data-url.ts';
import type { PartOf } from '../../domain/chat/message.ts';
import type { SourceFile } from './importer.ts';
import { baseName } from './source-file.ts';

/** A larger file is named in the message but its bytes are not kept: every device would have to hold them. */
export const MAX_ATTACHMENT_BYTES = 32 * 1024 * 1024;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  avif: 'image/avif',
  heic: 'image/heic',
  bmp: 'image/bmp',
  pdf: 'application/pdf',
  txt: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  xml: 'application/xml',
  zip: 'application/zip',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
};

const UNKNOWN = 'application/octet-stream';

/** Media type by the name's ending; `application/octet-stream` if the ending is unknown. */
export const mediaTypeOf = (name: string): string =>
  MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? UNKNOWN;

/** True if the type names one kind of file: neither arbitrary bytes nor, as `image/*`, a whole family. */
export const isExact = (mediaType: string | undefined): mediaType is string =>
  mediaType !== undefined && /^[^/]+\/[^/*]+$/.test(mediaType) && mediaType !== UNKNOWN;

/** First bytes of files of each kind, as Latin-1. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[\s\S]{4}WEBP/, 'image/webp'],
  [/^%PDF-/, 'application/pdf'],
];

/** Media type by the first bytes; undefined if they match no known kind. */
function mediaTypeOfBytes(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  return BEGINNINGS.find(([beginning]) => beginning.test(head))?.[1];
}

/** Replaces the ending of a name such as `file-AbC.dat`, which exports use if they do not know the type. */
function namedAfter(name: string, mediaType: string): string {
  const ending = Object.entries(MEDIA_TYPES).find(([, type]) => type === mediaType)?.[0];
  return ending === undefined || !/(?:^[^.]+|\.dat)$/i.test(name)
    ? name
    : `${name.replace(/\.dat$/i, '')}.${ending}`;
}

/** Encodes a text as a data: URL. */
export const textUrl = (mediaType: string, text: string): string =>
  dataUrlOf(`${mediaType};charset=utf-8`, new TextEncoder().encode(text));

/** Media type of a data: URL; undefined for any other address. */
export const mediaTypeOfUrl = (url: string): string | undefined =>
  /^data:([^;,]*)/i.exec(url)?.[1]?.toLowerCase() || (/^data:/i.test(url) ? 'text/plain' : undefined);

/** True if a data: URL has more bytes than are kept; assumes base64, the usual form. */
export const isTooLarge = (url: string): boolean =>
  (url.length - url.indexOf(',') - 1) * 0.75 > MAX_ATTACHMENT_BYTES;

/**
 * Makes a file part, without bytes if the file is too large to keep, or damaged: a whole one may come later. The
 * bytes decide its type if name and declared type are vague.
 */
export async function filePart(
  file: SourceFile,
  details: { name?: string; mediaType?: string; reference?: string },
  signal: AbortSignal,
): Promise<PartOf<'file'>> {
  const name = details.name ?? baseName(file.path);
  const said = details.mediaType ?? mediaTypeOf(name);
  const reference = details.reference ?? file.path;
  const bytes = file.size > MAX_ATTACHMENT_BYTES ? undefined : await file.bytes(signal);
  // A ZIP may announce fewer bytes than it holds.
  if (!bytes || bytes.length > MAX_ATTACHMENT_BYTES || file.damage?.isFound)
    return { type: 'file', mediaType: said, name: namedAfter(name, said), reference };
  const mediaType = isExact(said) ? said : (mediaTypeOfBytes(bytes) ?? said);
  return {
    type: 'file',
    mediaType,
    name: namedAfter(name, mediaType),
    reference,
    url: dataUrlOf(mediaType, bytes),
  };
}
