// Labels for exported files, in the current language.
import i18next from 'i18next';
import type { ExportWords } from '../../adapters/exporters/exporter.ts';

/** Looks up a label for an export in the interface's language, and fills in its values. */
export const exportWords: ExportWords = (word, values) =>
  i18next.t(`library:markdown.${word}`, { ...values });
