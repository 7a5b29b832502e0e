// Closes the gap that a damaged entry leaves. Yjs integrates an author's changes only in order, so everything by this
// author after the gap would wait for ever for unreadable bytes. The gap is closed in a copy that is only read: the log
// keeps it, and the missing piece still fits when another device sends an intact copy.
import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';

/** True if a part of the document waits for missing changes. */
export const hasPendingStructs = (doc: Y.Doc): boolean => doc.store.pendingStructs !== null;

/**
 * Copies the document with its waiting parts integrated, and nothing in the place of
 * missing changes. The caller destroys it.
 */
export function withoutPendingStructs(doc: Y.Doc): Y.Doc {
  const update = Y.encodeStateAsUpdate(doc);
  const copy = new Y.Doc();
  Y.applyUpdate(copy, emptiness(update));
  Y.applyUpdate(copy, update);
  return copy;
}

/** Reads the document; if a part of it did not decode, including the parts that wait behind that gap. */
export function acrossPendingStructs<T>(doc: Y.Doc, damaged: boolean, read: (doc: Y.Doc) => T): T {
  if (!damaged || !hasPendingStructs(doc)) return read(doc);
  const whole = withoutPendingStructs(doc);
  try {
    return read(whole);
  } finally {
    whole.destroy();
  }
}

/** Makes an update that contains only removed content, for everything that `update` refers to and lacks. */
function emptiness(update: Uint8Array): Uint8Array {
  const held = new Map<number, [from: number, to: number][]>();
  const reach = new Map<number, number>();
  const refer = ({ client, clock }: Y.ID) => reach.set(client, Math.max(reach.get(client) ?? 0, clock + 1));
  for (const struct of Y.decodeUpdate(update).structs) {
    if (struct instanceof Y.Skip) continue;
    const { client, clock } = struct.id;
    const ranges = held.get(client);
    if (ranges) ranges.push([clock, clock + struct.length]);
    else held.set(client, [[clock, clock + struct.length]]);
    refer({ client, clock: clock + struct.length - 1 });
    if (!(struct instanceof Y.Item)) continue;
    for (const other of [struct.origin, struct.rightOrigin, struct.parent])
      if (other instanceof Y.ID) refer(other);
  }
  const gaps: Y.ID[] = [];
  const lengths: number[] = [];
  for (const [client, end] of reach) {
    let at = 0;
    const ranges = (held.get(client) ?? []).sort((a, b) => a[0] - b[0]);
    for (const [from, to] of [...ranges, [end, end] as const]) {
      if (from > at) {
        gaps.push(Y.createID(client, at));
        lengths.push(from - at);
      }
      at = Math.max(at, to);
    }
  }
  return Y.mergeUpdates([
    EMPTY,
    ...gaps.map((id, position) => {
      const encoder = new Y.UpdateEncoderV1();
      // Version 1: one client, one struct, the client's id, its first clock; the struct; nothing deleted.
      for (const value of [1, 1, id.client, id.clock]) encoding.writeVarUint(encoder.restEncoder, value);
      new Y.GC(id, lengths[position] as number).write(encoder, 0);
      encoding.writeVarUint(encoder.restEncoder, 0);
      return encoder.toUint8Array();
    }),
  ]);
}

const EMPTY = Y.encodeStateAsUpdate(new Y.Doc());
