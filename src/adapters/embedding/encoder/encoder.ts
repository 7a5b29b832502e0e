// A BERT encoder with weights of eight bits, in WebAssembly: runs the bundled models on a CPU, with relaxed SIMD where
// the browser has it, else with the older, slower SIMD. ONNX Runtime's browser builds use the older SIMD only, which
// has no product of bytes: on two cores they take longer than this takes on one. Each piece's states are rounded to
// seven bits by a step of their own, ONNX Runtime's to eight bits by one step for the whole text: ours come nearer to a
// model that rounds nothing (cosine .998 to .999, against .995 to .997).

import { log, orElse } from '../../../domain/base/log.ts';

/** The parts of a model's shape that its file of weights does not tell. */
export interface EncoderShape {
  readonly vocabulary: number;
  readonly layers: number;
  /**
   * Layout of the vocabulary's vectors: bytes with a step for each vector, or halves of
   * bytes with a step for each 32 numbers.
   */
  readonly words: 'bytes' | 'halves';
}

/** Reads texts with a model in memory. */
export interface Encoder {
  /**
   * Computes the states of the last layer, `ENCODER_WIDTH` numbers for each piece.
   * @param ids numbers of 1 to 512 pieces, with the marks around them
   * @param buffer where to write them, `STATES_BYTES` long; absent: a new buffer
   * @throws RangeError for no pieces, too many, or one outside the vocabulary
   */
  run(ids: readonly number[], buffer?: ArrayBuffer): Float32Array;
}

/** A model in memory, with its reader on this thread. */
interface LoadedEncoder extends Encoder {
  /**
   * Gives another thread of an isolated page access to the same weights, through `joinEncoder`. At most `SHARES` times.
   */
  share(): EncoderShare;
}
export const SHARES = 4;

/** Numbers in a state. */
export const ENCODER_WIDTH = 384;
/** Shape that all bundled models share: numbers of the inner layer, heads, pieces of the longest text. */
const INNER = 1536;
const HEADS = 12;
const POSITIONS = 512;
const EPSILON = 1e-12;
/** Numbers of a head; numbers that share a step where vectors lie in halves of bytes. */
const HEAD = ENCODER_WIDTH / HEADS;
const BLOCK = 32;

/** Matrices are padded to a multiple of this many rows and columns, so that loops need no edges. */
const ROWS = 4;
const COLUMNS = 8;
const FLOAT = 4;
const PAGE = 65_536;
/** Alignment of everything in the memory, bytes. */
const LINE = 64;

/** See `encoder.wat`; all addresses are in bytes. */
interface Arithmetic {
  quantise(x: number, rows: number, width: number, out: number, steps: number): void;
  pack(x: number, rows: number, columns: number, scales: number, out: number, totals: number): void;
  quantisedMatmul(
    x: number,
    steps: number,
    rows: number,
    width: number,
    weights: number,
    scales: number,
    totals: number,
    biases: number,
    columns: number,
    out: number,
  ): void;
  matmul(
    a: number,
    aStride: number,
    b: number,
    bStride: number,
    width: number,
    rows: number,
    columns: number,
    out: number,
    outStride: number,
  ): void;
  transpose(x: number, stride: number, rows: number, width: number, out: number, columns: number): void;
  softmax(x: number, rows: number, count: number, columns: number, factor: number): void;
  gelu(x: number, count: number): void;
  normalise(
    x: number,
    more: number,
    rows: number,
    width: number,
    weights: number,
    biases: number,
    epsilon: number,
  ): void;
}

/** Addresses of a matrix of `rows` inputs and `columns` outputs. */
interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly weights: number;
  readonly scales: number;
  readonly totals: number;
}
interface Norm {
  readonly weights: number;
  readonly biases: number;
}

/** Addresses of the weights. */
interface Weights extends EncoderShape {
  readonly vectors: number;
  readonly sizes: number;
  readonly positions: number;
  readonly firstNorm: Norm;
  readonly stack: readonly {
    readonly heads: Matrix;
    readonly headsBiases: number;
    readonly out: Matrix;
    readonly outNorm: Norm;
    readonly outBiases: number;
    readonly up: Matrix;
    readonly upBiases: number;
    readonly down: Matrix;
    readonly downNorm: Norm;
    readonly downBiases: number;
  }[];
}

