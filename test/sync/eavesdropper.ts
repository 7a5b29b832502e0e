// Opens every sealed blob on its way to the relay with the account's keys, and looks
// for words that must not leave a device.
import * as Y from 'yjs';
import type { KeyRing, Sealing } from '../../src/adapters/vault/sealing.ts';
import { blobKey } from '../../src/domain/sync/blob.ts';
import { toText } from '../../src/domain/sync/bytes.ts';
import { ROOM_ID_BYTES, roomIdInfo, roomKeyInfo } from '../../src/domain/sync/keys.ts';
import { readFrame } from '../../src/relay/frames.ts';
import {
  groupParts,
  joinParts,
  type OpenedBlob,
  openBlob,
  type RoomKey,
} from '../../src/services/sync/envelope.ts';
import { syncDeflate } from './node-crypto.ts';

export interface Eavesdropper {
  /** The same sealing; the eavesdropper keeps every room key that it derives. */
  learn(sealing: Sealing): Sealing;
  /** A frame on its way to a room of the relay. */
  hear(room: string, frame: Uint8Array): void;
  /** What leaked, as sentences. */
  readonly leaks: readonly string[];
  /** Bodies that were opened and searched. */
  readonly searched: number;
}

const ROOM_KEY = roomKeyInfo('', 0).replace('|0', '');

export function createEavesdropper(words: readonly string[]): Eavesdropper {
  const keys = new Map<string, RoomKey>();
  const heard = new Set<string>();
  /** By room: the parts seen so far of bodies that were cut. */
  const parts = new Map<string, OpenedBlob[]>();
  const leaks: string[] = [];
  let searched = 0;

  const learnFrom = (ring: KeyRing): KeyRing => ({
    derive: ring.derive,
    sealingKey: (info) => {
      const sealing = ring.sealingKey(info);
      if (info.startsWith(ROOM_KEY)) {
        const [document = '', epoch] = info.slice(ROOM_KEY.length).split('|');
        const name = ring.derive(roomIdInfo(document, Number(epoch)), ROOM_ID_BYTES);
        // Not awaited, so that the device's own steps keep their order.
        void Promise.all([name, sealing]).then(([bytes, key]) => {
          const roomId = toText(bytes);
          keys.set(roomId, { roomId, key });
        });
      }
      return sealing;
    },
  });

  const hearBlob = async (room: string, blob: Uint8Array): Promise<void> => {
    const key = keys.get(room);
    if (!key) return void leaks.push(`a blob went to ${room}, whose key nobody has`);
    const opened = await openBlob(key, blob);
    // An attacker's blob: devices upload it again like others that the relay lost.
    if (!opened) return;
    const one = { key: blobKey(blob), bytes: blob.length, ...opened };
    const together = one.payload.parts === 1 ? [one] : [...(parts.get(room) ?? []), one];
    if (one.payload.parts > 1) parts.set(room, together);
    for (const group of groupParts(together)) {
      if (!group.opened.includes(one)) continue;
      const body = await joinParts(group, syncDeflate);
      if (!body) continue;
      searched += 1;
      for (const word of words)
        if (Buffer.from(body).includes(word))
          leaks.push(
            `${word} was sealed into blob ${one.payload.seq} of ${one.payload.device} in room ${room}`,
          );
    }
  };

  return {
    learn: (sealing) => ({
      random: sealing.random,
      keyRing: async (root) => learnFrom(await sealing.keyRing(root)),
    }),
    hear: (room, bytes) => {
      const frame = readFrame(bytes, Number.POSITIVE_INFINITY);
      if (frame.type !== 'update') return;
      for (const struct of Y.decodeUpdate(frame.update).structs) {
        const content = 'content' in struct ? struct.content : undefined;
        if (!(content instanceof Y.ContentBinary)) continue;
        const name = `${room}/${blobKey(content.content)}`;
        if (heard.has(name)) continue;
        heard.add(name);
        void hearBlob(room, content.content);
      }
    },
    leaks,
    get searched() {
      return searched;
    },
  };
}
