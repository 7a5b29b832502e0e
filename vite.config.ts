import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { packCmaps } from './src/adapters/extractors/cmaps.ts';
import { INITDB, packCluster } from './src/adapters/index/cluster.ts';
import { ASSEMBLY, type AssemblyName, assemble } from './src/assembly.ts';
import { ISOLATION, PAGE_POLICY, pageHeaders } from './src/relay/page-headers.ts';
import { chat as enChat } from './src/ui/i18n/en/chat.ts';
import { library as enLibrary } from './src/ui/i18n/en/library.ts';
import { chat as zhChat } from './src/ui/i18n/zh/chat.ts';
import { library as zhLibrary } from './src/ui/i18n/zh/library.ts';
import { type FirstWords, staticShell } from './src/ui/shell/static-shell.ts';

/**
 * Brings along the empty database that a first start unpacks, at `VITE_CLUSTER`. Kept in `.cache`, one for each version
 * of PGlite: its name tells what it was made with, not its content, since two that were made alike differ in an id.
 */
export function cluster(): Plugin {
  const root = import.meta.dirname;
  const version = readFileSync(resolve(root, 'node_modules/@electric-sql/pglite/package.json'), 'utf8');
  const made = createHash('sha256').update(version).update(INITDB.join(' ')).digest('hex').slice(0, 12);
  const name = `cluster-${made}.data`;
  const kept = resolve(root, '.cache', name);
  return {
    name: 'cluster',
    config: async (_, { isPreview }) => {
      if (isPreview) return;
      if (!existsSync(kept)) {
        mkdirSync(resolve(root, '.cache'), { recursive: true });
        // Another build may make it at the same time.
        const begun = `${kept}.${process.pid}`;
        writeFileSync(begun, new Uint8Array(await (await packCluster()).arrayBuffer()));
        renameSync(begun, kept);
      }
      return { define: { 'import.meta.env.VITE_CLUSTER': JSON.stringify(`assets/${name}`) } };
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: `assets/${name}`, source: readFileSync(kept) });
    },
    configureServer: ({ middlewares }) => {
      middlewares.use(`/assets/${name}`, (_, response) => response.end(readFileSync(kept)));
    },
  };
}

/** Brings along the character maps of PDF.js, in one file of 1.2 MB; `VITE_CMAPS` is where it lies. */
export function cmaps(): Plugin {
  const folder = resolve(import.meta.dirname, 'node_modules/pdfjs-dist/cmaps');
  const pack = () =>
    packCmaps(
      new Map(
        readdirSync(folder)
          .filter((name) => name.endsWith('.bcmap'))
          .map((name) => [name.slice(0, -'.bcmap'.length), readFileSync(resolve(folder, name))]),
      ),
    );
  const version = readFileSync(resolve(folder, '../package.json'), 'utf8');
  const name = `cmaps-${createHash('sha256').update(version).digest('hex').slice(0, 12)}.data`;
  return {
    name: 'cmaps',
    config: () => ({ define: { 'import.meta.env.VITE_CMAPS': JSON.stringify(`assets/${name}`) } }),
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: `assets/${name}`, source: pack() });
    },
    configureServer: ({ middlewares }) => {
      middlewares.use(`/assets/${name}`, (_, response) => response.end(pack()));
    },
  };
}

/** Assembles what is written in WebAssembly by hand; `VITE_ASSEMBLY` is the folder where `NAME.wasm` lies. */
export function assembly(): Plugin {
  const sources = Object.entries(ASSEMBLY).map(([name, { source }]) => ({
    name: name as AssemblyName,
    text: readFileSync(resolve(import.meta.dirname, 'src', source), 'utf8'),
  }));
  const digest = createHash('sha256').update(readFileSync(resolve(import.meta.dirname, 'src/assembly.ts')));
  for (const { text } of sources) digest.update(text);
  const folder = `assets/assembly-${digest.digest('hex').slice(0, 12)}/`;
  return {
    name: 'assembly',
    config: () => ({ define: { 'import.meta.env.VITE_ASSEMBLY': JSON.stringify(folder) } }),
    async generateBundle() {
      for (const { name, text } of sources)
        this.emitFile({
          type: 'asset',
          fileName: `${folder}${name}.wasm`,
          source: await assemble(name, text),
        });
    },
    configureServer: ({ middlewares }) => {
      for (const { name, text } of sources)
        middlewares.use(`/${folder}${name}.wasm`, (_, response, next) => {
          assemble(name, text).then((code) => {
            response.setHeader('Content-Type', 'application/wasm');
            response.end(code);
          }, next);
        });
    },
  };
}

/** Writes the policy into the built page, so that it holds on any host, and sends what a page cannot say. */
const contentSecurityPolicy = (): Plugin => ({
  name: 'content-security-policy',
  apply: (_, { command, isPreview }) => command === 'build' || isPreview === true,
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: PAGE_POLICY },
      injectTo: 'head-prepend',
    },
  ],
  configurePreviewServer: ({ middlewares }) => {
    middlewares.use(({ url = '/', headers }, response, next) => {
      // Packs nothing: the browser is on this machine, and packing takes half a second of each first visit.
      delete headers['accept-encoding'];
      for (const [name, value] of Object.entries(pageHeaders(url.split('?', 1)[0] ?? '/')))
        response.setHeader(name, value);
      next();
    });
  },
});

