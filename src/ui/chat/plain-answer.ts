// An answer without its Markdown, for places that show text as it is: mails, notes, forms, and a voice. Pure.
import type { Nodes, Parents, Table } from 'mdast';
import { parseMarkdown } from './markdown/parse.ts';
import { NestingGuard } from './nesting.ts';

/** What stands between two blocks of one kind of parent. */
const BETWEEN: Readonly<Record<string, string>> = { list: '\n', listItem: '\n', table: '\n' };

/** `spoken`: what is said in the place of a block of code; addresses are left out then. */
type Spoken = { readonly code: string } | null;

const within = (node: Parents, spoken: Spoken): string => {
  const blocks = node.children.map((child) => words(child, spoken)).filter((text) => text !== '');
  const inline = node.children.every(({ type }) => !BLOCKS.has(type));
  return blocks.join(inline ? '' : (BETWEEN[node.type] ?? '\n\n'));
};
const BLOCKS: ReadonlySet<string> = new Set([
  'paragraph',
  'heading',
  'list',
  'listItem',
  'blockquote',
  'code',
  'table',
  'tableRow',
  'thematicBreak',
  'math',
  'html',
  'footnoteDefinition',
  'definition',
]);

/** Cells parted by tabs: pasted into a sheet, they are cells again. */
const rowsOf = ({ children }: Table, spoken: Spoken): string =>
  children
    .map((row) => row.children.map((cell) => within(cell, spoken)).join(spoken ? ', ' : '\t'))
    .join('\n');

const indented = (text: string, first: string): string =>
  first + text.replaceAll('\n', `\n${' '.repeat(first.length)}`);

function words(node: Nodes, spoken: Spoken): string {
  switch (node.type) {
    case 'code':
      return spoken ? spoken.code : node.value;
    case 'break':
      return '\n';
    case 'thematicBreak':
      return '———';
    case 'image':
      return node.alt ?? '';
    case 'link': {
      const text = within(node, spoken);
      return spoken || text === node.url || node.url.startsWith('#') ? text : `${text} (${node.url})`;
    }
    case 'list':
      return node.children
        .map((item, at) => {
          const box = item.checked === true ? '[x] ' : item.checked === false ? '[ ] ' : '';
          return indented(
            within(item, spoken),
            `${node.ordered ? `${(node.start ?? 1) + at}.` : '-'} ${box}`,
          );
        })
        .join('\n');
    case 'table':
      return rowsOf(node, spoken);
    case 'footnoteReference':
      return `[${node.label ?? node.identifier}]`;
    case 'footnoteDefinition':
      return indented(within(node, spoken), `[${node.label ?? node.identifier}] `);
    case 'definition':
      return '';
    default:
      return 'children' in node ? within(node, spoken) : 'value' in node ? node.value : '';
  }
}

/** Longer ones are given as they are: a tree of them would stop the tab. Characters. */
const READ_UP_TO = 200_000;

/** The words of an answer as plain text: paragraphs, lists and tables stay apart, signs of emphasis go. */
export const plainAnswer = (markdown: string): string => read(markdown, null);

/** The same as it is read aloud: blocks of code are left out, and `code` is said in their place; no addresses of links. */
export const spokenAnswer = (markdown: string, code: string): string => read(markdown, { code });

const read = (markdown: string, spoken: Spoken): string =>
  markdown.length > READ_UP_TO || new NestingGuard().isTooDeep(markdown)
    ? markdown
    : words(parseMarkdown(markdown), spoken).trim();
