// Reads an answer while it grows: only the open block is parsed again, not the settled ones. The result is the
// same as reading the whole text at once.
import type { FootnoteDefinition, Nodes, PhrasingContent, RootContent } from 'mdast';
import { openContainers } from './callouts.ts';
import { loneDefinitionsIn } from './definitions.ts';
import { mayHaveWordsAtFence } from './fence-syntax.ts';
import type { Formula } from './formula-syntax.ts';
import { mayHaveFrontMatter } from './front-matter-syntax.ts';
import { openElements, unfinishedTag } from './html-rule.ts';
import { begunTable, closedEnd } from './open-end.ts';
import { parseMarkdown } from './parse.ts';
import { mayMixRows } from './table-syntax.ts';

/**
 * The unit of drawing: a block, or several within one HTML element. The same object as long as nothing in it changes.
 */
export interface AnswerBlock {
  /** Offset of its beginning, in characters: its identity within the answer. */
  readonly from: number;
  readonly nodes: readonly RootContent[];
  /** Definitions of the answer that the block refers to. */
  readonly definitions: readonly RootContent[];
  /** The answer is still being written and may go on within this block. */
  readonly open: boolean;
}

export interface Footnote {
  readonly identifier: string;
  readonly number: number;
  readonly node: FootnoteDefinition;
  readonly definitions: readonly RootContent[];
  /** Places of the answer that refer to it: `${from of the block}-${number within it}`. */
  readonly calls: readonly string[];
}

export interface ReadAnswer {
  readonly blocks: readonly AnswerBlock[];
  /** In the order of their first reference; those without one come last. */
  readonly footnotes: readonly Footnote[];
}

/** Top-level nodes with the text they were read from. */
interface Piece {
  readonly from: number;
  readonly source: string;
  /** Contains HTML, whose meaning can depend on later text. */
  readonly html: boolean;
  nodes: readonly RootContent[];
  /** Its own definitions, and the labels it may refer to. */
  readonly defined: readonly RootContent[];
  readonly labels: ReadonlySet<string>;
  /** Labels that were known when it was read. */
  known: string;
  definitions: readonly RootContent[];
}

const label = (text: string): string =>
  text
    .replace(/[\t\n\r ]+/g, ' ')
    .trim()
    .toLowerCase();

/** Collects all texts in brackets: linear, since brackets within end them. */
const labelsIn = (source: string): ReadonlySet<string> =>
  source.includes('[')
    ? new Set([...source.matchAll(/\[([^[\]]{1,999})\]/g)].map(([, inside = '']) => label(inside)))
    : NO_LABELS;
const NO_LABELS: ReadonlySet<string> = new Set();

const keyOf = (node: RootContent): string | undefined =>
  node.type === 'definition'
    ? node.identifier
    : node.type === 'footnoteDefinition'
      ? `^${node.identifier}`
      : undefined;

/** Definitions anywhere within nodes. */
function definedIn(nodes: readonly Nodes[], found: RootContent[] = []): RootContent[] {
  for (const node of nodes) {
    if (node.type === 'definition' || node.type === 'footnoteDefinition') found.push(node);
    // Only blocks that contain blocks can contain a definition.
    if ('children' in node && node.type !== 'paragraph' && node.type !== 'heading' && node.type !== 'table')
      definedIn(node.children as Nodes[], found);
  }
  return found;
}

function callsIn(nodes: readonly Nodes[], found: string[]): void {
  for (const node of nodes) {
    if (node.type === 'footnoteReference') found.push(node.identifier);
    // A footnote's own words come at the end of the answer.
    if ('children' in node && node.type !== 'footnoteDefinition') callsIn(node.children as Nodes[], found);
  }
}

const definesLinks = ({ defined }: Piece): boolean => defined.some(({ type }) => type === 'definition');

function withLoneDefinitions(pieces: readonly Piece[]): readonly Piece[] {
  if (!pieces.some(definesLinks)) return pieces;
  const shown = loneDefinitionsIn(pieces.flatMap(({ nodes }) => nodes));
  return pieces.map((piece) => (definesLinks(piece) ? { ...piece, nodes: piece.nodes.map(shown) } : piece));
}

const hasHtml = (node: Nodes): boolean =>
  node.type === 'html' || ('children' in node && node.children.some(hasHtml));

