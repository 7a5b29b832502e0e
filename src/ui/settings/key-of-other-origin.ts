// Reports whether an imported configuration file points the embedding service away from the origin of its key.

import { orElse } from '../../domain/base/log.ts';
import { originOf } from '../../services/settings/keys.ts';
import type { Settings } from '../../services/settings/settings.ts';

/**
 * Origin of the kept embedding key if it differs from the configured service's, since a file may change
 * the address but not the key; else null.
 */
export async function keyOfOtherOrigin({
  config,
  keyOrigin,
}: Pick<Settings, 'config' | 'keyOrigin'>): Promise<string | null> {
  const { embedding } = config.get();
  const { provider } = embedding;
  if (provider === 'local') return null;
  const origin = await orElse(
    keyOrigin(`embedding/${provider}`),
    null,
    'where a key belongs; a vault that cannot be opened says so where the key is needed',
  );
  return origin === originOf(embedding[provider].base_url) ? null : origin;
}
