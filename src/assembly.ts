// Assembles the WebAssembly that is written by hand (`.wat`): the build does so for browsers, scripts and tests in Node for themselves.
import wabt from 'wabt';

/** The files that are made, `NAME.wasm`, of a source below `src`. `plain`: without relaxed SIMD, for engines that know only the older SIMD. */
export const ASSEMBLY = {
  encoder: { source: 'adapters/embedding/encoder.wat', plain: false },
  'encoder-plain': { source: 'adapters/embedding/encoder.wat', plain: true },
  'dot-products': { source: 'adapters/index/dot-products.wat', plain: false },
  'late-tables': { source: 'adapters/index/late-tables.wat', plain: false },
} as const;
export type AssemblyName = keyof typeof ASSEMBLY;

/** The bytes of a module. @param text its source, as the file has it. Throws where that is not right. */
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

/** Lists, strings and words of a WebAssembly text; comments are left out. */
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
/** Products of signed bytes with bytes below 128, added up in pairs: at most 2 · 128 · 127, which 16 bits hold. */
const pairs = (signed: Node, small: Node): Node => [
  'i16x8.add',
  ['i16x8.mul', ['i16x8.shr_s', ['i16x8.shl', signed, EIGHT], EIGHT], ['v128.and', small, LOW]],
  ['i16x8.mul', ['i16x8.shr_s', signed, EIGHT], ['i16x8.shr_u', small, EIGHT]],
];

/** A relaxed instruction may round or saturate in several ways; what stands for it here is one of them. */
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

/** The text without relaxed instructions. Throws for one that is not known here. */
function withoutRelaxed(source: string): string {
  const text = read(source).map(plainly).map(write).join('\n');
  const left = text.split(/[\s()]+/).find((word) => word.includes('relaxed_'));
  if (left) throw new Error(`nothing stands for ${left} yet`);
  return text;
}
