// Counts the steps that a backtracking matcher takes for a pattern, so that a test can tell linear from quadratic work without a clock.
// The matcher is the textbook one (Cox, "Regular Expression Matching: the Virtual Machine Approach"), on the syntax tree of regexpp.
import { type AST, RegExpParser } from '@eslint-community/regexpp';

type Test = (code: number) => boolean;
type Instruction =
  | { op: 'char'; test: Test; back: boolean }
  | { op: 'repeat'; test: Test; min: number; max: number; greedy: boolean; back: boolean }
  | { op: 'split'; first: number; second: number }
  | { op: 'jump'; to: number }
  | { op: 'save'; slot: number }
  | { op: 'set'; register: number }
  | { op: 'loop'; register: number; min: number; max: number; greedy: boolean; body: number; exit: number }
  | { op: 'edge'; kind: 'start' | 'end' | 'word'; negate: boolean }
  | { op: 'look'; program: Instruction[]; negate: boolean }
  | { op: 'same'; slot: number; back: boolean }
  | { op: 'match' };

/** Thrown as soon as a pattern takes more steps than it may. */
export class TooManySteps extends Error {}

const parser = new RegExpParser({ ecmaVersion: 2025 });
const isWord = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);

/** Asks the engine itself once for each character whether it belongs to a class. */
function testOf(raw: string, flags: string): Test {
  const single = new RegExp(`^(?:${raw})$`, flags.replace(/[gymd]/g, ''));
  const known = new Int8Array(0x1_0000);
  const ask = (code: number) =>
    originalTest.call(single, code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code));
  return (code) => {
    if (code > 0xffff) return ask(code);
    if (known[code] === 0) known[code] = ask(code) ? 1 : -1;
    return known[code] === 1;
  };
}
const originalExec = RegExp.prototype.exec;
// `test` asks for `exec` by name; inside a measured run that one counts, so the engine's own is bound here.
const originalTest = function (this: RegExp, text: string): boolean {
  return originalExec.call(this, text) !== null;
};

class Compiler {
  program: Instruction[] = [];
  registers = 0;
  readonly flags: string;
  readonly names: readonly AST.CapturingGroup[];
  constructor(flags: string, names: readonly AST.CapturingGroup[]) {
    this.flags = flags;
    this.names = names;
  }

  alternatives(list: readonly AST.Alternative[], back: boolean): void {
    const jumps: { op: 'jump'; to: number }[] = [];
    list.forEach((alternative, at) => {
      const isLast = at === list.length - 1;
      const split = { op: 'split' as const, first: this.program.length + 1, second: 0 };
      if (!isLast) this.program.push(split);
      const elements = back ? [...alternative.elements].reverse() : alternative.elements;
      for (const element of elements) this.element(element, back);
      if (isLast) return;
      const jump = { op: 'jump' as const, to: 0 };
      this.program.push(jump);
      jumps.push(jump);
      split.second = this.program.length;
    });
    for (const jump of jumps) jump.to = this.program.length;
  }

  element(node: AST.Element, back: boolean): void {
    switch (node.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        this.program.push({ op: 'char', test: testOf(node.raw, this.flags), back });
        return;
      case 'Group':
        this.alternatives(node.alternatives, back);
        return;
      case 'CapturingGroup': {
        const slot = 2 * this.names.indexOf(node);
        this.program.push({ op: 'save', slot: back ? slot + 1 : slot });
        this.alternatives(node.alternatives, back);
        this.program.push({ op: 'save', slot: back ? slot : slot + 1 });
        return;
      }
      case 'Backreference': {
        const group = Array.isArray(node.resolved) ? node.resolved[0] : node.resolved;
        this.program.push({ op: 'same', slot: 2 * this.names.indexOf(group as AST.CapturingGroup), back });
        return;
      }
      case 'Assertion':
        if (node.kind === 'lookahead' || node.kind === 'lookbehind') {
          const outer = this.program;
          this.program = [];
          this.alternatives(node.alternatives, node.kind === 'lookbehind');
          this.program.push({ op: 'match' });
          const program = this.program;
          this.program = outer;
          this.program.push({ op: 'look', program, negate: node.negate });
        } else
          this.program.push({ op: 'edge', kind: node.kind, negate: node.kind === 'word' && node.negate });
        return;
      case 'Quantifier':
        this.quantifier(node, back);
    }
  }

