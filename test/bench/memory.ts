// How much memory the app's renderer takes, by phase, in a browser that nothing watches: a debugger that
// listens to the network, as Playwright's does, keeps a copy of each file in the page's own process, 80 MB
// here. So the page is led by single expressions, and no domain is switched on; what it imports is a file on
// the disk that it is given as a person would.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { z } from 'zod';
import { BROWSER_ARGS, ensureBrowser } from '../browser.ts';
import { chatgptExport, questions } from './corpus.ts';
import { fillVectors, importStaged, timeRecalls } from './in-page.ts';
import { type Megabytes, watchMemory } from './processes.ts';

const OPENS_WITHIN_MS = 120_000;
const LOOK_MS = 100;

const targetsSchema = z.array(
  z.object({ type: z.string(), url: z.string(), webSocketDebuggerUrl: z.string().optional() }),
);
const answerSchema = z.object({
  id: z.number(),
  error: z.object({ message: z.string() }).optional(),
  result: z
    .object({
      result: z.object({ value: z.unknown(), objectId: z.string() }).partial().optional(),
      exceptionDetails: z.unknown().optional(),
    })
    .optional(),
});

/** A page that nothing watches, led by single expressions. */
export interface Led {
  /** Runs a function in the page, with an argument that JSON can carry. */
  run<Given, Found>(work: (given: Given) => Found | Promise<Found>, given: Given): Promise<Found>;
  look(expression: string): Promise<unknown>;
  /** Puts a file on the disk aside, to be imported. */
  stage(file: string): Promise<void>;
  close(): Promise<void>;
}

export async function open(profile: string, url: string): Promise<Led> {
  const said = join(profile, 'DevToolsActivePort');
  rmSync(said, { force: true });
  const child = spawn(
    ensureBrowser(),
    [
      '--headless=new',
      ...BROWSER_ARGS,
      `--user-data-dir=${profile}`,
      '--remote-debugging-port=0',
      '--window-size=1280,887',
      url,
    ],
    { stdio: 'ignore' },
  );
  const kill = () => void child.kill();
  process.once('exit', kill);
  const pageOf = async (): Promise<string | undefined> => {
    const [port] = existsSync(said) ? readFileSync(said, 'utf8').split('\n') : [];
    const answer = port ? await fetch(`http://127.0.0.1:${port}/json`).catch(() => null) : null;
    const targets = answer ? targetsSchema.parse(await answer.json()) : [];
    return targets.find((target) => target.type === 'page' && target.url.startsWith(url))
      ?.webSocketDebuggerUrl;
  };
  const deadline = Date.now() + OPENS_WITHIN_MS;
  let address = await pageOf();
  while (address === undefined) {
    if (Date.now() > deadline) throw new Error('The browser did not open the app');
    await sleep(LOOK_MS);
    address = await pageOf();
  }
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const gone = new AbortController();
  socket.once('close', () => gone.abort(new Error('The browser went away')));
  let calls = 0;
  const send = async (method: string, params: object) => {
    const id = ++calls;
    socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [data] = await once(socket, 'message', { signal: gone.signal });
      const { id: to, result, error } = answerSchema.parse(JSON.parse(String(data)));
      if (to !== id) continue;
      if (error) throw new Error(error.message);
      if (result?.exceptionDetails) throw new Error(JSON.stringify(result.exceptionDetails));
      return result?.result;
    }
  };
  const look = async (expression: string): Promise<unknown> =>
    (await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }))?.value;
  return {
    look,
    stage: async (file) => {
      const chooser = await send('Runtime.evaluate', {
        expression: `(() => {
          const chooser = Object.assign(document.createElement('input'), { type: 'file' });
          chooser.onchange = () => { globalThis.staged = [...chooser.files]; };
          return chooser;
        })()`,
      });
      await send('DOM.setFileInputFiles', { files: [file], objectId: chooser?.objectId });
    },
    // The runner names inner functions with a helper that the page does not have.
    run: async <Given, Found>(work: (given: Given) => Found | Promise<Found>, given: Given) =>
      (await look(`globalThis.__name = (made) => made; (${work})(${JSON.stringify(given)})`)) as Found,
    close: async () => {
      process.off('exit', kill);
      socket.close();
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

const state = 'globalThis.recollect?.app.memory.status.get().state';
export async function ready({ look }: Led): Promise<void> {
  const deadline = Date.now() + OPENS_WITHIN_MS;
  while (!(await look(`!!${state} && ${state} !== 'starting'`).catch(() => false))) {
    if (Date.now() > deadline) throw new Error('The memory index did not start');
    await sleep(LOOK_MS);
  }
}

/**
 * Opens the app for the first time, imports `messages`, opens it again, asks five questions and lets it embed for half
 * a minute. Peak and last figures of each phase.
 */
export async function measureMemory(
  app: string,
  messages: number,
): Promise<Record<string, { peak: Megabytes; last: Megabytes }>> {
  const profile = mkdtempSync(join(tmpdir(), 'recollect-memory-'));
  const watch = watchMemory(profile, 500);
  /** Opens the app, works with it, and closes it in any case. */
  const opened = async (phase: string, work: (page: Led) => Promise<void>) => {
    watch.phase(phase);
    const page = await open(profile, app);
    try {
      await ready(page);
      await work(page);
    } finally {
      await page.close();
    }
  };
  const put = async (page: Led, json: string) => {
    const file = join(profile, 'conversations.json');
    writeFileSync(file, json);
    await page.stage(file);
  };
  try {
    await opened('coldStart', async (page) => {
      await sleep(4_000);
      await page.look(
        '(() => { const rest = () => globalThis.recollect.app.memory.setPaused(true); setInterval(rest, 5000); rest(); })()',
      );
      await put(page, chatgptExport(messages, Date.now(), messages));
      watch.phase('import');
      await page.run(importStaged, {});
      watch.phase('afterImport');
      await sleep(10_000);
      watch.phase('filling');
      await page.run(fillVectors, {});
    });
    await opened('warmStart', async (page) => {
      await sleep(5_000);
      watch.phase('recalls');
      await page.run(timeRecalls, { questions: questions(5, messages), warmUp: 0 });
      watch.phase('afterRecalls');
      await sleep(30_000);
      watch.phase('embedding');
      await put(page, chatgptExport(500, Date.now(), 99));
      await page.run(importStaged, {});
      await page.look('globalThis.recollect.app.memory.wake("now")');
      await sleep(30_000);
    });
    return watch.end();
  } finally {
    watch.end();
    // A browser that is still closing may write into it; an earlier error is reported all the same.
    try {
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    } catch (error) {
      console.warn('The profile is left behind', error);
    }
  }
}
