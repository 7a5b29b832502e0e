// Serves a few modules of the app to a real browser, isolated and under a policy without eval as the app itself is.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'vite';

export interface PageServer {
  /** Address of a page that loads `/page.js`. */
  readonly url: string;
  close(): void;
}

async function bundle(entry: string): Promise<string> {
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
  return output.output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('\n');
}

/** `modules`: path → entry file, `/page.js` among them. */
export async function servePage(modules: Readonly<Record<string, URL>>): Promise<PageServer> {
  const codes = new Map(
    await Promise.all(
      Object.entries(modules).map(
        async ([path, entry]): Promise<[string, string]> => [path, await bundle(entry.pathname)],
      ),
    ),
  );
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
    response.end(code ?? '<!doctype html><script type="module" src="/page.js"></script>');
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
