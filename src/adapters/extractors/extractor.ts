// Contract of an extractor: it turns a document's bytes into text with places, without requests or side effects.
import type { ExtractedText, Section, SectionPlace } from '../../domain/chat/message.ts';

/** Limits for one document, checked before anything is unpacked and again meanwhile. */
export const EXTRACT_LIMITS = {
  /** Bytes of the file. */
  file: 100 * 1024 * 1024,
  /** Bytes of everything unpacked from it, and of one entry. */
  unpacked: 256 * 1024 * 1024,
  entry: 96 * 1024 * 1024,
  entries: 20_000,
  /** Characters of text that are kept: about a thousand pages. */
  text: 2_000_000,
  /** Levels of nesting in XML and HTML. */
  depth: 400,
} as const;

/**
 * Reason why nothing was extracted; names a sentence in the catalogue (`refused.<reason>`). `noText`: it only has
 * pictures. `oldFormat`: a binary file of Office 97 to 2003.
 */
export type ExtractionRefusal = 'encrypted' | 'damaged' | 'tooLarge' | 'noText' | 'oldFormat';

export class ExtractionRefused extends Error {
  readonly reason: ExtractionRefusal;
  constructor(reason: ExtractionRefusal, detail: string, cause?: unknown) {
    super(detail, { cause });
    this.reason = reason;
  }
}

export interface ExtractorOptions {
  /** Reports the parts read so far, and all of them: pages, sheets, chapters. */
  readonly onProgress: (done: number, total: number) => void;
  /** Returns a character map of PDF.js by name (`cmaps.ts`). Rejects if there is none. */
  readonly cmap: (name: string) => Promise<Uint8Array>;
}

export interface Extractor {
  /**
   * Returns the sections of a document in order, always the same for the same bytes. Throws `ExtractionRefused`; any
   * other error means that the file is damaged.
   */
  extract(bytes: Uint8Array<ArrayBuffer>, options: ExtractorOptions): Promise<Omit<ExtractedText, 'bytes'>>;
}

/** Replaces half characters with U+FFFD, since no store accepts them. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** Collects sections up to `EXTRACT_LIMITS.text` characters. */
export class Sections {
  readonly #sections: Section[] = [];
  #length = 0;
  #cut = false;

  /** Returns false once there is no more room, so that the rest need not be read. */
  add(place: SectionPlace | undefined, text: string): boolean {
    const words = wellFormed(text.replaceAll('\u0000', '')).trim();
    if (words === '') return !this.#cut;
    const free = EXTRACT_LIMITS.text - this.#length;
    if (words.length > free) this.#cut = true;
    if (free > 0)
      this.#sections.push({ ...(place ? { place } : {}), text: wellFormed(words.slice(0, free)) });
    this.#length += words.length;
    return !this.#cut;
  }

  /** Throws `ExtractionRefused` if nothing was collected. */
  done(): Omit<ExtractedText, 'bytes'> {
    if (!this.#sections.some(({ text }) => /[\p{L}\p{N}]/u.test(text)))
      throw new ExtractionRefused('noText', 'There are no words in it');
    return { sections: this.#sections, ...(this.#cut ? { cut: true } : {}) };
  }
}
