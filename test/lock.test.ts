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
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const ROOT = resolve(import.meta.dirname, '..');
const read = (name: string): unknown => JSON.parse(readFileSync(resolve(ROOT, name), 'utf8'));
const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Package>> };

/** Whether Node would find `name` from the folder `from`: there, or in a folder above it. */
function isFound(from: string, name: string): boolean {
  if (packages[`${from === '' ? '' : `${from}/`}node_modules/${name}`]) return true;
  return from !== '' && isFound(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

describe('the lock file', () => {
  it('has every package that another one asks for, optional ones of every platform included', () => {
    const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !isFound(path, name))
        .map((name) => `${path} asks for ${name}`),
    );
    expect(missing).toEqual([]);
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
