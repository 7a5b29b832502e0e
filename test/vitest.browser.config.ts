// Runs every `*.browser.test.ts` in a real headless Chromium, on a page that is
// cross-origin isolated as the app's own is.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { ALIASES, assembly, cluster, cmaps } from '../vite.config.ts';
import { BROWSER_ARGS, findBrowser } from './browser.ts';
import { IN_BROWSER, IS_ALL, LEFT_OUT } from './tiers.ts';

/** React as people have it: what it checks for developers takes a quarter of these tests' time. */
process.env.NODE_ENV = 'production';

const browser = findBrowser();

/** In a private window Chromium keeps OPFS in the memory of another process, and each access is a message to it. */
const profile = mkdtempSync(join(tmpdir(), 'recollect-suites-'));
process.once('exit', () => rmSync(profile, { recursive: true, force: true }));

const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  plugins: [cluster(), cmaps(), assembly(), tailwindcss()],
  resolve: { alias: ALIASES },
  // As `test/scale.ts` reads it in Node, too.
  define: { 'import.meta.env.TEST_ALL': JSON.stringify(IS_ALL ? '1' : '') },
  worker: { format: 'es' },
  server: { headers },
  optimizeDeps: {
    // Dependencies found late would reload a running test: what the crawl of these files does not see is named.
    include: [
      '@noble/hashes/legacy.js',
      '@zip.js/zip.js/lib/zip-core-custom.js',
      'fastest-levenshtein',
      'gpt-tokenizer/encoding/cl100k_base',
      'gpt-tokenizer/encoding/o200k_base',
      'hash-wasm',
      'htmlparser2',
      'i18next',
      'jsqr',
      'lucide-react',
      'opencc-js/dict/JPShinjitaiCharacters',
      'pdfjs-dist/legacy/build/pdf.mjs',
      'pdfjs-dist/legacy/build/pdf.worker.mjs',
      'radix-ui',
      'react',
      'react-dom/client',
      'react/jsx-dev-runtime',
      'react-dom',
      'sonner',
      'axe-core',
      'uqr',
      'virtua',
      'workbox-window',
    ],
    entries: [...IN_BROWSER, 'src/workers/*.worker.ts', 'test/**/*.worker.ts'],
    exclude: [
      '@electric-sql/pglite',
      '@electric-sql/pglite-pgvector',
      '@electric-sql/pglite-pg_textsearch',
      '@huggingface/transformers',
    ],
  },
  test: {
    include: IN_BROWSER,
    exclude: LEFT_OUT,
    // Before React in every file, because React looks for the hook of `renders.ts` only once.
    setupFiles: ['test/properties.ts', 'test/ui/renders.ts', 'test/equal-arrays.ts'],
    // Ends what hangs, and nothing else: slowed down to a thirtieth, a dialog with axe takes half a minute.
    testTimeout: 180_000,
    // A state that comes late on a busy machine is not a wrong one.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
    // In the gate a test that fails has one more try; if it passes then, the gate names it as flaky.
    retry: process.env.CI || process.env.FLAKY_REPORT ? 1 : 0,
    fileParallelism: false,
    browser: {
      enabled: true,
      // On a fresh clone the page waits until the dependencies are bundled.
      connectTimeout: 300_000,
      isolate: false,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        persistentContext: profile,
        launchOptions: {
          ...(browser ? { executablePath: browser } : {}),
          args: [...BROWSER_ARGS],
        },
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
});
