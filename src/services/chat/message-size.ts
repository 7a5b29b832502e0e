// Refuses messages that are too large to be kept and sent.
import { RecollectError } from '../../domain/base/errors.ts';
import type { Part } from '../../domain/chat/message.ts';

/** Longest text of one message, bytes of UTF-8. */
export const MAX_TEXT_BYTES = 10 * 1024 * 1024;
/** Largest size of a message's files, as stored (data URLs), bytes. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Throws `message-too-large` for more than 10 MB of text or 64 MB of files. */
export function refuseTooLarge(parts: readonly Part[]): void {
  const texts = parts.flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : []));
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  // A UTF-16 unit takes at most three bytes: the exact count is needed only near the limit.
  const bytes =
    units * 3 <= MAX_TEXT_BYTES
      ? units
      : texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
  const files = parts.reduce(
    (sum, part) =>
      sum +
      (part.type === 'file'
        ? (part.url?.length ?? 0) +
          (part.extract?.sections ?? []).reduce((of, { text }) => of + text.length, 0)
        : 0),
    0,
  );
  const notify = (kind: 'text' | 'files', size: number, limit: number) => {
    if (size <= limit) return;
    const inMb = (value: number) => Math.ceil((value / 1024 / 1024) * 10) / 10;
    throw new RecollectError('message-too-large', `A message may have ${inMb(limit)} MB of ${kind}.`, {
      params: { kind, size: inMb(size), limit: inMb(limit) },
    });
  };
  notify('text', bytes, MAX_TEXT_BYTES);
  notify('files', files, MAX_FILE_BYTES);
}
