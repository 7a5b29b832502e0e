// Serves the built app as a usual host does: packed, with the policy's headers, and counts what it sends.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { pageHeaders } from '../../src/relay/page-headers.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
/** What is packed already gains nothing. */
const PACKED = new Set(['.png', '.woff2', '.gz']);
/** Packed before the first visit, as any host has them in its cache. */
const AHEAD = new Set(['.html', '.js', '.css', '.svg', '.webmanifest']);
/** What hosts choose that pack while they send. */
const BROTLI_QUALITY = 5;

export interface Host {
  readonly address: string;
  /** Every file that was asked for since the start: its address and the bytes that were sent, packed. */
  readonly sent: readonly { readonly file: string; readonly bytes: number }[];
  close(): Promise<void>;
}

/**
 * Serves a folder at a free port of this machine, each file packed once; an address that names no file gets the page.
 */
export async function serveAsHost(folder: string): Promise<Host> {
  const sent: { file: string; bytes: number }[] = [];
  const packed = new Map<string, Buffer>();
  const bodyOf = (path: string, encoding: 'br' | 'gzip' | ''): Buffer => {
    const key = `${encoding} ${path}`;
    const known = packed.get(key);
    if (known) return known;
    const plain = readFileSync(path);
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };
    const body =
      encoding === 'br' ? brotliCompressSync(plain, quality) : encoding === 'gzip' ? gzipSync(plain) : plain;
    packed.set(key, body);
    return body;
  };
  // Packing during a visit would count as the server's slowness.
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (AHEAD.has(extname(file))) bodyOf(join(folder, file), 'br');
  const server = createServer((request, response) => {
    const file = normalize(decodeURIComponent((request.url ?? '/').split('?', 1)[0] ?? '/'));
    const found = statSync(join(folder, file), { throwIfNoEntry: false })?.isFile();
    if (!found && extname(file) !== '') {
      response.writeHead(404).end();
      return;
    }
    const path = join(folder, found ? file : 'index.html');
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const encoding = PACKED.has(extname(path))
      ? ''
      : accepted.includes('br')
        ? 'br'
        : accepted.includes('gzip')
          ? 'gzip'
          : '';
    const body = bodyOf(path, encoding);
    sent.push({ file, bytes: body.length });
    response.writeHead(200, {
      ...pageHeaders(file),
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
      'cache-control': file.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(encoding === '' ? {} : { 'content-encoding': encoding, vary: 'accept-encoding' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://localhost:${port}`,
    sent,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
