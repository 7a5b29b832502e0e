// Compares the browser's cached copy of a file that does not run with the server's copy.
import { log } from '../../domain/base/log.ts';

interface Compared {
  /** The kept copy differed from the server's, which has replaced it. */
  readonly stale: boolean;
  /** Name of a file that the server itself has damaged or under a wrong type, or null. */
  readonly wrong: string | null;
}

/** The first bytes of each WebAssembly module, see the WebAssembly core specification, 5.5.16. */
const WASM = [0x00, 0x61, 0x73, 0x6d];

const nameOf = (url: string): string => url.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? url;

/** Browsers run a script only under a script's type; a WebAssembly module is recognised by its bytes. */
function isRunnable(url: string, { ok, type, bytes }: KeptAnswer): boolean {
  if (!ok || type.startsWith('text/html')) return false;
  return nameOf(url).endsWith('.wasm')
    ? WASM.every((byte, at) => bytes[at] === byte)
    : /^(?:text|application)\/(?:x-)?(?:java|ecma)script/.test(type);
}

interface KeptAnswer {
  readonly ok: boolean;
  readonly type: string;
  readonly bytes: Uint8Array;
}

async function ask(url: string, cache: RequestCache, get: typeof fetch): Promise<KeptAnswer> {
  const answer = await get(url, { cache });
  const type = (answer.headers.get('content-type') ?? '').toLowerCase();
  return { ok: answer.ok, type, bytes: new Uint8Array(await answer.arrayBuffer()) };
}

const isSame = (one: KeptAnswer, other: KeptAnswer): boolean =>
  one.ok === other.ok &&
  one.type === other.type &&
  one.bytes.length === other.bytes.length &&
  one.bytes.every((byte, at) => byte === other.bytes[at]);

/**
 * Name of the script that a browser refused to import, as its message tells; null: the message is about something else.
 * Firefox and WebKit keep no answer that they refused, so comparing it with the server's shows nothing.
 */
export function refusedScript(message: string, urls: readonly string[]): string | null {
  if (!/dynamically imported|importing a module|module script|MIME type/i.test(message)) return null;
  const script = urls.find((url) => /\.m?js$/.test(nameOf(url)));
  return script === undefined ? null : nameOf(script);
}

/** Compares scripts and WebAssembly modules, one after another. Without a network it concludes nothing. */
export async function compareKept(urls: readonly string[], get: typeof fetch): Promise<Compared> {
  let stale = false;
  let wrong: string | null = null;
  for (const url of urls) {
    try {
      const kept = await ask(url, 'force-cache', get);
      const now = await ask(url, 'reload', get);
      if (!isRunnable(url, now)) wrong ??= nameOf(url);
      else if (!isSame(kept, now)) stale = true;
    } catch (error) {
      log.debug('A file stored for offline use could not be fetched again', error);
    }
  }
  return { stale, wrong };
}
