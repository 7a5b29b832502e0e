import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { callEndpoint } from '../../../src/adapters/models/http.ts';
import { createNetwork, serveNetwork } from '../../../src/adapters/models/network.ts';

/** Both sides in one thread, joined by a real message channel. */
function joined() {
  const { port1, port2 } = new MessageChannel();
  serveNetwork({
    postMessage: (message) => port2.postMessage(message),
    addEventListener: (_type, listener) =>
      port2.addEventListener('message', (event) => listener({ data: event.data })),
  });
  port2.start();
  port1.start();
  const worker = Object.assign(port1, { terminate: () => port1.close() }) as unknown as Worker;
  return createNetwork(() => worker);
}

const DROPS = Array.from({ length: 200 }, (_, at) => `${at}你🙂 `);
let origin = '';
const server = createServer((request, response) => {
  if (request.url === '/slow') {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('first ');
    const timer = setTimeout(() => response.end('second'), 50);
    request.socket.on('close', () => clearTimeout(timer));
  } else if (request.url === '/drops') {
    const rest = [...DROPS];
    const next = () => {
      const drop = rest.shift();
      if (drop === undefined) response.end();
      else response.write(drop, () => setImmediate(next));
    };
    next();
  } else if (request.url === '/broken') {
    response.write('one ', () =>
      setImmediate(() =>
        response.write('two ', () =>
          setImmediate(() => response.write('three', () => setTimeout(() => response.destroy(), 20))),
        ),
      ),
    );
  } else if (request.url === '/endless') {
    response.writeHead(200);
    response.write('x');
  } else if (request.url === '/redirect') {
    response.writeHead(302, { location: 'http://localhost:9/elsewhere' }).end();
  } else {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () =>
      response.writeHead(201, { 'x-echo': request.headers['x-test'] ?? '' }).end(`${request.method} ${body}`),
    );
  }
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, resolve));
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('requests through the network worker', () => {
  it('carry method, headers and body there, and status, headers and body back', async () => {
    const network = joined();
    network.allow([origin]);
    const response = await network.fetch(`${origin}/echo`, {
      method: 'POST',
      body: 'ping 你好',
      headers: { 'x-test': 'yes' },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-echo')).toBe('yes');
    expect(await response.text()).toBe('POST ping 你好');
    network.close();
  });

  it('stream', async () => {
    const network = joined();
    network.allow([origin]);
    const response = await network.fetch(`${origin}/slow`);
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first ');
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('second');
    expect((await reader?.read())?.done).toBe(true);
    network.close();
  });

  it('bring a body of many pieces in a few, and its end with it', async () => {
    const network = joined();
    network.allow([origin]);
    const response = await network.fetch(`${origin}/drops`);
    const pieces: string[] = [];
    const decoder = new TextDecoder();
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>)
      pieces.push(decoder.decode(bytes, { stream: true }));
    expect(pieces.join('')).toBe(DROPS.join(''));
    expect(pieces.length).toBeLessThan(DROPS.length / 2);
    network.close();
  });

  it('bring what came before the connection broke', async () => {
    const network = joined();
    network.allow([origin]);
    const response = await network.fetch(`${origin}/broken`);
    const reader = response.body?.getReader();
    let text = '';
    const read = async () => {
      for (;;) text += new TextDecoder().decode((await reader?.read())?.value);
    };
    await expect(read()).rejects.toThrow(TypeError);
    expect(text).toBe('one two three');
    network.close();
  });

  it('go to configured origins only', async () => {
    const network = joined();
    network.allow([origin]);
    await expect(network.fetch('http://127.0.0.1:1/other')).rejects.toBeInstanceOf(TypeError);
    network.allow([]);
    await expect(network.fetch(`${origin}/echo`)).rejects.toThrow('not a configured endpoint');
    network.close();
  });

  it('follow no redirect, and say that there was one', async () => {
    const network = joined();
    network.allow([origin]);
    expect((await network.fetch(`${origin}/redirect`)).status).toBe(302);
    await expect(
      callEndpoint({
        baseUrl: origin,
        path: '/redirect',
        method: 'GET',
        accept: 'application/json',
        key: 'sk-1',
        signal: new AbortController().signal,
        fetch: network.fetch,
      }),
    ).rejects.toMatchObject({ problem: { code: 'model-not-found', params: { reason: 'redirect' } } });
    // A browser shows nothing of it, not even its status.
    const veiled = Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } });
    vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
      expect(init.redirect).toBe('manual');
      return veiled;
    });
    try {
      expect((await network.fetch(`${origin}/redirect`)).status).toBe(302);
    } finally {
      vi.unstubAllGlobals();
    }
    network.close();
  });

  it('end when they are aborted, before and after the head', async () => {
    const network = joined();
    network.allow([origin]);
    const early = new AbortController();
    early.abort();
    await expect(network.fetch(`${origin}/echo`, { signal: early.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    const late = new AbortController();
    const response = await network.fetch(`${origin}/endless`, { signal: late.signal });
    const reading = response.text();
    late.abort();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    network.close();
  });
});
