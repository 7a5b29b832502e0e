// Drives the system's Firefox and WebKitGTK by their own protocols: WebDriver BiDi, and WebDriver over HTTP.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import WebSocket from 'ws';
import { z } from 'zod';

/** One page of a browser. */
export interface Driver {
  readonly name: string;
  goto(url: string): Promise<void>;
  /** The value of the expression `source` in the page, its promise awaited; must survive JSON. Throws what it threw. */
  evaluate(source: string): Promise<unknown>;
  /** Input as WebDriver's actions describe it: https://www.w3.org/TR/webdriver2/#actions */
  act(actions: readonly object[]): Promise<void>;
  /** Gives a file input, by its CSS selector, the file at `path`. */
  setFile(selector: string, path: string): Promise<void>;
  close(): Promise<void>;
}

/** A browser that is on this machine; or the sentence that says what is missing. */
export type Found = { readonly open: () => Promise<Driver> } | { readonly missing: string };

const first = (paths: readonly (string | undefined)[]) =>
  paths.find((path): path is string => Boolean(path && existsSync(path)));

const ENDED_WITHIN_MS = 5_000;
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  const late = setTimeout(() => child.kill('SIGKILL'), ENDED_WITHIN_MS);
  await gone;
  clearTimeout(late);
}

/** The first match of `wanted` in what a program prints. Throws what it printed if it ends without. */
async function printed(child: ChildProcess, wanted: RegExp): Promise<string> {
  const said: string[] = [];
  for (const output of [child.stdout, child.stderr]) {
    if (!output) continue;
    for await (const line of createInterface({ input: output })) {
      said.push(line);
      const found = wanted.exec(line)?.[1];
      if (found) {
        // Drains the output: a full pipe would stop the program.
        output.resume();
        return found;
      }
    }
  }
  throw new Error(`The program ended: ${said.join('\n')}`);
}

const bidiAnswer = z.looseObject({
  id: z.number().nullish(),
  type: z.string(),
  result: z.unknown(),
  message: z.string().optional(),
});
const bidiValue = z.looseObject({
  type: z.string(),
  result: z.looseObject({ value: z.unknown(), sharedId: z.string().optional() }).optional(),
  exceptionDetails: z.looseObject({ text: z.string() }).optional(),
});

