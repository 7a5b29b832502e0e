// Secret that one device hands to another so that it joins the account: a link (or its QR code), or 24 words.
//   link <app>/#pair=<base64url of: format 1 · key 32 · fingerprint 8 · flags · endpoint · realm · operator's token? ·
//   index hash?> words BIP-39, English: 256 bits of key and 8 of checksum
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { RecollectError } from '../base/errors.ts';
import { createByteReader, createByteWriter, fromText, toText } from './bytes.ts';

/** Length of the account key in bytes. */
export const KEY_BYTES = 32;
const FORMAT = 1;
/** Name of the fragment's parameter. */
export const PAIR_PARAMETER = 'pair';

export interface PairingOffer {
  /** The account key. Secret. */
  readonly key: Uint8Array;
  /** Four groups of four digits, for people to compare. */
  readonly fingerprint: string;
  /** Address of the relay; null in a phrase. */
  readonly endpoint: string | null;
  /** Realm: which of this key's accounts on the relay is meant; '' unless a link says otherwise. */
  readonly realm: string;
  /** Token of an operator's account (managed), if there is one. */
  readonly token: string | null;
  /** Hash of the index as the offering device saw it: it reveals a relay that shows a newcomer an older index. */
  readonly index: Uint8Array | null;
}

const FINGERPRINT_BYTES = 8;

const fingerprintBytes = (key: Uint8Array): Uint8Array =>
  sha256(concatBytes(utf8ToBytes('recollect fingerprint'), key)).slice(0, FINGERPRINT_BYTES);

/** Identifies an account without revealing its key: 64 bits of a hash, as `0123-4567-89ab-cdef`. */
export function fingerprintOf(key: Uint8Array): string {
  const hex = [...fingerprintBytes(key)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return (hex.match(/.{4}/g) ?? []).join('-');
}

/** Returns the 24 words of a key. */
export const phraseOf = (key: Uint8Array): string => entropyToMnemonic(key, wordlist);

/** Returns the fragment of a pairing link, with its `#`. */
export function fragmentOf(offer: PairingOffer): string {
  const writer = createByteWriter();
  writer.byte(FORMAT);
  writer.raw(offer.key);
  writer.raw(fingerprintBytes(offer.key));
  writer.byte((offer.token === null ? 0 : 1) | (offer.index === null ? 0 : 2));
  writer.bytes(utf8ToBytes(offer.endpoint ?? ''));
  writer.bytes(utf8ToBytes(offer.realm));
  if (offer.token !== null) writer.bytes(utf8ToBytes(offer.token));
  if (offer.index !== null) writer.bytes(offer.index);
  return `#${PAIR_PARAMETER}=${toText(writer.finish())}`;
}

/** Parses a link, its fragment or a phrase. Throws `sync-link`, `sync-phrase`. */
export function readPairing(text: string): PairingOffer {
  const trimmed = text.trim();
  const inLink = /(?:^|[#&?])pair=([\w-]+)/.exec(trimmed)?.[1];
  return inLink !== undefined ? readFragment(inLink) : readPhrase(trimmed);
}

function readFragment(value: string): PairingOffer {
  try {
    const reader = createByteReader(fromText(value));
    if (reader.byte() !== FORMAT) throw new Error('Another format');
    const key = reader.raw(KEY_BYTES);
    const printed = reader.raw(FINGERPRINT_BYTES);
    if (fingerprintBytes(key).some((byte, at) => byte !== printed[at])) throw new Error('Wrong fingerprint');
    const flags = reader.byte();
    const endpoint = utf8(reader.bytes());
    const realm = utf8(reader.bytes());
    const token = flags & 1 ? utf8(reader.bytes()) : null;
    const index = flags & 2 ? reader.bytes() : null;
    return {
      key,
      fingerprint: fingerprintOf(key),
      endpoint: endpoint === '' ? null : endpoint,
      realm,
      token,
      index,
    };
  } catch (cause) {
    throw new RecollectError('sync-link', 'This pairing link is not complete', { cause });
  }
}

/** Normalises text with words: an input method may write commas, spaces, digits and even letters in full width. */
export const plainWords = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Returns the words of a list without numbers, commas (Chinese ones too) and line breaks between them. */
export const wordsIn = (text: string): string[] =>
  plainWords(text)
    .split(/[\s,;.、。]+/)
    .map((word) => word.replace(/^\d+[.)]?/, ''))
    .filter(Boolean);

function readPhrase(text: string): PairingOffer {
  const words = wordsIn(text);
  const known = new Set(wordlist);
  const unknown = words.filter((word) => !known.has(word));
  try {
    if (words.length !== 24) throw new Error(`${words.length} words`);
    const key = Uint8Array.from(mnemonicToEntropy(words.join(' '), wordlist));
    return { key, fingerprint: fingerprintOf(key), endpoint: null, realm: '', token: null, index: null };
  } catch (cause) {
    throw new RecollectError('sync-phrase', 'These are not the 24 words of an account', {
      params: { count: words.length, words: unknown.slice(0, 5).join(', ') },
      cause,
    });
  }
}

/** Decodes UTF-8; this floor has no TextDecoder. */
function utf8(bytes: Uint8Array): string {
  const encoded = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return decodeURIComponent(encoded);
}