  quantifier({ min, max, greedy, element }: AST.Quantifier, back: boolean): void {
    if (
      element.type === 'Character' ||
      element.type === 'CharacterSet' ||
      element.type === 'CharacterClass' ||
      element.type === 'ExpressionCharacterClass'
    ) {
      this.program.push({ op: 'repeat', test: testOf(element.raw, this.flags), min, max, greedy, back });
      return;
    }
    const register = this.registers;
    this.registers += 2;
    this.program.push({ op: 'set', register });
    const loop = { op: 'loop' as const, register, min, max, greedy, body: 0, exit: 0 };
    const at = this.program.push(loop) - 1;
    loop.body = this.program.length;
    this.element(element, back);
    this.program.push({ op: 'jump', to: at });
    loop.exit = this.program.length;
  }
}

interface Compiled {
  readonly program: readonly Instruction[];
  readonly groups: number;
  readonly registers: number;
  readonly unicode: boolean;
  readonly multiline: boolean;
}

const compiled = new Map<string, Compiled>();
function compile(source: string, flags: string): Compiled {
  const key = `${flags}/${source}`;
  const known = compiled.get(key);
  if (known) return known;
  const unicode = flags.includes('u') || flags.includes('v');
  const pattern = parser.parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const names: AST.CapturingGroup[] = [];
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type } = node as AST.Node;
    if (type === 'CapturingGroup') names.push(node as AST.CapturingGroup);
    for (const child of ['alternatives', 'elements', 'element'] as const) {
      const under = (node as Record<string, unknown>)[child];
      if (Array.isArray(under)) under.forEach(collect);
      else if (under && type !== 'CharacterClass') collect(under);
    }
  };
  collect(pattern);
  const compiler = new Compiler(flags, names);
  compiler.alternatives(pattern.alternatives, false);
  compiler.program.push({ op: 'match' });
  const made = {
    program: compiler.program,
    groups: names.length,
    registers: compiler.registers,
    unicode,
    multiline: flags.includes('m'),
  };
  compiled.set(key, made);
  return made;
}

export interface Steps {
  taken: number;
  limit: number;
}

