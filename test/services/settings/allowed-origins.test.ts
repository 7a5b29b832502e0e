// Which origins requests may go to: what is configured, and for a test what is about to be.
import { expect, it } from 'vitest';
import { writable } from '../../../src/domain/base/readable.ts';
import { type Config, defaultConfig } from '../../../src/domain/settings/config.ts';
import { followAllowedOrigins } from '../../../src/services/settings/allowed-origins.ts';
import type { Connections } from '../../../src/services/settings/settings.ts';

const withAddress = (base_url: string): Config => ({
  ...defaultConfig,
  embedding: {
    ...defaultConfig.embedding,
    openai: { ...defaultConfig.embedding.openai, base_url: 'https://vectors.example/v1' },
    custom: { ...defaultConfig.embedding.custom, base_url },
  },
});

it('follows endpoints and embedding services; what is no address opens nothing', () => {
  const config = writable(withAddress('not an address'));
  const connections = writable<Connections>({
    endpoints: [
      { id: 'a', label: 'A', baseUrl: 'https://model.example/v1', models: [] },
      { id: 'b', label: 'B', baseUrl: 'https://model.example/v2', models: [] },
    ],
    chosen: null,
  });
  const lists: (readonly string[])[] = [];
  const allow = followAllowedOrigins({ config, connections }, { allow: (list) => lists.push(list) });
  expect(lists.at(-1)).toEqual(['https://model.example', 'https://vectors.example']);

  allow(['http://localhost:1234/v1', 'not one either']);
  expect(lists.at(-1)).toEqual(['https://model.example', 'https://vectors.example', 'http://localhost:1234']);

  // A change forgets what was only about to be configured.
  connections.update((before) => ({ ...before, endpoints: [] }));
  expect(lists.at(-1)).toEqual(['https://vectors.example']);
  config.set(withAddress('http://[::1]:9/v1'));
  expect(lists.at(-1)).toEqual(['https://vectors.example', 'http://[::1]:9']);
});
