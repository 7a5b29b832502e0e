// A real Chromium on a profile of its own that can be killed without warning and started again on the same profile:
// what a crash, a flat battery or an impatient person does to a browser.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type BrowserContext, chromium } from 'playwright';

export interface KillableChromium {
  readonly context: BrowserContext;
  /** SIGKILL to the browser and all of its processes, at once; resolves when they are gone. */
  kill(): Promise<void>;
}

/** Debian's Chromium where there is one; else the browser that Playwright installed for itself. */
export const chromiumPath = (): string =>
  ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path)) ??
  chromium.executablePath();

/** Starts Chromium, headless, on the profile in that folder. */
export async function launchKillableChromium(profile: string): Promise<KillableChromium> {
  const browserProcess = spawn(
    chromiumPath(),
    [
      '--headless=new',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--no-default-browser-check',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--password-store=basic',
      'about:blank',
    ],
    // A group of its own, so that renderer, GPU and utility processes die with it.
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const kill = () => killGroup(browserProcess);
  try {
    const browser = await chromium.connectOverCDP(await endpointOf(browserProcess));
    return { context: browser.contexts()[0] as BrowserContext, kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

async function endpointOf(browserProcess: ChildProcess): Promise<string> {
  const said: string[] = [];
  for await (const line of createInterface({ input: browserProcess.stderr as NodeJS.ReadableStream })) {
    const endpoint = line.match(/^DevTools listening on (ws:\S+)/)?.[1];
    if (endpoint) {
      // Drains the output, so that the pipe does not fill up.
      browserProcess.stderr?.resume();
      return endpoint;
    }
    said.push(line);
  }
  throw new Error(`Chromium ended before it could be reached:\n${said.slice(-20).join('\n')}`);
}

async function killGroup(browserProcess: ChildProcess): Promise<void> {
  if (browserProcess.exitCode !== null || browserProcess.signalCode !== null) return;
  const gone = once(browserProcess, 'exit');
  process.kill(-(browserProcess.pid as number), 'SIGKILL');
  await gone;
}
