// The registry of importers. Their order decides ties; in a mixed folder the last ones choose first. One line each.
import { chatgpt } from './chatgpt.ts';
import { claude } from './claude.ts';
import type { Importer } from './importer.ts';
import { kimiCli } from './kimi-cli.ts';
import { markdown } from './markdown.ts';
import { messageLists } from './message-lists.ts';
import { recollect } from './recollect.ts';

export const IMPORTERS: readonly Importer[] = [markdown, messageLists, recollect, kimiCli, chatgpt, claude];
