// Frames of the y-websocket protocol (y-protocols/PROTOCOL.md).
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { readVector } from './updates.ts';

const SYNC = 0;
const AWARENESS = 1;
const QUERY_AWARENESS = 3;
const STEP_1 = 0;
const STEP_2 = 1;
const UPDATE = 2;

/** A client's message. Ids of Yjs clients and their clocks are whole numbers below 2^53. */
export type Frame =
  /** The client asks for everything beyond these clocks, by client. */
  | { readonly type: 'step1'; readonly clocks: ReadonlyMap<number, number> }
  /** `answer`: it answers the relay's step 1, and may contain nothing new. */
  | { readonly type: 'update'; readonly update: Uint8Array; readonly answer: boolean }
  /** Presence of some clients, with the clock of each. Its content is passed on unread. */
  | { readonly type: 'awareness'; readonly clients: ReadonlyMap<number, number> }
  /** The client asks for the last awareness of all clients. */
  | { readonly type: 'query-awareness' }
  /** A type that this version does not know. */
  | { readonly type: 'other' };

/** Longest state vector that is read, bytes: some 100,000 clients. */
const MAX_VECTOR_BYTES = 1024 * 1024;

/**
 * Parses a client's frame. An update is a view into `bytes`, and not parsed. Throws an Error for bytes that are no
 * frame, an awareness frame of more than `maxAwareness` bytes, or a step 1 that is too long or has too many clients.
 */
export function readFrame(bytes: Uint8Array, maxAwareness = 1024): Frame {
  const decoder = decoding.createDecoder(bytes);
  const type = decoding.readVarUint(decoder);
  if (type === SYNC) {
    const step = decoding.readVarUint(decoder);
    const body = decoding.readVarUint8Array(decoder);
    if (step === STEP_1) {
      if (bytes.length > MAX_VECTOR_BYTES) throw new Error('the state vector is too long');
      return { type: 'step1', clocks: readVector(body) };
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

/** Encodes a frame of the sync protocol. Copies the body once, as it may be a whole room. */
function syncFrame(step: number, body: Uint8Array): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, SYNC);
  encoding.writeVarUint(encoder, step);
  encoding.writeVarUint(encoder, body.length);
  const header = encoding.toUint8Array(encoder);
  const frame = new Uint8Array(header.length + body.length);
  frame.set(header);
  frame.set(body, header.length);
  return frame;
}
/**
 * Encodes step 1 of the sync protocol: the relay's state vector, which asks the client for all that it has beyond it.
 */
export const step1Frame = (vector: Uint8Array) => syncFrame(STEP_1, vector);
/** Encodes step 2: an update that answers the client's state vector. */
export const step2Frame = (update: Uint8Array) => syncFrame(STEP_2, update);
/** Encodes a single update for the other clients of a room. */
export const updateFrame = (update: Uint8Array) => syncFrame(UPDATE, update);

/**
 * Encodes an awareness that says that clients are gone: null at each one's next clock, as if they
 * had sent it (y-protocols/awareness.js).
 */
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
