// Documents in, their words out, each with its place. An extractor reads bytes; it asks nobody and writes nothing.
import type { ExtractedText, Place, Section } from '../../domain/chat/message.ts';

/** Most that is read of one document. Counted before anything is unpacked, and again while it is. */
export const EXTRACT_LIMITS = {
  /** Bytes of the file. */
  file: 100 * 1024 * 1024,
  /** Bytes of all that is unpacked of it, and of one entry. */
  unpacked: 256 * 1024 * 1024,
  entry: 96 * 1024 * 1024,
  entries: 20_000,
  /** Characters kept of its words: about a thousand pages. */
  text: 2_000_000,
  /** Levels of nesting in XML and HTML. */
  depth: 400,
} as const;

/**
 * Why nothing was taken out; names a sentence in the catalogue (`refused.<reason>`). `noText`: there is nothing but pictures. `oldFormat`: a
 * binary file of Office 97 to 2003.
 */
export type Refusal = 'encrypted' | 'damaged' | 'tooLarge' | 'noText' | 'oldFormat';

export class ExtractionRefused extends Error {
  readonly reason: Refusal;
  constructor(reason: Refusal, detail: string, cause?: unknown) {
    super(detail, { cause });
    this.reason = reason;
  }
}

export interface ExtractorOptions {
  /** Parts that are read, of how many: pages, sheets, chapters. */
  readonly onProgress: (done: number, total: number) => void;
  /** A character map of PDF.js by its name; see `cmaps.ts`. Rejects where there is none. */
  readonly cmap: (name: string) => Promise<Uint8Array>;
}

export interface Extractor {
  /**
   * The sections of a document, in its order. Throws `ExtractionRefused`; anything else that is thrown means that the file is damaged.
   * The same bytes give the same sections.
   */
  extract(bytes: Uint8Array<ArrayBuffer>, options: ExtractorOptions): Promise<Omit<ExtractedText, 'bytes'>>;
}

/** Half a character becomes U+FFFD: no store takes it. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** Gathers sections up to `EXTRACT_LIMITS.text` characters. */
export class Sections {
  readonly #sections: Section[] = [];
  #length = 0;
  #cut = false;

  /** False once there is no more room: the rest need not be read. */
  add(place: Place | undefined, text: string): boolean {
    const words = wellFormed(text.replaceAll('\u0000', '')).trim();
    if (words === '') return !this.#cut;
    const room = EXTRACT_LIMITS.text - this.#length;
    if (words.length > room) this.#cut = true;
    if (room > 0)
      this.#sections.push({ ...(place ? { place } : {}), text: wellFormed(words.slice(0, room)) });
    this.#length += words.length;
    return !this.#cut;
  }

  /** Throws `ExtractionRefused` where nothing was gathered. */
  done(): Omit<ExtractedText, 'bytes'> {
    if (!this.#sections.some(({ text }) => /[\p{L}\p{N}]/u.test(text)))
      throw new ExtractionRefused('noText', 'There are no words in it');
    return { sections: this.#sections, ...(this.#cut ? { cut: true } : {}) };
  }
}
