// Markdown as models write it, read by one parser: CommonMark and GitHub's additions, formulas, emphasis beside
// Chinese, Japanese and Korean punctuation. One tilde strikes nothing. Pure.
import type { Nodes, Parents, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmAutolinkLiteralFromMarkdown } from 'mdast-util-gfm-autolink-literal';
import { gfmFootnoteFromMarkdown } from 'mdast-util-gfm-footnote';
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTaskListItemFromMarkdown } from 'mdast-util-gfm-task-list-item';
import { gfmStrikethroughCjkFriendly } from 'micromark-extension-cjk-friendly-gfm-strikethrough';
import { gfmFootnote } from 'micromark-extension-gfm-footnote';
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item';
import { combineExtensions } from 'micromark-util-combine-extensions';
import { autolinkSyntax } from './autolink-syntax.ts';
import { containerSyntax, containersFromMarkdown } from './callouts.ts';
import { settleCitations } from './citations.ts';
import { emphasisSyntax } from './emphasis-syntax.ts';
import { fenceSyntax } from './fence-syntax.ts';
import { type Formula, formulaFromMarkdown, formulaSyntax } from './formula-syntax.ts';
import { frontMatterFromMarkdown, frontMatterSyntax } from './front-matter-syntax.ts';
import { headingSyntax } from './heading-syntax.ts';
import { foldedWords } from './html-rule.ts';
import { htmlSyntax } from './html-syntax.ts';
import { settleLinks } from './link-rule.ts';
import { linkSyntax } from './link-syntax.ts';
import { numbersFromMarkdown } from './list-numbers.ts';
import { listSyntax } from './list-syntax.ts';
import { literalSyntax } from './literal-syntax.ts';
import { tableSyntax } from './table-syntax.ts';

/** The same for every text. */
const SYNTAX = combineExtensions([
  emphasisSyntax,
  gfmFootnote(),
  gfmStrikethroughCjkFriendly({ singleTilde: false }),
  gfmTaskListItem(),
]);
// The parser has found every address: a second search over its text would find them beyond their end.
const { transforms: _, ...addresses } = gfmAutolinkLiteralFromMarkdown();
const TREE = [
  addresses,
  gfmFootnoteFromMarkdown(),
  gfmStrikethroughFromMarkdown(),
  gfmTableFromMarkdown(),
  gfmTaskListItemFromMarkdown(),
  formulaFromMarkdown,
  numbersFromMarkdown,
  containersFromMarkdown,
  frontMatterFromMarkdown,
];

/** The parser makes U+FFFD of NUL: a noncharacter that the text has not stands for it meanwhile. */
const STAND_INS = Array.from({ length: 32 }, (_, at) => String.fromCharCode(0xfdd0 + at));
function withoutStandIn(node: Nodes, standIn: string): void {
  // Words, code and its language, addresses, labels.
  for (const [key, value] of Object.entries(node))
    if (typeof value === 'string') Object.assign(node, { [key]: value.replaceAll(standIn, '\0') });
  if ('children' in node) for (const child of node.children) withoutStandIn(child, standIn);
}

/**
 * `partial`: the text is still being written; constructs open at its end will be closed later.
 * `isBeginning`: nothing stands before it.
 */
export function parseMarkdown(text: string, partial = false, isBeginning = false): Root {
  const standIn = text.includes('\0') ? STAND_INS.find((sign) => !text.includes(sign)) : undefined;
  if (standIn === undefined) return parsed(text, partial, isBeginning);
  const tree = parsed(text.replaceAll('\0', standIn), partial, isBeginning);
  withoutStandIn(tree, standIn);
  return tree;
}

const parsed = (text: string, partial: boolean, isBeginning: boolean): Root => {
  const tree = settleLinks(read(text, partial, isBeginning), text);
  if (MATHS_FENCE.test(text)) drawMaths(tree, partial ? text : null);
  if (/\[\d{1,3}\]/.test(text)) settleCitations(tree);
  if (/<(?:details|summary)/i.test(text)) readFolded(tree);
  return tree;
};

