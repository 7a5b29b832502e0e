// Detects Markdown nested deeper than anyone writes: parsers process it by recursion, some in quadratic time. Pure.

/** Most levels. A hundred are drawn at once; a thousand overflow the browser's stack or stop the page for seconds. */
const DEEPEST = 100;

/** Marks of lists and quotes. */
const CONTAINER = /[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;
/** A thematic break is not a list, however long it is. */
const RULE = /^(?:[\s*]+|[\s-]+)$/;
const FENCE = /[ \t]*(`{3,}|~{3,})/y;
const INLINE_CODE = /`[^`]*`/g;
/** An HTML tag: lower case and not attached to a word, so that `List<string>` is none. */
const TAG = /(?:<(\/)|(?<!\w)<)([a-z][a-z0-9-]*)(?:\s[^<>]*)?>/g;
/** Elements without an end tag, or ended by the next one of their kind. */
const FLAT =
  /^(?:area|base|br|col|dd|dt|embed|hr|img|input|li|link|meta|option|p|source|td|th|tr|track|wbr)$/;
const INLINE = /\\[\s\S]|\[|\]|\*+|_+/g;
const EDGE = /[\s\p{P}]|^$/u;

/** Blocks still open at the end of a line. */
interface Open {
  readonly fence: string | null;
  readonly tags: number;
  readonly brackets: number;
  readonly emphasis: number;
}
const NOTHING_OPEN: Open = { fence: null, tags: 0, brackets: 0, emphasis: 0 };

/** Scans the text once without building a tree. The error boundary around the drawing catches whatever this misses. */
export class NestingGuard {
  #text = '';
  /** Start of the last line: earlier lines are not read again while the text grows. */
  #from = 0;
  #open: Open | 'too deep' = NOTHING_OPEN;

  /** True if `text` nests too deep; quick if it continues the previous text. */
  isTooDeep(text: string): boolean {
    if (text.length <= DEEPEST) return false;
    if (!text.startsWith(this.#text)) {
      this.#from = 0;
      this.#open = NOTHING_OPEN;
    }
    this.#text = text;
    for (;;) {
      const end = text.indexOf('\n', this.#from);
      if (this.#open === 'too deep') return true;
      if (end < 0) return afterLine(text.slice(this.#from), this.#open) === 'too deep';
      this.#open = afterLine(text.slice(this.#from, end), this.#open);
      this.#from = end + 1;
    }
  }
}

function afterLine(line: string, open: Open): Open | 'too deep' {
  let { fence, tags, brackets, emphasis } = open;
  const { at, depth, indent } = containersOf(line);
  if (fence === null && depth + indent / 2 > DEEPEST && !RULE.test(line)) return 'too deep';
  FENCE.lastIndex = at;
  const mark = FENCE.exec(line)?.[1];
  if (mark && (fence === null || mark.startsWith(fence))) fence = fence === null ? mark : null;
  if (mark || fence !== null) return { fence, tags, brackets, emphasis };
  const words = line.slice(at).replace(INLINE_CODE, 'x');
  // Brackets and emphasis never span an empty line.
  if (words.trim() === '') return { fence, tags, brackets: 0, emphasis: 0 };
  for (const [, end, name = ''] of words.matchAll(TAG)) {
    if (FLAT.test(name)) continue;
    tags = end ? Math.max(0, tags - 1) : tags + 1;
    if (tags > DEEPEST) return 'too deep';
  }
  for (const { 0: sign, index } of words.matchAll(INLINE)) {
    if (sign === '[') brackets += 1;
    else if (sign === ']') brackets = Math.max(0, brackets - 1);
    else if (!sign.startsWith('\\')) {
      const before = words.charAt(index - 1);
      const after = words.charAt(index + sign.length);
      const opens = !/^\s?$/.test(after) && EDGE.test(before);
      const closes = !/^\s?$/.test(before) && EDGE.test(after);
      if (opens && !closes) emphasis += sign.length;
      if (closes && !opens) emphasis = Math.max(0, emphasis - sign.length);
    }
    if (brackets > DEEPEST || emphasis > DEEPEST) return 'too deep';
  }
  return { fence, tags, brackets, emphasis };
}

/**
 * Containers at the start of a line: number of levels from its own marks, their end, and
 * the spaces before the first list mark.
 */
function containersOf(line: string): { depth: number; at: number; indent: number } {
  let depth = 0;
  let at = 0;
  let indent = 0;
  for (;;) {
    CONTAINER.lastIndex = at;
    const sign = CONTAINER.exec(line)?.[0];
    if (sign === undefined) return { depth, at, indent };
    if (depth === 0 && !sign.endsWith('>')) indent = sign.length - 1;
    depth += 1;
    at += sign.length;
  }
}