async function openFirefox(program: string): Promise<Driver> {
  const profile = mkdtempSync(join(tmpdir(), 'recollect-firefox-'));
  const child = spawn(
    program,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, LANG: 'en_US.UTF-8' } },
  );
  const address = await printed(child, /WebDriver BiDi listening on (ws:\S+)/);
  const socket = new WebSocket(`${address}/session`);
  await once(socket, 'open');
  const waiting = new Map<number, (answer: z.infer<typeof bidiAnswer>) => void>();
  socket.on('message', (data) => {
    const answer = bidiAnswer.parse(JSON.parse(String(data)));
    if (answer.id) waiting.get(answer.id)?.(answer);
  });
  let asked = 0;
  const ask = async (method: string, params: object): Promise<unknown> => {
    asked += 1;
    const id = asked;
    const answered = new Promise<z.infer<typeof bidiAnswer>>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const answer = await answered;
    waiting.delete(id);
    if (answer.type === 'error') throw new Error(`${method}: ${answer.message}`);
    return answer.result;
  };
  const opened = z
    .looseObject({ capabilities: z.looseObject({ browserVersion: z.string() }) })
    .parse(await ask('session.new', { capabilities: {} }));
  const context = z
    .looseObject({ contexts: z.tuple([z.looseObject({ context: z.string() })]).rest(z.unknown()) })
    .parse(await ask('browsingContext.getTree', {})).contexts[0].context;
  await ask('browsingContext.setViewport', { context, viewport: { width: 1280, height: 800 } });
  const evaluate = async (expression: string) => {
    const params = { expression, target: { context }, awaitPromise: true };
    const value = bidiValue.parse(await ask('script.evaluate', params));
    if (value.exceptionDetails) throw new Error(value.exceptionDetails.text);
    return value.result;
  };
  return {
    name: `Firefox ${opened.capabilities.browserVersion}`,
    goto: async (url) => void (await ask('browsingContext.navigate', { context, url, wait: 'complete' })),
    evaluate: async (source) => {
      const json = (await evaluate(`Promise.resolve(${source}).then((value) => JSON.stringify(value))`))
        ?.value;
      return typeof json === 'string' ? (JSON.parse(json) as unknown) : undefined;
    },
    act: async (actions) => void (await ask('input.performActions', { context, actions })),
    setFile: async (selector, path) => {
      const element = await evaluate(`document.querySelector(${JSON.stringify(selector)})`);
      await ask('input.setFiles', { context, element: { sharedId: element?.sharedId }, files: [path] });
    },
    close: async () => {
      socket.close();
      await end(child);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export function findFirefox(): Found {
  const program = first([process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox']);
  return program
    ? { open: () => openFirefox(program) }
    : { missing: 'Firefox is not installed (Debian: firefox-esr); name it in FIREFOX=/path/to/firefox.' };
}

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const wireAnswer = z.looseObject({ value: z.unknown() });

async function openWebKit(driver: string, browser: string, screen: string): Promise<Driver> {
  const shown = spawn(screen, ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const display = `:${await printed(shown, /^(\d+)$/)}`;
  const port = 20_000 + (process.pid % 20_000);
  const child = spawn(driver, [`--port=${port}`], {
    stdio: 'ignore',
    // WebKit's helpers cannot make a sandbox as root.
    env: {
      ...process.env,
      DISPLAY: display,
      LANG: 'en_US.UTF-8',
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
  });
  const base = `http://127.0.0.1:${port}`;
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${base}${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const { value } = wireAnswer.parse(await response.json());
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value)}`);
    return value;
  };
  await until('WebKitWebDriver to listen', () =>
    fetch(`${base}/status`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const opened = z
    .looseObject({ sessionId: z.string(), capabilities: z.looseObject({ browserVersion: z.string() }) })
    .parse(
      await ask('POST', '/session', {
        capabilities: {
          alwaysMatch: { 'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] } },
        },
      }),
    );
  const session = `/session/${opened.sessionId}`;
  await ask('POST', `${session}/timeouts`, { script: 300_000, pageLoad: 300_000 });
  await ask('POST', `${session}/window/rect`, { width: 1280, height: 860 });
  return {
    name: `WebKitGTK ${opened.capabilities.browserVersion}`,
    goto: async (url) => void (await ask('POST', `${session}/url`, { url })),
    evaluate: async (source) => {
      const script = `const done = arguments[arguments.length - 1];
        Promise.resolve().then(() => (${source})).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const answer = z
        .looseObject({ value: z.unknown().optional(), error: z.string().optional() })
        .parse(await ask('POST', `${session}/execute/async`, { script, args: [] }));
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.value;
    },
    act: async (actions) => void (await ask('POST', `${session}/actions`, { actions })),
    setFile: async (selector, path) => {
      const found = z
        .looseObject({ [ELEMENT]: z.string() })
        .parse(await ask('POST', `${session}/element`, { using: 'css selector', value: selector }));
      await ask('POST', `${session}/element/${found[ELEMENT]}/value`, { text: path });
    },
    close: async () => {
      await ask('DELETE', session).catch((error: unknown) => console.log(`Closing WebKit: ${error}`));
      await end(child);
      await end(shown);
    },
  };
}

export function findWebKit(): Found {
  const driver = first([process.env.WEBKIT_DRIVER, '/usr/bin/WebKitWebDriver']);
  const browser = first(
    ['x86_64', 'aarch64'].flatMap((machine) =>
      ['4.1', '6.0', '4.0'].flatMap((version) => [
        `/usr/lib/${machine}-linux-gnu/webkit2gtk-${version}/MiniBrowser`,
        `/usr/lib/${machine}-linux-gnu/webkitgtk-${version}/MiniBrowser`,
      ]),
    ),
  );
  const screen = first(['/usr/bin/Xvfb']);
  return driver && browser && screen
    ? { open: () => openWebKit(driver, browser, screen) }
    : { missing: 'WebKitGTK is not installed (Debian: webkit2gtk-driver and xvfb).' };
}

/** Asks until the answer is true. After `withinMs` throws `what` and the last answer. */
export async function until(what: string, isSo: () => Promise<unknown>, withinMs = 300_000): Promise<void> {
  const started = Date.now();
  let last: unknown;
  while (Date.now() - started < withinMs) {
    last = await isSo();
    if (last === true) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`Waited for ${what}; the last answer was ${JSON.stringify(last)}`);
}
