// Which model answers, with whose key, and what it costs.
import { expect, it, vi } from 'vitest';
import type { Endpoint } from '../../../src/adapters/models/chat-model.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { EndpointModels } from '../../../src/services/chat/endpoint-models.ts';
import type { Connections } from '../../../src/services/settings/settings.ts';

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

function setup(connections: Connections) {
  const get = vi.fn(async () => undefined);
  const models = new EndpointModels({
    settings: { connections: writable(connections) },
    keys: { get },
    fetch: async () => new Response('{}', { status: 500 }),
    refusals: { leftOut: () => [], remember: async () => undefined },
  });
  return { models, get };
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
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] } as never,
    { signal: new AbortController().signal } as never,
  ) ?? [])
    if (event.type === 'end') break;
  expect(get).toHaveBeenCalledWith('endpoint/there', 'https://api.example/v1');
});

it('costs what the person entered for its endpoint, and nothing where nobody knows', () => {
  const { models } = setup({ endpoints: [here, there], chosen: { endpointId: 'there', model: 'distant' } });
  const [priced, local] = [
    models.modelOf(),
    models.modelOf(undefined, { endpointId: 'here', model: 'small' }),
  ];
  expect([priced && models.priceOf(priced), local && models.priceOf(local)]).toEqual([PRICE, null]);
});
