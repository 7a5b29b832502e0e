// What every extractor holds to.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type Extracted, extractFrom } from '../../src/adapters/extractors/extract.ts';
import type { ExtractorOptions } from '../../src/adapters/extractors/extractor.ts';
import { fileNamed } from '../fixtures/documents.ts';
import { runs } from '../scale.ts';

export const OPTIONS: ExtractorOptions = {
  onProgress: () => undefined,
  cmap: (name) =>
    readFile(new URL(`../../node_modules/pdfjs-dist/cmaps/${name}.bcmap`, import.meta.url)).then(
      (bytes) => new Uint8Array(bytes),
    ),
};

export const extracted = (name: string, ...bytes: BlobPart[]): Promise<Extracted> =>
  extractFrom(fileNamed(name, ...bytes), OPTIONS);

/** Places and words of a document, each section in a line: `page 1: …`. */
export async function sectionsOf(name: string, ...bytes: BlobPart[]): Promise<string[]> {
  const result = await extracted(name, ...bytes);
  if (!result.ok) throw new Error(`${result.reason}: ${result.detail}`);
  return result.extract.sections.map(({ place, text }) =>
    place ? `${place.kind} ${place.name}: ${text}` : text,
  );
}

/** `make` gives a good file whose name is `name`. */
export function describeExtractor(name: string, make: () => Promise<Uint8Array<ArrayBuffer>>): void {
  it(`${name}: the same bytes give the same sections, whatever else was read before`, async () => {
    const bytes = await make();
    const once = await extracted(name, bytes.slice());
    expect(once).toMatchObject({ ok: true, extract: { bytes: bytes.length } });
    expect(await extracted(name, bytes.slice())).toEqual(once);
  });

  it(`${name}: what is cut off, or has other bytes in it, is read or refused, and nothing is thrown`, async () => {
    const bytes = await make();
    const cuts = runs(24, 6);
    for (let n = 1; n <= cuts; n += 1) {
      const cut = bytes.slice(0, Math.floor((bytes.length * n) / (cuts + 1)));
      const changed = bytes.slice();
      for (let at = n; at < changed.length; at += 97) changed[at] = (at * 31 + n) & 0xff;
      for (const file of [cut, changed]) {
        const result = await extracted(name, file);
        expect(result.ok || ['damaged', 'noText', 'encrypted', 'tooLarge'].includes(result.reason)).toBe(
          true,
        );
      }
    }
  });
}
