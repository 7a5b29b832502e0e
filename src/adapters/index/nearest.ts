// One model's vectors in memory, eight bits per number. It names the few chunks that can be nearest, and
// the database measures and orders them by the full vectors. The copy may lag behind or name removed
// chunks, and is only used while it is complete.
import { createDotProducts, queryTop, ROW_TOP } from './dot-products.ts';

/** Least number of rows that the room grows by. */
const MORE = 4_096;
/** Largest error of a cosine from rounding to half floats: 2^-11 of each number. */
const HALF_ERROR = 2 ** -11;

/** Values of the 16 bits of a half float. */
const HALVES = Float32Array.from({ length: 65_536 }, (_, bits) => {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return exponent === 31 ? 0 : sign * (1 + fraction / 1_024) * 2 ** (exponent - 15);
});

export interface Likely {
  readonly chunks: readonly number[];
  /** Largest cosine that an omitted chunk can have; -Infinity if none is omitted. */
  readonly largestOmitted: number;
}

export interface Nearest {
  readonly size: number;
  /**
   * Reads rows in the database's format, consecutively: chunk number, and a `halfvec` in Postgres's binary form.
   * Replaces earlier ones.
   */
  take(rows: Uint8Array): void;
  /** Removes chunks: they are not named again while others are at less than a right angle. */
  remove(chunks: readonly number[]): void;
  /** Returns at most `count` chunks that are likely nearest by cosine, unordered. */
  find(query: Float32Array, count: number): Likely;
}

/**
 * Makes an empty copy for vectors of `dimensions` numbers. @param code `dot-products.wat`, compiled
 * @throws as `createDotProducts` does; `take` too.
 */
export function createNearest(dimensions: number, code: WebAssembly.Module): Nearest {
  const products = createDotProducts(dimensions, code);
  const chunks: number[] = [];
  const places = new Map<number, number>();
  /** Reciprocal of the length of each row. */
  let inverse = new Float32Array(0);
  let scores = new Float32Array(0);
  const values = new Float32Array(dimensions);
  /** Bytes of a row in the database's format: chunk, number of dimensions and padding, then the numbers. */
  const sent = 8 + dimensions * 2;
  /** Largest error of a cosine by the copy: the distance between the directions of a row and its copy. */
  let off = 0;

  const placeOf = (chunk: number): number => {
    const known = places.get(chunk);
    if (known !== undefined) return known;
    const place = chunks.push(chunk) - 1;
    places.set(chunk, place);
    if (place >= inverse.length) {
      const more = new Float32Array(Math.max(MORE, inverse.length * 2));
      more.set(inverse);
      [inverse, scores] = [more, new Float32Array(more.length)];
    }
    return place;
  };

  return {
    get size() {
      return chunks.length;
    },

    take: (rows) => {
      const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
      for (let at = 0; at + sent <= rows.length; at += sent) {
        for (let one = 0, byte = at + 8; one < dimensions; one++, byte += 2)
          values[one] = HALVES[((rows[byte] as number) << 8) | (rows[byte + 1] as number)] as number;
        const place = placeOf(view.getInt32(at));
        // Each row has its own scale: only its direction counts, and the error bound covers the rounding.
        const { length, away } = rounded(values, ROW_TOP, products.row(place));
        inverse[place] = length > 0 ? 1 / length : 0;
        if (length > 0) off = Math.max(off, HALF_ERROR + away);
      }
    },

    remove: (gone) => {
      for (const chunk of gone) {
        const place = places.get(chunk);
        if (place !== undefined) inverse[place] = 0;
      }
    },

    find: (query, count) => {
      const size = chunks.length;
      if (size <= count) return { chunks: [...chunks], largestOmitted: Number.NEGATIVE_INFINITY };
      const asked = new Int16Array(dimensions);
      const { length, away } = rounded(query.subarray(0, dimensions), queryTop(dimensions), asked);
      products.each(asked, size, (place, product) => {
        scores[place] = product * (inverse[place] as number);
      });
      const leastKept = nth(scores.slice(0, size), count);
      const found: number[] = [];
      for (let place = 0; place < size; place++)
        if ((scores[place] as number) > leastKept) found.push(chunks[place] as number);
      // Many chunks may be equally near, above all repeated messages: they must not displace nearer ones.
      for (let place = 0; place < size && found.length < count; place++)
        if (scores[place] === leastKept) found.push(chunks[place] as number);
      return { chunks: found, largestOmitted: leastKept / (length || 1) + off + away };
    },
  };
}

/**
 * Writes a vector as integers of at most `top`. Returns their length, and the distance of their direction from the
 * vector's own; a zero vector has none.
 */
function rounded(
  values: Float32Array,
  top: number,
  into: Int8Array | Int16Array,
): { length: number; away: number } {
  let largest = 0;
  for (let at = 0; at < values.length; at++) largest = Math.max(largest, Math.abs(values[at] as number));
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) {
    into.fill(0);
    return { length: 0, away: 0 };
  }
  const scale = top / largest;
  let square = 0;
  let truly = 0;
  let both = 0;
  for (let at = 0; at < values.length; at++) {
    const value = (values[at] as number) * scale;
    // Rounds to the nearest integer, like `Math.round` but three times as fast.
    const kept = ((value + 32_768.5) | 0) - 32_768;
    into[at] = kept;
    square += kept * kept;
    truly += value * value;
    both += kept * value;
  }
  return {
    length: Math.sqrt(square),
    away: Math.sqrt(Math.max(0, 2 - (2 * both) / Math.sqrt(square * truly))),
  };
}

/** Returns the `count`-th largest of these numbers; partly orders them (Hoare's selection). */
function nth(numbers: Float32Array, count: number): number {
  let [left, right] = [0, numbers.length - 1];
  const wanted = count - 1;
  while (left < right) {
    const pivot = numbers[(left + right) >> 1] as number;
    let [low, high] = [left, right];
    while (low <= high) {
      while ((numbers[low] as number) > pivot) low++;
      while ((numbers[high] as number) < pivot) high--;
      if (low > high) break;
      const moved = numbers[low] as number;
      numbers[low++] = numbers[high] as number;
      numbers[high--] = moved;
    }
    if (wanted <= high) right = high;
    else if (wanted >= low) left = low;
    else break;
  }
  return numbers[wanted] as number;
}
