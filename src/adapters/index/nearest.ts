// One model's vectors in memory, eight bits a number: it names the few that can be nearest, and the database, which has the vectors
// themselves, measures and orders those. A copy: it may lag behind or know what is gone, and is asked only as long as it is complete.

/** Rows in one piece of memory: grows without copying what is there. */
const BLOCK = 4_096;
/** Largest size of a number. */
const TOP = 127;
/** What a cosine is off by for numbers rounded to half floats: 2^-11 of each, at most. */
const HALF_ERROR = 2 ** -11;

/** What 16 bits of a half float stand for. */
const HALVES = Float32Array.from({ length: 65_536 }, (_, bits) => {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return exponent === 31 ? 0 : sign * (1 + fraction / 1_024) * 2 ** (exponent - 15);
});

export interface Likely {
  readonly chunks: readonly number[];
  /** The largest cosine that one may have that is not among them; -Infinity where all are. */
  readonly bar: number;
}

export interface Nearest {
  readonly size: number;
  /** Takes rows as the database sends them, one behind the other: chunk number, and a `halfvec` in Postgres's binary form. Replaces earlier ones. */
  take(rows: Uint8Array): void;
  /** These are no more: they are not named again as long as there are others at less than a right angle. */
  remove(chunks: readonly number[]): void;
  /** The chunks that are likely nearest by cosine, at most `count`, in no order. */
  find(query: Float32Array, count: number): Likely;
}

/** Vectors of `dimensions` numbers; none yet. */
export function createNearest(dimensions: number): Nearest {
  const blocks: { readonly numbers: Int8Array; readonly inverse: Float32Array }[] = [];
  const chunks: number[] = [];
  const places = new Map<number, number>();
  const values = new Float32Array(dimensions);
  /** Padded to a multiple of four, for the loop below. */
  const width = Math.ceil(dimensions / 4) * 4;
  /** Bytes of a row as it is sent: chunk, number of dimensions and a spare, then the numbers. */
  const sent = 8 + dimensions * 2;
  let scores = new Float32Array(0);
  /** What the cosine of a copied row may be off by: the largest distance between the direction of a row and that of its copy. */
  let off = 0;

  const placeOf = (chunk: number): number => {
    const known = places.get(chunk);
    if (known !== undefined) return known;
    const place = chunks.push(chunk) - 1;
    places.set(chunk, place);
    if (place % BLOCK === 0)
      blocks.push({ numbers: new Int8Array(BLOCK * width), inverse: new Float32Array(BLOCK) });
    return place;
  };

  return {
    get size() {
      return chunks.length;
    },

    take: (rows) => {
      const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
      for (let at = 0; at + sent <= rows.length; at += sent) {
        let largest = 0;
        for (let one = 0; one < dimensions; one++) {
          const value = HALVES[view.getUint16(at + 8 + one * 2)] as number;
          values[one] = value;
          if (Math.abs(value) > largest) largest = Math.abs(value);
        }
        const place = placeOf(view.getInt32(at));
        const { numbers, inverse } = blocks[Math.floor(place / BLOCK)] as (typeof blocks)[number];
        const from = (place % BLOCK) * width;
        // Each row has its own scale: only its direction counts, and that is measured by what is kept.
        const scale = largest > 0 ? TOP / largest : 0;
        let [square, truly, both] = [0, 0, 0];
        for (let one = 0; one < dimensions; one++) {
          const value = (values[one] as number) * scale;
          const kept = Math.round(value);
          numbers[from + one] = kept;
          square += kept * kept;
          truly += value * value;
          both += kept * value;
        }
        inverse[place % BLOCK] = square > 0 ? 1 / Math.sqrt(square) : 0;
        if (square > 0)
          off = Math.max(
            off,
            HALF_ERROR + Math.sqrt(Math.max(0, 2 - (2 * both) / Math.sqrt(square * truly))),
          );
      }
    },

    remove: (gone) => {
      for (const chunk of gone) {
        const place = places.get(chunk);
        const block = place === undefined ? undefined : blocks[Math.floor(place / BLOCK)];
        if (place !== undefined && block) block.inverse[place % BLOCK] = 0;
      }
    },

    find: (query, count) => {
      const size = chunks.length;
      if (size <= count) return { chunks: [...chunks], bar: Number.NEGATIVE_INFINITY };
      if (scores.length < size) scores = new Float32Array(Math.ceil(size / BLOCK) * BLOCK);
      const asked = new Float32Array(width);
      asked.set(query.subarray(0, dimensions));
      const length = Math.sqrt(asked.reduce((sum, value) => sum + value * value, 0)) || 1;
      for (const [number, { numbers, inverse }] of blocks.entries()) {
        const first = number * BLOCK;
        const rows = Math.min(BLOCK, size - first);
        for (let row = 0, at = 0; row < rows; row++) {
          // One by one: made of an array they halve the speed.
          let a = 0;
          let b = 0;
          let c = 0;
          let d = 0;
          for (let one = 0; one < width; one += 4, at += 4) {
            a += (numbers[at] as number) * (asked[one] as number);
            b += (numbers[at + 1] as number) * (asked[one + 1] as number);
            c += (numbers[at + 2] as number) * (asked[one + 2] as number);
            d += (numbers[at + 3] as number) * (asked[one + 3] as number);
          }
          scores[first + row] = (a + b + c + d) * (inverse[row] as number);
        }
      }
      const bar = nth(scores.slice(0, size), count);
      const found: number[] = [];
      for (let place = 0; place < size; place++)
        if ((scores[place] as number) > bar) found.push(chunks[place] as number);
      // Many may be exactly as near, repeated messages above all: they must not take the places of nearer ones.
      for (let place = 0; place < size && found.length < count; place++)
        if (scores[place] === bar) found.push(chunks[place] as number);
      return { chunks: found, bar: bar / length + off };
    },
  };
}

/** The `count`-th largest of these numbers; orders them partly (Hoare's selection). */
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
