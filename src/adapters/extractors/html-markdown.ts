// HTML as Markdown: headings, paragraphs, lists, tables, code. It leaves out elements that people do not read (scripts,
// styles, form controls) and reading aids for characters, which would split words.
import { heading, oneLine, plainHeading, table } from './markdown.ts';
import { allOf, type Element, elementsOf, textIn } from './xml.ts';

const UNREAD = new Set(
  'script style rt rp noscript template svg math head iframe object embed canvas audio video select option button input textarea nav dialog'.split(
    ' ',
  ),
);
const BLOCKS = new Set(
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);

/** Returns the blocks of Markdown in the order of the page. */
export function markdownBlocks(root: Element): { readonly text: string; readonly level: number | null }[] {
  const blocks: { text: string; level: number | null }[] = [];
  let line = '';
  const put = (text: string, level: number | null = null) => {
    if (text.trim() !== '') blocks.push({ text, level });
  };
  const flush = () => {
    put(paragraph(line));
    line = '';
  };
  const walk = (element: Element): void => {
    for (const child of element.children) {
      if (typeof child === 'string') line += child.replace(/\s+/g, ' ');
      else if (UNREAD.has(child.name) || child.attributes.hidden !== undefined) continue;
      else if (child.name === 'br') line += '\n';
      else if (!BLOCKS.has(child.name)) walk(child);
      else {
        flush();
        block(child);
        flush();
      }
    }
  };
  const block = (element: Element): void => {
    const level = /^h([1-6])$/.exec(element.name)?.[1];
    if (level) put(heading(Number(level), wordsIn(element)), Number(level));
    else if (element.name === 'pre') put(`\`\`\`\n${textIn(element).trimEnd()}\n\`\`\``);
    else if (element.name === 'table' && allOf(element, 'table').length === 0) put(table(rowsOf(element)));
    else if (element.name === 'ul' || element.name === 'ol') list(element);
    else walk(element);
  };
  const list = (element: Element): void => {
    let number = Number(element.attributes.start ?? 1);
    const items: string[] = [];
    for (const item of elementsOf(element)) {
      const before = blocks.length;
      walk(item);
      flush();
      const own = blocks.splice(before).map(({ text }) => text);
      const mark = element.name === 'ol' ? `${number++}. ` : '- ';
      if (own.length > 0) items.push(`${mark}${own.join('\n').replaceAll('\n', '\n  ')}`);
    }
    put(items.join('\n'));
  };
  walk(root);
  flush();
  return blocks;
}

const paragraph = (line: string): string =>
  line
    .split('\n')
    .map(oneLine)
    .filter((words) => words !== '')
    .join('\n');

/** Returns the words of a heading or a cell on one line. */
const wordsIn = (element: Element): string =>
  markdownBlocks({ ...element, name: '' })
    .map(({ text, level }) => (level === null ? text : plainHeading(text)))
    .join(' ');

const rowsOf = (element: Element): string[][] =>
  allOf(element, 'tr').map((row) =>
    elementsOf(row)
      .filter(({ name }) => name === 'td' || name === 'th')
      .map(wordsIn),
  );
