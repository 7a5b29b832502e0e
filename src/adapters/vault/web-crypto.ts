// Secrets sealed with AES-256-GCM. The key is made here, cannot be extracted, and lies in the key-value store as the
// browser's own CryptoKey: a copy of the key-value store, an export or a log of them shows no secret. Script that runs
// on this page can ask for secrets anyway; the Content-Security-Policy keeps such script out.
import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import type { Vault } from './vault.ts';

/** Parts of a key-value store that the vault uses. */
export interface VaultKeyValues {
  get(key: string): Promise<unknown>;
  /** Durable once resolved. `undefined` deletes. Values are structured-cloneable. */
  set(key: string, value: unknown): Promise<void>;
  keys(prefix: string): Promise<string[]>;
}

const KEYS = 'vault/key/';
const SECRETS = 'vault/secret/';

const sealed = z.object({
  /** Id of the key that sealed the secret. */
  key: z.string(),
  iv: z.instanceof(Uint8Array<ArrayBuffer>),
  data: z.instanceof(Uint8Array<ArrayBuffer>),
});

/** Binds the name to the secret: a sealed secret that was moved to another name does not open. */
const bound = (name: string, iv: Uint8Array<ArrayBuffer>) => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(name),
});

/**
 * Makes a vault that seals secrets with AES-GCM (256 bits, a new IV of 96 bits each) under keys that stay in the
 * browser. `put` throws `vault-unavailable` if that fails; `get`: undefined if missing, or it does not open.
 */
export function createVault(keyValues: VaultKeyValues): Vault {
  const keyCalled = async (id: string): Promise<CryptoKey | undefined> => {
    const key = await keyValues.get(KEYS + id);
    return key instanceof CryptoKey ? key : undefined;
  };

  /**
   * Gives this device's key for sealing. Every key has an id of its own, so two tabs that
   * make a key at once overwrite nothing.
   */
  async function keyForSealing(): Promise<{ id: string; key: CryptoKey }> {
    for (const id of (await keyValues.keys(KEYS)).map((key) => key.slice(KEYS.length))) {
      const key = await keyCalled(id);
      if (key) return { id, key };
    }
    const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
      'encrypt',
      'decrypt',
    ]);
    const id = crypto.randomUUID();
    await keyValues.set(KEYS + id, made);
    // Some browsers store a key without an error and return nothing later.
    const key = await keyCalled(id);
    if (!key) throw new Error('The browser does not keep keys');
    return { id, key };
  }

  return {
    put: async (name, secret) => {
      if (secret === '') return keyValues.set(SECRETS + name, undefined);
      const iv = crypto.getRandomValues(new Uint8Array(12));
      let record: z.infer<typeof sealed>;
      try {
        const { id, key } = await keyForSealing();
        const data = await crypto.subtle.encrypt(bound(name, iv), key, new TextEncoder().encode(secret));
        record = { key: id, iv, data: new Uint8Array(data) };
      } catch (cause) {
        if (cause instanceof RecollectError && cause.problem.code !== 'storage-failed') throw cause;
        throw new RecollectError('vault-unavailable', 'The browser cannot seal secrets on this device', {
          cause,
        });
      }
      await keyValues.set(SECRETS + name, record);
    },

    get: async (name) => {
      const record = sealed.safeParse(await keyValues.get(SECRETS + name));
      if (!record.success) return undefined;
      const { iv, data } = record.data;
      const key = await keyCalled(record.data.key);
      if (!key) return undefined;
      try {
        return new TextDecoder().decode(await crypto.subtle.decrypt(bound(name, iv), key, data));
      } catch (error) {
        // The secret is damaged or sealed under another name; the app asks the person for it again.
        log.warn('A secret does not open; it has to be entered again', error);
        return undefined;
      }
    },

    names: async () => (await keyValues.keys(SECRETS)).map((key) => key.slice(SECRETS.length)).sort(),
  };
}
