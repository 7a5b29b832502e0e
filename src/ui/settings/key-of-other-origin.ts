// Tells if an imported configuration file moved the service for vectors away from its key.

import { orElse } from '../../domain/base/log.ts';
import { originOf } from '../../services/settings/keys.ts';
import type { Settings } from '../../services/settings/settings.ts';

/** Origin of the kept key for vectors where that is not the one in force: a file may change the address and not the key. Else null. */
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
