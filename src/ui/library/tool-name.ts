// The name of the tool that a conversation was imported from.
import { useTranslation } from '../i18n/use-translation.ts';

/** Importers by the name that stands in the log, and the formats whose name in the catalogue is theirs. */
const FORMATS = {
  chatgpt: 'chatgpt',
  claude: 'claude',
  'kimi-cli': 'kimi',
  recollect: 'recollect',
  markdown: 'markdown',
} as const;

/** Gives a function from the id of a tool to its name; an unknown tool keeps its id. */
export function useToolName(): (tool: string) => string {
  const { t } = useTranslation('library');
  return (tool) =>
    tool in FORMATS ? t(`import.format.${FORMATS[tool as keyof typeof FORMATS]}.name`) : tool;
}
