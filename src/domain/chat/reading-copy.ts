// Recognises a conversation's Markdown file written by this app: its conversation,
// and if anybody changed the file since.

import { z } from 'zod';
import { hashOfText } from '../base/hash.ts';
import { asConversationId, type ConversationId } from '../base/ids.ts';

export interface ReadingCopy {
  readonly of: ConversationId;
  /** True if the file is as it was written. */
  readonly isUnchanged: boolean;
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Front matter as the exporter writes it; a file of an earlier version has no checksum. */
const frontSchema = z.object({
  id: z.string().regex(UUID_V7),
  messages: z.number(),
  checksum: z.string().optional(),
});

/**
 * Computes 32 hex digits from the words below the front matter. Line ends and blanks do
 * not count, since editors change them.
 */
export const checksumOf = (body: string): string => hashOfText(body.replace(/\s+/g, ''), 32);

/** Undefined for a file of another tool. */
export function readingCopy(front: unknown, body: string): ReadingCopy | undefined {
  const { data } = frontSchema.safeParse(front);
  if (!data) return undefined;
  return { of: asConversationId(data.id), isUnchanged: data.checksum === checksumOf(body) };
}
