// Makes ids from content, for formats that have none.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Hashes all parts and their order to 32 hex digits (SHA-256, cut to 128 bits). */
export const fingerprint = (...parts: readonly string[]): string =>
  bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts)))).slice(0, 32);
