// Name of the tool that a conversation was imported from.
import { useTranslation } from '../i18n/use-translation.ts';

/** Importers in the order of the import dialog. */
export const FORMATS = ['chatgpt', 'claude', 'kimi-cli', 'recollect', 'markdown', 'messages'] as const;
const isFormat = (tool: string): tool is (typeof FORMATS)[number] =>
  FORMATS.some((format) => format === tool);

/** Returns a function from a tool's id to its name; an unknown tool keeps its id. */
export function useToolName(): (tool: string) => string {
  const { t } = useTranslation('library');
  return (tool) => (isFormat(tool) ? t(`import.format.${tool}.name`) : tool);
}