const hasOpenFormula = (node: Nodes): boolean =>
  (node as Nodes | Formula).type === 'formula'
    ? (node as unknown as Formula).open
    : 'children' in node && node.children.some(hasOpenFormula);

/**
 * Hands the reader of an answer that grew to the place that draws the finished one, so
 * that settled blocks are not read again.
 */
export class ReaderHandover {
  #growing: AnswerReader | undefined;

  /** Offers the reader of the answer that grows now; an earlier one is no longer offered. */
  offer(reader: AnswerReader): void {
    this.#growing = reader;
  }

  /** Ends the offer of this reader, whose answer has been drawn to its end. */
  withdraw(reader: AnswerReader): void {
    if (this.#growing === reader) this.#growing = undefined;
  }

  /** Returns the offered reader if it has read the beginning of `text`, else a new one. */
  readerFor(text: string): AnswerReader {
    return this.#growing?.isBegunBy(text) ? this.#growing : new AnswerReader();
  }
}

export class AnswerReader {
  #text = '';
  #partial = false;
  /** The last text read contains HTML. */
  #html = false;
  /** The last text read ends within a formula. */
  #formula = false;
  #settled: Piece[] = [];
  /** Offset of the open block. */
  #from = 0;
  #blocks = new Map<number, AnswerBlock>();

  /** True if `text` goes on where the last text that was read ends. */
  isBegunBy(text: string): boolean {
    return this.#text !== '' && text.startsWith(this.#text);
  }

  /** Reads `text`; fast if it continues the previous text. `partial`: it is still being written. */
  read(text: string, partial: boolean): ReadAnswer {
    // Reads all again at the end: HTML, a formula or a fence that never ended is text, and settled
    // blocks took it for one that would.
    const isOpen =
      this.#html || this.#formula || mayHaveWordsAtFence(text) || mayEndBehindBlank(text) || mayMixRows(text);
    const ended = this.#partial && !partial && (isOpen || mayHaveFrontMatter(text));
    if (ended || !text.startsWith(this.#text)) {
      this.#settled = [];
      this.#from = 0;
    }
    this.#text = text;
    this.#partial = partial;
    const open = this.#settle(partial);
    this.#formula = open?.nodes.some(hasOpenFormula) === true;
    this.#html = open?.html === true || this.#settled.some(({ html }) => html);
    const pieces = this.#withDefinitions(open === null ? this.#settled : [...this.#settled, open], partial);
    // While it is being written, what refers to a definition may still come.
    const all = partial ? pieces : withLoneDefinitions(pieces);
    const blocks = this.#grouped(all, partial);
    return { blocks, footnotes: footnotesOf(blocks, all) };
  }

  /** Parses from the open block on; adds settled blocks, returns the open one. */
  #settle(partial: boolean): Piece | null {
    const source = this.#text.slice(this.#from);
    if (source === '') return null;
    const { children } = parseMarkdown(source, partial, this.#from === 0);
    // A block is settled once the next one has certainly begun: from its first words, or once a line of it is complete.
    const starts = children.map((node) => lineStart(source, node.position?.start.offset ?? 0));
    // A fence behind words begins within their line, words behind a fence within its line: both are one piece.
    const endOf = (at: number) => children[at]?.position?.end.offset ?? 0;
    const firsts = starts.flatMap((start, at) => (at === 0 || start >= endOf(at - 1) ? [at] : []));
    let open = 0;
    for (let n = 1; n < firsts.length; n += 1)
      if (!partial || NEXT_BLOCK.test(source.slice(starts[firsts[n] as number]))) open = n;
    const last = firsts[open] ?? 0;
    const base = this.#from;
    for (let n = 0; n < open; n += 1) {
      const [at, next] = [firsts[n] as number, firsts[n + 1] as number];
      const from = n === 0 ? 0 : (starts[at] as number);
      const nodes = children.slice(at, next);
      this.#settled.push(this.#piece(base + from, source.slice(from, starts[next]), nodes));
    }
    if (children.length === 0) return null;
    const rest = last === 0 ? 0 : (starts[last] as number);
    this.#from = base + rest;
    const tail = source.slice(rest);
    const nodes = children.slice(last);
    return this.#piece(base + rest, tail, partial ? completed(tail, nodes, rest, base + rest === 0) : nodes);
  }

  #piece(from: number, source: string, nodes: readonly RootContent[]): Piece {
    return {
      from,
      source,
      nodes,
      html: source.includes('<') && nodes.some(hasHtml),
      defined: definedIn(nodes),
      labels: labelsIn(source),
      known: '',
      definitions: [],
    };
  }

