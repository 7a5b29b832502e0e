// Installs the packages where node_modules do not agree with the lock file; where they do, this takes no time. Plain JavaScript,
// since it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const read = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

/** Whether an optional package names this platform. Those that name none belong to one that may be of another platform. */
function isForThisPlatform({ os, cpu, libc }) {
  if (!os && !cpu) return false;
  const fits = (list, value) =>
    !list ||
    list.includes(value) ||
    (list.some((name) => name.startsWith('!')) && !list.includes(`!${value}`));
  if (!fits(os, process.platform) || !fits(cpu, process.arch)) return false;
  if (!libc || process.platform !== 'linux') return true;
  const isGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined;
  return fits(libc, isGlibc ? 'glibc' : 'musl');
}

/** Whether package.json asks for what the lock file was made from. */
function lockAgrees(lock) {
  const asked = read('package.json');
  const known = lock.packages[''] ?? {};
  return ['dependencies', 'devDependencies', 'optionalDependencies'].every((kind) => {
    const [one, other] = [asked[kind] ?? {}, known[kind] ?? {}];
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) => one[name] === other[name]);
  });
}

/** Whether everything in the lock file that this platform needs is there, in its version, and nothing else. */
function installedAgrees(lock) {
  if (!existsSync(join(ROOT, 'node_modules/.package-lock.json'))) return false;
  const installed = read('node_modules/.package-lock.json').packages;
  const wanted = Object.entries(lock.packages).filter(([path]) => path !== '');
  const isThere = ([path, { version, optional, ...platform }]) =>
    installed[path]
      ? installed[path].version === version && existsSync(join(ROOT, path))
      : optional && !isForThisPlatform(platform);
  return wanted.every(isThere) && Object.keys(installed).every((path) => lock.packages[path]);
}

const lock = read('package-lock.json');
const inStep = lockAgrees(lock);
if (!inStep || !installedAgrees(lock)) {
  // On a fresh clone `npm ci`, which never writes the lock file; what is installed already is brought up to date, which is quicker.
  const command = inStep && !existsSync(join(ROOT, 'node_modules')) ? 'ci' : 'install';
  const { status } = spawnSync('npm', [command, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: ROOT,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exit(status ?? 1);
}
