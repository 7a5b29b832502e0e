// Rewrites assembly with relaxed SIMD into the same for browsers that know only the older SIMD, so that both come from one source. A relaxed
// instruction may round or saturate in several ways; what stands for it here is one of them.

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

function plain(node: Node): Node {
  if (typeof node === 'string') return node;
  const [name, ...rest] = node.map(plain);
  const rewrite = typeof name === 'string' ? PLAIN[name] : undefined;
  return rewrite ? rewrite(rest as [Node, Node, Node]) : [name as Node, ...rest];
}

/** The text without relaxed instructions. Throws for one that is not known here. */
export function withoutRelaxed(source: string): string {
  const text = read(source).map(plain).map(write).join('\n');
  const left = /\S*relaxed_\w+/.exec(text);
  if (left) throw new Error(`nothing stands for ${left[0]} yet`);
  return text;
}
