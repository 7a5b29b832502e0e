// What is handed to those who run it: the container's contents start by themselves, as its user and with its settings;
// the unit is one that systemd takes; the proxy leads every account to one relay. nginx and systemd are asked where
// they are there; the gate gets nginx.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findNginx, NGINX_WANTED } from '../nginx.ts';
import { freePort } from '../server/free-port.ts';
import { createKey, createStockClient, type RelayProcess, startRelay, stopAll, until } from './support.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DEPLOY = join(ROOT, 'src/relay/deploy');
const NOBODY = 65_534;
const run = promisify(execFile);
const isThere = (program: string, flag: string) => {
  try {
    execFileSync(program, [flag], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recollect-deploy-'));
  await chmod(folder, 0o755);
});
afterAll(async () => {
  await stopAll();
  await rm(folder, { recursive: true, force: true });
});

describe('the container', () => {
  const readFileOfIt = () => readFile(join(DEPLOY, 'Containerfile'), 'utf8');

  it('copies what is there, runs scripts that are there, and leaves out what is built anew', async () => {
    const file = await readFileOfIt();
    const copied = [...file.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, paths = '']) =>
      paths.split(' ').slice(0, -1),
    );
    expect(copied.length).toBeGreaterThan(3);
    for (const path of copied) await expect(stat(join(ROOT, path)), path).resolves.toBeTruthy();
    const { scripts, engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
      engines: { node: string };
    };
    for (const [, script = ''] of file.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty(script);
    const oldest = Number(/(\d+)/.exec(engines.node)?.[1]);
    for (const [, version] of file.matchAll(/^FROM node:(\d+)/gm))
      expect(Number(version)).toBeGreaterThanOrEqual(oldest);
    // Modules of this machine must not lie over those of the image.
    const left = (await readFile(join(ROOT, '.dockerignore'), 'utf8')).split('\n');
    expect(left).toEqual(expect.arrayContaining(['node_modules', 'dist', '.git']));
  });

  it('holds all that the relay needs, runs as nobody special, hands out the app, and knows that it is well', async () => {
    const file = await readFileOfIt();
    const [, copied = ''] = /cp -r --parents ([\w\s\\-]+?) \/out\/node_modules/.exec(file) ?? [];
    const packages = copied.split(/[\s\\]+/).filter(Boolean);
    expect(packages).toContain('classic-level');
    expect(file).toMatch(/^USER node$/m);
    const app = join(folder, 'app');
    const data = join(folder, 'data');
    await mkdir(join(app, 'node_modules'), { recursive: true });
    await run(
      'npm',
      ['run', '-s', 'relay:bundle', '--', `--outfile=${join(app, 'relay.mjs')}`, '--log-level=warning'],
      { cwd: ROOT },
    );
    for (const name of packages)
      await cp(join(ROOT, 'node_modules', name), join(app, 'node_modules', name), { recursive: true });
    await mkdir(join(app, 'dist'));
    await writeFile(join(app, 'dist/index.html'), '<!doctype html><title>The built app</title>');
    await mkdir(data);
    const isRoot = process.getuid?.() === 0;
    const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    if (isRoot) await chown(data, NOBODY, NOBODY);
    // Its own settings, in these folders and on a port that is free.
    const [, settings = ''] = /^ENV (.+)$/m.exec(file) ?? [];
    const env = Object.fromEntries(
      settings.split(' ').map((setting) => {
        const [name = '', value = ''] = setting.split('=');
        return [name, value.replace(/^\/app/, app).replace(/^\/data/, data)];
      }),
    );
    expect(env).toMatchObject({ NODE_ENV: 'production', RELAY_DATA: join(data, 'store') });
    const [, command = '[]'] = [...file.matchAll(/^CMD (.+)$/gm)].at(-1) ?? [];
    const [program, ...args] = JSON.parse(command) as string[];
    expect(program).toBe('node');
    const relay = spawn(process.execPath, args, {
      cwd: app,
      env: { PATH: process.env.PATH, ...env, HOST: '127.0.0.1', PORT: '0', RELAY_DRAIN_SECONDS: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...as,
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
      expect(await (await fetch(`${address}/`)).text()).toContain('The built app');
      const key = createKey();
      const client = createStockClient({ webSocketUrl: address.replace('http', 'ws') }, key, 'room');
      client.doc.getText('t').insert(0, 'kept');
      await client.synced();
      await client.acknowledged();
      client.close();
      const [, check = '[]'] = /HEALTHCHECK[^\n]*\\\n\s*CMD (.+)$/m.exec(file) ?? [];
      const [asks, ...how] = JSON.parse(check) as string[];
      expect(asks).toBe('node');
      await run(process.execPath, how, { env: { PORT: new URL(address).port } });
      await expect(run(process.execPath, how, { env: { PORT: '1' } })).rejects.toThrow();
      relay.kill('SIGTERM');
      expect(await exited).toBe(0);
    } finally {
      relay.kill('SIGKILL');
    }
  });
});

describe('the unit', () => {
  it.skipIf(!isThere('systemd-analyze', '--version'))('is one that systemd takes as it is', async () => {
    const { stdout, stderr } = await run('systemd-analyze', [
      'verify',
      join(DEPLOY, 'recollect-relay.service'),
    ]);
    expect(stdout + stderr).toBe('');
  });

  it.skipIf(!isThere('systemd-analyze', '--version') || !isThere('strace', '-V'))(
    'lets the relay ask the kernel for all that it asks for, from its start to its end',
    async () => {
      const unit = await readFile(join(DEPLOY, 'recollect-relay.service'), 'utf8');
      const allowed = new Set<string>();
      const allow = async (name: string) => {
        if (!name.startsWith('@')) return void allowed.add(name);
        const { stdout } = await run('systemd-analyze', ['syscall-filter', name]);
        for (const line of stdout.split('\n').map((text) => text.trim()))
          if (line !== name && /^@?\w[\w-]*$/.test(line)) await allow(line);
      };
      for (const [, names = ''] of unit.matchAll(/^SystemCallFilter=(.+)$/gm))
        for (const name of names.split(' ')) await allow(name);
      expect(allowed.size).toBeGreaterThan(200);
      const [, command = ''] = /^ExecStart=(.+) --serve dist$/m.exec(unit) ?? [];
      const trace = join(folder, 'calls');
      const relay = spawn('strace', ['-f', '-qq', '-o', trace, ...command.split(' ')], {
        cwd: ROOT,
        env: { ...process.env, PORT: '0', RELAY_DATA: join(folder, 'unit'), RELAY_DRAIN_SECONDS: '0' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const exited = new Promise((done) => relay.once('exit', done));
      let said = '';
      for (const stream of [relay.stdout, relay.stderr])
        createInterface({ input: stream }).on('line', (line) => {
          said += `${line}\n`;
        });
      try {
        await until(`the relay to listen: ${said}`, () => said.includes('"listening"'));
        const address = /"address":"([^"]+)"/.exec(said)?.[1] ?? '';
        const pid = Number(/"pid":(\d+)/.exec(said)?.[1]);
        const client = createStockClient(
          { webSocketUrl: address.replace('http', 'ws') },
          createKey(),
          'room',
        );
        client.doc.getText('t').insert(0, 'kept');
        await client.synced();
        await client.acknowledged();
        client.close();
        process.kill(pid, 'SIGUSR2');
        await until('the backup', () => said.includes('"backed-up"'));
        process.kill(pid, 'SIGTERM');
        await exited;
      } finally {
        relay.kill('SIGKILL');
      }
      const called = new Set(
        [...(await readFile(trace, 'utf8')).matchAll(/^\d+ +([a-z]\w*)\(/gm)].map(([, name = '']) => name),
      );
      expect(called.size).toBeGreaterThan(30);
      expect([...called].filter((name) => !allowed.has(name))).toEqual([]);
    },
    120_000,
  );

  it('begins what is there', async () => {
    const unit = await readFile(join(DEPLOY, 'recollect-relay.service'), 'utf8');
    const [, file = ''] = /^ExecStart=.* (src\S+) /m.exec(unit) ?? [];
    await expect(stat(join(ROOT, file))).resolves.toBeTruthy();
    await expect(stat(join(ROOT, 'src/relay/README.md'))).resolves.toBeTruthy();
  });
});

describe('the proxy', () => {
  const readConfiguration = () => readFile(join(DEPLOY, 'nginx.conf'), 'utf8');

  it('takes the same part of a path for the account as the relay', async () => {
    const pattern = /"~(\^[^"]+)"\s+\$tag;/.exec(await readConfiguration())?.[1] ?? '';
    const read = (path: string) => new RegExp(pattern).exec(path)?.groups?.tag;
    const { tag } = createKey();
    expect(read(`/${tag}/room`)).toBe(tag);
    expect(read(`/${tag}`)).toBe(tag);
    expect(read('/')).toBeUndefined();
    expect(read('/assets/index.js')).toBeUndefined();
  });

  it('leads all devices of an account to one of three relays, not all accounts to the same, and tells nobody their names', async ({
    skip,
  }) => {
    const nginx = findNginx() ?? skip(NGINX_WANTED);
    const relays: RelayProcess[] = [];
    for (let number = 1; number <= 3; number += 1)
      relays.push(await startRelay({ RELAY_DATA: join(folder, `relay-${number}`), RELAY_TRUST_PROXY: '1' }));
    const [plain, secure] = [await freePort(), await freePort()];
    const home = join(folder, 'nginx');
    await mkdir(home);
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=relay.example'],
      ...['-keyout', join(home, 'privkey.pem'), '-out', join(home, 'fullchain.pem')],
    ]);
    // The file as it is, but for addresses, certificates and folders.
    let file = (await readConfiguration())
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${secure} ssl;`)
      .replaceAll('/etc/letsencrypt/live/relay.example', home)
      .replaceAll('/var/log/nginx', home)
      .replaceAll('worker_rlimit_nofile 65536;', '')
      .replace('worker_connections 30000;', 'worker_connections 500;')
      .replace(
        'http {',
        `http {\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${home}/${kind};`).join('\n')}`,
      );
    for (const [number, relay] of relays.entries())
      file = file.replace(`127.0.0.1:${4181 + number}`, new URL(relay.url).host);
    await writeFile(join(home, 'nginx.conf'), file);
    const start = ['-p', home, '-c', join(home, 'nginx.conf'), '-g', `daemon off; pid ${home}/pid;`];
    await run(nginx, ['-t', ...start]);
    const proxy = spawn(nginx, start, { stdio: ['ignore', 'pipe', 'pipe'] });
    const said: string[] = [];
    for (const stream of [proxy.stdout, proxy.stderr])
      createInterface({ input: stream }).on('line', (line) => said.push(line));
    const trusting = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const proxy = { webSocketUrl: `wss://127.0.0.1:${secure}` };
      const http = `https://127.0.0.1:${secure}`;
      await until('the proxy', () =>
        fetch(`${http}/healthz`).then(
          ({ status }) => status === 200,
          () => false,
        ),
      );
      const keys = Array.from({ length: 12 }, createKey);
      for (const key of keys) {
        const [a, b] = [createStockClient(proxy, key, 'room'), createStockClient(proxy, key, 'room')];
        a.doc.getText('t').insert(0, key.tag);
        await until('the other one to have it', () => b.doc.getText('t').toString() === key.tag);
        await a.acknowledged();
        for (const client of [a, b]) client.close();
      }
      const holders = await Promise.all(
        keys.map(async (key) => {
          const there: number[] = [];
          for (const [number, relay] of relays.entries()) {
            const client = createStockClient(relay, key, 'room');
            await client.synced();
            if (client.doc.getText('t').toString() === key.tag) there.push(number);
            client.close();
          }
          return there;
        }),
      );
      for (const there of holders) expect(there).toHaveLength(1);
      expect(new Set(holders.flat()).size).toBeGreaterThan(1);
      const [key] = keys as [(typeof keys)[number]];
      const erased = await fetch(`${http}/${key.tag}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${key.token}` },
      });
      expect(erased.ok).toBe(true);
      const late = createStockClient(proxy, key, 'room');
      await until('the refusal', () => late.closes.includes(4404));
      late.close();
      for (const inside of ['metrics', 'readyz']) expect((await fetch(`${http}/${inside}`)).status).toBe(404);
      const moved = await fetch(`http://127.0.0.1:${plain}/`, { redirect: 'manual' });
      expect(moved.status).toBe(301);
      const log = (await readFile(join(home, 'relay.log'), 'utf8')).trim().split('\n');
      expect(log.length).toBeGreaterThan(keys.length);
      expect(await readFile(join(home, 'error.log'), 'utf8')).toBe('');
      for (const line of [...said, ...log, ...relays.flatMap((relay) => relay.lines)])
        for (const { tag, token } of keys) {
          expect(line).not.toContain(tag);
          expect(line).not.toContain(token);
        }
    } finally {
      if (trusting === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = trusting;
      const gone = new Promise((done) => proxy.once('exit', done));
      proxy.kill('SIGTERM');
      await gone;
      for (const relay of relays) await relay.stop();
    }
  }, 60_000);
});
