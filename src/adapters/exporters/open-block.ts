// Finds the block of a Markdown text that is still open at the text's end: a fence, or HTML that no blank line ends,
// would swallow everything written below it. Reads line by line as CommonMark does, containers included, in linear
// time; the content of a line does not matter. Pure.

/**
 * Kinds of HTML that end at a mark of their own: pattern of the beginning, pattern of the end, and the mark to write.
 */
const UNTIL_MARK: readonly (readonly [RegExp, RegExp, string | null])[] = [
  // Any of the four ends any other; people expect each to end with its own name.
  [/^<(script|pre|style|textarea)(?=[ >]|$)/i, /<\/(?:script|pre|style|textarea)>/i, null],
  [/^<!--/, /-->/, '-->'],
  [/^<\?/, /\?>/, '?>'],
  [/^<![A-Za-z]/, />/, '>'],
  [/^<!\[CDATA\[/, /\]\]>/, ']]>'],
];
const BLOCK_NAMES =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul';
const BLOCK_TAG = new RegExp(`^</?(?:${BLOCK_NAMES})(?= |/?>|$)`, 'i');
const ATTRIBUTE = ' +[A-Za-z_:][\\w.:-]*(?: *= *(?:[^ "\'=<>`]+|\'[^\']*\'|"[^"]*"))?';
/** A whole tag alone on its line: HTML too, but never in the middle of a paragraph. */
const LONE_TAG = new RegExp(`^<(?:[A-Za-z][A-Za-z0-9-]*(?:${ATTRIBUTE})* */?|/[A-Za-z][A-Za-z0-9-]* *)> *$`);

const FENCE = /^(?:(`{3,})[^`]*|(~{3,})(?:[^~].*)?)$/;
const HEADING = /^#{1,6}(?: |$)/;
const UNDERLINE = /^(?:=+|-+) *$/;
const RULE = /^(?:\*(?: *\*){2,}|_(?: *_){2,}|-(?: *-){2,}) *$/;
const MARKER = /^(?:[*+-]|(\d{1,9})[.)])(?= |$)/;

/**
 * Most nested containers: no text of a person is nested deeper, and a line of nothing but markers would take forever.
 */
const DEEPEST = 100;

export const LINE_BREAK = /\r\n|\n|\r/;

type Leaf =
  | { readonly type: 'paragraph' }
  | { readonly type: 'fence'; readonly marks: string }
  /** `ends`: null for a blank line. */
  | { readonly type: 'html'; readonly ends: RegExp | null; readonly by: string };
/** A list item's content stands `indent` columns in; `empty`: it has no content yet. A quote has none. */
type Container = { readonly indent: number | null; empty: boolean };

export interface BlockReader {
  /** Reads the next line. True if it is not code of a fence. */
  line(text: string): boolean;
  /** The line that would close the block which is open at the top level; undefined if a blank line is enough. */
  closing(): string | undefined;
}

/** Makes a reader for one Markdown text; pass it the lines in order. */
export function createBlockReader(): BlockReader {
  return new OpenBlockReader();
}

class OpenBlockReader implements BlockReader {
  #containers: Container[] = [];
  #leaf: Leaf | null = null;