  /** Reads blocks again that refer to a definition elsewhere in the answer. */
  #withDefinitions(pieces: readonly Piece[], partial: boolean): readonly Piece[] {
    const known = new Map<string, RootContent>();
    for (const { defined } of pieces)
      for (const node of defined) {
        const key = keyOf(node);
        if (key !== undefined && !known.has(key)) known.set(key, node);
      }
    if (known.size === 0) return pieces;
    for (const [at, piece] of pieces.entries()) {
      const used = [...piece.labels].filter((name) => known.has(name));
      const key = used.join('\n');
      piece.definitions = used
        .flatMap((name) => known.get(name) ?? [])
        .filter(({ type }) => type === 'definition');
      if (key === piece.known) continue;
      piece.known = key;
      const own = new Set(piece.defined.map(keyOf));
      const foreign = used.filter((name) => !own.has(name));
      if (foreign.length === 0) continue;
      const before = `${foreign.map((name) => `[${name}]: #`).join('\n\n')}\n\n`;
      const partialHere = partial && at === pieces.length - 1;
      piece.nodes = parseMarkdown(before + piece.source, partialHere).children.filter(
        ({ position }) => (position?.start.offset ?? 0) >= before.length,
      );
    }
    return pieces;
  }

  /** Joins the blocks within one HTML element or container; unchanged blocks stay the same objects. */
  #grouped(pieces: readonly Piece[], partial: boolean): AnswerBlock[] {
    const blocks: AnswerBlock[] = [];
    let elements: string[] = [];
    let containers = 0;
    let group: { from: number; nodes: RootContent[]; definitions: RootContent[] } | null = null;
    for (const [at, piece] of pieces.entries()) {
      if (group && (elements.length > 0 || containers > 0)) {
        group.nodes.push(...piece.nodes);
        group.definitions.push(...piece.definitions);
      } else group = { from: piece.from, nodes: [...piece.nodes], definitions: [...piece.definitions] };
      for (const node of piece.nodes) {
        if (node.type === 'html') elements = openElements(elements, node.value);
        containers = openContainers(containers, node);
      }
      const isLast = at === pieces.length - 1;
      if ((elements.length === 0 && containers === 0) || isLast)
        blocks.push(this.#kept({ ...group, open: partial && isLast }));
    }
    this.#blocks = new Map(blocks.map((block) => [block.from, block]));
    return blocks;
  }

  #kept(block: AnswerBlock): AnswerBlock {
    const before = this.#blocks.get(block.from);
    const same = (a: readonly RootContent[], b: readonly RootContent[]) =>
      a.length === b.length && a.every((node, at) => node === b[at]);
    return before &&
      before.open === block.open &&
      same(before.nodes, block.nodes) &&
      same(before.definitions, block.definitions)
      ? before
      : block;
  }
}

