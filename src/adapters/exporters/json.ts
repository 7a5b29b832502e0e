// Writes our own JSON, complete: the importer reads it back as an equal library. One message per line,
// so that two exports can be compared.
import { RecollectError } from '../../domain/base/errors.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_LIMITS,
  ARCHIVE_VERSION,
  type ArchiveLimits,
  archivedFrame,
  hasAnyEntry,
} from '../../domain/chat/archive.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Exporter } from './exporter.ts';

/** Bytes are passed on in pieces of about this size. */
const PIECE = 256 * 1024;

/** Throws `export-too-large` rather than write a file that the importer would refuse. */
export const jsonWithin = (limits: ArchiveLimits): Exporter => ({
  id: 'json',
  label: 'Recollect (JSON)',
  extension: () => 'json',
  mediaType: () => 'application/json',

  async *write(conversations, { now, signal, notesAndFeedback }) {
    const encoder = new TextEncoder();
    let text = `{"format":${JSON.stringify(ARCHIVE_FORMAT)},"version":${ARCHIVE_VERSION},"exportedAt":${now},${hasAnyEntry(notesAndFeedback) ? `"told":${JSON.stringify(notesAndFeedback)},` : ''}\n"conversations":[`;
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
        // A long text is passed on alone: two might be longer than one string can be.
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

/** Size in UTF-8, bytes; a lone surrogate is written as an escape. */
function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    // Each half of a pair counts for two of its four bytes.
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
