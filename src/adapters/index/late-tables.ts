// Late interaction (`domain/memory/late.ts`) over the signs as Postgres writes them, sixteen pieces at a time in WebAssembly. A piece of the question
// becomes 64 tables, one for each four numbers: what each of the 16 ways in which four signs can stand adds. Whole numbers below 1,024: the
// likeness of a piece is exact to about 0.0002, and always to 4/1,023 of what its four widest numbers make together.
import type { QueryPieces } from '../../domain/memory/late.ts';

/** `late-tables.wat`, assembled: 1412 bytes. */
export const ASSEMBLED =
  'AGFzbQEAAAABEAJgBX9/f39/AGAEf39/fwADAwIAAQUDAQABBx0DBm1lbW9yeQIAB2xhcmdlc3QAAAZzcHJlYWQAAQq+CgKSAwIEfwZ7A0D9DAAAAAAAAAAAAAAAAAAAAAAhDiACQYAQaiEG' +
  'IAAhByABIQgDQP0MAAAAAAAAAAAAAAAAAAAAACEL/QwAAAAAAAAAAAAAAAAAAAAAIQz9DAAAAAAAAAAAAAAAAAAAAAAhDSACIQUDQCAH/QAEACEJIAX9AAQAIAn9DiEKIAsgCv0M/wD/AP8A' +
  '/wD/AP8A/wD/AP1O/Y4BIQsgDCAKQQj9jQH9jgEhDCANIAX9AAQQIAn9Dv1uIQ0gB0EQaiEHIAVBIGohBSAFIAZJDQALIAsgDUEI/YsB/Y4BIQsgDCAN/QwA/wD/AP8A/wD/AP8A/wD//U79' +
  'jgEhDCAOIAsgDP2ZAf2ZASEOIAhBAWshCCAIDQALIA4gDiAO/Q0ICQoLDA0ODwABAgMEBQYH/ZkBIQ4gDiAOIA79DQQFBgcAAQIDBAUGBwABAgP9mQEhDiAOIA4gDv0NAgMAAQIDAAECAwAB' +
  'AgMAAf2ZASEOIAQgDv0ZADYCACAEQQRqIQQgBiECIANBAWshAyADDQALC6cHAgN/AXsDQCAAIARBACAEIAFJG0EGdGohBSADIARBBHZBCnQgBEEPcWpqIQYgBf0ABAAhByAH/QwPDw8PDw8P' +
  'Dw8PDw8PDw8P/U79DAAJAAAAAAAAAAAAAAAAAAAgB0EG/W39Dv1uIQcgBiAH/VgAEAAgBiAH/VgAAAEgBiAH/VgAMAIgBiAH/VgAIAMgBiAH/VgAUAQgBiAH/VgAQAUgBiAH/VgAcAYgBiAH' +
  '/VgAYAcgBiAH/VgAkAEIIAYgB/1YAIABCSAGIAf9WACwAQogBiAH/VgAoAELIAYgB/1YANABDCAGIAf9WADAAQ0gBiAH/VgA8AEOIAYgB/1YAOABDyAF/QAEECEHIAf9DA8PDw8PDw8PDw8P' +
  'Dw8PDw/9Tv0MAAkAAAAAAAAAAAAAAAAAACAHQQb9bf0O/W4hByAGIAf9WACQAgAgBiAH/VgAgAIBIAYgB/1YALACAiAGIAf9WACgAgMgBiAH/VgA0AIEIAYgB/1YAMACBSAGIAf9WADwAgYg' +
  'BiAH/VgA4AIHIAYgB/1YAJADCCAGIAf9WACAAwkgBiAH/VgAsAMKIAYgB/1YAKADCyAGIAf9WADQAwwgBiAH/VgAwAMNIAYgB/1YAPADDiAGIAf9WADgAw8gBf0ABCAhByAH/QwPDw8PDw8P' +
  'Dw8PDw8PDw8P/U79DAAJAAAAAAAAAAAAAAAAAAAgB0EG/W39Dv1uIQcgBiAH/VgAkAQAIAYgB/1YAIAEASAGIAf9WACwBAIgBiAH/VgAoAQDIAYgB/1YANAEBCAGIAf9WADABAUgBiAH/VgA' +
  '8AQGIAYgB/1YAOAEByAGIAf9WACQBQggBiAH/VgAgAUJIAYgB/1YALAFCiAGIAf9WACgBQsgBiAH/VgA0AUMIAYgB/1YAMAFDSAGIAf9WADwBQ4gBiAH/VgA4AUPIAX9AAQwIQcgB/0MDw8P' +
  'Dw8PDw8PDw8PDw8PD/1O/QwACQAAAAAAAAAAAAAAAAAAIAdBBv1t/Q79biEHIAYgB/1YAJAGACAGIAf9WACABgEgBiAH/VgAsAYCIAYgB/1YAKAGAyAGIAf9WADQBgQgBiAH/VgAwAYFIAYg' +
  'B/1YAPAGBiAGIAf9WADgBgcgBiAH/VgAkAcIIAYgB/1YAIAHCSAGIAf9WACwBwogBiAH/VgAoAcLIAYgB/1YANAHDCAGIAf9WADABw0gBiAH/VgA8AcOIAYgB/1YAOAHDyAEQQFqIQQgBCAC' +
  'QQR0SQ0ACws=';

