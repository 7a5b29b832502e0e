// Word files (ECMA-376, WordprocessingML): paragraphs with headings, lists, tables and notes. A place is the page of
// Word's last layout if the file records it, otherwise the nearest heading above.
import { addByHeadings, type DocumentBlock } from './by-headings.ts';
import { type Extractor, Sections } from './extractor.ts';
import { heading, table } from './markdown.ts';
import {
  allOf,
  childOf,
  childrenOf,
  type Element,
  elementsOf,
  firstOf,
  parseTree,
  relationships,
  relationshipsOf,
  textIn,
} from './xml.ts';
import { openPackage, pathFrom, type ZipPackage } from './zip-package.ts';

/**
 * Elements that are not part of the text: deleted or moved words, field instructions, fallbacks for older Word
 * versions.
 */
const UNREAD = new Set([
  'del',
  'moveFrom',
  'delText',
  'instrText',
  'Fallback',
  'pPr',
  'rPr',
  'sectPr',
  'tblPr',
  // Reading aids (ruby) for the characters below them.
  'rt',
]);

interface Reader {
  /** Heading levels by style id. */
  readonly levels: ReadonlyMap<string, number>;
  /** Says by id and level if a list is numbered. */
  readonly counts: ReadonlyMap<string, boolean>;
  /** Texts of footnotes by id, and of endnotes by id with an `e` before it. */
  readonly notes: ReadonlyMap<string, string>;
}

export const docx: Extractor = {
  extract: async (bytes, { onProgress }) => {
    const zip = await openPackage(bytes);
    const main = await mainPart(zip);
    const related = zip.has(relationshipsOf(main))
      ? relationships(await zip.text(relationshipsOf(main)))
      : null;
    const part = async (type: string): Promise<Element | undefined> => {
      const target = related?.ofType(type);
      const path = target === undefined ? undefined : pathFrom(main, target);
      return path !== undefined && zip.has(path) ? parseTree(await zip.text(path), 'xml') : undefined;
    };
    const reader: Reader = {
      levels: levelsOf(await part('styles')),
      counts: countsOf(await part('numbering')),
      notes: new Map([
        ...notesOf(await part('footnotes'), 'footnote', ''),
        ...notesOf(await part('endnotes'), 'endnote', 'e'),
      ]),
    };
    const body = firstOf(parseTree(await zip.text(main), 'xml'), 'body');
    const sections = new Sections();
    if (body) addBlocks(sections, new Body(reader).read(body));
    onProgress(1, 1);
    return sections.done();
  },
};

function notesOf(part: Element | undefined, name: string, mark: string): [id: string, text: string][] {
  const plain: Reader = { levels: new Map(), counts: new Map(), notes: new Map() };
  return (part ? allOf(part, name) : []).flatMap(({ attributes, children }): [string, string][] => {
    const text = new Body(plain)
      .read({ name: '', attributes: {}, children })
      .map(({ text }) => text)
      .join(' ')
      .trim();
    return attributes.id === undefined || text === '' ? [] : [[`${mark}${attributes.id}`, text]];
  });
}

async function mainPart(zip: ZipPackage): Promise<string> {
  const target = zip.has('_rels/.rels')
    ? relationships(await zip.text('_rels/.rels')).ofType('officeDocument')
    : undefined;
  return target === undefined ? 'word/document.xml' : pathFrom('', target);
}

function addBlocks(sections: Sections, blocks: readonly PagedBlock[]): void {
  const last = blocks.at(-1)?.page ?? 1;
  if (last === 1) {
    addByHeadings(sections, blocks);
    return;
  }
  for (let from = 0; from < blocks.length; ) {
    const page = blocks[from]?.page ?? 1;
    let to = from;
    while (to < blocks.length && blocks[to]?.page === page) to += 1;
    const text = blocks
      .slice(from, to)
      .map(({ text }) => text)
      .join('\n\n');
    if (!sections.add({ kind: 'page', name: String(page) }, text)) return;
    from = to;
  }
}

interface PagedBlock extends DocumentBlock {
  readonly page: number;
}

class Body {
  readonly #reader: Reader;
  #page = 1;
  /** True if Word recorded its page breaks, manual ones included; other programs only record manual ones. */
  #noted = false;
  #blocks: PagedBlock[] = [];
  /** Notes on the current paragraph, and the paragraphs of its text boxes. */
  #notes: string[] = [];
  #boxes: Element[] = [];

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  read(body: Element): PagedBlock[] {
    this.#noted = firstOf(body, 'lastRenderedPageBreak') !== undefined;
    this.#walk(body);
    return this.#blocks;
  }

