// Keys of services in the vault, each bound to its origin: if an address changes, by hand or by a file, its
// key does not move with it.
import { z } from 'zod';
import type { Vault } from '../../adapters/vault/vault.ts';
import { attempt } from '../../domain/base/log.ts';

/** Name in the vault of a key: of an answering endpoint, or of an embedding service. */
export type KeyName = `endpoint/${string}` | 'embedding/openai' | 'embedding/custom';

/** Name of an endpoint's key in the vault. */
export const endpointKey = (endpointId: string): KeyName => `endpoint/${endpointId}`;

/** Origin of an address; null if it is no http(s) address. */
export function originOf(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url && /^https?:$/.test(url.protocol) ? url.origin : null;
}

interface Keys {
  /**
   * Keeps the key for the origin of `address`; without an origin nothing could ever
   * be sent. Throws `vault-unavailable`.
   */
  keep(name: KeyName, key: string, address: string): Promise<void>;
  forget(name: KeyName): Promise<void>;
  /**
   * Returns the key that belongs to the origin of `address`; undefined if none is stored, or it belongs elsewhere. One
   * that an earlier version stored is bound to the address that first asks for it.
   */
  get(name: KeyName, address: string): Promise<string | undefined>;
  /** Origin of the stored key; null if none is stored, or it never had an address. */
  origin(name: KeyName): Promise<string | null>;
}

const boundSchema = z.object({ origin: z.string(), key: z.string() });

/** An earlier version stored the bare key. */
function boundOf(kept: string): z.infer<typeof boundSchema> | undefined {
  return attempt(
    () => boundSchema.safeParse(JSON.parse(kept)).data,
    undefined,
    'the address of a key that an earlier version kept',
  );
}

/**
 * Makes the keys over a vault. Each entry is JSON of the key and its origin; a bare key of an
 * earlier version is bound at its first use.
 */
export function createKeys(vault: Vault): Keys {
  const bind = (name: KeyName, key: string, origin: string) =>
    vault.put(name, JSON.stringify({ origin, key } satisfies z.infer<typeof boundSchema>));
  return {
    keep: async (name, key, address) => {
      const origin = originOf(address);
      if (origin === null) throw new Error(`${name} has no address that its key could belong to`);
      await bind(name, key, origin);
    },
    forget: (name) => vault.put(name, ''),
    get: async (name, address) => {
      const origin = originOf(address);
      const kept = origin === null ? undefined : await vault.get(name);
      if (origin === null || kept === undefined) return undefined;
      const bound = boundOf(kept);
      if (bound) return bound.origin === origin ? bound.key : undefined;
      await bind(name, kept, origin);
      return kept;
    },
    origin: async (name) => {
      const kept = await vault.get(name);
      return kept === undefined ? null : (boundOf(kept)?.origin ?? null);
    },
  };
}
