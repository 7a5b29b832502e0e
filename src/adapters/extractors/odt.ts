// OpenDocument texts (OASIS ODF 1.3): headings, paragraphs, lists, tables. A place is the nearest heading above.
import { addByHeadings, type DocumentBlock } from './by-headings.ts';
import { ExtractionRefused, type Extractor, Sections } from './extractor.ts';
import { heading, table } from './markdown.ts';
import { allOf, childOf, childrenOf, type Element, elementsOf, firstOf, parseTree } from './xml.ts';
import { openPackage } from './zip-package.ts';

/** Elements that are not part of the text: tracked changes, comments, declared counters. */
const UNREAD = new Set([
  'tracked-changes',
  'annotation',
  'annotation-end',
  'sequence-decls',
  'forms',
  'variable-decls',
  // Reading aids (ruby) for the characters below them.
  'ruby-text',
]);

export const odt: Extractor = {
  extract: async (bytes, { onProgress }) => {
    const zip = await openPackage(bytes);
    if (zip.has('META-INF/manifest.xml') && /encryption-data/.test(await zip.text('META-INF/manifest.xml')))
      throw new ExtractionRefused('encrypted', 'A password protects it');
    const text = firstOf(parseTree(await zip.text('content.xml'), 'xml'), 'text');
    const sections = new Sections();
    if (text) addByHeadings(sections, blocksOf(text));
    onProgress(1, 1);
    return sections.done();
  },
};

function blocksOf(element: Element, indent = ''): DocumentBlock[] {
  return elementsOf(element).flatMap((child): DocumentBlock[] => {
    if (UNREAD.has(child.name)) return [];
    if (child.name === 'h') {
      const level = Number(child.attributes['outline-level'] ?? 1);
      return [{ text: heading(level, wordsIn(child)), level }, ...besides(child)];
    }
    if (child.name === 'p')
      return [{ text: `${indent}${wordsIn(child).trim()}`, level: null }, ...besides(child)].filter(
        ({ text }) => text.trim() !== '',
      );
    if (child.name === 'list')
      return elementsOf(child).flatMap((item) =>
        item.name === 'list-header'
          ? blocksOf(item, indent)
          : blocksOf(item, indent === '' ? '- ' : `  ${indent}`),
      );
    if (child.name === 'table')
      return [
        {
          text: table(
            allOf(child, 'table-row').map((row) =>
              childrenOf(row, 'table-cell').map((cell) =>
                blocksOf(cell)
                  .map(({ text }) => text)
                  .join(' '),
              ),
            ),
          ),
          level: null,
        },
      ].filter(({ text }) => text !== '');
    return blocksOf(child, indent);
  });
}

/** Returns text boxes and notes, which belong to a paragraph but are not its words. */
function besides(paragraph: Element): DocumentBlock[] {
  return elementsOf(paragraph).flatMap((child): DocumentBlock[] => {
    if (UNREAD.has(child.name)) return [];
    if (child.name === 'text-box') return blocksOf(child);
    if (child.name !== 'note') return besides(child);
    const body = childOf(child, 'note-body');
    const words = body ? blocksOf(body).map(({ text }) => text) : [];
    return words.length === 0 ? [] : [{ text: `[^${citationOf(child)}]: ${words.join(' ')}`, level: null }];
  });
}

const citationOf = (note: Element): string => {
  const citation = childOf(note, 'note-citation');
  return citation ? wordsIn(citation).trim() : '';
};

function wordsIn(element: Element): string {
  return element.children
    .map((child) => {
      if (typeof child === 'string') return child.replace(/\s+/g, ' ');
      if (UNREAD.has(child.name) || child.name === 'text-box') return '';
      if (child.name === 'note') return `[^${citationOf(child)}]`;
      if (child.name === 's') return ' '.repeat(Math.min(100, Number(child.attributes.c ?? 1)));
      if (child.name === 'tab') return '\t';
      return child.name === 'line-break' ? '\n' : wordsIn(child);
    })
    .join('');
}