  #walk(element: Element): void {
    for (const child of elementsOf(element)) {
      if (UNREAD.has(child.name)) continue;
      if (child.name === 'p') this.#paragraph(child);
      else if (child.name === 'tbl') this.#table(child);
      else this.#walk(child);
    }
  }

  #put(text: string, level: number | null, page: number): void {
    if (text.trim() !== '') this.#blocks.push({ text, level, page });
  }

  #paragraph(paragraph: Element): void {
    const properties = childOf(paragraph, 'pPr');
    if (!this.#noted && childOf(properties, 'pageBreakBefore') && this.#blocks.length > 0) this.#page += 1;
    const before = this.#page;
    const words = this.#words(paragraph).trim();
    // A page break comes before the first words of the page that it begins.
    const page = words === '' || before === this.#page || this.#breaksFirst(paragraph) ? this.#page : before;
    const level = this.#levelOf(properties);
    if (level !== null) this.#put(heading(level, words), level, page);
    else this.#put(words === '' ? '' : `${this.#markOf(properties)}${words}`, null, page);
    for (const id of this.#notes.splice(0)) this.#put(`[^${id}]: ${this.#reader.notes.get(id)}`, null, page);
    for (const box of this.#boxes.splice(0)) this.#walk(box);
  }

  #breaksFirst(paragraph: Element): boolean {
    for (const run of childrenOf(paragraph, 'r'))
      for (const child of elementsOf(run)) {
        if (child.name === 'lastRenderedPageBreak' || child.name === 'br') return true;
        if (child.name === 't') return false;
      }
    return false;
  }

  #words(element: Element): string {
    let words = '';
    for (const child of elementsOf(element)) {
      const { name, attributes } = child;
      if (UNREAD.has(name)) continue;
      if (name === 't') words += textIn(child);
      else if (name === 'tab') words += '\t';
      else if (name === 'noBreakHyphen') words += '-';
      else if (name === 'lastRenderedPageBreak') this.#page += 1;
      else if (name === 'br' || name === 'cr') {
        if (attributes.type !== 'page') words += '\n';
        else if (!this.#noted) this.#page += 1;
      } else if (name === 'footnoteReference' || name === 'endnoteReference') {
        const id = `${name === 'endnoteReference' ? 'e' : ''}${attributes.id}`;
        if (this.#reader.notes.has(id)) {
          words += `[^${id}]`;
          this.#notes.push(id);
        }
      } else if (name === 'txbxContent') this.#boxes.push(child);
      else words += this.#words(child);
    }
    return words;
  }

  #table(element: Element): void {
    const page = this.#page;
    const rows = childrenOf(element, 'tr').map((row) =>
      childrenOf(row, 'tc').map((cell) => {
        const inner = this.#blocks.length;
        this.#walk(cell);
        return this.#blocks
          .splice(inner)
          .map(({ text }) => text)
          .join(' ');
      }),
    );
    this.#put(table(rows), null, page);
  }

  #levelOf(properties: Element | undefined): number | null {
    const outline = childOf(properties, 'outlineLvl')?.attributes.val;
    const level =
      outline === undefined
        ? this.#reader.levels.get(childOf(properties, 'pStyle')?.attributes.val ?? '')
        : Number(outline) + 1;
    return level !== undefined && level >= 1 && level <= 6 ? level : null;
  }

  #markOf(properties: Element | undefined): string {
    const numbering = childOf(properties, 'numPr');
    if (!numbering) return '';
    const level = Number(childOf(numbering, 'ilvl')?.attributes.val ?? 0);
    const id = childOf(numbering, 'numId')?.attributes.val ?? '0';
    if (id === '0') return '';
    return `${'  '.repeat(Math.min(8, level))}${this.#reader.counts.get(`${id} ${level}`) ? '1.' : '-'} `;
  }
}

/**
 * Finds headings by the outline level of their style or its base style, or by the style names that every Word version
 * uses.
 */
function levelsOf(styles: Element | undefined): Map<string, number> {
  const all = styles ? allOf(styles, 'style') : [];
  const byId = new Map(all.map((style) => [style.attributes.styleId ?? '', style]));
  const own = (style: Element): number | undefined => {
    const outline = childOf(childOf(style, 'pPr'), 'outlineLvl')?.attributes.val;
    if (outline !== undefined) return Number(outline) + 1;
    const name = childOf(style, 'name')?.attributes.val ?? '';
    if (/^title$/i.test(name)) return 1;
    const numbered = /^heading (\d)$/i.exec(name)?.[1];
    return numbered === undefined ? undefined : Number(numbered);
  };
  const levels = new Map<string, number>();
  for (const [id, style] of byId) {
    const seen = new Set<Element>();
    for (let at: Element | undefined = style; at && !seen.has(at); ) {
      seen.add(at);
      const level = own(at);
      if (level !== undefined) {
        levels.set(id, level);
        break;
      }
      at = byId.get(childOf(at, 'basedOn')?.attributes.val ?? '');
    }
  }
  return levels;
}

function countsOf(numbering: Element | undefined): Map<string, boolean> {
  const counts = new Map<string, boolean>();
  if (!numbering) return counts;
  const abstract = new Map(allOf(numbering, 'abstractNum').map((one) => [one.attributes.abstractNumId, one]));
  for (const number of allOf(numbering, 'num')) {
    const meant = abstract.get(childOf(number, 'abstractNumId')?.attributes.val);
    for (const level of meant ? childrenOf(meant, 'lvl') : [])
      counts.set(
        `${number.attributes.numId} ${level.attributes.ilvl}`,
        !['bullet', 'none'].includes(childOf(level, 'numFmt')?.attributes.val ?? 'bullet'),
      );
  }
  return counts;
}
