// Our own JSON, complete: what the importer reads back is an equal library. One message per line, so that a diff of two exports reads.
import { RecollectError } from '../../domain/base/errors.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_LIMITS,
  ARCHIVE_VERSION,
  type ArchiveLimits,
  archivedFrame,
  holdsAnything,
} from '../../domain/chat/archive.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Exporter } from './exporter.ts';

/** Bytes are handed on when this many have come together. */
const PIECE = 256 * 1024;

/** Throws `export-too-large` rather than write what the importer would not take. */
export const jsonWithin = (limits: ArchiveLimits): Exporter => ({
  id: 'json',
  label: 'Recollect (JSON)',
  extension: () => 'json',
  mediaType: () => 'application/json',

  async *write(conversations, { now, signal, notesAndFeedback }) {
    const encoder = new TextEncoder();
    let text = `{"format":${JSON.stringify(ARCHIVE_FORMAT)},"version":${ARCHIVE_VERSION},"exportedAt":${now},${holdsAnything(notesAndFeedback) ? `"told":${JSON.stringify(notesAndFeedback)},` : ''}\n"conversations":[`;
    let first = true;
    for await (const conversation of conversations) {
      signal.throwIfAborted();
      const frame = JSON.stringify(archivedFrame(conversation)).slice(0, -1);
      text += `${first ? '' : ','}\n${frame},"messages":[`;
      first = false;
      let separator = '';
      let size = byteLength(frame);
      for (const message of conversation.messages.values()) {
        const line = textOr(message, conversation);
        const bytes = byteLength(line);
        size += bytes + 2;
        if (bytes > limits.message || size > limits.conversation) throw tooLarge(conversation);
        // A long one by itself: two of them might be more than one text can hold.
        if (text.length + line.length >= PIECE) {
          yield encoder.encode(`${text}${separator}\n`);
          text = '';
          separator = '';
        } else text += `${separator}\n`;
        text += line;
        separator = ',';
      }
      text += ']}';
    }
    yield encoder.encode(`${text}\n]}\n`);
  },
});

export const json: Exporter = jsonWithin(ARCHIVE_LIMITS);

/** Bytes in UTF-8; half a character is written as an escape. */
function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    // Either half of a pair counts for two of its four bytes.
    bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return bytes;
}

/** A text that no browser can hold cannot be written either. */
function textOr(message: unknown, conversation: Conversation): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    throw tooLarge(conversation, cause);
  }
}

const tooLarge = ({ meta }: Conversation, cause?: unknown) =>
  new RecollectError('export-too-large', 'This conversation could not be read back', {
    params: { title: meta.title },
    ...(cause === undefined ? {} : { cause }),
  });
