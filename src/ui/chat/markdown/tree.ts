// Turns Markdown's syntax tree into elements that are safe to draw: false HTML becomes text, the rest is sanitised, and
// every block of words gets its direction. Pure.
import type { Element, ElementContent, Root as Elements } from 'hast';
import { raw } from 'hast-util-raw';
import { defaultSchema, type Schema, sanitize } from 'hast-util-sanitize';
import type { Blockquote, List, Literal, Nodes, Parents, Root, RootContent, Table, TableRow } from 'mdast';
import { defaultHandlers, type Handlers, type State, toHast } from 'mdast-util-to-hast';
import { calloutOf, withContainers } from './callouts.ts';
import type { Formula } from './formula-syntax.ts';
import { DRAWN_TAGS, drawnHtml, type Html, isSpokenOf, mayBeSpokenOf } from './html-rule.ts';
import { marksOf, numbersOf } from './list-numbers.ts';

/** Words as written, line by line. */
interface Verbatim extends Literal {
  type: 'verbatim';
}
declare module 'mdast' {
  interface RootContentMap {
    verbatim: Verbatim;
  }
}

/** Longest mark of a list that has space beside it, characters. */
const MARK_FITS = 3;

const SCHEMA: Schema = {
  ...defaultSchema,
  tagNames: [...DRAWN_TAGS, 'input'],
  // Lists, rows and cells keep their place, even outside their usual parent.
  attributes: {
    ...defaultSchema.attributes,
    '*': [...(defaultSchema.attributes?.['*'] ?? []), 'dir', 'lang', 'title'],
    code: [['className', /^language-./]],
    pre: ['dataMeta', 'dataSaid'],
    span: ['dataFormula', 'dataOpen'],
    sup: ['dataFootnote', 'dataCall'],
    p: ['dataVerbatim', 'dataCallout'],
    blockquote: ['dataCallout'],
    ol: ['start', 'reversed', 'dataWidest'],
    li: [...(defaultSchema.attributes?.li ?? []), 'value', 'dataMark'],
    time: ['dateTime'],
  },
  protocols: {
    ...defaultSchema.protocols,
    href: [...(defaultSchema.protocols?.href ?? []), 'tel'],
    src: ['http', 'https', 'data', 'blob'],
  },
};

/** Formulas that can only be drawn on lines of their own. */
const SET_APART = /\\tag\b|\\begin\{(?:equation|align|alignat|gather|split|CD)\*?\}/;

const lineBreak = (): Element => ({ type: 'element', tagName: 'br', properties: {}, children: [] });

/**
 * `calls` counts the references to each footnote. `beside`: HTML stands beside it, so an HTML parser reads all of it.
 */
const handlersFor = (calls: Map<string, number>, beside: boolean): Handlers =>
  ({
    formula: (_: unknown, { value, display, open }: Formula, parent: Parents | undefined): Element => {
      const alone = parent?.type === 'paragraph' && parent.children.length === 1;
      const properties = {
        dataFormula:
          display === 'always' || (display === 'alone' && alone) || SET_APART.test(value)
            ? 'block'
            : 'inline',
        ...(open ? { dataOpen: '' } : {}),
      };
      return { type: 'element', tagName: 'span', properties, children: [{ type: 'text', value }] };
    },
    // Lines of a paragraph are lines: of a poem, an address, or a list with signs that are none of Markdown's.
    text: (_: unknown, { value }: { value: string }): ElementContent[] =>
      value
        .split(/\r\n?|\n/)
        .flatMap((line, at): ElementContent[] => [
          ...(at === 0 ? [] : [lineBreak(), { type: 'text' as const, value: '\n' }]),
          ...(line === '' ? [] : [{ type: 'text' as const, value: line }]),
        ]),
    footnoteReference: (_: unknown, { identifier }: { identifier: string }): Element => {
      const at = calls.get(identifier) ?? 0;
      calls.set(identifier, at + 1);
      const properties = { dataFootnote: identifier, dataCall: `${at}` };
      return { type: 'element', tagName: 'sup', properties, children: [] };
    },
    footnoteDefinition: () => undefined,
    list: (state: State, node: List): Element => {
      const list = defaultHandlers.list(state, node);
      const items = list.children.filter((child) => child.type === 'element');
      const numbers = node.ordered ? numbersOf(node) : [];
      const marks = marksOf(node);
      const widest = Math.max(...marks.map((mark = '') => mark.length));
      if (widest > MARK_FITS) list.properties.dataWidest = widest;
      for (const [at, mark] of marks.entries()) {
        const { properties } = items[at] as Element;
        const number = numbers[at];
        if (number !== undefined && number !== (node.start ?? 1) + at) properties.value = `${number}`;
        if (mark !== undefined && mark !== `${number}.`) properties.dataMark = mark;
      }
      return list;
    },
    blockquote: (state: State, node: Blockquote): Element => {
      const callout = calloutOf(node);
      if (!callout) return defaultHandlers.blockquote(state, node);
      const dataCallout = callout.kind;
      const label = {
        type: 'paragraph' as const,
        children: [...callout.title],
        data: { hProperties: { dataCallout } },
      };
      const quotation = defaultHandlers.blockquote(state, {
        ...node,
        children: [label, ...(callout.children as Blockquote['children'])],
      });
      return { ...quotation, properties: { ...quotation.properties, dataCallout } };
    },
    // A row with more cells than the head keeps them.
    tableRow: (state: State, node: TableRow, parent: Parents | undefined): Element => {
      const { align = [] } = (parent ?? {}) as Partial<Table>;
      const more = node.children.length - (align?.length ?? 0);
      return more > 0 && parent
        ? defaultHandlers.tableRow(state, node, {
            ...parent,
            align: [...(align ?? []), ...Array(more).fill(null)],
          } as Table)
        : defaultHandlers.tableRow(state, node, parent);
    },
    verbatim: (_: unknown, { value }: Verbatim): Element => ({
      type: 'element',
      tagName: 'p',
      properties: { dataVerbatim: '' },
      children: [{ type: 'text', value }],
    }),
    code: (
      _: unknown,
      { value, lang, meta }: { value: string; lang?: string | null; meta?: string | null },
    ): Element => ({
      type: 'element',
      tagName: 'pre',
      properties: { dataSaid: '', ...(meta ? { dataMeta: meta } : {}) },
      children: [
        {
          type: 'element',
          tagName: 'code',
          properties: lang ? { className: [`language-${lang}`] } : {},
          // The parser of HTML drops a line break right behind the tag.
          children: [{ type: 'text', value: beside ? `\n${value}` : value }],
        },
      ],
    }),
  }) as unknown as Handlers;

