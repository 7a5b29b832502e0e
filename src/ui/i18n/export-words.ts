// The labels of files for readers, in the language in force.
import i18next from 'i18next';
import type { ExportWords } from '../../adapters/exporters/exporter.ts';

/** Looks up a label of an export in the language of the interface, and fills in its values. */
export const exportWords: ExportWords = (word, values) =>
  i18next.t(`library:markdown.${word}`, { ...values });
