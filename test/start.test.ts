// The last step of `npm start`, after installing and building: a process that serves the app and says where.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from './server/free-port.ts';

const root = resolve(import.meta.dirname, '..');
/** Stands for what was built. */
let built: string;
beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'recollect-start-'));
  await writeFile(join(built, 'index.html'), '<title>Recollect</title>');
});
afterAll(() => rm(built, { recursive: true }));

async function start(port: number) {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const serve = scripts.start.split(' && ').at(-1);
  const child = spawn(`exec ${serve} --outDir '${built}'`, {
    shell: true,
    cwd: root,
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
      PORT: String(port),
    },
  });
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (piece: Buffer) => {
      said += stripVTControlCharacters(piece.toString());
    });
  return { said: () => said, ended: once(child, 'close'), stop: () => child.kill() };
}

it('prints its address, at the port that was asked for, and answers there; where that is taken it says so and ends', async () => {
  const port = await freePort('localhost');
  const first = await start(port);
  try {
    await expect.poll(first.said).toContain(`http://localhost:${port}/`);
    const page = await fetch(`http://localhost:${port}/c/anything`);
    expect(await page.text()).toContain('Recollect');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const second = await start(port);
    const [status] = await second.ended;
    expect(status).not.toBe(0);
    expect(second.said()).toContain(`Port ${port} is already in use`);
  } finally {
    first.stop();
    await first.ended;
  }
});
