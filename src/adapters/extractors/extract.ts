// Extracts the text of one document with the extractor of its format. Runs only in the worker.
import type { ExtractedText } from '../../domain/chat/message.ts';
import {
  EXTRACT_LIMITS,
  type ExtractionRefusal,
  ExtractionRefused,
  type Extractor,
  type ExtractorOptions,
} from './extractor.ts';
import { type FormatId, formatOf } from './index.ts';
import { isBinaryOffice, isSealedOffice } from './office-binary.ts';

/** Extractors are loaded when the first file of their format arrives. */
const EXTRACTORS: Readonly<Record<FormatId, () => Promise<Extractor>>> = {
  pdf: async () => (await import('./pdf.ts')).pdf,
  docx: async () => (await import('./docx.ts')).docx,
  xlsx: async () => (await import('./xlsx.ts')).xlsx,
  pptx: async () => (await import('./pptx.ts')).pptx,
  odt: async () => (await import('./odt.ts')).odt,
  epub: async () => (await import('./epub.ts')).epub,
  html: async () => (await import('./html.ts')).html,
  csv: async () => (await import('./csv.ts')).csv,
};

export type Extracted =
  | { readonly ok: true; readonly extract: ExtractedText }
  | { readonly ok: false; readonly reason: ExtractionRefusal; readonly detail: string };

/** Extracts the text of a document. Never rejects because of the file's content. */
export async function extractFrom(file: File, options: ExtractorOptions): Promise<Extracted> {
  const refuse = (reason: ExtractionRefusal, detail: string): Extracted => ({ ok: false, reason, detail });
  if (file.size > EXTRACT_LIMITS.file) return refuse('tooLarge', `${file.size} bytes`);
  const format = formatOf(file.name, file.type);
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (isBinaryOffice(bytes))
      return refuse(isSealedOffice(bytes) ? 'encrypted' : 'oldFormat', 'A compound file');
    if (!format) return refuse('damaged', 'Not what its name says');
    const extractor = await EXTRACTORS[format.id]();
    return { ok: true, extract: { ...(await extractor.extract(bytes, options)), bytes: file.size } };
  } catch (error) {
    if (error instanceof ExtractionRefused) return refuse(error.reason, error.message);
    return refuse('damaged', String(error));
  }
}
