// The registry: every exporter. One line each.
import type { Exporter } from './exporter.ts';
import { json } from './json.ts';
import { markdown } from './markdown.ts';

export const EXPORTERS = { json, markdown } as const satisfies Record<string, Exporter>;
