// Keeps secrets (provider keys) sealed on this device. They are never exported, logged, indexed or synced.

export interface Vault {
  /** Seals and keeps a secret. An empty value deletes the name. Throws `vault-unavailable`. */
  put(name: string, secret: string): Promise<void>;
  /** Opens a secret; undefined if the name is unknown or its secret no longer opens. */
  get(name: string): Promise<string | undefined>;
  names(): Promise<string[]>;
}
