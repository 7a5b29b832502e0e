// What the browser test runs inside a page (and its network worker) of a real Chromium.
import type { ChatEvent, ConnectionReport } from '../../../src/adapters/models/chat-model.ts';
import { testConnection } from '../../../src/adapters/models/connection-test.ts';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import { createNetwork } from '../../../src/adapters/models/network.ts';

export interface PageApi {
  violations: string[];
  ask(baseUrl: string, model: string, way: 'page' | 'worker'): Promise<ChatEvent[]>;
  test(baseUrl: string, way: 'page' | 'worker'): Promise<ConnectionReport>;
}

const network = createNetwork(() => new Worker('/network.js', { type: 'module' }));
const violations: string[] = [];
document.addEventListener('securitypolicyviolation', (event) =>
  violations.push(`${event.violatedDirective} ${event.blockedURI}`),
);

const fetchBy = (way: 'page' | 'worker', baseUrl: string) => {
  network.allow([new URL(baseUrl).origin]);
  return way === 'worker' ? { fetch: network.fetch } : {};
};

Object.assign(globalThis, {
  api: {
    violations,
    ask: async (baseUrl, model, way) => {
      const events: ChatEvent[] = [];
      const chat = createEndpointModel({
        endpoint: { baseUrl },
        model,
        key: async () => 'sk-test',
        ...fetchBy(way, baseUrl),
      });
      const prompt = {
        system: null,
        messages: [{ role: 'user' as const, parts: [{ type: 'text' as const, text: '你好 hello' }] }],
      };
      for await (const event of chat.stream(prompt, { signal: new AbortController().signal }))
        events.push(event);
      return events;
    },
    test: (baseUrl, way) =>
      testConnection({ baseUrl }, 'sk-test', new AbortController().signal, fetchBy(way, baseUrl)),
  } satisfies PageApi,
});