const CONTAINERS = new Set(['blockquote', 'listItem', 'root', 'footnoteDefinition']);

/** A bare address in the words of a link is words. */
const withoutLinks = (nodes: readonly Nodes[]): Nodes[] =>
  nodes.flatMap((node) => (node.type === 'link' ? withoutLinks(node.children) : [node]));

/** Schemes that a page cannot follow, run or draw: such an address is shown as a title. */
const UNREACHABLE = /^(?!(?:https?|mailto|tel|ircs?|xmpp|javascript|vbscript|data|blob):)[a-z][a-z0-9+.-]*:/i;

const wordsOf = (node: RootContent | undefined): string =>
  node === undefined ? '' : node.type === 'text' || node.type === 'inlineCode' ? node.value : 'x';

/** Makes words of the tags that a paragraph speaks of: `between <div> and </div>`. */
const withoutMentions = (children: readonly RootContent[], parent: string): RootContent[] =>
  children.map((child, at) =>
    parent === 'paragraph' &&
    child.type === 'html' &&
    isSpokenOf(child.value, wordsOf(children[at - 1]), wordsOf(children[at + 1]))
      ? { type: 'text', value: child.value }
      : child,
  );

const isFormula = (node: RootContent): boolean => (node as RootContent | Formula).type === 'formula';
const isBreak = (node: RootContent | undefined, edge: RegExp): boolean =>
  node === undefined || node.type === 'break' || (node.type === 'text' && edge.test(node.value));

/** Draws a formula between double dollars apart if it has lines of its own among the words of a paragraph. */
function withFormulasApart(children: readonly RootContent[]): readonly RootContent[] {
  if (children.length === 1 || !children.some(isFormula)) return children;
  let isBehind = false;
  return children.map((child, at) => {
    const wasBehind = isBehind;
    isBehind =
      isFormula(child) &&
      (child as unknown as Formula).display === 'alone' &&
      isBreak(children[at - 1], /[\r\n]$/) &&
      isBreak(children[at + 1], /^[\r\n]/);
    if (isBehind) return { ...child, display: 'always' } as unknown as RootContent;
    // The formula ends its line already.
    return wasBehind && child.type === 'text'
      ? { ...child, value: child.value.replace(/^(?:\r\n?|\n)/, '') }
      : child;
  });
}

/** Returns a copy in which HTML is either drawn or text. Sets `seen.html` if any is drawn. */
function withHtmlSettled<N extends Nodes>(node: N, partial: boolean, seen: { html: boolean }): N {
  if (!('children' in node)) return node;
  const inside = node.type === 'link' ? withoutLinks(node.children) : node.children;
  // A link without words shows its address.
  const isBare = node.type === 'link' && inside.length === 0 && node.url !== '';
  const flow = CONTAINERS.has(node.type);
  const said = (isBare ? [{ type: 'text', value: node.url }] : inside) as RootContent[];
  const children = flow ? withContainers(said, partial) : withoutMentions(said, node.type);
  const pieces: Html[] = children.flatMap((child, at) => {
    if (child.type !== 'html') return [];
    const spoken = !flow && mayBeSpokenOf(wordsOf(children[at - 1]), wordsOf(children[at + 1]));
    return [{ value: child.value, flow, spoken }];
  });
  const drawn = pieces.length > 0 ? drawnHtml(pieces, partial) : [];
  if (drawn.some((value) => value !== null)) seen.html = true;
  let at = 0;
  const settled = withFormulasApart(children).map((child): Nodes => {
    if (child.type !== 'html') return withHtmlSettled(child, partial, seen);
    const value = drawn[at];
    at += 1;
    if (value !== null && value !== undefined) return { ...child, value };
    return flow ? { type: 'verbatim', value: child.value } : { type: 'text', value: child.value };
  });
  const title = node.type === 'link' && !node.title && UNREACHABLE.test(node.url) ? { title: node.url } : {};
  return { ...node, ...title, children: settled } as N;
}

