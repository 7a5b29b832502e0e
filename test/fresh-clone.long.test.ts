// What a newcomer does: clones, installs from the lock file, starts. Neither step may change a file
// that git knows, or leave one behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { freePort } from './server/free-port.ts';

const ROOT = resolve(import.meta.dirname, '..');
const ON_WINDOWS = process.platform === 'win32';
const MINUTE = 60_000;
/** What the runner of the tests sets, and npm about the package whose script this is: none of it is a newcomer's. */
const OURS =
  /^(?:NODE_ENV|MODE|DEV|PROD|SSR|BASE_URL|CI|TEST|TEST_ALL|E2E_\w+|VITE_\w+|VITEST\w*|npm_(?:package|lifecycle|config_local)_?\w*)$/;
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name)));

/** Started in a process group of its own, so that ending it ends what npm started, too. */
function start(cwd: string, command: string, args: string[], more: Record<string, string> = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...env, ...more },
    detached: !ON_WINDOWS,
    shell: ON_WINDOWS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (piece: Buffer) => {
      said += piece.toString();
    });
  const ended = once(child, 'close');
  const stop = async () => {
    if (ON_WINDOWS) spawn('taskkill', ['/pid', String(child.pid), '/t', '/f']);
    else if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
    await ended;
  };
  return { said: () => said, ended, stop, isOver: () => child.exitCode !== null };
}

async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const { said, ended } = start(cwd, command, args);
  const [status] = await ended;
  expect(status, `${command} ${args.join(' ')}\n${said()}`).toBe(0);
  return said();
}

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

it(
  'installs from the lock file and starts in a fresh clone, and leaves the clone as it was',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'recollect-clone-'));
    folders.push(folder);
    const clone = join(folder, 'recollect');
    await run(folder, 'git', 'clone', '--quiet', '--depth', '1', pathToFileURL(ROOT).href, clone);
    const changes = () => run(clone, 'git', 'status', '--porcelain');
    expect(await changes()).toBe('');
    await run(clone, 'npm', 'ci');
    expect(await changes(), 'npm ci').toBe('');

    const port = await freePort('localhost');
    const app = start(clone, 'npm', ['start'], { PORT: String(port) });
    try {
      const answers = () => fetch(`http://localhost:${port}/`).then((page) => page.text(), app.said);
      await expect
        .poll(async () => (app.isOver() ? `npm start ended: ${app.said()}` : answers()), {
          timeout: 10 * MINUTE,
          interval: 500,
        })
        .toMatch(/<title>Recollect|^npm start ended/);
      expect(await answers()).toContain('<title>Recollect');
      expect(await changes(), 'while it runs').toBe('');
    } finally {
      await app.stop();
    }
    expect(await changes(), 'npm start').toBe('');
    await expect(fetch(`http://localhost:${port}/`)).rejects.toThrow();
  },
  20 * MINUTE,
);
