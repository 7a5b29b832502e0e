// The app distinguishes a bad answer in the browser's cache from a file that the server now sends with a wrong type.
import { expect, it } from 'vitest';
import { compareKept, refusedScript } from '../../../src/adapters/embedding/kept-answers.ts';

type Served = {
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly status?: number;
};

const module = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
const SCRIPT: Served = { type: 'text/javascript; charset=utf-8', body: 'export default 1' };
const WASM: Served = { type: 'application/octet-stream', body: module };
const PAGE: Served = { type: 'text/html', body: '<!doctype html>' };

/** A browser's cache over a server: it serves cached answers until a request bypasses it. */
function browser(kept: Record<string, Served>, server: Record<string, Served | null>): typeof fetch {
  const answer = ({ type, body, status = 200 }: Served) =>
    new Response(body, { status, headers: { 'content-type': type } });
  return async (input, init) => {
    const url = String(input);
    if (init?.cache === 'force-cache') {
      const there = kept[url] ?? server[url];
      if (there) return answer(there);
    }
    const now = server[url];
    if (!now) throw new TypeError('Failed to fetch');
    kept[url] = now;
    return answer(now);
  };
}

const mjs = '/assets/ort-wasm-simd-threaded-AbC.mjs';
const wasm = '/assets/ort-wasm-simd-threaded-AbC.wasm';
const BOTH = [mjs, wasm];
const server = { [mjs]: SCRIPT, [wasm]: WASM };

it.each<[string, Record<string, Served>, Record<string, Served | null>, boolean, string | null]>([
  ['all is as it should be', { ...server }, server, false, null],
  [
    'a script was served once as plain text',
    { [mjs]: { ...SCRIPT, type: 'text/plain' } },
    server,
    true,
    null,
  ],
  ['a start page was served once for a module', { [wasm]: PAGE }, server, true, null],
  ['a module was cut off once', { [wasm]: { ...WASM, body: module.slice(0, 6) } }, server, true, null],
  ['the server was in trouble once', { [mjs]: { ...SCRIPT, status: 503 } }, server, true, null],
  [
    'the server has it as plain text',
    {},
    { ...server, [mjs]: { ...SCRIPT, type: 'text/plain' } },
    false,
    mjs,
  ],
  ['the server has a page in its place', {}, { ...server, [wasm]: PAGE }, false, wasm],
  ['there is no network', { [mjs]: PAGE }, { [mjs]: null, [wasm]: null }, false, null],
])('%s', async (_, kept, now, stale, wrong) => {
  const get = browser(kept, now);
  expect(await compareKept(BOTH, get)).toEqual({ stale, wrong: wrong?.split('/').at(-1) ?? null });
  // The comparison has replaced the stale answer, so the app does not retry for ever.
  expect((await compareKept(BOTH, get)).stale).toBe(false);
});

it.each<[string, string, boolean]>([
  ['Firefox', `[wasm] TypeError: error loading dynamically imported module: http://localhost${mjs}`, true],
  ['WebKit', "[wasm] TypeError: 'text/html' is not a valid JavaScript MIME type.", true],
  ['WebKit, without a network', '[wasm] TypeError: Importing a module script failed.', true],
  ['Chromium', `TypeError: Failed to fetch dynamically imported module: http://localhost${mjs}`, true],
  ['a module that does not compile', '[wasm] CompileError: WebAssembly.Module(): expected magic word', false],
])('names the script that was refused: %s', (_, message, isOfScript) => {
  const said = `no available backend found. ERR: ${message}`;
  expect(refusedScript(said, BOTH)).toBe(isOfScript ? 'ort-wasm-simd-threaded-AbC.mjs' : null);
});
