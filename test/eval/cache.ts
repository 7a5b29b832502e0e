// An embedding provider that keeps the model's raw output of each text on disk, before centring. A run with another
// centre, or another way to shorten token vectors, then takes seconds; the model reads only new texts.
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EmbeddingProvider, Read } from '../../src/adapters/embedding/embedding-provider.ts';
import {
  logWeight,
  PASSAGE_TOKENS,
  type ReduceTokens,
  rotation,
  TOKEN_BITS,
} from '../../src/adapters/embedding/tokens.ts';
import { unit } from '../../src/adapters/embedding/vector.ts';

/** Rotated numbers of a state of length 1 stay well below this, so that 16 bits hold them. */
const LARGEST = 24;
const STEP = 32_767 / LARGEST;

/** What the model made of one text. */
export interface Raw {
  /** Length 1, nothing taken away. */
  readonly vector: Float32Array;
  /** Rotated states of length 1, `TOKEN_BITS` numbers a token, in 1 / `STEP`. */
  readonly tokens: Int16Array;
  /** Of a question: what each token weighs. */
  readonly weights: Float32Array;
}

/** Keeps the states as they are, rotated, so that any centre can be taken away from them later. */
export const keepStates: ReduceTokens = ({ states, dimensions, kind, logProbabilities }) => {
  const rotate = rotation(dimensions);
  const count = Math.min(PASSAGE_TOKENS, states.length / dimensions);
  const tokens = new Int16Array(count * TOKEN_BITS);
  const row = new Float32Array(TOKEN_BITS);
  for (let token = 0; token < count; token++) {
    rotate(unit(states.subarray(token * dimensions, (token + 1) * dimensions)), row);
    for (let at = 0; at < TOKEN_BITS; at++)
      tokens[token * TOKEN_BITS + at] = Math.round((row[at] as number) * STEP);
  }
  return {
    bits: new Uint8Array(tokens.buffer),
    tokens: new Float32Array(0),
    weights:
      kind === 'query'
        ? Float32Array.from({ length: count }, (_, token) =>
            logProbabilities ? logWeight(logProbabilities[token]) : 1,
          )
        : new Float32Array(0),
  };
};

/** Centred token vectors of a raw text, `TOKEN_BITS` numbers each; `centre` is rotated like them. */
export function centredTokens({ tokens }: Raw, centre: Float32Array | null): Float32Array {
  const out = new Float32Array(tokens.length);
  for (let at = 0; at < out.length; at++)
    out[at] = (tokens[at] as number) / STEP - (centre?.[at % TOKEN_BITS] ?? 0);
  return out;
}

/** Makes what the product keeps and compares from the model's raw output. */
export type Centring = (raw: Raw, text: string, kind: 'query' | 'passage') => Read;

/** Records on disk, one after the other: the key's 32 bytes, three lengths, three arrays. */
function openRecords(file: string) {
  mkdirSync(dirname(file), { recursive: true });
  const handle = openSync(file, existsSync(file) ? 'r+' : 'w+');
  const places = new Map<string, number>();
  const head = Buffer.alloc(44);
  const size = fstatSync(handle).size;
  let end = 0;
  while (end + head.length <= size) {
    readSync(handle, head, 0, head.length, end);
    const length = head.readUInt32LE(32) + head.readUInt32LE(36) + head.readUInt32LE(40);
    // The last record may be cut off, if a run was ended.
    if (end + head.length + length > size) break;
    places.set(head.toString('base64', 0, 32), end);
    end += head.length + length;
  }
  const bytesOf = (from: number, length: number): ArrayBuffer => {
    const bytes = new Uint8Array(length);
    readSync(handle, bytes, 0, length, from);
    return bytes.buffer;
  };
  return {
    has: (key: string) => places.has(key),
    get: (key: string): Raw => {
      const from = places.get(key) as number;
      readSync(handle, head, 0, head.length, from);
      const [a, b, c] = [head.readUInt32LE(32), head.readUInt32LE(36), head.readUInt32LE(40)];
      const at = from + head.length;
      return {
        vector: new Float32Array(bytesOf(at, a)),
        tokens: new Int16Array(bytesOf(at + a, b)),
        weights: new Float32Array(bytesOf(at + a + b, c)),
      };
    },
    add: (key: string, { vector, tokens, weights }: Raw) => {
      const arrays = [vector, tokens, weights].map(({ buffer, byteOffset, byteLength }) =>
        Buffer.from(buffer, byteOffset, byteLength),
      );
      const lengths = Buffer.alloc(12);
      for (const [at, { length }] of arrays.entries()) lengths.writeUInt32LE(length, at * 4);
      const record = Buffer.concat([Buffer.from(key, 'base64'), lengths, ...arrays]);
      writeSync(handle, record, 0, record.length, end);
      places.set(key, end);
      end += record.length;
    },
    close: () => closeSync(handle),
  };
}

/**
 * Wraps a provider made with `raw: keepStates`; `centring` changes its vectors, `name` is the id
 * that these have in the app. The file is trusted,
 * and one process at a time may write it.
 */
export function cached(
  provider: EmbeddingProvider,
  file: string,
  centring: Centring,
  name: string = provider.id,
): EmbeddingProvider & { raw(texts: readonly string[], kind: 'query' | 'passage'): Promise<Raw[]> } {
  const records = openRecords(file);
  const keyOf = (kind: string, context: string, text: string) =>
    createHash('sha256')
      .update(JSON.stringify([kind, context, text]))
      .digest('base64');
  const rawOf = async (
    readings: Parameters<NonNullable<EmbeddingProvider['read']>>[0],
    options: Parameters<NonNullable<EmbeddingProvider['read']>>[1],
  ): Promise<Raw[]> => {
    const keys = readings.map(({ context, text }) => keyOf(options.kind, context, text));
    const missing = [...new Set(keys)].filter((key) => !records.has(key));
    if (missing.length > 0) {
      const wanted = missing.map((key) => readings[keys.indexOf(key)] as (typeof readings)[number]);
      const made = (await provider.read?.(wanted, options)) ?? [];
      for (const [at, key] of missing.entries()) {
        const { vector, bits, weights } = made[at] as Read;
        records.add(key, { vector, tokens: new Int16Array(bits.buffer), weights });
      }
    }
    return keys.map((key) => records.get(key));
  };
  const read: NonNullable<EmbeddingProvider['read']> = async (readings, options) =>
    (await rawOf(readings, options)).map((raw, at) => centring(raw, readings[at]?.text ?? '', options.kind));
  const alone = (texts: readonly string[]) => texts.map((text) => ({ context: '', text }));
  return {
    ...provider,
    id: name,
    get dimensions() {
      return provider.dimensions;
    },
    read,
    raw: (texts, kind) => rawOf(alone(texts), { kind, signal: new AbortController().signal }),
    embed: async (texts, options) => (await read(alone(texts), options)).map(({ vector }) => vector),
    close: async () => {
      records.close();
      await provider.close();
    },
  };
}