/** Scratch memory of one reader, bytes, in the order in which it lies. */
const SCRATCH = {
  state: POSITIONS * ENCODER_WIDTH * FLOAT,
  next: POSITIONS * ENCODER_WIDTH * FLOAT,
  wide: POSITIONS * INNER * FLOAT,
  whole: POSITIONS * INNER,
  steps: POSITIONS * 2 * FLOAT,
  transposed: HEAD * POSITIONS * FLOAT,
  attention: POSITIONS * POSITIONS * FLOAT,
} as const;
/** Size of the longest text's states, bytes. */
export const STATES_BYTES = SCRATCH.state;
const SCRATCH_BYTES = Object.values(SCRATCH).reduce((sum, size) => sum + size, 0);

/** A model in memory, in the form that another thread is given. */
export interface EncoderShare {
  readonly code: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly weights: Weights;
  /** Address of this reader's own scratch memory. */
  readonly scratch: number;
}

/** Reads a module that the build made of `encoder.wat`; rejects where the file is missing. */
export type ReadEncoderCode = (name: 'encoder' | 'encoder-plain') => Promise<ArrayBuffer>;

/** Build of the arithmetic, and kind of memory. */
export interface EncoderKind {
  /**
   * Chromium since 114, Firefox since 145, Node since 21, no Safari yet. False: the older SIMD, which all of them have.
   */
  readonly relaxed: boolean;
  /** Other threads can read the same weights. Some browsers give such memory to isolated pages only. */
  readonly shared: boolean;
}

/** The arithmetic, compiled. */
export interface EncoderCode {
  readonly module: WebAssembly.Module;
  readonly shared: boolean;
}

const SHARED = 3;
const OWN = 1;

/**
 * The code for one kind of memory. Its import of the memory says which: a byte behind its name and the kind of import.
 */
function codeFor(shared: boolean, assembled: ArrayBuffer): Uint8Array<ArrayBuffer> {
  const code = new Uint8Array(assembled);
  const name = new TextEncoder().encode('memory');
  const at = code.findIndex((_, from) => name.every((byte, offset) => code[from + offset] === byte));
  if (at >= 0) code[at + name.length + 1] = shared ? SHARED : OWN;
  return code;
}

const hasSharedMemory = (): boolean => {
  try {
    return new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer.byteLength > 0;
  } catch (error) {
    log.debug('Memory cannot be shared: some browsers refuse it where the page is not isolated', error);
    return false;
  }
};

/** Loads the code of one kind; null where this browser cannot run it, or the file is missing or wrong. */
export async function loadEncoderKind(
  read: ReadEncoderCode,
  { relaxed, shared }: EncoderKind,
): Promise<EncoderCode | null> {
  const assembled = await orElse(
    read(relaxed ? 'encoder' : 'encoder-plain'),
    null,
    "the encoder's arithmetic",
  );
  const code = assembled && codeFor(shared, assembled);
  return code && WebAssembly.validate(code) ? { module: await WebAssembly.compile(code), shared } : null;
}

/** Loads the fastest arithmetic that this browser runs; null where it runs none, or no file is there. */
export async function loadEncoderCode(read: ReadEncoderCode): Promise<EncoderCode | null> {
  const shared = hasSharedMemory();
  return (
    (await loadEncoderKind(read, { relaxed: true, shared })) ??
    (await loadEncoderKind(read, { relaxed: false, shared }))
  );
}

const arithmeticIn = (memory: WebAssembly.Memory, code: WebAssembly.Module): Arithmetic =>
  new WebAssembly.Instance(code, { env: { memory } }).exports as unknown as Arithmetic;

/**
 * Makes the encoder. Takes 60 ms, and as much memory as the weights and 7 MB more.
 * @param numbers the weights one after another, as `onnx/encoder_quantized.onnx_data` of a bundled
 *   model has them; not needed afterwards
 * @throws RangeError where the weights are too short or too long for the shape
 */