/** Numbers in a piece's vector, signs that are looked up at once, and tables of a piece. */
const WIDTH = 256;
const FOUR = 4;
const TABLES = WIDTH / FOUR;
/** Ways in which four signs can stand; a table has so many entries of two bytes. */
const WAYS = 16;
/** Pieces of a passage that are looked up at once. */
const SIDE_BY_SIDE = 16;
/** Largest entry: the sum of one of each table fits 16 bits. */
const TOP = 1_023;
/** Bytes that a piece of the question takes, and sixteen pieces of a passage. */
const PIECE = TABLES * WAYS * 2;
const GROUP = TABLES * SIDE_BY_SIDE;
/** A sign stands for this much of a vector of length 1. */
const SIGN = 1 / Math.sqrt(WIDTH);
const PAGE = 65_536;

/** The largest sum that four numbers can have, whatever their signs. */
const spanOf = (numbers: Float32Array): number => numbers.reduce((sum, number) => sum + Math.abs(number), 0);

interface Assembled {
  readonly memory: WebAssembly.Memory;
  readonly largest: (pieces: number, groups: number, tables: number, count: number, out: number) => void;
  readonly spread: (digits: number, found: number, groups: number, pieces: number) => void;
}
const encoder = new TextEncoder();
let assembled: Assembled | undefined;
function assemble(): Assembled {
  if (assembled) return assembled;
  const bytes = Uint8Array.from(atob(ASSEMBLED), (byte) => byte.charCodeAt(0));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  assembled = exports as unknown as Assembled;
  return assembled;
}

/**
 * Makes the comparison for one question; the next one's ends it. `signs`: 64 hexadecimal digits for each piece of a passage, bytes in order.
 * What it gives is what `lateInteraction` does. Null where the question or the passage has no pieces.
 * @throws `WebAssembly.CompileError` where vector instructions are not known, RangeError where there is no memory.
 */
export function createLateTables({ tokens, weights }: QueryPieces): (signs: string) => number | null {
  const count = weights.length;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (count === 0 || !(total > 0) || tokens.length !== count * WIDTH) return () => null;
  const { memory, largest, spread } = assemble();
  /** The sums, the tables, and then the passage. */
  const [tables, pieces] = [count * 4, count * (4 + PIECE)].map((at) => Math.ceil(at / 16) * 16) as [
    number,
    number,
  ];
  const reach = (end: number): Uint8Array => {
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    return new Uint8Array(memory.buffer);
  };
  const into = reach(pieces);
  /** For each piece: entries to one of likeness, and what all its sums are too large by. */
  const scales = new Float64Array(count);
  const offsets = new Float64Array(count);
  for (let piece = 0; piece < count; piece++) {
    const numbers = tokens.subarray(piece * WIDTH, (piece + 1) * WIDTH);
    const four = (table: number) => numbers.subarray(table * FOUR, (table + 1) * FOUR);
    let widest = 0;
    for (let table = 0; table < TABLES; table++) widest = Math.max(widest, spanOf(four(table)));
    const scale = TOP / (2 * widest || 1);
    scales[piece] = scale;
    for (let table = 0; table < TABLES; table++) {
      const span = spanOf(four(table));
      offsets[piece] = (offsets[piece] as number) + span * scale;
      const [one, two, three, last] = four(table) as unknown as [number, number, number, number];
      const at = tables + piece * PIECE + table * WAYS * 2;
      for (let way = 0; way < WAYS; way++) {
        const sum =
          (way & 1 ? one : -one) +
          (way & 2 ? two : -two) +
          (way & 4 ? three : -three) +
          (way & 8 ? last : -last);
        const entry = Math.max(0, Math.min(TOP, Math.round((span + sum) * scale)));
        into[at + way] = entry & 255;
        into[at + WAYS + way] = entry >> 8;
      }
    }
  }
  return (signs) => {
    const found = Math.floor(signs.length / TABLES);
    if (found === 0) return null;
    const groups = Math.ceil(found / SIDE_BY_SIDE);
    const digits = pieces + groups * GROUP;
    const bytes = reach(digits + signs.length);
    encoder.encodeInto(signs, bytes.subarray(digits));
    spread(digits, found, groups, pieces);
    largest(pieces, groups, tables, count, 0);
    const sums = new Int32Array(memory.buffer, 0, count);
    let score = 0;
    for (let piece = 0; piece < count; piece++) {
      const maxSim = ((sums[piece] as number) - (offsets[piece] as number)) / (scales[piece] as number);
      score += maxSim * SIGN * (weights[piece] as number);
    }
    return score / total;
  };
}
