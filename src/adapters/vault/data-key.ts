// The data key of a locked device: everything stored here is sealed under keys derived from it. It is stored
// nowhere in clear; `key-slots.ts` wraps it. Each thread holds it as a CryptoKey that cannot be read out,
// for as long as the device is unlocked.
//
//   sealed record = MARK (4) · version (1) · nonce (12) · AES-256-GCM ciphertext and
//   tag (16) bound to the record's place
import { RecollectError } from '../../domain/base/errors.ts';
import type { RecordCipher } from '../../domain/base/record-cipher.ts';

/**
 * Families of records that are sealed apart. Each has an AES key of its own, so
 * random nonces stay far below 2^32 per key.
 */
type SealedFamily = 'log' | 'key-values' | 'index' | 'check' | 'box';

/** HKDF key material, not extractable; another thread may be handed it. */
export type DataKey = CryptoKey;

const DATA_KEY_BYTES = 32;
/** No UTF-8 text and no Yjs update that a device makes begins with these bytes. */
const MARK = Uint8Array.of(0xff, 0xc0, 0x52, 0x53);
const VERSION = 1;
const NONCE = 12;
const HEAD = MARK.length + 1 + NONCE;
const OVERHEAD = HEAD + 16;

const own = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;

function subtle(): SubtleCrypto {
  // TypeScript types `subtle` as always present; a page that another machine served over plain http has none.
  const there = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!there)
    throw new RecollectError('vault-unavailable', 'The browser offers no cryptography on this page');
  return there;
}

/** Makes a new data key of 32 random bytes. The caller wraps it at once and keeps no copy. */
export const newDataKey = (): Uint8Array => crypto.getRandomValues(new Uint8Array(DATA_KEY_BYTES));

/** Imports the data key in the form that threads hold. Throws `vault-unavailable` outside a secure context. */
export const holdDataKey = async (raw: Uint8Array): Promise<DataKey> =>
  await subtle().importKey('raw', own(raw), 'HKDF', false, ['deriveKey']);

/** Derives the cipher of one family of records. */
export async function cipherFor(key: DataKey, family: SealedFamily): Promise<RecordCipher> {
  const crypto = subtle();
  const info = new TextEncoder().encode(`recollect/lock/1|${family}`);
  const aes = await crypto.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info },
    key,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  );
  const parameters = (place: string, nonce: Uint8Array) => ({
    name: 'AES-GCM',
    iv: own(nonce),
    additionalData: new TextEncoder().encode(place),
  });
  return {
    overhead: OVERHEAD,
    seal: async (place, plain) => {
      const nonce = globalThis.crypto.getRandomValues(new Uint8Array(NONCE));
      const body = new Uint8Array(await crypto.encrypt(parameters(place, nonce), aes, own(plain)));
      const sealed = new Uint8Array(HEAD + body.length);
      sealed.set(MARK);
      sealed[MARK.length] = VERSION;
      sealed.set(nonce, MARK.length + 1);
      sealed.set(body, HEAD);
      return sealed;
    },
    open: async (place, sealed) => {
      if (sealed.length < OVERHEAD || sealed[MARK.length] !== VERSION) return null;
      if (MARK.some((byte, at) => sealed[at] !== byte)) return null;
      const nonce = sealed.slice(MARK.length + 1, HEAD);
      try {
        return new Uint8Array(
          await crypto.decrypt(parameters(place, nonce), aes, own(sealed.subarray(HEAD))),
        );
      } catch (error) {
        // WebCrypto reports only this error for bytes that were changed or belong elsewhere. Any other
        // error says nothing about the bytes.
        if ((error as { name?: unknown } | null)?.name === 'OperationError') return null;
        throw error;
      }
    },
  };
}