/** Replaces HTML that is not drawn by its text. */
export const withTags = (root: Root): Root => withHtmlSettled(root, false, { html: false });

/**
 * The elements of some blocks of an answer. `definitions`: those of the whole answer that links in them refer to.
 * `partial`: the text is still being written, elements that are open will be closed.
 */
export function elementsOf(
  nodes: readonly RootContent[],
  definitions: readonly RootContent[],
  partial: boolean,
): Elements {
  const seen = { html: false };
  const settled = withHtmlSettled({ type: 'root', children: [...nodes] }, partial, seen);
  const tree = toHast(
    { type: 'root', children: [...definitions, ...settled.children] },
    { allowDangerousHtml: true, handlers: handlersFor(new Map(), seen.html) },
  );
  const whole = seen.html ? raw(tree) : tree;
  const safe = sanitize(whole, SCHEMA) as Elements;
  for (const child of safe.children) if (child.type === 'element') direct(child);
  return safe;
}

const LEAVES = new Set([
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'td',
  'th',
  'summary',
  'dt',
  'figcaption',
  'caption',
]);
const BOXES = new Set(['ul', 'ol', 'blockquote', 'table', 'dl', 'details', 'dd']);
const STRONG = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]|\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Returns the first letter with a direction in an element's text, code left out; undefined if there is none. */
function firstStrong(node: ElementContent): string | undefined {
  if (node.type === 'text') return STRONG.exec(node.value)?.[0];
  if (node.type !== 'element' || node.tagName === 'code' || node.tagName === 'pre') return undefined;
  for (const child of node.children) {
    const found = firstStrong(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isLeafItem = ({ children }: Element): boolean =>
  !children.some(
    (child) => child.type === 'element' && (LEAVES.has(child.tagName) || BOXES.has(child.tagName)),
  );

/**
 * Returns the direction that the browser finds by itself, but ignores code before the
 * words, which the browser counts as words.
 */
function directionOf(element: Element): 'auto' | 'rtl' {
  const strong = firstStrong(element);
  const isTurned = strong !== undefined && RIGHT_TO_LEFT.test(strong);
  return isTurned && !RIGHT_TO_LEFT.test(STRONG.exec(textContent(element))?.[0] ?? '') ? 'rtl' : 'auto';
}

/**
 * Each block of words finds its direction by itself; a list, a quotation or a table has
 * that of its first word, for its edge.
 */
function direct(element: Element): void {
  const { tagName, properties } = element;
  if (tagName === 'pre') return;
  if (LEAVES.has(tagName) || (tagName === 'li' && isLeafItem(element)))
    properties.dir ??= directionOf(element);
  else if (BOXES.has(tagName) || tagName === 'li') {
    const strong = firstStrong(element);
    if (strong !== undefined) properties.dir ??= RIGHT_TO_LEFT.test(strong) ? 'rtl' : 'ltr';
  }
  for (const child of element.children) if (child.type === 'element') direct(child);
}

/** Code in a `pre` as it was written, and the language that its fence names. */
export function codeOf(pre: Element): { code: string; language: string; meta: string } {
  const inner = pre.children.find((child) => child.type === 'element' && child.tagName === 'code') ?? pre;
  const classes = inner.type === 'element' ? inner.properties.className : undefined;
  const named = (Array.isArray(classes) ? classes : []).find((name) => `${name}`.startsWith('language-'));
  const text = textContent(inner as ElementContent);
  return {
    // In a `pre` written as HTML, a first line break is not part of the code.
    code: inner === pre || pre.properties.dataSaid !== undefined ? text : text.replace(/^\n/, ''),
    language: named === undefined ? '' : `${named}`.slice('language-'.length),
    meta: `${pre.properties.dataMeta ?? ''}`,
  };
}

/** The language of `{python}`, `js:app.js` or `js{1,3}`, as notebooks and editors write them; in small letters. */
export function languageNamed(said: string): string {
  const name = said.toLowerCase();
  return /^\{?\.?([^\s:{},]*)/.exec(name)?.[1] || name;
}

/** Joins all text within an element, without markup. */
export function textContent(node: ElementContent): string {
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(textContent).join('') : '';
}
