// The embedding provider follows the configuration, also after one could not be made.
import { afterEach, expect, it, vi } from 'vitest';
import type { EmbeddingProvider } from '../../../src/adapters/embedding/embedding-provider.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { type Config, configSchema } from '../../../src/domain/settings/config.ts';
import { followEmbedding } from '../../../src/services/memory/embedding-in-force.ts';
import { createHashingEmbedding } from '../../adapters/embedding/hashing.ts';

const named = (model: string): Config =>
  configSchema.parse({
    embedding: { provider: 'custom', custom: { base_url: 'https://a.example/v1', model } },
  });
const closing: AbortController[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const one of closing.splice(0)) one.abort();
});

function follow(make: (config: Config['embedding']) => Promise<EmbeddingProvider>) {
  const config = writable(named('one'));
  const controller = new AbortController();
  closing.push(controller);
  return { config, controller, provider: followEmbedding({ config, make, signal: controller.signal }) };
}
const provider = (id: string, close = async () => {}): EmbeddingProvider => ({
  ...createHashingEmbedding(),
  id,
  close,
});

it('is made again for another configuration, and the one before is let go, even if that fails', async () => {
  vi.useFakeTimers();
  const closed: string[] = [];
  const {
    config,
    controller,
    provider: now,
  } = follow(async ({ custom }) =>
    provider(custom.model, async () => {
      closed.push(custom.model);
      throw new Error('stuck');
    }),
  );
  await vi.advanceTimersByTimeAsync(1);
  expect(now.get()?.id).toBe('one');
  config.set({ ...named('one') });
  await vi.advanceTimersByTimeAsync(1);
  config.set(named('two'));
  await vi.advanceTimersByTimeAsync(1);
  expect([now.get()?.id, closed]).toEqual(['two', ['one']]);
  controller.abort();
  await vi.advanceTimersByTimeAsync(1);
  expect(closed).toEqual(['one', 'two']);
});

it('is tried again where it could not be made, at once for another configuration', async () => {
  vi.useFakeTimers();
  let failures = 2;
  const { config, provider: now } = follow(async ({ custom }) => {
    if (failures-- > 0) throw new TypeError('Failed to fetch dynamically imported module');
    return provider(custom.model);
  });
  await vi.advanceTimersByTimeAsync(1);
  expect(now.get()).toBeNull();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(now.get()?.id).toBe('one');
  failures = 1;
  config.set(named('two'));
  await vi.advanceTimersByTimeAsync(1);
  expect(now.get()?.id).toBe('one');
  config.set(named('three'));
  await vi.advanceTimersByTimeAsync(1);
  expect(now.get()?.id).toBe('three');
});