export function createEncoder(
  numbers: ArrayBuffer,
  shape: EncoderShape,
  { module: code, shared }: EncoderCode,
): LoadedEncoder {
  const { vocabulary, layers, words } = shape;
  const [mine, others] = [numbers.byteLength + SCRATCH_BYTES, SHARES * SCRATCH_BYTES];
  const memory = new WebAssembly.Memory({
    initial: Math.ceil(mine / PAGE),
    // Sums kept for each column make the weights a little longer than their file.
    maximum: Math.ceil((mine + others + numbers.byteLength / 8) / PAGE) + 2,
    shared,
  });
  const { pack } = arithmeticIn(memory, code);

  let used = LINE;
  const allocate = (size: number): number => {
    const at = used;
    used += Math.ceil(size / LINE) * LINE;
    const missing = Math.ceil((used - memory.buffer.byteLength) / PAGE);
    if (missing > 0) memory.grow(missing);
    return at;
  };
  const scratch = allocate(SCRATCH_BYTES);
  const { whole } = placesAt(scratch);

  let read = 0;
  const take = (size: number, to: number): number => {
    if (read + size > numbers.byteLength) throw new RangeError('the file of weights is too short');
    new Uint8Array(memory.buffer, to, size).set(new Uint8Array(numbers, read, size));
    read += size;
    return to;
  };
  const keep = (size: number): number => take(size, allocate(size));
  const floats = (count: number): number => keep(count * FLOAT);
  const norm = () => ({ weights: floats(ENCODER_WIDTH), biases: floats(ENCODER_WIDTH) });
  const matrix = (rows: number, columns: number): Matrix => {
    const raw = take(rows * columns, whole);
    const scales = floats(columns);
    const weights = allocate(rows * columns);
    const totals = allocate(columns * FLOAT);
    pack(raw, rows, columns, scales, weights, totals);
    return { rows, columns, weights, scales, totals };
  };

  const weights: Weights = {
    ...shape,
    vectors: keep(vocabulary * (words === 'bytes' ? ENCODER_WIDTH : ENCODER_WIDTH / 2)),
    sizes: keep(vocabulary * (words === 'bytes' ? FLOAT : (ENCODER_WIDTH / BLOCK) * 2)),
    positions: floats(POSITIONS * ENCODER_WIDTH),
    firstNorm: norm(),
    stack: Array.from({ length: layers }, () => ({
      heads: matrix(ENCODER_WIDTH, 3 * ENCODER_WIDTH),
      headsBiases: floats(3 * ENCODER_WIDTH),
      out: matrix(ENCODER_WIDTH, ENCODER_WIDTH),
      outNorm: norm(),
      outBiases: floats(ENCODER_WIDTH),
      up: matrix(ENCODER_WIDTH, INNER),
      upBiases: floats(INNER),
      down: matrix(INNER, ENCODER_WIDTH),
      downNorm: norm(),
      downBiases: floats(ENCODER_WIDTH),
    })),
  };
  if (read !== numbers.byteLength) throw new RangeError('the file of weights is too long');
  let shares = 0;
  return {
    ...joinEncoder({ code, memory, weights, scratch }),
    share: () => {
      if (++shares > SHARES) throw new RangeError('no room for one more reader');
      return { code, memory, weights, scratch: allocate(SCRATCH_BYTES) };
    },
  };
}

/** Addresses of the parts of a reader's scratch memory. */
function placesAt(scratch: number): Readonly<Record<keyof typeof SCRATCH, number>> {
  const [names, sizes] = [Object.keys(SCRATCH), Object.values(SCRATCH)];
  return Object.fromEntries(
    names.map((name, at) => [name, sizes.slice(0, at).reduce((sum, size) => sum + size, scratch)]),
  ) as Record<keyof typeof SCRATCH, number>;
}

