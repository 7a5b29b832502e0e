// Identity by content, for what has none of its own.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** 32 hex digits that depend on all parts and their order (SHA-256, cut to 128 bits). */
export const fingerprint = (...parts: readonly string[]): string =>
  bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts)))).slice(0, 32);
