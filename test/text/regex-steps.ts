// Counts the steps that a backtracking matcher takes for a pattern, so that a test can tell linear from quadratic
// work without a clock. The matcher is the textbook one (Cox, "Regular Expression Matching: the Virtual Machine
// Approach"), on the syntax tree of regexpp.
import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** Tells whether a character belongs to a class. */
interface Test {
  /** By code: 1 it does, -1 it does not, 0 not asked yet. */
  readonly known: Int8Array;
  readonly ask: (code: number) => boolean;
}

const [CHAR, REPEAT, SPLIT, JUMP, SAVE, SET, LOOP, EDGE, LOOK, SAME, MATCH] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
];

const NO_TEST: Test = { known: new Int8Array(0), ask: () => false };

/** One form for all instructions: the engine then reads each field at its known place. */
class Instruction {
  readonly op: number;
  test: Test = NO_TEST;
  back = false;
  negate = false;
  greedy = false;
  min = 0;
  max = 0;
  /** A slot or register, or where `split`, `jump` and a loop's body go on. */
  a = 0;
  /** The other way of `split`; where a loop ends. */
  b = 0;
  register = 0;
  edge: 'start' | 'end' | 'word' = 'word';
  program: readonly Instruction[] = [];
  constructor(op: number, more: Partial<Omit<Instruction, 'op'>> = {}) {
    this.op = op;
    Object.assign(this, more);
  }
}

/** Thrown as soon as a pattern takes more steps than it may. */
export class TooManySteps extends Error {}

const parser = new RegExpParser({ ecmaVersion: 2025 });
const isWord = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);

const tests = new Map<string, Test>();
/** Asks the engine itself once for each character whether it belongs to a class. */
function testOf(raw: string, flags: string): Test {
  const key = `${flags}/${raw}`;
  const test = tests.get(key) ?? createTest(raw, flags);
  tests.set(key, test);
  return test;
}

function createTest(raw: string, flags: string): Test {
  const single = new RegExp(`^(?:${raw})$`, flags.replace(/[gymd]/g, ''));
  const known = new Int8Array(0x1_0000);
  const ask = (code: number) =>
    originalTest.call(single, code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code));
  return { known, ask };
}

function isIn({ known, ask }: Test, code: number): boolean {
  if (code > 0xffff) return ask(code);
  const is = known[code] as number;
  if (is !== 0) return is > 0;
  const found = ask(code);
  known[code] = found ? 1 : -1;
  return found;
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
    const jumps: Instruction[] = [];
    list.forEach((alternative, at) => {
      const isLast = at === list.length - 1;
      const split = new Instruction(SPLIT, { a: this.program.length + 1 });
      if (!isLast) this.program.push(split);
      const elements = back ? [...alternative.elements].reverse() : alternative.elements;
      for (const element of elements) this.element(element, back);
      if (isLast) return;
      const jump = new Instruction(JUMP);
      this.program.push(jump);
      jumps.push(jump);
      split.b = this.program.length;
    });
    for (const jump of jumps) jump.a = this.program.length;
  }

  element(node: AST.Element, back: boolean): void {
    switch (node.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        this.program.push(new Instruction(CHAR, { test: testOf(node.raw, this.flags), back }));
        return;
      case 'Group':
        this.alternatives(node.alternatives, back);
        return;
      case 'CapturingGroup': {
        const slot = 2 * this.names.indexOf(node);
        this.program.push(new Instruction(SAVE, { a: back ? slot + 1 : slot }));
        this.alternatives(node.alternatives, back);
        this.program.push(new Instruction(SAVE, { a: back ? slot : slot + 1 }));
        return;
      }
      case 'Backreference': {
        const group = Array.isArray(node.resolved) ? node.resolved[0] : node.resolved;
        this.program.push(
          new Instruction(SAME, { a: 2 * this.names.indexOf(group as AST.CapturingGroup), back }),
        );
        return;
      }
      case 'Assertion':
        if (node.kind === 'lookahead' || node.kind === 'lookbehind') {
          const outer = this.program;
          this.program = [];
          this.alternatives(node.alternatives, node.kind === 'lookbehind');
          this.program.push(new Instruction(MATCH));
          const program = this.program;
          this.program = outer;
          this.program.push(new Instruction(LOOK, { program, negate: node.negate }));
        } else
          this.program.push(
            new Instruction(EDGE, { edge: node.kind, negate: node.kind === 'word' && node.negate }),
          );
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
      const test = testOf(element.raw, this.flags);
      this.program.push(new Instruction(REPEAT, { test, min, max, greedy, back }));
      return;
    }
    const register = this.registers;
    this.registers += 2;
    this.program.push(new Instruction(SET, { register }));
    const loop = new Instruction(LOOP, { register, min, max, greedy });
    const at = this.program.push(loop) - 1;
    loop.a = this.program.length;
    this.element(element, back);
    this.program.push(new Instruction(JUMP, { a: at }));
    loop.b = this.program.length;
  }
}

