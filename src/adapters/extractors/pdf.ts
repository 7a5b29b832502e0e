// PDFs, read by PDF.js page by page; lines are joined into paragraphs. Runs in the calling thread:
// PDF.js starts no worker of its own here.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { ExtractionRefused, type Extractor, Sections } from './extractor.ts';
import { heading } from './markdown.ts';

/** Most pages that are read of one file. */
const MAX_PAGES = 5_000;

/**
 * Adapts `cmap` to the factory that PDF.js makes for each document. Fonts and decoders are left out, since nothing is
 * drawn.
 */
const factoryWith = (cmap: (name: string) => Promise<Uint8Array>) =>
  class {
    async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
      if (kind !== 'cMapUrl') throw new Error(`${filename} is not needed to read words`);
      return cmap(filename.replace(/\.bcmap$/, ''));
    }
  };

export const pdf: Extractor = {
  extract: async (bytes, { onProgress, cmap }) => {
    const task = getDocument({
      data: bytes,
      // The page's policy forbids making code from text.
      isEvalSupported: false,
      disableFontFace: true,
      useSystemFonts: false,
      useWorkerFetch: false,
      cMapUrl: 'cmaps/',
      cMapPacked: true,
      BinaryDataFactory: factoryWith(cmap),
      verbosity: VerbosityLevel.ERRORS,
    });
    const sections = new Sections();
    try {
      const file = await task.promise.catch((error: unknown) => {
        const name = error instanceof Error ? error.name : '';
        throw new ExtractionRefused(
          name === 'PasswordException' ? 'encrypted' : 'damaged',
          String(error),
          error,
        );
      });
      const pages = Math.min(file.numPages, MAX_PAGES);
      for (let number = 1; number <= pages; number += 1) {
        onProgress(number - 1, pages);
        const page = await file.getPage(number);
        const { items } = await page.getTextContent();
        const isMore = sections.add({ kind: 'page', name: String(number) }, linesAsText(linesOf(items)));
        page.cleanup();
        if (!isMore) break;
      }
    } finally {
      await task.destroy();
    }
    return sections.done();
  },
};

interface Line {
  readonly text: string;
  /** Height of its letters, and of its base line above the bottom of the page, in points. */
  readonly height: number;
  readonly y: number;
}

/** Groups items of PDF.js into lines. An item at another height also begins a line. */
function linesOf(items: readonly object[]): Line[] {
  const lines: Line[] = [];
  let [text, height, y] = ['', 0, 0];
  const end = () => {
    if (text.trim() !== '') lines.push({ text: text.replace(/\s+/g, ' ').trim(), height, y });
    [text, height] = ['', 0];
  };
  for (const item of items) {
    if (!('str' in item)) continue;
    const {
      str,
      transform,
      height: tall,
      hasEOL,
    } = item as { str: string; transform: number[]; height: number; hasEOL: boolean };
    const at = transform[5] ?? 0;
    if (str.trim() !== '') {
      if (text !== '' && Math.abs(at - y) > Math.max(height, tall) * 0.6) end();
      if (text === '') y = at;
      height = Math.max(height, tall);
    }
    text += str;
    if (hasEOL) end();
  }
  end();
  return lines;
}

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** A line is a heading if it is this much taller than most of the page and no longer than this. */
const [TALLER, LONGEST_HEADING] = [1.25, 120];
/** Base lines further apart than this many letter heights separate paragraphs. */
const APART = 1.9;

function linesAsText(lines: readonly Line[]): string {
  const usual = median(lines.flatMap(({ height, text }) => (text.length > 20 ? [height] : [])));
  let out = '';
  let before: Line | undefined;
  let wasHeading = false;
  for (const line of lines) {
    const isHeading =
      usual > 0 &&
      line.height > usual * TALLER &&
      line.text.length <= LONGEST_HEADING &&
      /\p{L}/u.test(line.text);
    const gap = before ? before.y - line.y : 0;
    const parted = gap < 0 || gap > Math.max(before?.height ?? 0, line.height) * APART;
    if (!before) out = isHeading ? heading(2, line.text) : line.text;
    else if (isHeading && wasHeading && !parted) out += ` ${line.text}`;
    else if (isHeading) out += `\n\n${heading(2, line.text)}`;
    else if (wasHeading || parted) out += `\n\n${line.text}`;
    else out = joined(out, line.text);
    before = line;
    wasHeading = isHeading;
  }
  return out;
}

/** Characters examined on each side of a joint of two lines. */
const MEETING = 40;
/** Letters of scripts without spaces between words. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/**
 * Appends the next line of a paragraph: rejoins words that were hyphenated at the line end, and keeps lines of lists.
 */
function joined(out: string, line: string): string {
  const end = out.slice(-MEETING);
  if (/\p{Ll}[-\u00ad\u2010]$/u.test(end) && /^\p{Ll}/u.test(line)) return out.slice(0, -1) + line;
  if (/^(?:[-*•‣▪–]|\d{1,3}[.)]|[（(]?[一二三四五六七八九十]{1,3}[）)、])\s*\S/u.test(line))
    return `${out}\n${line}`;
  return SPACELESS.test(end.at(-1) ?? '') && SPACELESS.test(line[0] ?? '') ? out + line : `${out} ${line}`;
}
