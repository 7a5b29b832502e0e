// Our own JSON, complete: what the importer reads back is an equal library. One message per line, so that a diff of two exports reads.
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, archivedFrame, holdsSomething } from '../../domain/chat/archive.ts';
import type { Exporter } from './exporter.ts';

/** Text is handed on when this many characters have come together. */
const PIECE = 256 * 1024;

export const json: Exporter = {
  id: 'json',
  label: 'Recollect (JSON)',
  extension: () => 'json',
  mediaType: () => 'application/json',

  async *write(conversations, { now, signal, told }) {
    const encoder = new TextEncoder();
    let text = `{"format":${JSON.stringify(ARCHIVE_FORMAT)},"version":${ARCHIVE_VERSION},"exportedAt":${now},${holdsSomething(told) ? `"told":${JSON.stringify(told)},` : ''}\n"conversations":[`;
    let first = true;
    for await (const conversation of conversations) {
      signal.throwIfAborted();
      const frame = JSON.stringify(archivedFrame(conversation)).slice(0, -1);
      text += `${first ? '' : ','}\n${frame},"messages":[`;
      first = false;
      let separator = '';
      for (const message of conversation.messages.values()) {
        text += `${separator}\n${JSON.stringify(message)}`;
        separator = ',';
        if (text.length < PIECE) continue;
        yield encoder.encode(text);
        text = '';
      }
      text += ']}';
    }
    yield encoder.encode(`${text}\n]}\n`);
  },
};
