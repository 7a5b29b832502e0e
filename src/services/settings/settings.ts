// Contract of the settings: the configuration in force on this device, and the endpoints with their keys.

import type { ConnectionReport, Endpoint } from '../../adapters/models/chat-model.ts';
import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { KeyName } from './keys.ts';

/** Longer lists are not offered as a whole: the picker would be a phone book. */
export const OFFER_ALL = 40;

/** Which model answers: endpoint and model id; null: memory only. */
export interface ModelChoice {
  readonly endpointId: string;
  readonly model: string;
}

export interface Connections {
  readonly endpoints: readonly Endpoint[];
  /** The latest choice, with which new conversations start. */
  readonly chosen: ModelChoice | null;
  /**
   * Models picked on this device by conversation id, the latest last; an older conversation uses its latest answer's.
   * Picks in temporary ones stay in this tab.
   */
  readonly picked?: Readonly<Record<string, ModelChoice | null>>;
}

export interface Settings {
  readonly config: Readable<Config>;
  readonly connections: Readable<Connections>;
  /**
   * Sets one key, e.g. `recall.filters.max_results`. Throws `setting-invalid` (key, value,
   * allowed); the last good configuration stays.
   */
  set(path: string, value: unknown): Promise<void>;
  /** Sets every key to its default; the result puts back what was set before. */
  reset(): Promise<() => Promise<void>>;
  /** YAML with every key; secrets are left out. */
  exportYaml(): Promise<string>;
  /**
   * Checks everything first, and names unknown keys, invalid values, and a key without an address. Throws
   * `settings-file` or `setting-invalid`.
   */
  importYaml(text: string): Promise<void>;
  /**
   * The key is stored for the endpoint's origin and sent nowhere else. `undefined`
   * keeps the stored one, `''` forgets it.
   */
  saveEndpoint(endpoint: Endpoint, key: string | undefined): Promise<void>;
  /** Forgets its key, too. Resolves to what brings both back, in their place and in use as before. */
  removeEndpoint(id: string): Promise<() => Promise<void>>;
  /** For new conversations, and for this one. Throws `setting-invalid` for an unknown endpoint. */
  choose(choice: ModelChoice | null, conversation?: ConversationId): Promise<void>;
  /** Fixes the model chosen last for this conversation, which begins. */
  keepChosen(conversation: ConversationId): Promise<void>;
  /** Origin of a stored key; null if none is stored. */
  keyOrigin(name: KeyName): Promise<string | null>;
  forgetKey(name: KeyName): Promise<void>;
  /**
   * Asks the endpoint for its models; explains CORS, 401, 404, 429 and no network. `key`
   * undefined: the one kept for this origin.
   */
  test(endpoint: Endpoint, key: string | undefined, signal: AbortSignal): Promise<ConnectionReport>;
  /**
   * Asks for the endpoint's list again: offers new models of a short list, updates prices. A failure changes nothing.
   */
  refreshModels(id: string, signal: AbortSignal): Promise<void>;
  /** Small values of the interface: panel widths, dismissed hints. */
  recallItem<T>(key: string): Promise<T | undefined>;
  keepItem(key: string, value: unknown): Promise<void>;
  /** A configuration that could not be read at start, if any. */
  readonly problem: Readable<Problem | null>;
}
