// Markdown as models write it, read by one parser: CommonMark and GitHub's additions, formulas, emphasis beside Chinese, Japanese and Korean
// punctuation. One tilde strikes nothing. Pure.
import type { Nodes, Root } from 'mdast';
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
import { emphasisSyntax } from './emphasis-syntax.ts';
import { fenceSyntax } from './fence-syntax.ts';
import { formulaFromMarkdown, formulaSyntax } from './formula-syntax.ts';
import { htmlSyntax } from './html-syntax.ts';
import { settleLinks } from './link-rule.ts';
import { numbersFromMarkdown } from './list-numbers.ts';
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
];

/** The parser makes U+FFFD of NUL: a noncharacter that the text has not stands for it meanwhile. */
const STAND_INS = Array.from({ length: 32 }, (_, at) => String.fromCharCode(0xfdd0 + at));
function withoutStandIn(node: Nodes, standIn: string): void {
  // Words, code and its language, addresses, labels.
  for (const [key, value] of Object.entries(node))
    if (typeof value === 'string') Object.assign(node, { [key]: value.replaceAll(standIn, '\0') });
  if ('children' in node) for (const child of node.children) withoutStandIn(child, standIn);
}

/** `partial`: the text is still being written; constructs open at its end will be closed later. */
export function parseMarkdown(text: string, partial = false): Root {
  const standIn = text.includes('\0') ? STAND_INS.find((sign) => !text.includes(sign)) : undefined;
  if (standIn === undefined) return parsed(text, partial);
  const tree = parsed(text.replaceAll('\0', standIn), partial);
  withoutStandIn(tree, standIn);
  return tree;
}

const parsed = (text: string, partial: boolean): Root => settleLinks(read(text, partial), text);

const read = (text: string, partial: boolean): Root =>
  fromMarkdown(text, {
    extensions: [
      SYNTAX,
      tableSyntax(text, { partial }),
      fenceSyntax(text, { partial }),
      autolinkSyntax(text),
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

/** Separates fenced code from the words around it. Line breaks that only set a fence apart are dropped; an unclosed fence reaches to the end. */
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
    const [from, to] = [position?.start.offset ?? 0, position?.end.offset ?? 0];
    words(text.slice(done, from));
    pieces.push({ text: text.slice(from, to), fenced: true });
    done = to;
  }
  words(text.slice(done));
  return pieces;
}