/** Adds to `steps` what a search for the pattern from `from` on costs; throws `TooManySteps` beyond the limit. */
export function countSteps(pattern: RegExp, text: string, from: number, steps: Steps): void {
  const code = compile(pattern.source, pattern.flags);
  const { unicode, multiline } = code;
  const saved = new Int32Array(2 * code.groups).fill(-1);
  const registers = new Int32Array(code.registers);
  const isEnd = (at: number) => at < 0 || at >= text.length;
  const lineEnd = (at: number) => {
    const sign = text.charCodeAt(at);
    return sign === 10 || sign === 13 || sign === 0x2028 || sign === 0x2029;
  };
  const read = (at: number): number => (unicode ? (text.codePointAt(at) as number) : text.charCodeAt(at));
  const readBack = (at: number): number => {
    const last = text.charCodeAt(at - 1);
    if (!unicode || last < 0xdc00 || last > 0xdfff || at < 2) return last;
    const pair = text.codePointAt(at - 2) as number;
    return pair > 0xffff ? pair : last;
  };
  const width = (sign: number): number => (unicode && sign > 0xffff ? 2 : 1);

  const run = (program: readonly Instruction[], start: number): number => {
    // Each entry: kind, then what it restores. 0: go on there; 1: a register; 2: a slot; 3: a greedy and 4: a lazy repetition.
    const stack: (readonly [kind: number, a: number, b: number, c: number])[] = [];
    let at = start;
    let next = 0;
    for (;;) {
      if (++steps.taken > steps.limit) throw new TooManySteps(`/${pattern.source}/${pattern.flags}`);
      const one = program[next] as Instruction;
      let ok = true;
      switch (one.op) {
        case 'match':
          return at;
        case 'char': {
          if (one.back ? at <= 0 : isEnd(at)) ok = false;
          else {
            const sign = one.back ? readBack(at) : read(at);
            ok = one.test(sign);
            at += one.back ? -width(sign) : width(sign);
          }
          next += 1;
          break;
        }
        case 'repeat': {
          let count = 0;
          const most = one.greedy ? one.max : one.min;
          const begin = at;
          while (count < most && (one.back ? at > 0 : at < text.length)) {
            const sign = one.back ? readBack(at) : read(at);
            steps.taken += 1;
            if (!one.test(sign)) break;
            at += one.back ? -width(sign) : width(sign);
            count += 1;
          }
          if (count < one.min) ok = false;
          else if (one.greedy) {
            let least = begin;
            for (let i = 0; i < one.min; i++)
              least += one.back ? -width(readBack(least)) : width(read(least));
            if (at !== least) stack.push([3, next, at, least]);
          } else if (count < one.max) stack.push([4, next, at, count]);
          next += 1;
          break;
        }
        case 'split':
          stack.push([0, one.second, at, 0]);
          next = one.first;
          break;
        case 'jump':
          next = one.to;
          break;
        case 'save':
          stack.push([2, one.slot, saved[one.slot] as number, 0]);
          saved[one.slot] = at;
          next += 1;
          break;
        case 'set':
          stack.push([
            1,
            one.register,
            registers[one.register] as number,
            registers[one.register + 1] as number,
          ]);
          registers[one.register] = 0;
          registers[one.register + 1] = -1;
          next += 1;
          break;
        case 'loop': {
          const [times, began] = [registers[one.register] as number, registers[one.register + 1] as number];
          const again = () => {
            stack.push([1, one.register, times, began]);
            registers[one.register] = times + 1;
            registers[one.register + 1] = at;
            next = one.body;
          };
          if (times > one.min && began === at) ok = false;
          else if (times < one.min) again();
          else if (times >= one.max) next = one.exit;
          else if (one.greedy) {
            stack.push([0, one.exit, at, 0]);
            again();
          } else {
            stack.push([5, next, at, 0]);
            next = one.exit;
          }
          break;
        }
        case 'edge': {
          if (one.kind === 'start') ok = at === 0 || (multiline && lineEnd(at - 1));
          else if (one.kind === 'end') ok = at === text.length || (multiline && lineEnd(at));
          else {
            const differs =
              (at > 0 && isWord(text.charCodeAt(at - 1))) !==
              (at < text.length && isWord(text.charCodeAt(at)));
            ok = differs !== one.negate;
          }
          next += 1;
          break;
        }
        case 'look':
          ok = run(one.program, at) >= 0 !== one.negate;
          next += 1;
          break;
        case 'same': {
          const [begin, end] = [saved[one.slot] as number, saved[one.slot + 1] as number];
          if (begin >= 0 && end >= 0) {
            const held = text.slice(begin, end);
            steps.taken += held.length;
            ok = one.back ? text.startsWith(held, at - held.length) : text.startsWith(held, at);
            at += one.back ? -held.length : held.length;
          }
          next += 1;
        }
      }
      while (!ok) {
        const entry = stack.pop();
        if (!entry) return -1;
        const [kind, a, b, c] = entry;
        if (kind === 0) {
          [next, at, ok] = [a, b, true];
        } else if (kind === 1) {
          registers[a] = b;
          registers[a + 1] = c;
        } else if (kind === 2) saved[a] = b;
        else if (kind === 3) {
          const { back } = program[a] as { back: boolean };
          at = back ? b + width(read(b)) : b - width(readBack(b));
          if (at !== c) stack.push([3, a, at, c]);
          [next, ok] = [a + 1, true];
        } else if (kind === 4) {
          const { test, max, back } = program[a] as { test: Test; max: number; back: boolean };
          if (back ? b <= 0 : isEnd(b)) continue;
          const sign = back ? readBack(b) : read(b);
          steps.taken += 1;
          if (!test(sign)) continue;
          at = b + (back ? -width(sign) : width(sign));
          if (c + 1 < max) stack.push([4, a, at, c + 1]);
          [next, ok] = [a + 1, true];
        } else {
          const loop = program[a] as { register: number; body: number };
          stack.push([
            1,
            loop.register,
            registers[loop.register] as number,
            registers[loop.register + 1] as number,
          ]);
          registers[loop.register] = (registers[loop.register] as number) + 1;
          registers[loop.register + 1] = b;
          [next, at, ok] = [loop.body, b, true];
        }
      }
    }
  };

  for (let start = from; start <= text.length; start++) {
    saved.fill(-1);
    if (run(code.program, start) >= 0) return;
    if (pattern.sticky) return;
    if (unicode && (text.codePointAt(start) ?? 0) > 0xffff) start++;
  }
}
