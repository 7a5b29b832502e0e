// Listens to what a device says: every body that passes its backend, opened, whatever account or room it was
// for, and whatever became of it there.
import { platformDeflate } from '../../../src/adapters/sync/deflate.ts';
import type { SyncBackend } from '../../../src/adapters/sync/sync-backend.ts';
import { createSealing, type Sealing } from '../../../src/adapters/vault/sealing.ts';
import { blobKey, decodePayload, splitBlob } from '../../../src/domain/sync/blob.ts';
import { toText } from '../../../src/domain/sync/bytes.ts';
import { groupParts, joinParts, type OpenedBlob } from '../../../src/services/sync/envelope.ts';

export interface Recorder {
  /** To make the device with. */
  readonly backend: SyncBackend;
  readonly sealing: Sealing;
  /**
   * Every body that was sent, in the order of sending, read as text; bytes of attached files are read as text as well.
   */
  sent(): Promise<readonly string[]>;
}

/** The strings of a body (UTF-8), with base64 parts decoded and appended. */
const textOf = (body: Uint8Array): string => {
  const text = new TextDecoder().decode(body);
  const files = [...text.matchAll(/;base64,([A-Za-z0-9+/]+=*)/g)].map(([, base64 = '']) =>
    Buffer.from(base64, 'base64').toString(),
  );
  return [text, ...files].join('\n');
};

export function createRecorder(backend: SyncBackend): Recorder {
  /** By nonce: what was sealed with it. */
  const sealed = new Map<string, Uint8Array>();
  const sent = new Map<string, OpenedBlob[]>();
  const { random, keyRing } = createSealing();
  return {
    sealing: {
      random,
      keyRing: async (key) => {
        const ring = await keyRing(key);
        return {
          derive: ring.derive,
          sealingKey: async (info) => {
            const { seal, open } = await ring.sealingKey(info);
            return {
              open,
              seal: (nonce, plain, bound) => {
                sealed.set(toText(nonce), plain);
                return seal(nonce, plain, bound);
              },
            };
          },
        };
      },
    },
    backend: {
      erase: backend.erase,
      open: (account, name, onChange) => {
        const room = backend.open(account, name, onChange);
        const address = `${account.endpoint} ${account.token} ${name}`;
        const insert: typeof room.insert = (blobs, instead) => {
          for (const blob of blobs) {
            const taken = splitBlob(blob);
            const payload = taken && decodePayload(sealed.get(toText(taken.nonce)) ?? new Uint8Array());
            if (!taken || !payload) throw new Error('Something left the device that it did not seal');
            const opened = { key: blobKey(blob), kind: taken.kind, bytes: blob.length, payload };
            sent.set(address, [...(sent.get(address) ?? []), opened]);
          }
          room.insert(blobs, instead);
        };
        return new Proxy(room, {
          get: (of, key) => (key === 'insert' ? insert : Reflect.get(of, key)),
        });
      },
    },
    sent: async () => {
      const bodies: string[] = [];
      for (const opened of sent.values())
        for (const group of groupParts(opened)) {
          const body = await joinParts(group, platformDeflate);
          if (!body) throw new Error('Something left the device that cannot be read');
          bodies.push(textOf(body));
        }
      return bodies;
    },
  };
}
