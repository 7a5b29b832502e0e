// Derives keys and seals bytes that leave the device: HKDF-SHA-256 and AES-256-GCM by WebCrypto. Derived keys cannot be
// read out again; sealed bytes are bound to the bytes that the caller gives beside them.
import { RecollectError } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';

/** One AES key. */
export interface SealingKey {
  /** `nonce`: 12 bytes, never used twice with this key. Returns ciphertext and tag. */
  seal(nonce: Uint8Array, plain: Uint8Array, bound: Uint8Array): Promise<Uint8Array>;
  /** Opens sealed bytes; null if key, nonce, bytes and bound bytes do not belong together. */
  open(nonce: Uint8Array, sealed: Uint8Array, bound: Uint8Array): Promise<Uint8Array | null>;
}

/** All keys that are derived from one account key. */
export interface KeyRing {
  /** Derives bytes by HKDF-SHA-256 with an empty salt. */
  derive(info: string, bytes: number): Promise<Uint8Array>;
  /** Derives the AES-256-GCM key for this info. */
  sealingKey(info: string): Promise<SealingKey>;
}

export interface Sealing {
  random(bytes: number): Uint8Array;
  keyRing(key: Uint8Array): Promise<KeyRing>;
}

/** TypeScript types buffers that threads share separately; WebCrypto accepts only unshared ones. */
const own = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;

/**
 * Makes the sealing. It needs a secure context (https or localhost); elsewhere `keyRing` throws `vault-unavailable`.
 */
export function createSealing(): Sealing {
  return {
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    keyRing: async (key) => {
      // TypeScript types `subtle` as always present; a page that another machine served over plain http has none.
      const subtle = crypto.subtle as SubtleCrypto | undefined;
      if (!subtle)
        throw new RecollectError('vault-unavailable', 'The browser offers no cryptography on this page');
      const root = await subtle.importKey('raw', own(key), 'HKDF', false, ['deriveBits', 'deriveKey']);
      const under = (info: string) => ({
        name: 'HKDF',
        hash: 'SHA-256',
        salt: new Uint8Array(),
        info: new TextEncoder().encode(info),
      });
      return {
        derive: async (info, bytes) => new Uint8Array(await subtle.deriveBits(under(info), root, bytes * 8)),
        sealingKey: async (info) => {
          const aes = await subtle.deriveKey(under(info), root, { name: 'AES-GCM', length: 256 }, false, [
            'encrypt',
            'decrypt',
          ]);
          const parameters = (nonce: Uint8Array, bound: Uint8Array) => ({
            name: 'AES-GCM',
            iv: own(nonce),
            additionalData: own(bound),
          });
          return {
            seal: async (nonce, plain, bound) =>
              new Uint8Array(await subtle.encrypt(parameters(nonce, bound), aes, own(plain))),
            open: async (nonce, sealed, bound) => {
              try {
                return new Uint8Array(await subtle.decrypt(parameters(nonce, bound), aes, own(sealed)));
              } catch (error) {
                log.debug('Sealed data does not open with this key', error);
                return null;
              }
            },
          };
        },
      };
    },
  };
}
