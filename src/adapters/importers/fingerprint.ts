// Makes ids from content, for formats that have none.
import { hashOfText } from '../../domain/base/hash.ts';

/** Hashes all parts and their order to 32 hex digits (SHA-256, cut to 128 bits). */
export const fingerprint = (...parts: readonly string[]): string => hashOfText(JSON.stringify(parts), 32);
