// Assembles hand-written WebAssembly (`.wat`): the build does it for browsers;
// scripts and tests in Node do it themselves.
import wabt from 'wabt';

/**
 * Files to make (`NAME.wasm`) from sources below `src`. `plain`: without relaxed SIMD, for engines that only know the
 * older SIMD.
 */
export const ASSEMBLY = {
  encoder: { source: 'adapters/embedding/encoder/encoder.wat', plain: false },
  'encoder-plain': { source: 'adapters/embedding/encoder/encoder.wat', plain: true },
  'dot-products': { source: 'adapters/index/dot-products.wat', plain: false },
  'late-tables': { source: 'adapters/index/late-tables.wat', plain: false },
} as const;
export type AssemblyName = keyof typeof ASSEMBLY;

/** Returns the bytes of a module. Throws if the source is invalid. @param text its source */
export async function assemble(name: AssemblyName, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const { source, plain } = ASSEMBLY[name];
  const { parseWat } = await wabt();
  const features = { simd: true, relaxed_simd: !plain, threads: true };
  const parsed = parseWat(source, plain ? withoutRelaxed(text) : text, features);
  try {
    return new Uint8Array(parsed.toBinary({}).buffer);
  } finally {
    parsed.destroy();
  }
}

type Node = string | Node[];

/** Parses the lists, strings and words of a WebAssembly text; skips comments. */
function read(source: string): Node[] {
  const words = source.replace(/;;.*$/gm, '').match(/\(|\)|"[^"]*"|[^\s()"]+/g) ?? [];
  const open: Node[][] = [[]];
  for (const word of words) {
    if (word === '(') open.push([]);
    else if (word === ')') {
      const list = open.pop() as Node[];
      (open.at(-1) as Node[]).push(list);
    } else (open.at(-1) as Node[]).push(word);
  }
  return open[0] as Node[];
}

const write = (node: Node): string => (typeof node === 'string' ? node : `(${node.map(write).join(' ')})`);

const EIGHT: Node = ['i32.const', '8'];
const LOW: Node = ['v128.const', 'i16x8', ...Array.from({ length: 8 }, () => '255')];
/** Products of signed bytes with bytes below 128, added in pairs: at most 2 · 128 · 127, which fits 16 bits. */
const pairs = (signed: Node, small: Node): Node => [
  'i16x8.add',
  ['i16x8.mul', ['i16x8.shr_s', ['i16x8.shl', signed, EIGHT], EIGHT], ['v128.and', small, LOW]],
  ['i16x8.mul', ['i16x8.shr_s', signed, EIGHT], ['i16x8.shr_u', small, EIGHT]],
];

/** A relaxed instruction may round or saturate in several ways; each replacement here is one of them. */
const PLAIN: Readonly<Record<string, (operands: readonly [Node, Node, Node]) => Node>> = {
  'f32x4.relaxed_madd': ([a, b, c]) => ['f32x4.add', ['f32x4.mul', a, b], c],
  'f32x4.relaxed_nmadd': ([a, b, c]) => ['f32x4.sub', c, ['f32x4.mul', a, b]],
  'f32x4.relaxed_min': ([a, b]) => ['f32x4.pmin', a, b],
  'f32x4.relaxed_max': ([a, b]) => ['f32x4.pmax', a, b],
  'i32x4.relaxed_trunc_f32x4_s': ([a]) => ['i32x4.trunc_sat_f32x4_s', a],
  'i16x8.relaxed_dot_i8x16_i7x16_s': ([a, b]) => pairs(a, b),
  'i32x4.relaxed_dot_i8x16_i7x16_add_s': ([a, b, c]) => [
    'i32x4.add',
    ['i32x4.extadd_pairwise_i16x8_s', pairs(a, b)],
    c,
  ],
};

function plainly(node: Node): Node {
  if (typeof node === 'string') return node;
  const [name, ...rest] = node.map(plainly);
  const rewrite = typeof name === 'string' ? PLAIN[name] : undefined;
  return rewrite ? rewrite(rest as [Node, Node, Node]) : [name as Node, ...rest];
}

/** Replaces relaxed instructions in the text. Throws for an unknown one. */
function withoutRelaxed(source: string): string {
  const text = read(source).map(plainly).map(write).join('\n');
  const left = text.split(/[\s()]+/).find((word) => word.includes('relaxed_'));
  if (left) throw new Error(`nothing stands for ${left} yet`);
  return text;
}
