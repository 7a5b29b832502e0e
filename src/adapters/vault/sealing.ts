// Keys and sealed bytes for what leaves the device: HKDF-SHA-256 and AES-256-GCM by WebCrypto. Keys that came out of the schedule cannot
// be read out again; what they seal is bound to the bytes given beside it.
import { RecollectError } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';

/** One AES key. */
export interface SealingKey {
  /** `nonce`: 12 bytes, never used twice with this key. Returns ciphertext and tag. */
  seal(nonce: Uint8Array, plain: Uint8Array, bound: Uint8Array): Promise<Uint8Array>;
  /** null where key, nonce, bytes or what they are bound to do not belong together. */
  open(nonce: Uint8Array, sealed: Uint8Array, bound: Uint8Array): Promise<Uint8Array | null>;
}

/** Everything that is derived from one account key. */
export interface KeyRing {
  /** HKDF-SHA-256 with an empty salt. */
  derive(info: string, bytes: number): Promise<Uint8Array>;
  /** The AES-256-GCM key under this info. */
  sealingKey(info: string): Promise<SealingKey>;
}

export interface Sealing {
  random(bytes: number): Uint8Array;
  keyRing(key: Uint8Array): Promise<KeyRing>;
}

/** TypeScript tells buffers that threads share apart; WebCrypto takes only others. */
const own = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;

/** Needs a secure context (https, or localhost): elsewhere `keyRing` throws `vault-unavailable`. */
export function createSealing(): Sealing {
  return {
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    keyRing: async (key) => {
      // Typed as always there; a page that came by plain http from another machine has none.
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
