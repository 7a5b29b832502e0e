// Keeps secrets (provider keys) sealed on this device. They are never exported, logged, indexed or synced.

export interface Vault {
  /** Seals and keeps. An empty value forgets the name. Throws `vault-unavailable`. */
  put(name: string, secret: string): Promise<void>;
  /** Opens, or undefined where nothing is kept (or it cannot be opened any more). */
  get(name: string): Promise<string | undefined>;
  names(): Promise<string[]>;
}