/** Adds one more reader of a model that is in memory already, on the calling thread. */
export function joinEncoder({ code, memory, weights, scratch }: EncoderShare): Encoder {
  const { vocabulary, words, vectors, sizes, positions, firstNorm, stack } = weights;
  const { quantise, quantisedMatmul, matmul, transpose, softmax, gelu, normalise } = arithmeticIn(
    memory,
    code,
  );
  const { state, next, wide, whole, steps, transposed, attention } = placesAt(scratch);

  /** Writes the vectors of a piece and of its position to its row of `state`. */
  const writeEmbedding = (id: number, row: number) => {
    const place = row * ENCODER_WIDTH * FLOAT;
    const into = new Float32Array(memory.buffer, state + place, ENCODER_WIDTH);
    into.set(new Float32Array(memory.buffer, positions + place, ENCODER_WIDTH));
    if (words === 'bytes') {
      const vector = new Int8Array(memory.buffer, vectors + id * ENCODER_WIDTH, ENCODER_WIDTH);
      const [size = 0] = new Float32Array(memory.buffer, sizes + id * FLOAT, 1);
      for (let at = 0; at < ENCODER_WIDTH; at++)
        into[at] = (into[at] as number) + (vector[at] as number) * size;
      return;
    }
    const pairs = new Uint8Array(memory.buffer, vectors + (id * ENCODER_WIDTH) / 2, ENCODER_WIDTH / 2);
    const ofBlocks = new Uint16Array(
      memory.buffer,
      sizes + (id * ENCODER_WIDTH * 2) / BLOCK,
      ENCODER_WIDTH / BLOCK,
    );
    // The first sixteen of each 32 numbers lie in the lower halves of the bytes, the others in the upper ones.
    for (let block = 0; block < ENCODER_WIDTH / BLOCK; block++) {
      const size = float16(ofBlocks[block] as number);
      for (let half = 0, low = block * BLOCK; half < BLOCK / 2; half++, low++) {
        const pair = pairs[(block * BLOCK) / 2 + half] as number;
        const high = low + BLOCK / 2;
        into[low] = (into[low] as number) + ((pair & 15) - 8) * size;
        into[high] = (into[high] as number) + ((pair >> 4) - 8) * size;
      }
    }
  };

  /** Multiplies the rows at `from` by a matrix, adds the biases, and writes the result to `to`; all are addresses. */
  const multiplyBy = (matrix: Matrix, from: number, rows: number, biases: number, to: number) => {
    const { columns, scales, totals } = matrix;
    quantise(from, rows, matrix.rows, whole, steps);
    quantisedMatmul(whole, steps, rows, matrix.rows, matrix.weights, scales, totals, biases, columns, to);
  };

  /** Computes attention: from the heads' questions, keys and values in `wide` to `next`. */
  const attend = (count: number, rows: number) => {
    const columns = Math.ceil(count / COLUMNS) * COLUMNS;
    const [stride, across] = [3 * ENCODER_WIDTH * FLOAT, columns * FLOAT];
    for (let head = 0; head < HEADS; head++) {
      const offset = head * HEAD * FLOAT;
      const [question, key, value] = [0, 1, 2].map(
        (third) => wide + third * ENCODER_WIDTH * FLOAT + offset,
      ) as [number, number, number];
      transpose(key, stride, count, HEAD, transposed, columns);
      matmul(question, stride, transposed, across, HEAD, rows, columns, attention, across);
      softmax(attention, rows, count, columns, 1 / Math.sqrt(HEAD));
      matmul(attention, across, value, stride, count, rows, HEAD, next + offset, ENCODER_WIDTH * FLOAT);
    }
  };

  return {
    run: (ids, buffer) => {
      if (ids.length < 1 || ids.length > POSITIONS || ids.some((id) => !(id >= 0 && id < vocabulary)))
        throw new RangeError('pieces that this model does not know');
      const rows = Math.ceil(ids.length / ROWS) * ROWS;
      for (const area of [state, next]) new Float32Array(memory.buffer, area, rows * ENCODER_WIDTH).fill(0);
      ids.forEach(writeEmbedding);
      const add = ({ weights, biases }: Norm) =>
        normalise(state, next, rows, ENCODER_WIDTH, weights, biases, EPSILON);
      add(firstNorm);
      for (const layer of stack) {
        multiplyBy(layer.heads, state, rows, layer.headsBiases, wide);
        attend(ids.length, rows);
        multiplyBy(layer.out, next, rows, layer.outBiases, next);
        add(layer.outNorm);
        multiplyBy(layer.up, state, rows, layer.upBiases, wide);
        gelu(wide, rows * INNER);
        multiplyBy(layer.down, wide, rows, layer.downBiases, next);
        add(layer.downNorm);
      }
      const states = new Float32Array(memory.buffer, state, ids.length * ENCODER_WIDTH);
      if (!buffer) return states.slice();
      const written = new Float32Array(buffer, 0, states.length);
      written.set(states);
      return written;
    },
  };
}

/** Reads a number of 16 bits (IEEE 754 half precision); none is infinite here. */
function float16(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}
