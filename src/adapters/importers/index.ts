// The shelf: every importer, in the order in which ties are decided. One line each.
import { chatgpt } from './chatgpt.ts';
import { claude } from './claude.ts';
import type { Importer } from './importer.ts';
import { kimiCli } from './kimi-cli.ts';
import { recollect } from './recollect.ts';

export const IMPORTERS: readonly Importer[] = [recollect, kimiCli, chatgpt, claude];