  line(text: string): boolean {
    const row = withoutTabs(text);
    let at = 0;
    let matched = 0;
    for (const { indent, empty } of this.#containers) {
      const spaces = this.#spacesAt(row, at);
      if (indent === null) {
        if (spaces > 3 || row[at + spaces] !== '>') break;
        at += spaces + 1;
        if (row[at] === ' ') at += 1;
      } else if (at + spaces === row.length) {
        if (empty) break;
        at += spaces;
      } else if (spaces >= indent) at += indent;
      else break;
      matched += 1;
    }
    const whole = matched === this.#containers.length;

    if (whole && this.#leaf?.type === 'fence') {
      const { marks } = this.#leaf;
      const end = /^ {0,3}(`{3,}|~{3,}) *$/.exec(row.slice(at))?.[1];
      if (end === undefined || end[0] !== marks[0] || end.length < marks.length) return false;
      this.#leaf = null;
      return false;
    }
    if (whole && this.#leaf?.type === 'html') {
      if (this.#leaf.ends ? this.#leaf.ends.test(row.slice(at)) : this.#spacesAt(row, at) === row.length - at)
        this.#leaf = null;
      return true;
    }

    let inParagraph = whole && this.#leaf?.type === 'paragraph';
    // Words continue a paragraph above even without the marks of its quote or the indentation of its item.
    let lazy = !whole && this.#leaf?.type === 'paragraph';
    let closed = whole;
    const close = () => {
      if (!closed) this.#containers = this.#containers.slice(0, matched);
      closed = true;
      this.#leaf = null;
      inParagraph = false;
      lazy = false;
      const last = this.#containers.at(-1);
      if (last) last.empty = false;
    };
    for (;;) {
      const spaces = this.#spacesAt(row, at);
      const start = at + spaces;
      if (start === row.length) {
        // A blank line; or an item that begins with one.
        if (!closed) this.#containers = this.#containers.slice(0, matched);
        this.#leaf = null;
        return true;
      }
      if (spaces > 3) {
        if (inParagraph || lazy) return true;
        close();
        return true;
      }
      if (row[start] === '>' && this.#containers.length < DEEPEST) {
        close();
        this.#containers.push({ indent: null, empty: false });
        at = start + 1;
        if (row[at] === ' ') at += 1;
        continue;
      }
      const rest = row.slice(start);
      const next = this.#leafAt(rest, inParagraph, lazy);
      if (next !== undefined) {
        close();
        this.#leaf = next;
        return next?.type !== 'fence';
      }
      const marker = MARKER.exec(rest);
      if (marker && this.#containers.length < DEEPEST) {
        const width = marker[0].length;
        const gap = this.#spacesAt(rest, width);
        const empty = width + gap === rest.length;
        if (!inParagraph || (!empty && (marker[1] === undefined || Number(marker[1]) === 1))) {
          close();
          const inner = empty || gap > 4 ? width + 1 : width + gap;
          this.#containers.push({ indent: spaces + inner, empty });
          at = Math.min(start + inner, row.length);
          continue;
        }
      }
      if (!inParagraph && !lazy) {
        close();
        this.#leaf = { type: 'paragraph' };
      }
      return true;
    }
  }

  closing(): string | undefined {
    if (this.#containers.length > 0) return undefined;
    if (this.#leaf?.type === 'fence') return this.#leaf.marks;
    return this.#leaf?.type === 'html' && this.#leaf.ends ? this.#leaf.by : undefined;
  }

  #spacesAt(line: string, at: number): number {
    let end = at;
    while (line[end] === ' ') end += 1;
    return end - at;
  }

  /** Leaf block that begins at `at`; null: a blank line, code by indentation, a heading, a rule. */
  #leafAt(text: string, inParagraph: boolean, lazy: boolean): Leaf | null | undefined {
    if (HEADING.test(text)) return null;
    const [, ticks, tildes] = FENCE.exec(text) ?? [];
    const marks = ticks ?? tildes;
    if (marks !== undefined) return { type: 'fence', marks };
    if (text.startsWith('<')) {
      for (const [begins, ends, by] of UNTIL_MARK) {
        const begin = begins.exec(text);
        if (begin)
          return ends.test(text) ? null : { type: 'html', ends, by: by ?? `</${begin[1]?.toLowerCase()}>` };
      }
      if (BLOCK_TAG.test(text) || (!inParagraph && !lazy && LONE_TAG.test(text)))
        return { type: 'html', ends: null, by: '' };
    }
    if ((inParagraph && UNDERLINE.test(text)) || RULE.test(text)) return null;
    return undefined;
  }
}

/**
 * Expands tabs at the start of a line: below the mark of a quote they would be narrower, and end or begin other blocks.
 */
export function indentedBySpaces(line: string): string {
  const [indent = ''] = /^[\s\d>*+.)-]*/.exec(line) ?? [];
  return `${withoutTabs(indent)}${line.slice(indent.length)}`;
}

/** Replaces tabs by spaces, up to the next tab stop. */
function withoutTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let out = '';
  for (const piece of line.split(/(\t)/)) out += piece === '\t' ? ' '.repeat(4 - (out.length % 4)) : piece;
  return out;
}
