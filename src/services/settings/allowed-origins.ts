// Lists the origins that requests may go to: those of configured endpoints and embedding services.
import type { Network } from '../../adapters/models/network.ts';
import { originOf } from './keys.ts';
import type { Settings } from './settings.ts';

/** Origins of all addresses in the settings, each once, without invalid ones. `more`: further addresses. */
function configuredOrigins(
  { connections, config }: Pick<Settings, 'connections' | 'config'>,
  more: readonly string[] = [],
): readonly string[] {
  const { openai, custom } = config.get().embedding;
  const addresses = [
    ...connections.get().endpoints.map(({ baseUrl }) => baseUrl),
    openai.base_url,
    custom.base_url,
    ...more,
  ];
  return [...new Set(addresses.map(originOf).filter((origin) => origin !== null))];
}

/**
 * Allows requests to configured origins, now and after each change, as long as the page lives. `more` of the returned
 * function: addresses that the person is about to configure, until the next change.
 */
export function followAllowedOrigins(
  settings: Pick<Settings, 'connections' | 'config'>,
  network: Pick<Network, 'allow'>,
): (more: readonly string[]) => void {
  const allow = (more: readonly string[] = []) => network.allow(configuredOrigins(settings, more));
  allow();
  settings.connections.subscribe(() => allow());
  settings.config.subscribe(() => allow());
  return allow;
}
