// Lists every document format that can be read. To add one: a file in this folder, an entry here, and one in
// `extract.ts`, which only the worker loads: the page only knows this list.

interface Format {
  readonly id: FormatId;
  readonly mediaType: string;
  readonly endings: readonly string[];
}
export type FormatId = 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'odt' | 'epub' | 'html' | 'csv';

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';

const FORMATS: readonly Format[] = [
  { id: 'pdf', mediaType: 'application/pdf', endings: ['pdf'] },
  { id: 'docx', mediaType: `${OPEN_XML}.wordprocessingml.document`, endings: ['docx', 'docm', 'dotx'] },
  { id: 'xlsx', mediaType: `${OPEN_XML}.spreadsheetml.sheet`, endings: ['xlsx', 'xlsm'] },
  { id: 'pptx', mediaType: `${OPEN_XML}.presentationml.presentation`, endings: ['pptx', 'pptm', 'ppsx'] },
  { id: 'odt', mediaType: 'application/vnd.oasis.opendocument.text', endings: ['odt'] },
  { id: 'epub', mediaType: 'application/epub+zip', endings: ['epub'] },
  { id: 'html', mediaType: 'text/html', endings: ['html', 'htm', 'xhtml'] },
  { id: 'csv', mediaType: 'text/csv', endings: ['csv'] },
  { id: 'csv', mediaType: 'text/tab-separated-values', endings: ['tsv'] },
];
/** Files of Office 97 to 2003: recognised by name, so that the person gets advice. */
const BINARY_ENDINGS = ['doc', 'xls', 'ppt', 'dot', 'pps'];

const endingOf = (name: string): string => /\.([a-z0-9]{2,5})$/i.exec(name)?.[1]?.toLowerCase() ?? '';

/** Returns the format of a file by its name, otherwise by the system's media type. */
export const formatOf = (name: string, mediaType: string): Format | undefined => {
  const ending = endingOf(name);
  return (
    FORMATS.find(({ endings }) => endings.includes(ending)) ??
    FORMATS.find((format) => format.mediaType === mediaType)
  );
};

/** Returns the media type of a document; null if no extractor reads it. */
export const documentType = (name: string, mediaType: string): string | null =>
  formatOf(name, mediaType)?.mediaType ??
  (BINARY_ENDINGS.includes(endingOf(name)) ? 'application/x-ole-storage' : null);
