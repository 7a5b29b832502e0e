// Registry of the formats in which prompts and personas arrive.
import type { PromptFile, PromptFormat, ReadPrompts } from './format.ts';
import { readLibreChat } from './librechat.ts';
import { readMarkdown } from './markdown.ts';
import { readOpenWebui } from './open-webui.ts';
import { readRecollect } from './recollect.ts';

export { personaAsMarkdown, promptAsMarkdown } from './markdown.ts';
export { writeRecollect } from './recollect.ts';

/** Formats in the order in which they try a file: the most distinctive first. */
export const PROMPT_FORMATS: Readonly<Record<string, PromptFormat>> = {
  recollect: readRecollect,
  'open-webui': readOpenWebui,
  librechat: readLibreChat,
  markdown: readMarkdown,
};

/** Longest file, characters. */
const MAX_PROMPT_FILE = 5_000_000;

/** Reads the prompts and personas of a file; null if no format finds any. */
export function readPromptFile(file: PromptFile): ReadPrompts | null {
  if (file.text.length > MAX_PROMPT_FILE) return null;
  for (const read of Object.values(PROMPT_FORMATS)) {
    const found = read(file);
    if (found) return found;
  }
  return null;
}
