// An HTML page, with one section for each heading.
import { decodeFile } from '../../domain/text/encoding.ts';
import { addByHeadings } from './by-headings.ts';
import { ExtractionRefused, type Extractor, Sections } from './extractor.ts';
import { markdownBlocks } from './html-markdown.ts';
import { oneLine } from './markdown.ts';
import { firstOf, parseTree, textIn } from './xml.ts';

/** Bytes at the beginning in which a page declares its encoding (HTML, 4.2.5.4). */
const HEAD = 1024;

export const html: Extractor = {
  extract: async (bytes) => {
    const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD));
    const decoded = decodeFile(bytes, /charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1]);
    if (!decoded) throw new ExtractionRefused('damaged', 'It is no text');
    const tree = parseTree(decoded.text, 'html');
    const sections = new Sections();
    const title = firstOf(tree, 'title');
    const blocks = markdownBlocks(tree);
    const named = title ? oneLine(textIn(title)) : '';
    const isSaid = named === '' || blocks.some(({ text }) => text.includes(named));
    addByHeadings(sections, isSaid ? blocks : [{ text: named, level: null }, ...blocks]);
    return sections.done();
  },
};
