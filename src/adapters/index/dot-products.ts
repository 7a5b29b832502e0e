// Holds rows of small integers in WebAssembly memory and multiplies them with a query, eight at a
// time (SIMD), which JavaScript cannot do.

/** Largest absolute value in a row. */
export const ROW_TOP = 127;
/** Largest absolute value in a query of this many numbers: no sum may exceed 32 bits. */
export const queryTop = (dimensions: number): number =>
  Math.min(32_767, Math.floor((2 ** 31 - 1) / (ROW_TOP * dimensions)));

/** Rows that one call multiplies. */
const ROUND = 4_096;
/** Offsets in bytes: the query, the sums of one round, the rows. */
const [QUERY, SUMS, ROWS] = [0, 16_384, 32_768];
const PAGE = 65_536;
/** Pages that the memory grows by: 1 MB. */
const GROW = 16;

interface Assembled {
  readonly memory: WebAssembly.Memory;
  readonly products: (row: number, count: number, width: number, query: number, sums: number) => void;
}

interface DotProducts {
  /**
   * Returns the row at this place for immediate writing: a later call may grow the memory, which invalidates earlier
   * rows. Numbers beyond `dimensions` stay 0.
   */
  row(place: number): Int8Array;
  /**
   * Calls `visit` with the product of each of the first `count` rows and the query, in order. The query has
   * `dimensions` numbers up to `queryTop`.
   */
  each(query: Int16Array, count: number, visit: (place: number, product: number) => void): void;
}

/**
 * Makes an empty store for rows of up to 8,192 numbers. @param code `dot-products.wat`, compiled
 * @throws RangeError if memory runs out
 */
export function createDotProducts(dimensions: number, code: WebAssembly.Module): DotProducts {
  const width = Math.ceil(dimensions / 8) * 8;
  if (width === 0 || width * 2 > SUMS) throw new RangeError(`vectors of ${dimensions} numbers`);
  const { memory, products } = new WebAssembly.Instance(code).exports as unknown as Assembled;
  return {
    row: (place) => {
      const from = ROWS + place * width;
      const missing = from + width - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.max(GROW, Math.ceil(missing / PAGE)));
      return new Int8Array(memory.buffer, from, dimensions);
    },
    each: (query, count, visit) => {
      const asked = new Int16Array(memory.buffer, QUERY, width).fill(0);
      asked.set(query.subarray(0, dimensions));
      for (let first = 0; first < count; first += ROUND) {
        const rows = Math.min(ROUND, count - first);
        products(ROWS + first * width, rows, width, QUERY, SUMS);
        const sums = new Int32Array(memory.buffer, SUMS, rows);
        for (let row = 0; row < rows; row++) visit(first + row, sums[row] as number);
      }
    },
  };
}
