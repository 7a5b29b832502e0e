// Builds the harness page as the app is built, and serves it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { build, preview } from 'vite';
import type {} from './killed-page.ts';

export interface HarnessServer {
  /** Opens the page in the browser and waits until it is ready. */
  open(newPage: () => Promise<Page>): Promise<Page>;
  readonly origin: string;
  close(): Promise<void>;
}

export async function serveHarness(): Promise<HarnessServer> {
  const root = await mkdtemp(join(tmpdir(), 'recollect-harness-'));
  const script = join(import.meta.dirname, 'killed-page.ts');
  await writeFile(join(root, 'index.html'), `<!doctype html><script type="module" src="${script}"></script>`);
  const outDir = join(root, 'dist');
  const common = { configFile: false, root, logLevel: 'error', worker: { format: 'es' } } as const;
  await build({ ...common, build: { outDir, target: 'es2023', minify: false } });
  const server = await preview({ ...common, build: { outDir }, preview: { port: 0, host: 'localhost' } });
  const origin = (server.resolvedUrls?.local[0] ?? '').replace(/\/$/, '');
  return {
    origin,
    open: async (newPage) => {
      const page = await newPage();
      await page.goto(origin);
      await page.waitForFunction(() => 'harness' in window);
      return page;
    },
    close: async () => {
      await server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
