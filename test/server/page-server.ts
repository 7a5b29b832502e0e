// Serves a few modules of the app to a real browser, isolated and under a policy without eval as the app itself is.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'vite';

export interface PageServer {
  /** Address of a page that loads `/page.js`. */
  readonly url: string;
  close(): void;
}

/** The code of the entry at `path`, and of the chunks it loads later beside it. */
async function bundle(path: string, entry: string): Promise<[string, string][]> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      lib: { entry, formats: ['es'], fileName: 'out' },
    },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const [output] = Array.isArray(built) ? built : [built];
  if (!output || !('output' in output)) throw new Error(`Nothing was built from ${entry}`);
  return output.output.flatMap((chunk): [string, string][] =>
    chunk.type === 'chunk' ? [[chunk.isEntry ? path : `/${chunk.fileName}`, chunk.code]] : [],
  );
}

/** `modules`: path → entry file, `/page.js` among them. */
export async function servePage(modules: Readonly<Record<string, URL>>): Promise<PageServer> {
  const bundles = Object.entries(modules).map(([path, entry]) => bundle(path, entry.pathname));
  const codes = new Map((await Promise.all(bundles)).flat());
  // What runs before every module of the app, as in its index.html.
  codes.set('/theme.js', await readFile(new URL('../../public/theme.js', import.meta.url), 'utf8'));
  const policy =
    "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self' http://127.0.0.1:*";
  const server = createServer((request, response) => {
    const code = codes.get(request.url ?? '');
    response.writeHead(200, {
      'content-type': code === undefined ? 'text/html' : 'text/javascript',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      ...(code === undefined ? { 'content-security-policy': policy } : {}),
    });
    response.end(
      code ??
        '<!doctype html><script src="/theme.js"></script><script type="module" src="/page.js"></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
