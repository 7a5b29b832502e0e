// Counts the steps that a backtracking matcher takes for a pattern, so that a test can tell linear from quadratic
// work without a clock. The matcher is the textbook one (Cox, "Regular Expression Matching: the Virtual Machine
// Approach"), on the syntax tree of regexpp.
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
  /** Steps of an attempt that fails at once, by the one sign that it saw: most attempts do. */
  readonly misses: Map<number | undefined, number>;
  /** Steps of whole searches, by text and place: functions that are tried one after the other search alike. */
  readonly searches: Map<string, Map<number, number>>;
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

/** Lets go of what is known of texts. Called when other texts come, else they all stay in memory. */
export function forgetSearches(): void {
  for (const { searches } of compiled.values()) searches.clear();
}

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
  compiler.program.push({ op: 'match' });
  return {
    misses: new Map<number | undefined, number>(),
    searches: new Map<string, Map<number, number>>(),
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

/** What a pattern sees of a text: signs in both directions, lines and words. */
class Reading {
  readonly text: string;
  /** Where an attempt begins, and whether it has seen more than the sign that stands there. */
  #start = 0;
  #sawMore = false;
  readonly #unicode: boolean;
  readonly #multiline: boolean;
  constructor(text: string, { unicode, multiline }: Compiled) {
    this.text = text;
    this.#unicode = unicode;
    this.#multiline = multiline;
  }

  begin(start: number): void {
    this.#start = start;
    this.#sawMore = false;
  }
  get sawMore(): boolean {
    return this.#sawMore;
  }
  startsWith(held: string, at: number): boolean {
    this.#sawMore = true;
    return this.text.startsWith(held, at);
  }

  /** The sign after `at`; with `back` the one before. Undefined at the end of the text. */
  sign(at: number, back: boolean): number | undefined {
    if (back || at !== this.#start) this.#sawMore = true;
    if (back ? at <= 0 : at < 0 || at >= this.text.length) return undefined;
    if (!back) return this.#unicode ? this.text.codePointAt(at) : this.text.charCodeAt(at);
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
    this.#sawMore = true;
    if (kind === 'start') return at === 0 || (this.#multiline && this.#isLineEnd(at - 1));
    if (kind === 'end') return at === text.length || (this.#multiline && this.#isLineEnd(at));
    return (at > 0 && isWord(text.charCodeAt(at - 1))) !== (at < text.length && isWord(text.charCodeAt(at)));
  }

  #isLineEnd(at: number): boolean {
    const sign = this.text.charCodeAt(at);
    return sign === 10 || sign === 13 || sign === 0x2028 || sign === 0x2029;
  }
}

/** What all attempts of one search share. */
interface Search {
  readonly reading: Reading;
  readonly saved: Int32Array;
  readonly registers: Int32Array;
  readonly steps: Steps;
  readonly name: string;
}

/** What going back does. */
type Kind = 'go-on' | 'register' | 'slot' | 'greedy' | 'lazy' | 'loop-again';
type Op<Name extends Instruction['op']> = Extract<Instruction, { op: Name }>;

/** One attempt to match a program from a place on. */
class Attempt {
  readonly #search: Search;
  readonly #program: readonly Instruction[];
  /** What going back restores, newest last. */
  readonly #stack: (readonly [kind: Kind, a: number, b: number, c: number])[] = [];
  #at: number;
  #next = 0;
  constructor(search: Search, program: readonly Instruction[], start: number) {
    this.#search = search;
    this.#program = program;
    this.#at = start;
  }

  /** Where the match ends; -1: there is none. */
  run(): number {
    const { steps, name } = this.#search;
    for (;;) {
      if (++steps.taken > steps.limit) throw new TooManySteps(name);
      const instruction = this.#program[this.#next] as Instruction;
      if (instruction.op === 'match') return this.#at;
      if (!this.#step(instruction) && !this.#goBack()) return -1;
    }
  }

  /** False: the text does not fit. */
  #step(instruction: Exclude<Instruction, Op<'match'>>): boolean {
    const { reading, saved } = this.#search;
    switch (instruction.op) {
      case 'char': {
        const { test, back } = instruction;
        const sign = reading.sign(this.#at, back);
        if (sign === undefined || !test(sign)) return false;
        this.#at = reading.beyond(this.#at, sign, back);
        break;
      }
      case 'repeat':
        if (!this.#repeat(instruction)) return false;
        break;
      case 'split':
        this.#stack.push(['go-on', instruction.second, this.#at, 0]);
        this.#next = instruction.first;
        return true;
      case 'jump':
        this.#next = instruction.to;
        return true;
      case 'save':
        this.#stack.push(['slot', instruction.slot, saved[instruction.slot] as number, 0]);
        saved[instruction.slot] = this.#at;
        break;
      case 'set':
        this.#setRegister(instruction.register, 0, -1);
        break;
      case 'loop':
        return this.#loop(instruction);
      case 'edge':
        if (reading.isEdge(this.#at, instruction.kind) === instruction.negate) return false;
        break;
      case 'look': {
        const isThere = new Attempt(this.#search, instruction.program, this.#at).run() >= 0;
        if (isThere === instruction.negate) return false;
        break;
      }
      case 'same':
        if (!this.#same(instruction)) return false;
    }
    this.#next += 1;
    return true;
  }

  #repeat({ test, min, max, greedy, back }: Op<'repeat'>): boolean {
    const { reading, steps } = this.#search;
    const begin = this.#at;
    let count = 0;
    for (const most = greedy ? max : min; count < most; count += 1) {
      const sign = reading.sign(this.#at, back);
      if (sign === undefined) break;
      steps.taken += 1;
      if (!test(sign)) break;
      this.#at = reading.beyond(this.#at, sign, back);
    }
    if (count < min) return false;
    if (greedy) {
      let least = begin;
      for (let i = 0; i < min; i++) least = reading.beyond(least, reading.sign(least, back) as number, back);
      if (this.#at !== least) this.#stack.push(['greedy', this.#next, this.#at, least]);
    } else if (count < max) this.#stack.push(['lazy', this.#next, this.#at, count]);
    return true;
  }

  #loop({ register, min, max, greedy, body, exit }: Op<'loop'>): boolean {
    const { registers } = this.#search;
    const [times, began] = [registers[register] as number, registers[register + 1] as number];
    const again = () => {
      this.#setRegister(register, times + 1, this.#at);
      this.#next = body;
    };
    if (times > min && began === this.#at) return false;
    if (times < min) again();
    else if (times >= max) this.#next = exit;
    else if (greedy) {
      this.#stack.push(['go-on', exit, this.#at, 0]);
      again();
    } else {
      this.#stack.push(['loop-again', this.#next, this.#at, 0]);
      this.#next = exit;
    }
    return true;
  }

  #same({ slot, back }: Op<'same'>): boolean {
    const { reading, saved, steps } = this.#search;
    const [begin, end] = [saved[slot] as number, saved[slot + 1] as number];
    if (begin < 0 || end < 0) return true;
    const held = reading.text.slice(begin, end);
    steps.taken += held.length;
    if (!reading.startsWith(held, back ? this.#at - held.length : this.#at)) return false;
    this.#at += back ? -held.length : held.length;
    return true;
  }

  #setRegister(register: number, times: number, began: number): void {
    const { registers } = this.#search;
    this.#stack.push([
      'register',
      register,
      registers[register] as number,
      registers[register + 1] as number,
    ]);
    registers[register] = times;
    registers[register + 1] = began;
  }

  /** Takes back what was done until another way is open. False: there is none. */
  #goBack(): boolean {
    const { saved, registers } = this.#search;
    for (let entry = this.#stack.pop(); entry; entry = this.#stack.pop()) {
      const [kind, a, b, c] = entry;
      if (kind === 'register') {
        registers[a] = b;
        registers[a + 1] = c;
      } else if (kind === 'slot') saved[a] = b;
      else if (this.#resume(kind, a, b, c)) return true;
    }
    return false;
  }

  #resume(kind: Kind, a: number, b: number, c: number): boolean {
    const { reading, steps } = this.#search;
    if (kind === 'go-on') [this.#next, this.#at] = [a, b];
    else if (kind === 'greedy') {
      const { back } = this.#program[a] as Op<'repeat'>;
      // One repetition less: back over the sign that was read last.
      this.#at = reading.beyond(b, reading.sign(b, !back) as number, !back);
      if (this.#at !== c) this.#stack.push(['greedy', a, this.#at, c]);
      this.#next = a + 1;
    } else if (kind === 'lazy') {
      const { test, max, back } = this.#program[a] as Op<'repeat'>;
      const sign = reading.sign(b, back);
      if (sign === undefined) return false;
      steps.taken += 1;
      if (!test(sign)) return false;
      this.#at = reading.beyond(b, sign, back);
      if (c + 1 < max) this.#stack.push(['lazy', a, this.#at, c + 1]);
      this.#next = a + 1;
    } else {
      const { register, body } = this.#program[a] as Op<'loop'>;
      this.#setRegister(register, (this.#search.registers[register] as number) + 1, b);
      [this.#next, this.#at] = [body, b];
    }
    return true;
  }
}

/** Adds to `steps` what a search for the pattern from `from` on costs; throws `TooManySteps` beyond the limit. */
export function countSteps(pattern: RegExp, text: string, from: number, steps: Steps): void {
  const code = compile(pattern);
  let known = code.searches.get(text);
  if (!known) {
    known = new Map();
    code.searches.set(text, known);
  }
  const taken = known.get(from);
  if (taken !== undefined) {
    steps.taken += taken;
    if (steps.taken > steps.limit) throw new TooManySteps(`/${pattern.source}/${pattern.flags}`);
    return;
  }
  const before = steps.taken;
  search(pattern, code, text, from, steps);
  known.set(from, steps.taken - before);
}

function search(pattern: RegExp, code: Compiled, text: string, from: number, steps: Steps): void {
  const { misses } = code;
  const reading = new Reading(text, code);
  const search: Search = {
    reading,
    saved: new Int32Array(2 * code.groups),
    registers: new Int32Array(code.registers),
    steps,
    name: `/${pattern.source}/${pattern.flags}`,
  };
  for (let start = from; start <= text.length; start++) {
    reading.begin(start);
    const sign = reading.sign(start, false);
    const miss = misses.get(sign);
    if (miss === undefined) {
      const before = steps.taken;
      search.saved.fill(-1);
      if (new Attempt(search, code.program, start).run() >= 0) return;
      if (!reading.sawMore) misses.set(sign, steps.taken - before);
    } else {
      steps.taken += miss;
      if (steps.taken > steps.limit) throw new TooManySteps(search.name);
    }
    if (pattern.sticky) return;
    if (code.unicode && sign !== undefined && sign > 0xffff) start++;
  }
}
