// Chooses the build to measure: one of the present sources, or a named one, with a warning if it is of other sources.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build } from 'vite';

/** What a build is made of, below the folder of the repository. */
const SOURCES = ['index.html', 'package-lock.json', 'public', 'src', 'vite.config.ts'];

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const inside = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return inside.map((name) => join(path, name)).filter((file) => statSync(file).isFile());
}

/** Why `folder` holds no build of the sources below `root`, as the end of a sentence; null where it does. */
export function notBuiltFrom(folder: string, root: string): string | null {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) return 'there is none yet';
  const built = statSync(page).mtimeMs;
  const newer = SOURCES.map((name) => join(root, name))
    .filter(existsSync)
    .flatMap(filesIn)
    .find((file) => statSync(file).mtimeMs > built);
  return newer === undefined ? null : `${relative(root, newer)} has changed since`;
}

/**
 * The folder of the build to measure. Without a name: `dist`, built first where it is missing or older than the
 * sources. A named one is taken as it is; calls `progress` where it is of other sources. Throws where there is none.
 */
export async function builtFolder(
  named: string | undefined,
  root: string,
  progress: (what: string) => void,
): Promise<string> {
  const folder = resolve(root, named ?? 'dist');
  const why = notBuiltFrom(folder, root);
  if (why === null) return folder;
  if (named === undefined) {
    progress(`builds the app: ${why}`);
    await build({ root, logLevel: 'error' });
  } else if (!existsSync(join(folder, 'index.html')))
    throw new Error(`There is no build in ${named}. Make one: npm run build -- --outDir ${named}`);
  else progress(`The build in ${named} is not of these sources (${why}): so are the figures.`);
  return folder;
}
