// Loads the pipeline as the app's bundler would (SQL files come as text, which Node alone does not know), and reads the options.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { Refused } from './given.ts';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export const loadPipeline = async (): Promise<typeof import('./pipeline.ts')> =>
  (
    await runnerImport<typeof import('./pipeline.ts')>(join(ROOT, 'test/eval/pipeline.ts'), {
      configFile: false,
      root: ROOT,
      logLevel: 'error',
    })
  ).module;

/** The value after `--name`; throws when it is needed and missing. */
export function option(name: string, fallback?: string): string {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? fallback : process.argv[at + 1];
  if (value === undefined || (at >= 0 && value.startsWith('--'))) throw new Refused(`--${name} is missing`);
  return value;
}

/** Folder of the shipped models. */
export const models = (): string => resolve(option('models', join(ROOT, 'public/models')));

/** Folder for vectors that were made before; not part of the repository. */
export const cache = (): string => resolve(option('cache', join(ROOT, '.cache/eval')));
