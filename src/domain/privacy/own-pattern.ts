// Patterns that a person writes run over every text, so only those are accepted whose work is known to be
// linear in the text's length: at each repetition the next character alone decides if it continues.
// Grammar: a subset of ECMAScript's `u` mode.

type PatternProblem = 'syntax' | 'empty' | 'slow';

/** Most repetitions of an unbounded quantifier, so that trying it at each place of a text stays cheap. */
const MOST_REPEATED = 200;
/** Most ways in total through counted repetitions that the next character does not decide. */
const MOST_WAYS = 64;
/** One character of each class that patterns distinguish; ASCII in full. */
const SAMPLE = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'éßøÄ中文，。あア가жЖאع😀　•',
];

type Chars = ReadonlySet<string>;
type Node =
  | { readonly kind: 'chars'; readonly chars: Chars }
  | { readonly kind: 'edge' }
  | { readonly kind: 'row'; readonly items: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  | { readonly kind: 'repeat'; readonly item: Node; readonly min: number; readonly max: number };

class Refused extends Error {
  readonly problem: PatternProblem;
  constructor(problem: PatternProblem) {
    super(problem);
    this.problem = problem;
  }
}

const NOTHING: Chars = new Set();
const union = (...sets: readonly Chars[]): Chars => new Set(sets.flatMap((set) => [...set]));
const meet = (one: Chars, other: Chars): boolean => [...one].some((char) => other.has(char));
const charsOf = (atom: string): Chars => {
  const pattern = new RegExp(`^(?:${atom})$`, 'isu');
  return new Set(SAMPLE.filter((char) => pattern.test(char)));
};

/** Parses a pattern by recursive descent, and rewrites it with an upper bound for every repetition. */
class Reader {
  readonly #source: string;
  #at = 0;
  written = '';

  constructor(source: string) {
    this.#source = source;
  }

  read(): Node {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new Refused('syntax');
    return node;
  }

  #choice(): Node {
    const options = [this.#row()];
    while (this.#source[this.#at] === '|') {
      this.#take(1);
      options.push(this.#row());
    }
    return options.length === 1 ? (options[0] as Node) : { kind: 'choice', options };
  }

  #row(): Node {
    const items: Node[] = [];
    for (let next = this.#source[this.#at]; next !== undefined && !'|)'.includes(next); ) {
      items.push(this.#repeated(this.#atom()));
      next = this.#source[this.#at];
    }
    return { kind: 'row', items };
  }

  #atom(): Node {
    const rest = this.#source.slice(this.#at);
    const group = /^\((?:\?:)?(?!\?)/.exec(rest)?.[0];
    if (group) {
      this.#take(group.length);
      const inner = this.#choice();
      if (this.#source[this.#at] !== ')') throw new Refused('syntax');
      this.#take(1);
      return inner;
    }
    const edge = /^(?:\\[bB]|[\^$])/.exec(rest)?.[0];
    if (edge) {
      this.#take(edge.length);
      return { kind: 'edge' };
    }
    // Lookaround and back-references read characters more than once.
    if (/^(?:\(\?|\\[1-9k])/.test(rest)) throw new Refused('slow');
    const atom =
      /^(?:\[(?:[^\]\\]|\\[\s\S]){0,200}\]|\\u\{[0-9a-f]{1,6}\}|\\u[0-9a-f]{4}|\\p\{[^}]{1,40}\}|\\P\{[^}]{1,40}\}|\\[\s\S]|[^*+?{}()[\]|\\^$])/iu.exec(
        rest,
      )?.[0];
    if (!atom) throw new Refused('syntax');
    this.#take(atom.length);
    return { kind: 'chars', chars: charsOf(atom) };
  }

  #repeated(item: Node): Node {
    const found = /^(?:[*+?]|\{(\d{1,3})(,(\d{1,3})?)?\})(\?)?/.exec(this.#source.slice(this.#at));
    if (!found) return item;
    if (item.kind === 'edge') throw new Refused('syntax');
    const [whole, least, comma, most] = found;
    const sign = whole[0];
    const min = least === undefined ? (sign === '+' ? 1 : 0) : Number(least);
    const open = least === undefined ? sign !== '?' : comma !== undefined && most === undefined;
    const max = open ? Math.max(min, MOST_REPEATED) : least === undefined ? 1 : Number(most ?? least);
    if (max < min) throw new Refused('syntax');
    if (max > MOST_REPEATED) throw new Refused('slow');
    this.#at += whole.length;
    this.written += `{${min},${max}}${found[4] ?? ''}`;
    if (/^[*+?{]/.test(this.#source.slice(this.#at))) throw new Refused('syntax');
    return { kind: 'repeat', item, min, max };
  }

  #take(length: number): void {
    this.written += this.#source.slice(this.#at, this.#at + length);
    this.#at += length;
  }
}

const isEmpty = (node: Node): boolean => {
  if (node.kind === 'chars') return false;
  if (node.kind === 'edge') return true;
  if (node.kind === 'row') return node.items.every(isEmpty);
  if (node.kind === 'choice') return node.options.some(isEmpty);
  return node.min === 0 || isEmpty(node.item);
};

/** Returns the characters that a match of the node can begin with. */
const firstOf = (node: Node): Chars => {
  if (node.kind === 'chars') return node.chars;
  if (node.kind === 'edge') return NOTHING;
  if (node.kind === 'choice') return union(...node.options.map(firstOf));
  if (node.kind === 'repeat') return firstOf(node.item);
  const begins: Chars[] = [];
  for (const item of node.items) {
    begins.push(firstOf(item));
    if (!isEmpty(item)) break;
  }
  return union(...begins);
};

/**
 * Counts ways through the node that the next character does not decide. `follow`: characters that can come after it;
 * `inside`: it is repeated.
 */
function waysThrough(node: Node, follow: Chars, inside: boolean): number {
  if (node.kind === 'row') {
    let ways = 1;
    let after = follow;
    for (const item of [...node.items].reverse()) {
      ways *= waysThrough(item, after, inside);
      after = isEmpty(item) ? union(firstOf(item), after) : firstOf(item);
    }
    return ways;
  }
  if (node.kind === 'choice') {
    const apart = node.options.every((option, at) =>
      node.options.slice(at + 1).every((other) => !meet(firstOf(option), firstOf(other))),
    );
    if (inside && !apart) return Number.POSITIVE_INFINITY;
    return node.options.reduce((sum, option) => sum + waysThrough(option, follow, inside), 0);
  }
  if (node.kind !== 'repeat') return 1;
  if (node.max <= 1 && !inside)
    return waysThrough(node.item, follow, inside) * (meet(firstOf(node.item), follow) ? 2 : 1);
  if (isEmpty(node.item)) return Number.POSITIVE_INFINITY;
  const decided = node.min === node.max || !meet(firstOf(node.item), follow);
  if (!decided && (inside || node.item.kind !== 'chars')) return Number.POSITIVE_INFINITY;
  const inner = waysThrough(node.item, union(firstOf(node.item), follow), true);
  if (inner > 1) return Number.POSITIVE_INFINITY;
  return decided ? 1 : node.max - node.min + 1;
}

const known = new Map<string, RegExp | PatternProblem>();

/** Compiles the pattern (flags `giu`), or returns the reason why it is refused. */
export function ownPattern(source: string): RegExp | PatternProblem {
  const before = known.get(source);
  if (before !== undefined) return before;
  if (known.size > 1000) known.clear();
  const made = read(source);
  known.set(source, made);
  return made;
}

function read(source: string): RegExp | PatternProblem {
  try {
    new RegExp(source, 'giu');
    const reader = new Reader(source);
    const node = reader.read();
    if (isEmpty(node)) return 'empty';
    return waysThrough(node, NOTHING, false) > MOST_WAYS ? 'slow' : new RegExp(reader.written, 'giu');
  } catch (error) {
    if (error instanceof Refused) return error.problem;
    if (error instanceof SyntaxError) return 'syntax';
    throw error;
  }
}

/** True if the source is an accepted pattern. */
export const isOwnPattern = (source: string): boolean => ownPattern(source) instanceof RegExp;
