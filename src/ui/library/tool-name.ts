// The name of the tool that a conversation was imported from.
import { useTranslation } from '../i18n/use-translation.ts';

/** Importers, in the order in which what can be imported is listed. */
export const FORMATS = ['chatgpt', 'claude', 'kimi-cli', 'recollect', 'markdown'] as const;
const isFormat = (tool: string): tool is (typeof FORMATS)[number] =>
  FORMATS.some((format) => format === tool);

/** Gives a function from the id of a tool to its name; an unknown tool keeps its id. */
export function useToolName(): (tool: string) => string {
  const { t } = useTranslation('library');
  return (tool) => (isFormat(tool) ? t(`import.format.${tool}.name`) : tool);
}
