// What is handed to those who run it: the container's contents start by themselves, and the proxy's idea of an account is ours.
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from './support.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DEPLOY = join(ROOT, 'src/relay/deploy');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recollect-deploy-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the container', () => {
  it('holds all that the relay needs', async () => {
    const file = await readFile(join(DEPLOY, 'Containerfile'), 'utf8');
    const [, copied = ''] = /cp -r --parents ([\w\s\\-]+?) \/out\/node_modules/.exec(file) ?? [];
    const packages = copied.split(/[\s\\]+/).filter(Boolean);
    expect(packages).toContain('classic-level');
    const bundle = join(folder, 'relay.mjs');
    await promisify(execFile)(
      'npm',
      ['run', '-s', 'relay:bundle', '--', `--outfile=${bundle}`, '--log-level=warning'],
      {
        cwd: ROOT,
      },
    );
    await mkdir(join(folder, 'node_modules'));
    for (const name of packages)
      await cp(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
    const relay = spawn(process.execPath, ['relay.mjs'], {
      cwd: folder,
      env: { PATH: process.env.PATH, PORT: '0', RELAY_DATA: join(folder, 'data'), RELAY_DRAIN_SECONDS: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = new Promise((done) => relay.once('exit', done));
    try {
      const address = await new Promise<string>((found, failed) => {
        let said = '';
        for (const stream of [relay.stdout, relay.stderr])
          createInterface({ input: stream }).on('line', (line) => {
            said += `${line}\n`;
            const url = /"address":"([^"]+)"/.exec(line)?.[1];
            if (url) found(url);
          });
        relay.once('exit', () => failed(new Error(said)));
      });
      expect((await fetch(`${address}/readyz`)).status).toBe(200);
      relay.kill('SIGTERM');
      expect(await exited).toBe(0);
    } finally {
      relay.kill('SIGKILL');
    }
  });
});

describe('the proxy', () => {
  it('takes the same part of a path for the account as the relay', async () => {
    const file = await readFile(join(DEPLOY, 'nginx.conf'), 'utf8');
    const pattern = /"~(\^[^"]+)"\s+\$tag;/.exec(file)?.[1] ?? '';
    const read = (path: string) => new RegExp(pattern).exec(path)?.groups?.tag;
    const { tag } = createKey();
    expect(read(`/${tag}/room`)).toBe(tag);
    expect(read(`/${tag}`)).toBe(tag);
    expect(read('/')).toBeUndefined();
    expect(read('/assets/index.js')).toBeUndefined();
  });
});