interface Compiled {
  /** Steps of an attempt that fails at once, by the one sign that it saw: most attempts do. */
  readonly misses: Map<number, number>;
  /** The same for frequent signs, in an array; -1: not known. */
  readonly frequentMisses: Int32Array;
  readonly program: readonly Instruction[];
  readonly groups: number;
  readonly registers: number;
  readonly unicode: boolean;
  readonly multiline: boolean;
}

const compiled = new Map<string, Compiled>();
/** Pattern objects that were seen, so that a long source is not looked up at each call. */
const seen = new WeakMap<RegExp, Compiled>();
function compile(pattern: RegExp): Compiled {
  let known = seen.get(pattern);
  if (known) return known;
  const { source, flags } = pattern;
  const key = `${flags}/${source}`;
  known = compiled.get(key) ?? compileSource(source, flags);
  compiled.set(key, known);
  seen.set(pattern, known);
  return known;
}

/** Signs below this are those of most texts: Latin, Greek and Cyrillic ones. */
const FREQUENT = 0x600;

function compileSource(source: string, flags: string): Compiled {
  const unicode = flags.includes('u') || flags.includes('v');
  const parsed = parser.parsePattern(source, 0, source.length, {
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
  collect(parsed);
  const compiler = new Compiler(flags, names);
  compiler.alternatives(parsed.alternatives, false);
  compiler.program.push(new Instruction(MATCH));
  return {
    misses: new Map<number, number>(),
    frequentMisses: new Int32Array(FREQUENT).fill(-1),
    program: compiler.program,
    groups: names.length,
    registers: compiler.registers,
    unicode,
    multiline: flags.includes('m'),
  };
}

export interface Steps {
  taken: number;
  limit: number;
}

const NOTHING = -1;

/** What a pattern sees of a text: signs in both directions, lines and words. */
class Reading {
  readonly text: string;
  readonly length: number;
  /** Where an attempt begins, and whether it has seen more than the sign that stands there. */
  start = 0;
  sawMore = false;
  readonly #unicode: boolean;
  readonly #multiline: boolean;
  constructor(text: string, { unicode, multiline }: Compiled) {
    this.text = text;
    this.length = text.length;
    this.#unicode = unicode;
    this.#multiline = multiline;
  }

  startsWith(held: string, at: number): boolean {
    this.sawMore = true;
    return this.text.startsWith(held, at);
  }

  /** The sign after `at`; with `back` the one before. `NOTHING` at the end of the text. */
  sign(at: number, back: boolean): number {
    if (back) return this.#before(at);
    if (at !== this.start) this.sawMore = true;
    if (at < 0 || at >= this.length) return NOTHING;
    return this.#unicode ? (this.text.codePointAt(at) as number) : this.text.charCodeAt(at);
  }

  #before(at: number): number {
    this.sawMore = true;
    if (at <= 0) return NOTHING;
    const last = this.text.charCodeAt(at - 1);
    if (!this.#unicode || last < 0xdc00 || last > 0xdfff || at < 2) return last;
    const pair = this.text.codePointAt(at - 2) as number;
    return pair > 0xffff ? pair : last;
  }

  /** Where the text goes on after this sign. */
  beyond(at: number, sign: number, back: boolean): number {
    const width = this.#unicode && sign > 0xffff ? 2 : 1;
    return back ? at - width : at + width;
  }

  isEdge(at: number, kind: 'start' | 'end' | 'word'): boolean {
    const { text } = this;
    this.sawMore = true;
    if (kind === 'start') return at === 0 || (this.#multiline && this.#isLineEnd(at - 1));
    if (kind === 'end') return at === text.length || (this.#multiline && this.#isLineEnd(at));
    return (at > 0 && isWord(text.charCodeAt(at - 1))) !== (at < text.length && isWord(text.charCodeAt(at)));
  }

  #isLineEnd(at: number): boolean {
    const sign = this.text.charCodeAt(at);
    return sign === 10 || sign === 13 || sign === 0x2028 || sign === 0x2029;
  }
}

/** What going back restores, newest last: a kind and three numbers each, in one array that grows. */
class Ways {
  #numbers = new Int32Array(256);
  size = 0;
  push(kind: number, a: number, b: number, c: number): void {
    const at = this.size;
    if (at + 4 > this.#numbers.length) {
      const more = new Int32Array(2 * this.#numbers.length);
      more.set(this.#numbers);
      this.#numbers = more;
    }
    this.size = at + 4;
    const numbers = this.#numbers;
    numbers[at] = kind;
    numbers[at + 1] = a;
    numbers[at + 2] = b;
    numbers[at + 3] = c;
  }
  /** One of the four numbers of the entry that was taken off last. */
  taken(which: number): number {
    return this.#numbers[this.size + which] as number;
  }
}

/** What all attempts of one search share. */
interface Search {
  readonly reading: Reading;
  readonly saved: Int32Array;
  readonly registers: Int32Array;
  readonly ways: Ways;
  readonly steps: Steps;
  readonly pattern: RegExp;
}

/** What going back does. */
const [GO_ON, REGISTER, SLOT, GREEDY, LAZY, LOOP_AGAIN] = [0, 1, 2, 3, 4, 5];

const nameOf = ({ source, flags }: RegExp): string => `/${source}/${flags}`;

/** One attempt to match a program from a place on. */
class Attempt {
  readonly #search: Search;
  readonly #program: readonly Instruction[];
  readonly #reading: Reading;
  readonly #ways: Ways;
  readonly #steps: Steps;
  /** Ways below this belong to the attempt around this one. */
  #floor = 0;
  #at = 0;
  #next = 0;
  constructor(search: Search, program: readonly Instruction[]) {
    this.#search = search;
    this.#program = program;
    this.#reading = search.reading;
    this.#ways = search.ways;
    this.#steps = search.steps;
  }

  /** Where a match from `start` on ends; -1: there is none. */
  run(start: number): number {
    this.#at = start;
    this.#next = 0;
    this.#floor = this.#ways.size;
    const end = this.#run();
    // What a look around found stays; its other ways are closed.
    this.#ways.size = this.#floor;
    return end;
  }

  #run(): number {
    const [steps, reading, ways, program] = [this.#steps, this.#reading, this.#ways, this.#program];
    for (;;) {
      if (++steps.taken > steps.limit) throw new TooManySteps(nameOf(this.#search.pattern));
      const instruction = program[this.#next] as Instruction;
      const { op } = instruction;
      if (op === SPLIT) {
        ways.push(GO_ON, instruction.b, this.#at, 0);
        this.#next = instruction.a;
      } else if (op === CHAR) {
        const { back } = instruction;
        const sign = reading.sign(this.#at, back);
        if (sign !== NOTHING && isIn(instruction.test, sign)) {
          this.#at = reading.beyond(this.#at, sign, back);
          this.#next += 1;
        } else if (!this.#goBack()) return -1;
      } else if (op === JUMP) this.#next = instruction.a;
      else if (op === MATCH) return this.#at;
      else if (!this.#step(instruction) && !this.#goBack()) return -1;
    }
  }

  /** False: the text does not fit. */
  #step(instruction: Instruction): boolean {
    switch (instruction.op) {
      case REPEAT:
        if (!this.#repeat(instruction)) return false;
        break;
      case SAVE: {
        const { saved } = this.#search;
        this.#ways.push(SLOT, instruction.a, saved[instruction.a] as number, 0);
        saved[instruction.a] = this.#at;
        break;
      }
      case SET:
        this.#setRegister(instruction.register, 0, -1);
        break;
      case LOOP:
        return this.#loop(instruction);
      case EDGE:
        if (this.#reading.isEdge(this.#at, instruction.edge) === instruction.negate) return false;
        break;
      case LOOK: {
        const isThere = new Attempt(this.#search, instruction.program).run(this.#at) >= 0;
        if (isThere === instruction.negate) return false;
        break;
      }
      default:
        if (!this.#same(instruction)) return false;
    }
    this.#next += 1;
    return true;
  }

  #repeat({ test, min, max, greedy, back }: Instruction): boolean {
    const reading = this.#reading;
    const begin = this.#at;
    let at = begin;
    let count = 0;
    for (const most = greedy ? max : min; count < most; count += 1) {
      const sign = reading.sign(at, back);
      if (sign === NOTHING) break;
      this.#steps.taken += 1;
      if (!isIn(test, sign)) break;
      at = reading.beyond(at, sign, back);
    }
    this.#at = at;
    if (count < min) return false;
    if (greedy) {
      let least = begin;
      for (let i = 0; i < min; i++) least = reading.beyond(least, reading.sign(least, back), back);
      if (at !== least) this.#ways.push(GREEDY, this.#next, at, least);
    } else if (count < max) this.#ways.push(LAZY, this.#next, at, count);
    return true;
  }

  #loop({ register, min, max, greedy, a: body, b: exit }: Instruction): boolean {
    const { registers } = this.#search;
    const times = registers[register] as number;
    if (times > min && (registers[register + 1] as number) === this.#at) return false;
    if (times >= max) {
      this.#next = exit;
      return true;
    }
    if (times >= min && !greedy) {
      this.#ways.push(LOOP_AGAIN, this.#next, this.#at, 0);
      this.#next = exit;
      return true;
    }
    if (times >= min) this.#ways.push(GO_ON, exit, this.#at, 0);
    this.#setRegister(register, times + 1, this.#at);
    this.#next = body;
    return true;
  }

  #same({ a: slot, back }: Instruction): boolean {
    const { reading, saved } = this.#search;
    const [begin, end] = [saved[slot] as number, saved[slot + 1] as number];
    if (begin < 0 || end < 0) return true;
    const held = reading.text.slice(begin, end);
    this.#steps.taken += held.length;
    if (!reading.startsWith(held, back ? this.#at - held.length : this.#at)) return false;
    this.#at += back ? -held.length : held.length;
    return true;
  }

  #setRegister(register: number, times: number, began: number): void {
    const { registers } = this.#search;
    this.#ways.push(REGISTER, register, registers[register] as number, registers[register + 1] as number);
    registers[register] = times;
    registers[register + 1] = began;
  }

  /** Takes back what was done until another way is open. False: there is none. */
  #goBack(): boolean {
    const { saved, registers } = this.#search;
    const ways = this.#ways;
    while (ways.size > this.#floor) {
      ways.size -= 4;
      const kind = ways.taken(0);
      const a = ways.taken(1);
      const b = ways.taken(2);
      const c = ways.taken(3);
      if (kind === REGISTER) {
        registers[a] = b;
        registers[a + 1] = c;
      } else if (kind === SLOT) saved[a] = b;
      else if (this.#resume(kind, a, b, c)) return true;
    }
    return false;
  }

  #resume(kind: number, a: number, b: number, c: number): boolean {
    const reading = this.#reading;
    if (kind === GO_ON) {
      this.#next = a;
      this.#at = b;
    } else if (kind === GREEDY) {
      const { back } = this.#program[a] as Instruction;
      // One repetition less: back over the sign that was read last.
      this.#at = reading.beyond(b, reading.sign(b, !back), !back);
      if (this.#at !== c) this.#ways.push(GREEDY, a, this.#at, c);
      this.#next = a + 1;
    } else if (kind === LAZY) {
      const { test, max, back } = this.#program[a] as Instruction;
      const sign = reading.sign(b, back);
      if (sign === NOTHING) return false;
      this.#steps.taken += 1;
      if (!isIn(test, sign)) return false;
      this.#at = reading.beyond(b, sign, back);
      if (c + 1 < max) this.#ways.push(LAZY, a, this.#at, c + 1);
      this.#next = a + 1;
    } else {
      const { register, a: body } = this.#program[a] as Instruction;
      this.#setRegister(register, (this.#search.registers[register] as number) + 1, b);
      this.#next = body;
      this.#at = b;
    }
    return true;
  }
}

/** Adds to `steps` what a search for the pattern from `from` on costs; throws `TooManySteps` beyond the limit. */
export function countSteps(pattern: RegExp, text: string, from: number, steps: Steps): void {
  const code = compile(pattern);
  const { misses, frequentMisses } = code;
  const reading = new Reading(text, code);
  const search: Search = {
    reading,
    saved: new Int32Array(2 * code.groups),
    registers: new Int32Array(code.registers),
    ways: new Ways(),
    steps,
    pattern,
  };
  const attempt = new Attempt(search, code.program);
  for (let start = from; start <= text.length; start++) {
    reading.start = start;
    reading.sawMore = false;
    const sign = reading.sign(start, false);
    const isFrequent = sign >= 0 && sign < FREQUENT;
    const miss = isFrequent ? (frequentMisses[sign] as number) : (misses.get(sign) ?? -1);
    if (miss < 0) {
      const before = steps.taken;
      search.saved.fill(-1);
      if (attempt.run(start) >= 0) return;
      if (!reading.sawMore && isFrequent) frequentMisses[sign] = steps.taken - before;
      else if (!reading.sawMore) misses.set(sign, steps.taken - before);
    } else {
      steps.taken += miss;
      if (steps.taken > steps.limit) throw new TooManySteps(nameOf(pattern));
    }
    if (pattern.sticky) return;
    if (code.unicode && sign > 0xffff) start++;
  }
}