const MATHS_FENCE = /(?:```|~~~)[ \t]*math\b/;

/**
 * Draws fenced code of the language `math` as a formula, as GitHub and GitLab do. `written`:
 * the text if it is still being written.
 */
function drawMaths(parent: Parents, written: string | null): void {
  parent.children = (parent.children as RootContent[]).map((child) => {
    if ('children' in child) drawMaths(child, written);
    if (child.type !== 'code' || child.lang !== 'math' || child.value.trim() === '') return child;
    const { value, position } = child;
    const isLast = written !== null && position?.end.offset === written.length;
    const open = isLast && !/[\r\n][ \t>]*(?:```+|~~~+)[ \t]*$/.test(written.slice(-100));
    return Object.assign({ type: 'formula', display: 'always', value, open } satisfies Formula, { position });
  }) as typeof parent.children;
}

/** Reads the words between the tags of one line (`<summary>**a**</summary>`) as Markdown. */
function readFolded(parent: Parents): void {
  for (const child of parent.children) if ('children' in child) readFolded(child);
  if (!parent.children.some(({ type }) => type === 'html')) return;
  parent.children = (parent.children as RootContent[]).flatMap((child): RootContent[] => {
    const pieces =
      child.type === 'html' && parent.type !== 'paragraph' ? foldedWords(child.value) : undefined;
    if (!pieces) return [child];
    const { position } = child;
    return pieces.flatMap(({ text, isTag }) =>
      (isTag ? [{ type: 'html' as const, value: text }] : parseMarkdown(text.trim()).children).map((node) =>
        Object.assign(node, { position }),
      ),
    );
  }) as typeof parent.children;
}

const read = (text: string, partial: boolean, isBeginning: boolean): Root =>
  fromMarkdown(text, {
    extensions: [
      SYNTAX,
      tableSyntax(text, { partial }),
      fenceSyntax(text, { partial }),
      listSyntax(text, { partial }),
      headingSyntax(text),
      containerSyntax(text),
      ...(isBeginning ? [frontMatterSyntax(text, { partial })] : []),
      autolinkSyntax(text),
      linkSyntax(text),
      formulaSyntax(text, { partial }),
      // A path has brackets that begin no formula.
      literalSyntax(text),
      htmlSyntax(text, { partial }),
    ],
    mdastExtensions: TREE,
  });

/** All constructs of blocks but fences, and all within lines. */
const ALL_BUT_FENCES = [
  'attention',
  'autolink',
  'blockQuote',
  'characterEscape',
  'characterReference',
  'codeIndented',
  'codeText',
  'definition',
  'hardBreakEscape',
  'headingAtx',
  'htmlFlow',
  'htmlText',
  'labelEnd',
  'labelStartImage',
  'labelStartLink',
  'list',
  'setextUnderline',
  'thematicBreak',
];

interface Piece {
  readonly text: string;
  readonly fenced: boolean;
}

/**
 * Separates fenced code from the words around it. Line breaks that only set a fence apart are dropped;
 * an unclosed fence reaches to the end.
 */
export function fencedPieces(text: string): Piece[] {
  if (!/```|~~~/.test(text)) return [{ text, fenced: false }];
  const { children } = fromMarkdown(text, {
    extensions: [{ disable: { null: ALL_BUT_FENCES } }, fenceSyntax(text, { partial: false })],
  });
  const fences = children.filter(({ type }) => type === 'code');
  if (fences.length === 0) return [{ text, fenced: false }];
  const pieces: Piece[] = [];
  const words = (piece: string) => {
    const trimmed = piece.replace(/^[\r\n]+|[\r\n]+$/g, '');
    if (trimmed !== '') pieces.push({ text: trimmed, fenced: false });
  };
  let done = 0;
  for (const { position } of fences) {
    const from = position?.start.offset ?? 0;
    let to = position?.end.offset ?? 0;
    // The fence may stand right behind the code.
    while (text[to] === '`') to += 1;
    words(text.slice(done, from));
    pieces.push({ text: text.slice(from, to), fenced: true });
    done = to;
  }
  words(text.slice(done));
  return pieces;
}
