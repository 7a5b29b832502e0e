// Late interaction (`domain/memory/late.ts`) over the signs as Postgres writes them, sixteen token vectors at a time in
// WebAssembly. A token of the question becomes 64 tables, one for each four numbers: what each of the 16 ways in which
// four signs can stand adds. Whole numbers below 1,024: the similarity of a token is exact to about 0.0002, and always
// to 4/1,023 of what its four widest numbers make together.
import { ignore } from '../../domain/base/log.ts';
import { lateInteraction, type QueryTokenVectors } from '../../domain/memory/late.ts';
import { fromHex } from './statements.ts';

/** Numbers in a token vector, signs looked up at once, and tables of a token. */
const WIDTH = 256;
const FOUR = 4;
const TABLES = WIDTH / FOUR;
/** Combinations of four signs; a table has one two-byte entry for each. */
const WAYS = 16;
/** Token vectors of a passage that are looked up at once. */
const SIDE_BY_SIDE = 16;
/** Largest entry, so that the sum over all tables fits 16 bits. */
const TOP = 1_023;
/** Bytes for a token of the question, and for sixteen token vectors of a passage. */
const TOKEN_BYTES = TABLES * WAYS * 2;
const GROUP = TABLES * SIDE_BY_SIDE;
/** Contribution of one sign to a vector of length 1. */
const SIGN = 1 / Math.sqrt(WIDTH);
const PAGE = 65_536;

/** The largest sum that four numbers can have, whatever their signs. */
const spanOf = (numbers: Float32Array): number => numbers.reduce((sum, number) => sum + Math.abs(number), 0);

interface Assembled {
  readonly memory: WebAssembly.Memory;
  readonly largest: (passage: number, groups: number, tables: number, count: number, out: number) => void;
  readonly spread: (digits: number, found: number, groups: number, passage: number) => void;
}
const encoder = new TextEncoder();

/**
 * Makes the comparison for one question. `signs`: 64 hexadecimal digits for each token vector of a passage, bytes in
 * order. Null if the question or the passage has no tokens. @throws RangeError if memory runs out.
 */
export type Compare = (question: QueryTokenVectors) => (signs: string) => number | null;

/** Compares vector by vector, many times slower: used until the tables' code is loaded. */
export const comparePlainly: Compare = (question) => {
  const compare = lateInteraction(question);
  return (signs) => compare(fromHex(`\\x${signs}`));
};

/**
 * Compares by tables, for one question at a time: the next question overwrites them. @param code `late-tables.wat`,
 * compiled
 */
export function createLateTables(code: WebAssembly.Module): Compare {
  const assembled = new WebAssembly.Instance(code).exports as unknown as Assembled;
  return (question) => compareBy(assembled, question);
}

/**
 * Compares by tables once their code is loaded, without waiting for it. @param code called at once, and again with
 * each question until it succeeds
 */
export function createCompare(code: () => Promise<WebAssembly.Module>): Compare {
  let compare: Compare = comparePlainly;
  const load = () =>
    ignore(
      code().then((loaded) => {
        if (compare === comparePlainly) compare = createLateTables(loaded);
      }),
      'the code of late interaction; what is asked meanwhile is compared plainly',
    );
  load();
  return (question) => {
    if (compare === comparePlainly) load();
    return compare(question);
  };
}

function compareBy(
  { memory, largest, spread }: Assembled,
  { tokens, weights }: QueryTokenVectors,
): (signs: string) => number | null {
  const count = weights.length;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (count === 0 || !(total > 0) || tokens.length !== count * WIDTH) return () => null;
  /** The sums, the tables, and then the passage. */
  const [tables, passage] = [count * 4, count * (4 + TOKEN_BYTES)].map((at) => Math.ceil(at / 16) * 16) as [
    number,
    number,
  ];
  const reach = (end: number): Uint8Array => {
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    return new Uint8Array(memory.buffer);
  };
  const into = reach(passage);
  /** For each token: the factor from entries to similarity, and the offset of all its sums. */
  const scales = new Float64Array(count);
  const offsets = new Float64Array(count);
  for (let token = 0; token < count; token++) {
    const numbers = tokens.subarray(token * WIDTH, (token + 1) * WIDTH);
    const four = (table: number) => numbers.subarray(table * FOUR, (table + 1) * FOUR);
    let widest = 0;
    for (let table = 0; table < TABLES; table++) widest = Math.max(widest, spanOf(four(table)));
    const scale = TOP / (2 * widest || 1);
    scales[token] = scale;
    for (let table = 0; table < TABLES; table++) {
      const span = spanOf(four(table));
      offsets[token] = (offsets[token] as number) + span * scale;
      const [one, two, three, last] = four(table) as unknown as [number, number, number, number];
      const at = tables + token * TOKEN_BYTES + table * WAYS * 2;
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
    const digits = passage + groups * GROUP;
    const bytes = reach(digits + signs.length);
    encoder.encodeInto(signs, bytes.subarray(digits));
    spread(digits, found, groups, passage);
    largest(passage, groups, tables, count, 0);
    const sums = new Int32Array(memory.buffer, 0, count);
    let score = 0;
    for (let token = 0; token < count; token++) {
      const maxSim = ((sums[token] as number) - (offsets[token] as number)) / (scales[token] as number);
      score += maxSim * SIGN * (weights[token] as number);
    }
    return score / total;
  };
}
