// The vault's sealing, the ciphers of a locked device and the platform's deflate, by Node's synchronous functions: the
// same bytes, in an order that a seed settles.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Deflate } from '../../src/adapters/sync/deflate.ts';
import type { Sealing } from '../../src/adapters/vault/sealing.ts';
import type { RecordCipher } from '../../src/domain/base/record-cipher.ts';

export function createSeededSealing(random: () => number): Sealing {
  return {
    random: (bytes) => Uint8Array.from({ length: bytes }, () => Math.floor(random() * 256)),
    keyRing: async (root) => {
      const derive = (info: string, bytes: number) =>
        new Uint8Array(hkdfSync('sha256', root, new Uint8Array(), info, bytes));
      return {
        derive: async (info, bytes) => derive(info, bytes),
        sealingKey: async (info) => {
          const key = derive(info, 32);
          return {
            seal: async (nonce, plain, bound) => {
              const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bound);
              return new Uint8Array(
                Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]),
              );
            },
            open: async (nonce, sealed, bound) => {
              try {
                const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(bound);
                decipher.setAuthTag(sealed.subarray(-16));
                return new Uint8Array(
                  Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]),
                );
              } catch {
                return null;
              }
            },
          };
        },
      };
    },
  };
}

/** Seals as `cipherFor` does, with a key of its own. */
export function createSeededCipher(random: () => number): RecordCipher {
  const bytes = (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256));
  const key = bytes(32);
  return {
    overhead: 28,
    seal: async (place, plain) => {
      const nonce = bytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
      return new Uint8Array(
        Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]),
      );
    },
    open: async (place, sealed) => {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
        decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-16));
        return new Uint8Array(Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]));
      } catch {
        return null;
      }
    },
  };
}

export const syncDeflate: Deflate = {
  deflate: async (bytes) => new Uint8Array(deflateRawSync(bytes)),
  inflate: async (bytes, limit) => {
    try {
      return new Uint8Array(inflateRawSync(bytes, { maxOutputLength: limit }));
    } catch {
      return null;
    }
  },
};
