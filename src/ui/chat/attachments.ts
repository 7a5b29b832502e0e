// Prepares files for a message: scales pictures down, reads documents and texts, and
// refuses everything else with a reason.
import type { ExtractionRefusal as NotExtracted } from '../../adapters/extractors/extractor.ts';
import { documentType } from '../../adapters/extractors/index.ts';
import type { Extraction } from '../../adapters/extractors/thread.ts';
import { dataUrlOf } from '../../domain/base/data-url.ts';
import { log } from '../../domain/base/log.ts';
import type { PartOf } from '../../domain/chat/message.ts';
import { decodeFile } from '../../domain/text/encoding.ts';
import { isRichText, wordsOfRichText } from '../../domain/text/rich-text.ts';

type FilePart = PartOf<'file'>;

/** Longest side of a kept picture, px: models scale larger ones down anyway. */
const MAX_SIDE = 2048;
/** Pictures up to this size that need no scaling are sent unchanged, bytes. */
const KEEP_AS_IS = 3 * 1024 * 1024;
const MAX_IMAGE_BYTES = 40 * 1024 * 1024;
const MAX_TEXT_BYTES = 1024 * 1024;
/** Largest PDF, bytes: as base64 it must still fit into one request to a provider. */
const MAX_PDF_BYTES = 20 * 1024 * 1024;
export const MAX_FILES = 20;
/** Pastes longer than this become a file that can be turned back into text, characters. */
export const LONG_PASTE = 4000;

/**
 * True if the pasted files are only a picture of the pasted words: spreadsheets and word processors add one to the
 * clipboard. Browsers give such a picture this name; a copied file has its name as its text.
 */
export const picturesOfWords = (files: readonly Pick<File, 'name' | 'type'>[], words: string): boolean =>
  words.trim() !== '' &&
  files.every(
    ({ name, type }) =>
      type.startsWith('image/') && /^image\.\w+$/i.test(name) && !words.trim().endsWith(name),
  );

/**
 * Texts longer than this become a file, whatever their origin: the browser would take
 * seconds to lay them out at every key.
 */
const LONGEST_IN_FIELD = 500_000;

/**
 * Largest document whose bytes are kept: larger ones would be copied to all of the person's
 * devices, so only their text is kept.
 */
const MAX_KEPT_BYTES = 5 * 1024 * 1024;

/** Reason why a file is refused; names a sentence in the catalogue (`refused.<reason>`). */
type Refusal =
  | 'unreadable'
  | 'imageTooLarge'
  | 'imageBroken'
  | 'textTooLarge'
  | 'notText'
  | 'tooMany'
  | NotExtracted;
/** Remark about an attached document; names a sentence in the catalogue, too (`taken.<name>`). */
type Remark = 'pictures' | 'unread' | 'cut' | 'guessed';

type Attached =
  | { readonly ok: true; readonly part: FilePart; readonly remark?: Remark; readonly encoding?: string }
  | { readonly ok: false; readonly name: string; readonly reason: Refusal };

const SENDABLE = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

