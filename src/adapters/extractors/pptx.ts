// PowerPoint files (ECMA-376, PresentationML): slides in order, with tables and speaker notes.
import { type Extractor, Sections } from './extractor.ts';
import { heading, table } from './markdown.ts';
import {
  allOf,
  childOf,
  type Element,
  elementsOf,
  firstOf,
  parseTree,
  relationships,
  relationshipsOf,
  textIn,
} from './xml.ts';
import { openPackage, pathFrom, type ZipPackage } from './zip-package.ts';

const MAIN = 'ppt/presentation.xml';

export const pptx: Extractor = {
  extract: async (bytes, { onProgress }) => {
    const zip = await openPackage(bytes);
    const related = relationships(await zip.text(relationshipsOf(MAIN)));
    const slides = allOf(parseTree(await zip.text(MAIN), 'xml'), 'sldId');
    const sections = new Sections();
    for (const [at, { attributes }] of slides.entries()) {
      onProgress(at, slides.length);
      // A slide has a number of its own besides the id of its relationship.
      const target = related.target(Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1]);
      const path = target === undefined ? undefined : pathFrom(MAIN, target);
      if (path === undefined || !zip.has(path)) continue;
      const blocks = [...blocksOf(parseTree(await zip.text(path), 'xml')), ...(await notesOf(zip, path))];
      if (!sections.add({ kind: 'slide', name: String(at + 1) }, blocks.join('\n\n'))) break;
    }
    return sections.done();
  },
};

async function notesOf(zip: ZipPackage, slide: string): Promise<string[]> {
  if (!zip.has(relationshipsOf(slide))) return [];
  const target = relationships(await zip.text(relationshipsOf(slide))).ofType('notesSlide');
  const path = target === undefined ? undefined : pathFrom(slide, target);
  if (path === undefined || !zip.has(path)) return [];
  // The other shapes of a notes page are the slide, its number and the date.
  const words = allOf(parseTree(await zip.text(path), 'xml'), 'sp')
    .filter((shape) => placeholderOf(shape) === 'body')
    .flatMap(paragraphsOf);
  return words.length > 0 ? [`Notes: ${words.join('\n')}`] : [];
}

/** Returns the purpose of a shape: `title`, `body`, `sldNum`; empty for a plain shape. */
const placeholderOf = (shape: Element): string => {
  const holder = firstOf(shape, 'ph');
  return holder ? (holder.attributes.type ?? 'obj') : '';
};

function blocksOf(slide: Element): string[] {
  const blocks: string[] = [];
  const walk = (element: Element): void => {
    for (const child of elementsOf(element)) {
      if (child.name === 'Fallback') continue;
      if (child.name === 'sp') shape(child);
      else if (child.name === 'tbl')
        blocks.push(
          table(
            allOf(child, 'tr').map((row) => allOf(row, 'tc').map((cell) => paragraphsOf(cell).join(' '))),
          ),
        );
      // Diagrams and charts store their words in separate files, so their shapes here have none.
      else walk(child);
    }
  };
  const shape = (element: Element): void => {
    const holder = placeholderOf(element);
    if (['sldNum', 'dt', 'ftr', 'hdr'].includes(holder)) return;
    const lines = paragraphsOf(element);
    if (holder === 'title' || holder === 'ctrTitle') blocks.unshift(heading(2, lines.join(' ')));
    else blocks.push(lines.join('\n'));
  };
  walk(slide);
  return blocks.filter((text) => text !== '');
}

function paragraphsOf(element: Element): string[] {
  return allOf(element, 'p')
    .map((paragraph) => {
      const level = Number(childOf(paragraph, 'pPr')?.attributes.lvl ?? 0);
      const words = runsOf(paragraph).trim();
      return level > 0 && words !== '' ? `${'  '.repeat(Math.min(8, level))}- ${words}` : words;
    })
    .filter((words) => words !== '');
}

const runsOf = (element: Element): string =>
  elementsOf(element)
    .map((child) => (child.name === 't' ? textIn(child) : child.name === 'br' ? '\n' : runsOf(child)))
    .join('');
