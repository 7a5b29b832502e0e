// Books (W3C EPUB 3.3 and EPUB 2): chapters in reading order, each with its name from the table of contents.
import { ExtractionRefused, type Extractor, Sections } from './extractor.ts';
import { markdownBlocks } from './html-markdown.ts';
import { oneLine, plainHeading } from './markdown.ts';
import { allOf, childOf, type Element, firstOf, parseTree, textIn } from './xml.ts';
import { openPackage, pathFrom, type ZipPackage } from './zip-package.ts';

/** Fonts may be obfuscated; if other files are encrypted, the book is protected. */
const OF_FONTS = /\/pdf\/enc#RC|\/embedding$/;

export const epub: Extractor = {
  extract: async (bytes, { onProgress }) => {
    const zip = await openPackage(bytes);
    await refuseProtected(zip);
    const container = parseTree(await zip.text('META-INF/container.xml'), 'xml');
    const path = firstOf(container, 'rootfile')?.attributes['full-path'];
    if (path === undefined) throw new ExtractionRefused('damaged', 'It names no book');
    const book = parseTree(await zip.text(path), 'xml');
    const items = new Map(allOf(book, 'item').map(({ attributes }) => [attributes.id, attributes]));
    const chapters = allOf(book, 'itemref').flatMap(({ attributes }) => {
      const href = items.get(attributes.idref)?.href;
      return href === undefined ? [] : [pathFrom(path, href)];
    });
    const titles = await titlesOf(zip, path, [...items.values()]);
    const sections = new Sections();
    let name = '';
    for (const [at, chapter] of chapters.entries()) {
      onProgress(at, chapters.length);
      if (!zip.has(chapter)) continue;
      const blocks = markdownBlocks(parseTree(await zip.text(chapter), 'xhtml'));
      const first = blocks.find(({ level }) => level !== null)?.text;
      // A chapter may span several files, of which the table of contents only names the first.
      name = titles.get(chapter) ?? (first && plainHeading(first)) ?? (name || String(at + 1));
      const text = blocks.map((block) => block.text).join('\n\n');
      if (!sections.add({ kind: 'chapter', name: name.slice(0, 120) }, text)) break;
    }
    return sections.done();
  },
};

async function refuseProtected(zip: ZipPackage): Promise<void> {
  const path = 'META-INF/encryption.xml';
  if (!zip.has(path)) return;
  const methods = allOf(parseTree(await zip.text(path), 'xml'), 'EncryptionMethod');
  if (methods.some(({ attributes }) => !OF_FONTS.test(attributes.Algorithm ?? '')))
    throw new ExtractionRefused('encrypted', 'The book is protected');
}

/** Returns names of chapters by path, from the table of contents of EPUB 3 or else of EPUB 2. */
async function titlesOf(
  zip: ZipPackage,
  path: string,
  items: readonly Readonly<Record<string, string>>[],
): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  const add = (from: string, target: string | undefined, name: Element | undefined) => {
    const words = name ? oneLine(textIn(name)) : '';
    const at = target === undefined ? '' : pathFrom(from, target);
    if (words !== '' && at !== '' && !titles.has(at)) titles.set(at, words);
  };
  const find = (is: (item: Readonly<Record<string, string>>) => boolean): string | undefined => {
    const href = items.find(is)?.href;
    const at = href === undefined ? undefined : pathFrom(path, href);
    return at !== undefined && zip.has(at) ? at : undefined;
  };
  const nav = find(({ properties }) => properties?.split(' ').includes('nav') === true);
  if (nav !== undefined)
    for (const link of allOf(parseTree(await zip.text(nav), 'xhtml'), 'a'))
      add(nav, link.attributes.href, link);
  const ncx = find((item) => item['media-type'] === 'application/x-dtbncx+xml');
  if (titles.size === 0 && ncx !== undefined)
    for (const point of allOf(parseTree(await zip.text(ncx), 'xml'), 'navMap').flatMap(pointsIn))
      add(ncx, childOf(point, 'content')?.attributes.src, childOf(point, 'navLabel'));
  return titles;
}

const pointsIn = (element: Element): Element[] =>
  allOf(element, 'navPoint').flatMap((point) => [point, ...pointsIn(point)]);
