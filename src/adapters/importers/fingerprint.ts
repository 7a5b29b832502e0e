// Makes ids from content, for formats that have none.
import { hashOfText } from '../../domain/base/hash.ts';

/** Hashes all parts and their order to 32 hex digits (SHA-256, cut to 128 bits). */
export const fingerprint = (...parts: readonly string[]): string => hashOfText(JSON.stringify(parts), 32);

/** True for an id made from content, alone or behind `~` after the content of all its messages. */
export const isFingerprint = (id: string): boolean => /^[\da-f]{32}(?:~[\da-f]{32})?$/.test(id);
