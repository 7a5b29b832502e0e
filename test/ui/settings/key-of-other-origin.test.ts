import { expect, it } from 'vitest';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { keyOfOtherOrigin } from '../../../src/ui/settings/key-of-other-origin.ts';

const { embedding } = defaultConfig;
const config = writable({
  ...defaultConfig,
  embedding: {
    ...embedding,
    provider: 'openai' as const,
    openai: { ...embedding.openai, base_url: 'https://new.example/v1' },
  },
});
const kept = (origin: string | null) => keyOfOtherOrigin({ config, keyOrigin: async () => origin });

it('a configuration file that came in tells of a key that belongs to another address', async () => {
  expect(await kept('https://old.example')).toBe('https://old.example');
  expect(await kept('https://new.example')).toBeNull();
  expect(await kept(null)).toBeNull();
});

it('a vault that cannot be opened then does not make the import a failure', async () => {
  const keyOrigin = () => Promise.reject(new RecollectError('vault-unavailable', 'closed'));
  expect(await keyOfOtherOrigin({ config, keyOrigin })).toBeNull();
});
