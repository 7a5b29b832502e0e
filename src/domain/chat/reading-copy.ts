// A conversation as a file for people, written by this app: which one it is of, and whether anybody changed the file since.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { asConversationId, type ConversationId } from '../base/ids.ts';

export interface ReadingCopy {
  readonly of: ConversationId;
  /** All of it stands as it was written. */
  readonly isUnchanged: boolean;
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Front matter as the exporter writes it; a file of an earlier version has no checksum. */
const frontSchema = z.object({
  id: z.string().regex(UUID_V7),
  messages: z.number(),
  checksum: z.string().optional(),
});

/** 32 hex digits that depend on the words of a file below its front matter. Editors change line ends and blanks: these do not count. */
export const checksumOf = (body: string): string =>
  bytesToHex(sha256(utf8ToBytes(body.replace(/\s+/g, '')))).slice(0, 32);

/** Undefined for a file that another tool wrote. */
export function readingCopy(front: unknown, body: string): ReadingCopy | undefined {
  const { data } = frontSchema.safeParse(front);
  if (!data) return undefined;
  return { of: asConversationId(data.id), isUnchanged: data.checksum === checksumOf(body) };
}
