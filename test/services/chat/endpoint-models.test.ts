// Which model answers, with whose key, and what it costs.
import { expect, it, vi } from 'vitest';
import type { Endpoint } from '../../../src/adapters/models/chat-model.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { EndpointModels } from '../../../src/services/chat/endpoint-models.ts';
import { PrivacyFilter } from '../../../src/services/privacy/privacy-filter.ts';
import type { Connections } from '../../../src/services/settings/settings.ts';
import type { SpentRequest } from '../../../src/services/spending/spending.ts';

const PRICE = { currency: 'USD', input: 1, output: 2 };
const here: Endpoint = {
  id: 'here',
  label: 'Here',
  baseUrl: 'http://localhost:1234/v1',
  models: ['small', 'large'],
};
const there: Endpoint = {
  id: 'there',
  label: 'There',
  baseUrl: 'https://api.example/v1',
  models: ['distant'],
  price: PRICE,
};

function setup(
  connections: Connections,
  fetch: typeof globalThis.fetch = async () => new Response('{}', { status: 500 }),
) {
  const get = vi.fn(async () => undefined);
  const spent: SpentRequest[] = [];
  const models = new EndpointModels({
    filter: new PrivacyFilter({ config: writable(defaultConfig) }),
    settings: { connections: writable(connections) },
    keys: { get },
    fetch,
    refusals: { leftOut: () => [], remember: async () => undefined },
    spending: { record: (request) => spent.push(request) },
  });
  return { models, get, spent };
}

it('is the chosen one, or the one that is named; none where none is connected', () => {
  const { models } = setup({ endpoints: [here, there], chosen: { endpointId: 'here', model: 'large' } });
  expect(models.modelOf()).toMatchObject({ id: 'large', endpoint: 'localhost:1234' });
  expect(models.modelOf(undefined, { endpointId: 'there', model: 'distant' })).toMatchObject({
    id: 'distant',
    endpoint: 'api.example',
  });
  expect(models.modelOf(undefined, { endpointId: 'gone', model: 'distant' })).toBeNull();
  expect(setup({ endpoints: [], chosen: null }).models.modelOf()).toBeNull();
});

it('asks for the key of its endpoint and address with each request', async () => {
  const { models, get } = setup({ endpoints: [there], chosen: { endpointId: 'there', model: 'distant' } });
  const model = models.modelOf();
  for await (const event of model?.stream(
    { system: null, messages: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }] },
    { signal: new AbortController().signal } as never,
  ) ?? [])
    if (event.type === 'end') break;
  expect(get).toHaveBeenCalledWith('endpoint/there', 'https://api.example/v1');
});

it('costs what the person entered for its endpoint, and nothing on a machine of theirs', () => {
  const { models } = setup({ endpoints: [here, there], chosen: { endpointId: 'there', model: 'distant' } });
  const [priced, local] = [
    models.modelOf(),
    models.modelOf(undefined, { endpointId: 'here', model: 'small' }),
  ];
  expect([priced && models.priceOf(priced), local && models.priceOf(local)]).toEqual([
    PRICE,
    { currency: 'USD', input: 0, output: 0 },
  ]);
});

it('counts what its requests cost, and estimates what the endpoint does not report', async () => {
  const connections = { endpoints: [there], chosen: { endpointId: 'there', model: 'distant' } };
  const words = 'data: {"choices":[{"delta":{"content":"Twelve words."}}]}\n\ndata: [DONE]\n\n';
  const { models, spent } = setup(
    connections,
    async () => new Response(words, { headers: { 'content-type': 'text/event-stream' } }),
  );
  const usages: unknown[] = [];
  const stream = models
    .modelOf({ id: 'talk', meta: { head: null }, messages: new Map() } as never)
    ?.stream(
      { system: null, messages: [{ role: 'user', parts: [{ type: 'text', text: 'How many words?' }] }] },
      { signal: new AbortController().signal },
    );
  for await (const event of stream ?? []) if (event.type === 'usage') usages.push(event.usage);
  expect(spent).toEqual([
    { endpoint: 'api.example', model: 'distant', conversation: 'talk', usage: usages[0], price: PRICE },
  ]);
  expect(usages).toEqual([expect.objectContaining({ outputTokens: 4, estimated: true })]);
});

it('goes with the parameters of its persona before those of the connection', () => {
  const tuned = { ...there, parameters: { temperature: 1, top_p: 0.5 } };
  const models = new EndpointModels({
    settings: {
      connections: writable({ endpoints: [tuned], chosen: { endpointId: 'there', model: 'distant' } }),
    },
    keys: { get: async () => undefined },
    fetch,
    refusals: { leftOut: () => [], remember: async () => undefined },
    filter: new PrivacyFilter({ config: writable(defaultConfig) }),
    personaOf: () => ({ parameters: { temperature: 0 } }) as never,
    spending: { record: () => undefined },
  });
  const talk = { id: 'talk', meta: { head: null }, messages: new Map() } as never;
  expect(models.modelOf(talk)?.parameters).toEqual({ temperature: 0, top_p: 0.5 });
  expect(models.modelOf()?.parameters).toEqual({ temperature: 1, top_p: 0.5 });
});
