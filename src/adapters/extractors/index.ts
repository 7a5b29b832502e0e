// Every format of documents that is read, by its names. To add one: a file beside this one, a line here, and its line in `extract.ts`, which is
// in the worker alone: the page knows only this list.

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
/** Files of Office 97 to 2003: known by name so that a person is told what to do with them. */
const BINARY_ENDINGS = ['doc', 'xls', 'ppt', 'dot', 'pps'];

const endingOf = (name: string): string => /\.([a-z0-9]{2,5})$/i.exec(name)?.[1]?.toLowerCase() ?? '';

/** The format of a file by its name, else by what the system calls it. */
export const formatOf = (name: string, mediaType: string): Format | undefined => {
  const ending = endingOf(name);
  return (
    FORMATS.find(({ endings }) => endings.includes(ending)) ??
    FORMATS.find((format) => format.mediaType === mediaType)
  );
};

/** The media type of a document; null for what no extractor reads. */
export const documentType = (name: string, mediaType: string): string | null =>
  formatOf(name, mediaType)?.mediaType ??
  (BINARY_ENDINGS.includes(endingOf(name)) ? 'application/x-ole-storage' : null);