const firstWords = (
  { firstRun }: { firstRun: typeof enLibrary.firstRun },
  {
    placeholderFirst: placeholder,
    firstField: field,
  }: Pick<typeof enChat, 'placeholderFirst' | 'firstField'>,
): FirstWords => ({
  ...firstRun,
  ways: [firstRun.import, firstRun.connect, firstRun.device, firstRun.look],
  placeholder,
  field,
});

/** The files that importing a module reads: its own chunk, and all that this imports. */
function filesOf(
  bundle: Readonly<Record<string, Rolldown.OutputChunk | Rolldown.OutputAsset>>,
  name: string,
): string[] {
  const found = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === name);
  const files = new Set(found ? [found.fileName] : []);
  for (const file of files) {
    const chunk = bundle[file];
    if (chunk?.type === 'chunk') for (const other of chunk.imports) files.add(other);
  }
  return [...files];
}

/**
 * Puts what shows before the app is there into the page, and the style sheet below it, so that it
 * is painted without waiting for that.
 */
const firstPaint = (): Plugin => ({
  name: 'first-paint',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const sheets = html.match(/<link rel="stylesheet"[^>]*>/g) ?? [];
      const words = {
        en: firstWords(enLibrary, enChat),
        zh: firstWords(zhLibrary, zhChat),
      };
      // The app's code is asked for by `start.js`, as late as the first paint wants it.
      const needed = [...html.matchAll(/<link rel="modulepreload"[^>]*href="([^"]+)"[^>]*>\s*/g)];
      // The first screen's code lies apart; without being asked for ahead it would come a round trip after the rest.
      const screen = filesOf(bundle, 'conversation-screen').map((file) => `/${file}`);
      const ahead = screen.filter((file) => needed.every(([, other]) => file !== other));
      const [code, app] = /<script type="module"[^>]*src="([^"]+)"[^>]*><\/script>\s*/.exec(html) ?? [];
      const started =
        code && app
          ? html
              .replace(
                'src="/start.js"',
                `src="/start.js" data-app="${app}" data-needs="${needed.map(([, file]) => file).join(' ')}" data-ahead="${ahead.filter((file) => file !== app).join(' ')}"`,
              )
              .replace(code, '')
          : html;
      return [...sheets, ...needed.map(([link]) => link)]
        .reduce((page, sheet) => page.replace(sheet, ''), started)
        .replace('<!-- first paint -->', () => [staticShell(words), ...sheets].join('\n    '));
    },
  },
});

/** The code highlighter's languages: ours are enough, all three hundred would have to be kept for offline use. */
export const ALIASES = [
  { find: /^shiki$/, replacement: resolve(import.meta.dirname, 'src/ui/chat/languages.ts') },
];

/** Kept when they are first used, not when the app is: model files, ONNX Runtime, the vocabularies of tokenizers. */
const LATER = /^models\/|(?:^|\/)ort-|k_base-/;

/** Tells the service worker the digest of each file, and which of them it is to keep only once they are used. */
async function listFiles<File extends { url: string }>(listed: File[]) {
  const digestOf = (url: string): { digest?: string } => {
    const file = resolve(import.meta.dirname, 'dist', url);
    // Some hosts hand out what is packed as a packed answer, which the browser unpacks.
    return existsSync(file) && !url.endsWith('.gz')
      ? { digest: createHash('sha256').update(readFileSync(file)).digest('hex') }
      : {};
  };
  const manifest = listed.map((file) => ({
    ...file,
    ...digestOf(file.url),
    ...(LATER.test(file.url) ? { later: true } : {}),
  }));
  return { manifest, warnings: [] };
}

const MAIN = resolve(import.meta.dirname, 'src/main.tsx');
const FIRST_SCREEN = resolve(import.meta.dirname, 'src/ui/chat/conversation-screen.tsx');
let firstScreen: { readonly all: ReadonlySet<string>; readonly shared: ReadonlySet<string> } | undefined;
/**
 * The first screen's modules lie in one file, and those that other parts use in another:
 * search must not wait for that screen.
 */
function isOfFirstScreen(id: string, graph: Rolldown.ChunkingContext, isShared: boolean): boolean {
  const reached = (from: Iterable<string>, isLazyToo = false) => {
    const modules = new Set(from);
    for (const module of modules) {
      const { importedIds = [], dynamicallyImportedIds = [] } = graph.getModuleInfo(module) ?? {};
      for (const other of isLazyToo ? [...importedIds, ...dynamicallyImportedIds] : importedIds)
        modules.add(other);
    }
    return modules;
  };
  if (!firstScreen) {
    const lazy = [...reached([MAIN], true)].flatMap(
      (one) => graph.getModuleInfo(one)?.dynamicallyImportedIds ?? [],
    );
    firstScreen = {
      all: reached([FIRST_SCREEN]),
      shared: reached(lazy.filter((one) => one !== FIRST_SCREEN)),
    };
  }
  return firstScreen.all.has(id) && (isShared ? firstScreen.shared : firstScreen.all).has(id);
}

