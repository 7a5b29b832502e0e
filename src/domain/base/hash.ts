// Makes ids and keys from texts.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * Returns the first `digits` hexadecimal digits (of 64) of the text's SHA-256, in UTF-8. Devices store ids and keys
 * that are made with it, so it never changes.
 */
export const hashOfText = (text: string, digits = 64): string =>
  bytesToHex(sha256(utf8ToBytes(text))).slice(0, digits);
