// Embeds the same messages with WebGPU and with WASM in a real Chromium and prints JSON: how long each took, and how
// alike the vectors are. Without a graphics card the browser computes WebGPU in software (SwiftShader): it shows that
// the path works, and nothing of its speed.
//   npx tsx test/bench/webgpu.ts [--messages 3] [--dist FOLDER] [--port N]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { preview } from 'vite';
import { BROWSER_ARGS, ensureBrowser } from '../browser.ts';
import { builtFolder } from './built.ts';
import { chatgptExport } from './corpus.ts';
import { type Handle, importStaged, stage } from './in-page.ts';
import { settled } from './waiting.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '3' },
    dist: { type: 'string' },
    port: { type: 'string', default: '4398' },
  },
});
const WITHIN_MS = 15 * 60_000;
/** Cosine of the same message by both, at least. */
const LIKE = 0.99;
const port = Number(values.port);
const outDir = await builtFolder(values.dist, join(import.meta.dirname, '../..'), console.error);
const server = await preview({
  preview: { port, strictPort: true },
  build: { outDir },
  logLevel: 'silent',
});
const profile = mkdtempSync(join(tmpdir(), 'recollect-webgpu-'));

/** One device: its figures, and the vector of each message. */
async function measure(device: 'webgpu' | 'wasm') {
  const context = await chromium.launchPersistentContext(join(profile, device), {
    executablePath: ensureBrowser(),
    args: [
      ...BROWSER_ARGS.filter((arg) => arg !== '--disable-gpu'),
      '--enable-unsafe-webgpu',
      '--enable-features=Vulkan',
      '--use-webgpu-adapter=swiftshader',
    ],
  });
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    const weights = new Set<string>();
    context.on('request', (request) => {
      const [name] = /[^/]+\.onnx$/.exec(new URL(request.url()).pathname) ?? [];
      if (name) weights.add(name);
    });
    await page.addInitScript('globalThis.__name = (made) => made');
    await page.goto(`http://localhost:${port}/?console`);
    const until = (condition: string) => settled(page, condition, WITHIN_MS);
    const status = 'globalThis.recollect?.app.memory.status.get()';
    await until(`${status}?.state === 'ready'`);
    await page.evaluate(
      (device) => globalThis.recollect?.app.settings.set('embedding.local.device', device),
      device,
    );
    await page.evaluate(stage, { piece: chatgptExport(Number(values.messages), 1_700_000_000_000, 5) });
    await page.evaluate(importStaged, {});
    await page.evaluate(() => globalThis.recollect?.app.memory.wake('now'));
    const started = Date.now();
    await until(`${status}.embedding.status === 'ready'`);
    const loaded = Date.now();
    await until(`${status}.waiting === 0 && ${status}.state === 'ready'`);
    const ended = Date.now();
    const vectors = await page.evaluate(async () => {
      const { app, index, model } = globalThis.recollect as unknown as Handle;
      const read = await Promise.all(
        app.documents.library.get().entries.map(({ id }) => app.documents.read(id)),
      );
      const ids = read.flatMap((conversation) => [...(conversation?.messages.keys() ?? [])]);
      return [...(await index.meanings(model, ids))].map(([id, values]) => [id, [...values]] as const);
    });
    const adapter = await page.evaluate(async () => {
      const gpu = (
        navigator as unknown as {
          gpu?: { requestAdapter(): Promise<{ info: Record<string, string> } | null> };
        }
      ).gpu;
      const info = (await gpu?.requestAdapter())?.info;
      return info ? `${info.vendor} ${info.architecture} ${info.description}`.trim() : null;
    });
    return {
      adapter,
      weights: [...weights],
      loadMs: loaded - started,
      embedMs: ended - loaded,
      vectors: new Map(vectors),
    };
  } finally {
    await context.close();
  }
}

try {
  const { vectors: byWebgpu, ...webgpu } = await measure('webgpu');
  const { vectors: byWasm, ...wasm } = await measure('wasm');
  const cosines = [...byWasm].map(([id, values]) => {
    const other = byWebgpu.get(id) ?? [];
    return values.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  });
  // Where WebGPU does not start the app goes on with the processor, with weights of its own.
  if (!webgpu.weights.some((name) => name.includes('q4')) || wasm.weights.some((name) => name.includes('q4')))
    throw new Error(`Not both were measured: ${webgpu.weights} by WebGPU, ${wasm.weights} by WASM`);
  if (cosines.length === 0 || !cosines.every((cosine) => cosine > LIKE))
    throw new Error(`The vectors are not alike: ${cosines.join(', ')}`);
  console.log(JSON.stringify({ messages: cosines.length, webgpu, wasm, cosines }, null, 2));
} finally {
  await server.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}
