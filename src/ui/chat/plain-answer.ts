// Renders an answer without Markdown for places that show plain text: mails, notes, forms, and speech. Pure.
import type { ElementContent } from 'hast';
import { raw } from 'hast-util-raw';
import type { Definition, Nodes, Parents, Table } from 'mdast';
import { calloutOf } from './markdown/callouts.ts';
import { loneDefinitionsIn } from './markdown/definitions.ts';
import { marksOf } from './markdown/list-numbers.ts';
import { parseMarkdown } from './markdown/parse.ts';
import { textContent, withTags } from './markdown/tree.ts';
import { NestingGuard } from './nesting.ts';

/** Separator between two blocks, by the kind of their parent. */
const BETWEEN: Readonly<Record<string, string>> = { list: '\n', listItem: '\n', table: '\n' };

/**
 * `spoken`: words spoken in place of a code block; link addresses are left out then.
 * `definitions`: targets of reference links.
 */
interface PlainForm {
  readonly spoken: { readonly code: string } | null;
  readonly definitions: ReadonlyMap<string, Definition>;
}

const within = (node: Parents, reading: PlainForm): string => {
  const texts: string[] = [];
  const isContainer = CONTAINERS.has(node.type);
  /** A link that HTML began, and how many texts came before its words. */
  let link: { readonly url: string; readonly from: number } | undefined;
  /** The end of a block of HTML came within a line: words behind it stand on the next. */
  let isEnded = false;
  for (const child of node.children) {
    const said = words(child, reading);
    const isBlank = said.trim() === '';
    const text = !isEnded ? said : isBlank ? '' : `\n${said.trimStart()}`;
    if (!isBlank) isEnded = false;
    if (child.type === 'html' && !isContainer && BLOCK_ENDS.test(child.value)) isEnded = texts.length > 0;
    if ((isContainer ? text.trim() : text) !== '') texts.push(text);
    if (child.type !== 'html') continue;
    const url = LINK_BEGINS.test(child.value) ? attributeOf(child.value, 'href') : '';
    if (/^(?:https?|mailto|tel):/i.test(url)) link = { url, from: texts.length };
    else if (link && LINK_ENDS.test(child.value)) {
      texts.push(linkOf(texts.splice(link.from).join(''), link.url, reading));
      link = undefined;
    }
  }
  return texts.join(isContainer ? (BETWEEN[node.type] ?? '\n\n') : '');
};
const CONTAINERS: ReadonlySet<string> = new Set([
  'root',
  'blockquote',
  'list',
  'listItem',
  'table',
  'footnoteDefinition',
]);

const BLOCK_ENDS = /^<\/(?:li|p|div|dt|dd|tr|h[1-6]|summary|blockquote)\s*>$/i;
const LINK_BEGINS = /^<a\s[^<>]*>$/i;
const LINK_ENDS = /^<\/a\s*>$/i;
const attributeOf = (tag: string, name: string): string => {
  const [, quoted, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag) ?? [];
  return characters(quoted ?? single ?? '');
};

/** References to characters (`&eacute;`, `&#39;`) as what they stand for; no tag is left in the text. */
const characters = (text: string): string =>
  text.includes('&')
    ? textContent({ type: 'element', tagName: 'p', properties: {}, children: parsedHtml(text) })
    : text;
const parsedHtml = (value: string): ElementContent[] => {
  const parsed = raw({ type: 'root', children: [{ type: 'raw', value: value.replaceAll('<', '&lt;') }] });
  return parsed.type === 'root' ? (parsed.children as ElementContent[]) : [];
};

/** Text of HTML that the page draws. */
const wordsOfHtml = (html: string): string =>
  characters(
    html
      .replace(/<br\b[^<>]*>/gi, '\n')
      .replace(/<hr\b[^<>]*>/gi, '———')
      .replace(/<img\b[^<>]*>/gi, (tag) => attributeOf(tag, 'alt').replaceAll('&', '&amp;'))
      .replace(/<\/(?:td|th)\s*>(?=\s*<t)/gi, '\t')
      .replace(/(<\/(?:tr|li|p|div|h[1-6]|dt|dd|summary|blockquote)\s*>)\r?\n/gi, '$1')
      .replace(/<\/(?:tr|li|p|div|h[1-6]|dt|dd|summary|blockquote)\s*>(?!\s*$)/gi, '\n')
      .replace(/<[^<>]*>/g, ''),
  );