export interface ReadingOptions {
  readonly extraction: Extraction;
  readonly signal: AbortSignal;
  /** Reports how many pages, sheets or chapters have been read, and of how many. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** True if reading the file takes long enough to show progress. */
export const isDocument = ({ name, type }: File): boolean => documentType(name, type) !== null;

/**
 * File signatures (magic numbers) for files whose name and type do not say what they are.
 * Each character of a pattern is a byte.
 */
const SIGNATURES: readonly (readonly [signature: RegExp, mediaType: string])[] = [
  [/^%PDF-/, 'application/pdf'],
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
];
const SIGNATURE_BYTES = 16;

/** Reads a file into a message part. Rejects only with the signal's reason, never because of the file's content. */
export async function attach(given: File, reading: ReadingOptions): Promise<Attached> {
  let file = given;
  try {
    const head = String.fromCharCode(...new Uint8Array(await file.slice(0, SIGNATURE_BYTES).arrayBuffer()));
    const type = SIGNATURES.find(([signature]) => signature.test(head))?.[1];
    if (type !== undefined && documentType(file.name, file.type) === null && !file.type.startsWith('image/'))
      file = new File([file], file.name, { type });
  } catch (error) {
    log.info('A file could not be opened', error);
    return { ok: false, name: file.name, reason: 'unreadable' };
  }
  const mediaType = documentType(file.name, file.type);
  if (mediaType !== null) return attachDocument(file, mediaType, reading);
  if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') return attachImage(file);
  return attachText(file);
}

async function attachDocument(
  file: File,
  mediaType: string,
  { extraction, ...options }: ReadingOptions,
): Promise<Attached> {
  const result = await extraction.extract(file, options);
  if (result.ok) {
    const { extract } = result;
    const url = file.size <= MAX_KEPT_BYTES ? { url: await dataUrl(file, mediaType) } : {};
    return {
      ok: true,
      part: { type: 'file', mediaType, name: file.name, ...url, extract },
      ...(extract.cut ? { remark: 'cut' as const } : {}),
    };
  }
  log.info('A document could not be read', result.reason);
  // A model may still read a PDF of pictures or one that our reader cannot parse; an HTML page may hold only a script.
  if (mediaType === 'application/pdf') return attachPdf(file, result.reason);
  if (mediaType.startsWith('text/') && result.reason !== 'tooLarge') return attachText(file);
  return { ok: false, name: file.name, reason: result.reason };
}

/** Attaches a PDF unchanged, without extracted text. */
async function attachPdf(file: File, reason: NotExtracted): Promise<Attached> {
  const refuse = (why: Refusal): Attached => ({ ok: false, name: file.name, reason: why });
  if (reason === 'encrypted' || file.size > MAX_PDF_BYTES) return refuse(reason);
  const head = new TextDecoder('latin1').decode(await file.slice(0, 1024).arrayBuffer());
  if (!head.includes('%PDF-')) return refuse('damaged');
  const mediaType = 'application/pdf';
  return {
    ok: true,
    part: { type: 'file', mediaType, name: file.name, url: await dataUrl(file, mediaType) },
    remark: reason === 'noText' ? 'pictures' : 'unread',
  };
}

const dataUrl = async (file: Blob, mediaType: string): Promise<string> =>
  dataUrlOf(mediaType, new Uint8Array(await file.arrayBuffer()));

async function attachImage(file: File): Promise<Attached> {
  const refuse = (reason: Refusal): Attached => ({ ok: false, name: file.name, reason });
  if (file.size > MAX_IMAGE_BYTES) return refuse('imageTooLarge');
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch (error) {
    log.info('A picture could not be read', error);
    return refuse('imageBroken');
  }
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
  try {
    if (scale === 1 && file.size <= KEEP_AS_IS && SENDABLE.includes(file.type))
      return { ok: true, part: await toPart(file, file.name) };
    const canvas = new OffscreenCanvas(
      Math.max(1, Math.round(bitmap.width * scale)),
      Math.max(1, Math.round(bitmap.height * scale)),
    );
    const context = canvas.getContext('2d');
    if (!context) return refuse('imageBroken');
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    // Keeps screenshots sharp as PNG while they are small; photographs become JPEG.
    let blob = await canvas.convertToBlob({ type: 'image/png' });
    if (blob.size > KEEP_AS_IS) {
      context.globalCompositeOperation = 'destination-over';
      context.fillStyle = 'white';
      context.fillRect(0, 0, canvas.width, canvas.height);
      blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.88 });
    }
    return { ok: true, part: await toPart(blob, file.name) };
  } catch (error) {
    log.info('A picture could not be read', error);
    return refuse('imageBroken');
  } finally {
    bitmap.close();
  }
}

async function attachText(file: File): Promise<Attached> {
  const refuse = (reason: Refusal): Attached => ({ ok: false, name: file.name, reason });
  if (file.size > MAX_TEXT_BYTES) {
    const head = new Uint8Array(await file.slice(0, 4096).arrayBuffer());
    return refuse(head.includes(0) ? 'notText' : 'textTooLarge');
  }
  try {
    const decoded = decodeFile(new Uint8Array(await file.arrayBuffer()));
    if (!decoded) return refuse('notText');
    const type = /^(text\/|application\/(json|xml|yaml|x-yaml))/.test(file.type) ? file.type : 'text/plain';
    const part = isRichText(decoded.text)
      ? textPart(wordsOfRichText(decoded.text), file.name)
      : textPart(decoded.text, file.name, type);
    return decoded.guess
      ? { ok: true, part, remark: 'guessed', encoding: decoded.guess }
      : { ok: true, part };
  } catch (error) {
    log.info('A file could not be read as text', error);
    return refuse('unreadable');
  }
}

/** True if the text field can hold the text without freezing the page. */
export const fitsField = (text: string): boolean => text.length <= LONGEST_IN_FIELD;

/** Makes a file part from text. */
export function textPart(text: string, name: string, mediaType = 'text/plain'): FilePart {
  return {
    type: 'file',
    mediaType: mediaType.split(';')[0] as string,
    name,
    url: dataUrlOf(`${mediaType.split(';')[0]};charset=utf-8`, new TextEncoder().encode(text)),
  };
}

const toPart = async (blob: Blob, name: string): Promise<FilePart> => ({
  type: 'file',
  mediaType: blob.type,
  name,
  url: await dataUrl(blob, blob.type),
});