/**
 * What every start reads lies in four files of like size, by the floor it stands on: by itself the build makes one for
 * each set of screens that share something, sixty until one can type, each a round trip. Each is read in a task of its
 * own (`public/start.js`), and a small one takes a share of the line from the large ones (decision 1112).
 */
const SHARED_FILES = [
  {
    // Libraries that make errors when they are read lie apart (decision 1109).
    name: 'react',
    test: /node_modules[\\/](?:react|react-dom|scheduler|yjs|lib0)[\\/]|react-first\.ts$|lucide-react[\\/]dist[\\/]esm[\\/]icons/,
    priority: 3,
  },
  {
    name: 'libraries',
    test: /node_modules[\\/](?!(?:opencc-js|picomatch)[\\/])/,
    tags: ['$initial' as const],
    priority: 2,
  },
  {
    name: 'domain',
    // With what else imports nothing above it, and with libraries that only it needs, so that no file is last and
    // alone.
    test: /src[\\/](?:domain|adapters[\\/]log|ui[\\/]i18n[\\/]en)[\\/]|node_modules[\\/](?:opencc-js|picomatch)[\\/]/,
    tags: ['$initial' as const],
    priority: 2,
  },
  { name: 'start', tags: ['$initial' as const], priority: 1 },
  {
    name: (id: string, graph: Rolldown.ChunkingContext) =>
      isOfFirstScreen(id, graph, true) ? 'screens' : null,
    priority: 0.6,
  },
  {
    name: (id: string, graph: Rolldown.ChunkingContext) =>
      isOfFirstScreen(id, graph, false) ? 'conversation-screen' : null,
    priority: 0.5,
  },
  // A language is there or is not.
  { name: 'words-later', test: /i18n[\\/]en[\\/](?:context|memory|palette|settings)\.ts$/, priority: 3 },
  { name: 'zh-later', test: /i18n[\\/]zh[\\/](?:context|memory|palette|settings)\.ts$/, priority: 3 },
  { name: 'zh', test: /i18n[\\/]zh[\\/]/, priority: 2 },
];

export default defineConfig({
  // Shown under Settings › About.
  define: { 'import.meta.env.VITE_VERSION': JSON.stringify(process.env.npm_package_version ?? '') },
  plugins: [
    react(),
    tailwindcss(),
    contentSecurityPolicy(),
    firstPaint(),
    cluster(),
    cmaps(),
    assembly(),
    VitePWA({
      strategies: 'injectManifest',
      srcDir: 'src/workers/service',
      filename: 'service-worker.ts',
      registerType: 'prompt',
      injectRegister: false,
      manifest: {
        name: 'Recollect',
        short_name: 'Recollect',
        description: 'A chat app that remembers.',
        lang: 'en',
        start_url: '/',
        scope: '/',
        display: 'standalone',
        background_color: '#ffffff',
        theme_color: '#ffffff',
        shortcuts: [
          { name: 'New conversation', short_name: 'New', url: '/' },
          { name: 'Search', url: '/?open=search' },
        ],
        // Kept by the service worker (`src/workers/service/share-target.ts`): in an address, the words
        // would stay in the browser's history.
        share_target: {
          action: '/shared',
          method: 'POST',
          enctype: 'multipart/form-data',
          params: {
            title: 'shared_title',
            text: 'shared_text',
            url: 'shared_url',
            files: [{ name: 'shared_files', accept: ['text/*', 'image/*', 'application/*'] }],
          },
        },
        file_handlers: [
          {
            action: '/',
            accept: {
              'application/zip': ['.zip'],
              'application/json': ['.json'],
              'application/x-ndjson': ['.jsonl'],
              'text/markdown': ['.md'],
            },
          },
        ],
        icons: [
          { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' },
          { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png' },
          { src: '/icons/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
          { src: '/icons/icon.svg', sizes: 'any', type: 'image/svg+xml' },
        ],
      },
      injectManifest: {
        globPatterns: ['**/*.{html,js,mjs,css,svg,png,woff2,wasm,data,gz,json,webmanifest}'],
        globIgnores: ['screenshot.png'],
        maximumFileSizeToCacheInBytes: 64 * 1024 * 1024,
        manifestTransforms: [listFiles],
      },
    }),
  ],
  resolve: { alias: ALIASES },
  worker: { format: 'es' },
  optimizeDeps: {
    exclude: [
      '@electric-sql/pglite',
      '@electric-sql/pglite-pgvector',
      '@electric-sql/pglite-pg_textsearch',
      '@huggingface/transformers',
    ],
  },
  // Nothing is inlined: the policy lets fonts come from files only.
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    sourcemap: false,
    rolldownOptions: { output: { codeSplitting: { groups: SHARED_FILES } } },
  },
  server: { headers: ISOLATION },
  // A port that somebody asked for is that one or none; else the next that is free.
  preview: { port: Number(process.env.PORT ?? 4173), strictPort: process.env.PORT !== undefined },
});
