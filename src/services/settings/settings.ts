// The configuration in force on this device, and the endpoints with their keys.

import type { ConnectionReport, Endpoint } from '../../adapters/models/chat-model.ts';
import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { KeyName } from './keys.ts';

/** Lists longer than this are not offered as a whole: the picker would be a phone book. */
export const OFFER_ALL = 40;

/** Which model answers: endpoint and model id; null: memory only. */
export interface ModelChoice {
  readonly endpointId: string;
  readonly model: string;
}

export interface Connections {
  readonly endpoints: readonly Endpoint[];
  /** The one chosen last: what a new conversation starts with. */
  readonly chosen: ModelChoice | null;
  /**
   * Models picked on this device by conversation id, the latest last; an older conversation uses its latest answer's.
   * Temporary ones live in this tab.
   */
  readonly picked?: Readonly<Record<string, ModelChoice | null>>;
}

export interface Settings {
  readonly config: Readable<Config>;
  readonly connections: Readable<Connections>;
  /** Sets one key, e.g. `recall.filters.max_results`. Throws `setting-invalid` (key, value, allowed); the last good configuration stays. */
  set(path: string, value: unknown): Promise<void>;
  reset(): Promise<void>;
  /** YAML with every key; secrets are left out. */
  exportYaml(): Promise<string>;
  /** Checks everything first; unknown keys and values out of range are named, and a key for no address. Throws `settings-file` or `setting-invalid`. */
  importYaml(text: string): Promise<void>;
  /** The key is kept for the endpoint's origin and sent nowhere else. `undefined` leaves the one that is kept, `''` forgets it. */
  saveEndpoint(endpoint: Endpoint, key: string | undefined): Promise<void>;
  removeEndpoint(id: string): Promise<void>;
  /** For what begins from now on, and for this conversation. Throws `setting-invalid` for an endpoint that is not there. */
  choose(choice: ModelChoice | null, conversation?: ConversationId): Promise<void>;
  /** Fixes the model chosen last for this conversation, which begins. */
  keepChosen(conversation: ConversationId): Promise<void>;
  /** Origin that a kept key belongs to, and to no other; null where none is kept. */
  keyOrigin(name: KeyName): Promise<string | null>;
  forgetKey(name: KeyName): Promise<void>;
  /** Asks the endpoint for its models; explains CORS, 401, 404, 429 and no network. `key` undefined: the one kept for this origin. */
  test(endpoint: Endpoint, key: string | undefined, signal: AbortSignal): Promise<ConnectionReport>;
  /** Asks for the endpoint's list again: new models of a short list are offered, prices renewed. Where it fails everything stays as it is. */
  refreshModels(id: string, signal: AbortSignal): Promise<void>;
  /** Things the interface keeps: panel widths, dismissed hints. */
  recallItem<T>(key: string): Promise<T | undefined>;
  keepItem(key: string, value: unknown): Promise<void>;
  /** A configuration that could not be read at start, if any. */
  readonly problem: Readable<Problem | null>;
}
