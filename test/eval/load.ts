// Loads the pipeline as the app's bundler would (SQL files come as text, which Node alone
// does not know), and reads the options.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRunnableDevEnvironment, resolveConfig } from 'vite';
import { Refused } from './given.ts';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Stays open until the process ends: the app loads parts of itself when they are wanted. */
export async function loadPipeline(): Promise<typeof import('./pipeline.ts')> {
  const config = await resolveConfig(
    {
      configFile: false,
      envDir: false,
      root: ROOT,
      logLevel: 'error',
      environments: {
        eval: {
          consumer: 'server',
          dev: { moduleRunnerTransform: true },
          resolve: { external: true, mainFields: [], conditions: ['node', 'module-sync'] },
        },
      },
    },
    'serve',
  );
  const environment = createRunnableDevEnvironment('eval', config, {
    runnerOptions: { hmr: { logger: false } },
    hot: false,
  });
  await environment.init();
  return environment.runner.import(join(ROOT, 'test/eval/pipeline.ts'));
}

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
