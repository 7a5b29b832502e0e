// Frames of the y-websocket protocol (y-protocols/PROTOCOL.md), and the little that a relay must know of a Yjs update: whether it can
// be read, and whether it says anything new. No document is ever built here but in `squeeze`.
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';

const SYNC = 0;
const AWARENESS = 1;
const QUERY_AWARENESS = 3;
const STEP_1 = 0;
const STEP_2 = 1;
const UPDATE = 2;

export type Frame =
  | { readonly type: 'step1'; readonly vector: Uint8Array }
  /** `answer`: it answers our step1, and may hold nothing that we do not have. */
  | { readonly type: 'update'; readonly update: Uint8Array; readonly answer: boolean }
  | { readonly type: 'awareness'; readonly clients: ReadonlyMap<number, number> }
  | { readonly type: 'query-awareness' }
  /** Of a kind we do not know: nobody's harm. */
  | { readonly type: 'other' };

/** Bytes of the longest question that is read, a state vector: some 100,000 clients. */
const MAX_VECTOR = 1024 * 1024;
/** Of how many pieces (items, deletions) an update may consist, and a room that is still made into a document. */
const MAX_UPDATE_PIECES = 250_000;
const MAX_ROOM_PIECES = 1_000_000;

/**
 * Reads what a client sent. Throws where it is no frame, or where few bytes would unpack into much: an awareness longer than
 * `maxAwareness`, an endless state vector. The bytes it returns are views into `bytes`.
 */
export function readFrame(bytes: Uint8Array, maxAwareness = 1024): Frame {
  const decoder = decoding.createDecoder(bytes);
  const type = decoding.readVarUint(decoder);
  if (type === SYNC) {
    const step = decoding.readVarUint(decoder);
    const body = decoding.readVarUint8Array(decoder);
    if (step === STEP_1) {
      if (bytes.length > MAX_VECTOR) throw new Error('the state vector is too long');
      return { type: 'step1', vector: body };
    }
    if (step === STEP_2 || step === UPDATE) return { type: 'update', update: body, answer: step === STEP_2 };
    return { type: 'other' };
  }
  if (type === AWARENESS) {
    if (bytes.length > maxAwareness) throw new Error('the awareness is too long');
    const inner = decoding.createDecoder(decoding.readVarUint8Array(decoder));
    const clients = new Map<number, number>();
    for (let left = decoding.readVarUint(inner); left > 0; left--) {
      const client = decoding.readVarUint(inner);
      clients.set(client, decoding.readVarUint(inner));
      decoding.readVarString(inner);
    }
    return { type: 'awareness', clients };
  }
  return { type: type === QUERY_AWARENESS ? 'query-awareness' : 'other' };
}

const syncFrame = (step: number, body: Uint8Array): Uint8Array => {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, SYNC);
  encoding.writeVarUint(encoder, step);
  encoding.writeVarUint8Array(encoder, body);
  return encoding.toUint8Array(encoder);
};
export const step1Frame = (vector: Uint8Array) => syncFrame(STEP_1, vector);
export const step2Frame = (update: Uint8Array) => syncFrame(STEP_2, update);
export const updateFrame = (update: Uint8Array) => syncFrame(UPDATE, update);

/** Says on behalf of a client that is gone that it is gone, as its own next word would. */
export function goneFrame(clients: ReadonlyMap<number, number>): Uint8Array {
  const inner = encoding.createEncoder();
  encoding.writeVarUint(inner, clients.size);
  for (const [client, clock] of clients) {
    encoding.writeVarUint(inner, client);
    encoding.writeVarUint(inner, clock + 1);
    encoding.writeVarString(inner, 'null');
  }
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, AWARENESS);
  encoding.writeVarUint8Array(encoder, encoding.toUint8Array(inner));
  return encoding.toUint8Array(encoder);
}

/** All updates as one. What the room holds as bytes: nothing is thrown away, gaps are kept. */
export const merge = (updates: readonly Uint8Array[]): Uint8Array => Y.mergeUpdates([...updates]);

/** What a client with this state vector lacks. Throws where the vector cannot be read. */
export const diff = (state: Uint8Array, vector: Uint8Array): Uint8Array => Y.diffUpdate(state, vector);

/** The state vector of an empty document. */
export const knowsNothing = (vector: Uint8Array): boolean => vector.length === 1 && vector[0] === 0;

export const vectorOf = (state: Uint8Array): Uint8Array => Y.encodeStateVectorFromUpdate(state);

/** Decodes an update; throws where it is junk, and where it has more than so many pieces: two bytes can unpack into a hundred. */
function decode(update: Uint8Array, pieces: number): ReturnType<typeof Y.decodeUpdate> {
  let left = pieces;
  const count = () => {
    left--;
    if (left < 0) throw new Error('the update has too many pieces');
  };
  class CountingDecoder extends Y.UpdateDecoderV1 {
    override readInfo() {
      count();
      return super.readInfo();
    }
    override readDsClock() {
      count();
      return super.readDsClock();
    }
  }
  return Y.decodeUpdateV2(update, CountingDecoder);
}

/** Reads an update to its end; throws where it is junk. `empty`: it says nothing at all. */
export function inspect(update: Uint8Array): { readonly empty: boolean } {
  const { structs, ds } = decode(update, MAX_UPDATE_PIECES);
  return { empty: structs.length === 0 && ds.clients.size === 0 };
}

/** True where `state` holds all of `update` already: its structs by the state vector, its deletions one by one. */
export function covers(state: Uint8Array, update: Uint8Array): boolean {
  const rest = decode(Y.diffUpdate(update, vectorOf(state)), MAX_UPDATE_PIECES);
  if (rest.structs.length > 0) return false;
  try {
    const { ds } = decode(state, MAX_ROOM_PIECES);
    return Y.equalDeleteSets(Y.mergeDeleteSets([ds]), Y.mergeDeleteSets([ds, rest.ds]));
  } catch {
    // The room is too much to be looked through: it takes the update once more.
    return false;
  }
}

/**
 * All updates as one, without the content of what was deleted: the only place where a document is built. What waits for updates that
 * have not come yet is kept. Content that no document takes, and a room of too many pieces, is merged as bytes instead.
 */
export function squeeze(updates: readonly Uint8Array[]): Uint8Array {
  const doc = new Y.Doc();
  try {
    let left = MAX_ROOM_PIECES;
    for (const update of updates) {
      const { structs, ds } = decode(update, left);
      left -= structs.length + ds.clients.size;
    }
    doc.transact(() => {
      for (const update of updates) Y.applyUpdate(doc, update);
    });
    return Y.encodeStateAsUpdate(doc);
  } catch {
    return merge(updates);
  } finally {
    doc.destroy();
  }
}
