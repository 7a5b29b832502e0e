// Closes the gap that a damaged entry leaves. Yjs integrates the changes of one author only in order, so everything that this author did
// after the gap would wait for ever for bytes that nobody can read. The gap is closed in a copy that is only read: the log keeps it,
// and the missing piece still fits when an intact copy of it comes from another device.
import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';

/** True where a part of the document waits for changes that are not here. */
export const hasPendingStructs = (doc: Y.Doc): boolean => doc.store.pendingStructs !== null;

/** A copy in which what waits is shown, with nothing where the missing changes would be. The caller destroys it. */
export function withoutPendingStructs(doc: Y.Doc): Y.Doc {
  const update = Y.encodeStateAsUpdate(doc);
  const copy = new Y.Doc();
  Y.applyUpdate(copy, emptiness(update));
  Y.applyUpdate(copy, update);
  return copy;
}

/** Reads the document; where something of it did not decode, with what waits behind that gap. */
export function acrossPendingStructs<T>(doc: Y.Doc, damaged: boolean, read: (doc: Y.Doc) => T): T {
  if (!damaged || !hasPendingStructs(doc)) return read(doc);
  const whole = withoutPendingStructs(doc);
  try {
    return read(whole);
  } finally {
    whole.destroy();
  }
}

/** An update of nothing but removed content: all that `update` refers to and has not. */
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
      // Version 1: one client, one struct, whose, from which clock; the struct; nothing deleted.
      for (const value of [1, 1, id.client, id.clock]) encoding.writeVarUint(encoder.restEncoder, value);
      new Y.GC(id, lengths[position] as number).write(encoder, 0);
      encoding.writeVarUint(encoder.restEncoder, 0);
      return encoder.toUint8Array();
    }),
  ]);
}

const EMPTY = Y.encodeStateAsUpdate(new Y.Doc());