/** Separates cells by tabs so that a spreadsheet takes them as cells when pasted. */
const rowsOf = ({ children }: Table, reading: PlainForm): string =>
  children
    .map((row) =>
      row.children
        .map((cell) => within(cell, reading).replaceAll('\n', ' '))
        .join(reading.spoken ? ', ' : '\t'),
    )
    .join('\n');

const labelOf = (kind: string, title: string): string =>
  [kind.charAt(0).toUpperCase() + kind.slice(1), title].filter((text) => text !== '').join(': ');

const linkOf = (text: string, url: string, { spoken }: PlainForm): string =>
  spoken ||
  [url, url.replace(/^mailto:/, ''), url.replace(/^http:\/\//, '')].includes(text) ||
  url.startsWith('#')
    ? text
    : `${text} (${url})`;

const indented = (text: string, first: string): string =>
  first + text.replaceAll('\n', `\n${' '.repeat(first.length)}`);

function words(node: Nodes, reading: PlainForm): string {
  switch (node.type) {
    case 'code':
      return reading.spoken ? reading.spoken.code : node.value;
    case 'html':
      return wordsOfHtml(node.value);
    case 'break':
      return '\n';
    case 'blockquote': {
      const callout = calloutOf(node);
      if (!callout) return within(node, reading);
      const title = within({ type: 'paragraph', children: [...callout.title] }, reading);
      const body = within({ ...node, children: [...callout.children] as typeof node.children }, reading);
      return [labelOf(callout.kind, title), body].filter((text) => text !== '').join('\n\n');
    }
    case 'thematicBreak':
      return '———';
    case 'image':
      return node.alt ?? '';
    case 'link':
      return linkOf(within(node, reading), node.url, reading);
    case 'linkReference': {
      const url = reading.definitions.get(node.identifier)?.url;
      return url === undefined ? within(node, reading) : linkOf(within(node, reading), url, reading);
    }
    case 'list': {
      const marks = marksOf(node);
      return node.children
        .map((item, at) => {
          const box = item.checked === true ? '[x] ' : item.checked === false ? '[ ] ' : '';
          return indented(box + within(item, reading), `${marks[at] ?? '-'} `);
        })
        .join('\n');
    }
    case 'table':
      return rowsOf(node, reading);
    case 'footnoteReference':
      return `[${node.label ?? node.identifier}]`;
    case 'footnoteDefinition':
      return indented(within(node, reading), `[${node.label ?? node.identifier}] `);
    case 'definition':
      return '';
    default:
      return 'children' in node ? within(node, reading) : 'value' in node ? node.value : '';
  }
}

/** Longer texts stay unchanged, in characters: a syntax tree of them would freeze the tab. */
const READ_UP_TO = 200_000;

/** Plain text of an answer: paragraphs, lists and tables stay separate, emphasis marks are removed. */
export const plainAnswer = (markdown: string): string => read(markdown, null);

/** The same for reading aloud: says `code` in place of code blocks and leaves out link addresses. */
export const spokenAnswer = (markdown: string, code: string): string => read(markdown, { code });

const read = (markdown: string, spoken: PlainForm['spoken']): string =>
  markdown.length > READ_UP_TO || new NestingGuard().isTooDeep(markdown) ? markdown : plain(markdown, spoken);

function plain(markdown: string, spoken: PlainForm['spoken']): string {
  const root = parseMarkdown(markdown, false, true);
  const definitions = new Map<string, Definition>();
  const visit = (node: Nodes) => {
    if (node.type === 'definition' && !definitions.has(node.identifier))
      definitions.set(node.identifier, node);
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(root);
  if (!spoken && definitions.size > 0) root.children = root.children.map(loneDefinitionsIn(root.children));
  return words(withTags(root), { spoken, definitions }).trim();
}