/** Words, an item of a list, a heading; or any whole line. */
const NEXT_BLOCK =
  /^(?:\p{L}|\*\*[^*\s]|["“「（(]|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:[\p{L}`]|\*+[^*\s])|#{1,6} \S|[^\r\n]*[\r\n])/u;
const lineStart = (source: string, at: number): number =>
  at === 0 ? 0 : Math.max(source.lastIndexOf('\n', at - 1), source.lastIndexOf('\r', at - 1)) + 1;

/**
 * A formula begins with words and goes on below: if an empty line comes before its end, it is
 * taken for words while it is written.
 */
const mayEndBehindBlank = (text: string): boolean =>
  /^[ \t>]*(?:\$\$|\\\[)[ \t]*(?=[^\s$])(?:(?!\$\$|\\\])[^\r\n])+[\r\n]/m.test(text);

/**
 * Completes the open block for display. `base`: offset of its source in the text that the nodes were read
 * from. `isFirst`: it begins the answer.
 */
function completed(
  source: string,
  nodes: readonly RootContent[],
  base: number,
  isFirst: boolean,
): readonly RootContent[] {
  let leaf: Nodes | undefined = nodes.at(-1);
  const certain = certainPart(source, deepest(leaf));
  if (certain.length < source.length)
    return completed(certain, parseMarkdown(certain, true, isFirst).children, 0, isFirst);
  if (leaf?.type === 'html') {
    const tag = unfinishedTag(leaf.value);
    return tag < 0 ? nodes : [...nodes.slice(0, -1), { ...leaf, value: leaf.value.slice(0, tag) }];
  }
  while (leaf && 'children' in leaf && !['paragraph', 'heading', 'tableCell'].includes(leaf.type))
    leaf = leaf.children.at(-1);
  if (!leaf || !('children' in leaf)) return nodes;
  const from = (leaf.position?.start.offset ?? base) - base;
  const words = source.slice(from);
  const table = leaf === nodes.at(-1) ? begunTable(words) : undefined;
  // Without such a sign nothing in the block can be open.
  if (table === undefined && !hasLooseEnd(leaf.children as PhrasingContent[])) return nodes;
  const closed = table ?? closedEnd(words);
  return closed === words ? nodes : parseMarkdown(source.slice(0, from) + closed, true).children;
}

const deepest = (node: Nodes | undefined): Nodes | undefined =>
  node && 'children' in node && node.children.length > 0 ? deepest(node.children.at(-1)) : node;

/** A last line that may become a list, a rule, or the underline of a heading or of a table's head. */
const BEGUN_LINE = /(?<![^\n\r])[ \t>]*(?:[-=*_+][-=*_+ \t]*|\d{1,9}[.)]?[ \t]*)$/;
/** A last line that may become the end of a fence. */
const BEGUN_END = /[\n\r][ \t>]*(?:`+|~+)$/;

/**
 * Returns the open block without the signs at its end whose meaning the next character
 * decides. `leaf`: what they were read as.
 */
function certainPart(source: string, leaf: Nodes | undefined): string {
  if (leaf?.type === 'code') return source.replace(BEGUN_END, '');
  if ((leaf as Formula | undefined)?.type === 'formula')
    return (leaf as unknown as Formula).open ? source.replace(/(?<!\\)[\\$]$/, '') : source;
  return leaf?.type === 'html' ? source : source.replace(BEGUN_LINE, '');
}

/** True if the parser left signs as text that may begin something. */
const hasLooseEnd = (nodes: readonly PhrasingContent[]): boolean =>
  nodes.some((node) =>
    node.type === 'text' ? /[*_`[~<\\&]/.test(node.value) : 'children' in node && hasLooseEnd(node.children),
  );

function footnotesOf(blocks: readonly AnswerBlock[], pieces: readonly Piece[]): readonly Footnote[] {
  const defined = new Map<string, { node: FootnoteDefinition; definitions: readonly RootContent[] }>();
  for (const { defined: nodes, definitions } of pieces)
    for (const node of nodes) {
      if (node.type !== 'footnoteDefinition') continue;
      const before = defined.get(node.identifier);
      // A definition that is written twice has both texts.
      defined.set(
        node.identifier,
        before
          ? {
              node: { ...before.node, children: [...before.node.children, ...node.children] },
              definitions: [...before.definitions, ...definitions],
            }
          : { node, definitions },
      );
    }
  if (defined.size === 0) return NO_FOOTNOTES;
  const calls = new Map<string, string[]>();
  for (const { from, nodes } of blocks) {
    const here: string[] = [];
    callsIn(nodes, here);
    const counts = new Map<string, number>();
    for (const identifier of here) {
      const at = counts.get(identifier) ?? 0;
      counts.set(identifier, at + 1);
      calls.set(identifier, [...(calls.get(identifier) ?? []), `${from}-${at}`]);
    }
  }
  for (const identifier of defined.keys()) if (!calls.has(identifier)) calls.set(identifier, []);
  return [...calls].flatMap(([identifier, list], at) => {
    const found = defined.get(identifier);
    return found ? [{ identifier, number: at + 1, calls: list, ...found }] : [];
  });
}
const NO_FOOTNOTES: readonly Footnote[] = [];
