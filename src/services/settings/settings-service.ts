// The configuration in force, the endpoints and their keys. Everything is checked before anything
// changes; what was kept is checked again when it is read, and a value that is not allowed gives way
// to its default while the others stand.
//
//   set ──► check ──► key-value store ──► config here redraws
//                       └──► key-value store here and in other tabs says so ──► read again ──► config there redraws

import { z } from 'zod';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import { type ConnectionReport, type Endpoint, hostOf } from '../../adapters/models/chat-model.ts';
import { BROWSER_URL, PROTOCOLS } from '../../adapters/models/protocols.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, isTemporary } from '../../domain/base/ids.ts';
import { ignore, orElse } from '../../domain/base/log.ts';
import { loadPart } from '../../domain/base/part.ts';
import { type Writable, writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { type Config, defaultConfig } from '../../domain/settings/config.ts';
import {
  type ConfigValues,
  configField,
  configOf,
  type SettingRefusal,
  settingInvalid,
  valuesAt,
} from '../../domain/settings/fields.ts';
import { parametersSchema } from '../../domain/settings/parameters.ts';
import { refusedShortcuts } from '../../domain/settings/shortcuts.ts';
import { shownName } from '../../domain/text/shown.ts';
import { EMBEDDING_GROUPS, type EmbeddingGroup } from './embedding-groups.ts';
import type { KeyName } from './keys.ts';
import { createKeys, endpointKey, originOf } from './keys.ts';
import type { ModelChoice } from './settings.ts';
import { type Connections, OFFER_ALL, type Settings } from './settings.ts';

/**
 * Keys of the key-value store. The configuration is stored as the values a person set, by path, so that
 * a better default reaches all others.
 */
const CONFIG = 'settings/config';
const CONNECTIONS = 'settings/connections';
const ITEM = 'item/';

/** Most conversations whose pick is stored. */
const MAX_PICKED = 500;

/** Adds this pick as the latest; drops the oldest ones beyond the limit. */
const withPicked = (
  picked: Connections['picked'],
  conversation: ConversationId,
  choice: Connections['chosen'],
): NonNullable<Connections['picked']> => {
  const { [conversation]: _before, ...rest } = picked ?? {};
  return Object.fromEntries(Object.entries({ ...rest, [conversation]: choice }).slice(-MAX_PICKED));
};

const priceSchema = z.object({
  currency: z.string().regex(/^[A-Z]{3}$/),
  input: z.number().min(0).max(1_000_000),
  output: z.number().min(0).max(1_000_000),
});
const endpointFields = z.object({
  id: z.string().min(1),
  label: z.string().trim().min(1),
  baseUrl: z
    .literal(BROWSER_URL)
    .or(z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/(?<!\/)\/+$/, ''))),
  models: z.array(z.string().min(1)).transform((ids) => ids.filter((id) => shownName(id) !== '')),
  listed: z.array(z.string()).optional().catch(undefined),
  protocol: z.enum(PROTOCOLS).optional().catch(undefined),
  price: priceSchema.optional(),
  ownPrices: z.record(z.string(), priceSchema).optional().catch(undefined),
  prices: z
    .record(z.string(), priceSchema.extend({ cachedInput: z.number().min(0).optional() }))
    .optional()
    .catch(undefined),
  parameters: parametersSchema.optional(),
});
/** An invisible name would make an empty row. */
const endpointSchema = endpointFields.transform((endpoint) => ({
  ...endpoint,
  label: shownName(endpoint.label) || hostOf(endpoint.baseUrl),
}));
const choiceSchema = z.object({ endpointId: z.string(), model: z.string() }).nullable();
const keptConnections = z.object({
  endpoints: z.array(z.unknown()),
  chosen: choiceSchema.catch(null),
  picked: z.record(z.string(), choiceSchema).optional().catch(undefined),
});

interface SettingsDeps {
  readonly keyValues: KeyValues;
  readonly vault: Vault;
  /** Asks an endpoint for its models with this key. */
  readonly test: (
    endpoint: Endpoint,
    key: string | undefined,
    signal: AbortSignal,
  ) => Promise<ConnectionReport>;
  /** ms since 1970 */
  readonly now?: () => number;
  /** Ends the subscription to other tabs. */
  readonly signal?: AbortSignal;
}

/** Reads stored settings. Never rejects: unreadable ones become defaults, and `problem` says so. */
export async function createSettings(deps: SettingsDeps): Promise<Settings> {
  return await new StoredSettings(deps).load();
}

class StoredSettings implements Settings {
  readonly #deps: SettingsDeps;
  readonly #now: NonNullable<SettingsDeps['now']>;
  readonly config = writable<Config>(defaultConfig);
  readonly connections = writable<Connections>({ endpoints: [], chosen: null });
  readonly problem = writable<Problem | null>(null);
  readonly #keys: ReturnType<typeof createKeys>;
  /** Picks of temporary conversations: known in this tab, never stored. */
  #passing: NonNullable<Connections['picked']> = {};
  // Serial queue of changes, each to the stored state of that moment: another tab may have changed it since.
  readonly #changes = new SerialQueue();

  constructor(deps: SettingsDeps) {
    this.#deps = deps;
    const { now = Date.now } = deps;
    this.#now = now;
    this.#keys = createKeys(deps.vault);
  }

  // After running changes: a key that is being stored, and the binding of an earlier version's keys.
  readonly keyOrigin: Settings['keyOrigin'] = (name) => this.#changes.run(() => this.#keys.origin(name));

  /** Reads stored settings. Call it once, before anything else. */
  async load(): Promise<this> {
    await this.#load();
    // Keys of an earlier version lack an origin: they get the present addresses before anybody changes one. A vault
    // that cannot be opened is reported when a key is needed.
    const bound = this.#changes.run(async () => {
      const { embedding } = this.config.get();
      for (const group of EMBEDDING_GROUPS)
        await this.#keys.get(`embedding/${group}`, embedding[group].base_url);
      for (const { id, baseUrl } of this.connections.get().endpoints)
        await this.#keys.get(endpointKey(id), baseUrl);
    });
    ignore(bound, 'binding the keys of an earlier version to their addresses');
    const stop = this.#deps.keyValues.subscribe(({ keys }) => {
      if (keys.includes(CONFIG) || keys.includes(CONNECTIONS)) void this.#changes.run(() => this.#load());
    });
    this.#deps.signal?.addEventListener('abort', stop, { once: true });
    return this;
  }

  set(path: string, value: unknown): Promise<void> {
    return this.#change(path, value);
  }

  reset(): Promise<() => Promise<void>> {
    const put = async (config: unknown) => {
      await this.#deps.keyValues.set(CONFIG, config);
      await this.#load();
    };
    return this.#changes.run(async () => {
      const before = await this.#deps.keyValues.get(CONFIG);
      await put(undefined);
      return () => this.#changes.run(() => put(before));
    });
  }

  async exportYaml(): Promise<string> {
    const { writeFile } = await loadPart(() => import('./config-file.ts'));
    return writeFile(this.config.get(), this.#now());
  }

  async importYaml(text: string): Promise<void> {
    const { readFile } = await loadPart(() => import('./config-file.ts'));
    const { secrets, content } = readFile(text);
    await this.#change('', content, async ({ embedding }) => {
      const addressOf = (group: EmbeddingGroup) => embedding[group].base_url;
      // A key without an address would go to whichever comes next.
      const homeless = secrets.filter(({ group }) => originOf(addressOf(group)) === null);
      if (homeless.length > 0)
        throw settingInvalid(
          homeless.map(({ group }) => ({
            key: `embedding.${group}.base_url`,
            value: addressOf(group),
            allowed: 'https://… | http://…',
          })),
        );
      for (const { group, secret } of secrets)
        await this.#keys.keep(`embedding/${group}`, secret, addressOf(group));
    });
  }

  async saveEndpoint(endpoint: Endpoint, key: string | undefined): Promise<void> {
    const checked = endpointSchema.safeParse(endpoint);
    if (!checked.success) throw settingInvalid([endpointRefusal(endpoint, checked.error)]);
    await this.#changeConnections(async ({ endpoints, chosen, ...others }) => {
      // The key first: an endpoint without its key would look connected.
      if (key === '') await this.#keys.forget(endpointKey(endpoint.id));
      else if (key !== undefined) await this.#keys.keep(endpointKey(endpoint.id), key, checked.data.baseUrl);
      const { id, models } = checked.data;
      const known = endpoints.some((other) => other.id === id);
      return {
        ...others,
        // A replaced server does not have the previous one's model.
        chosen: chosen?.endpointId === id && !models.includes(chosen.model) ? null : chosen,
        endpoints: known
          ? endpoints.map((other) => (other.id === id ? checked.data : other))
          : [...endpoints, checked.data],
      };
    });
  }

  async removeEndpoint(id: string): Promise<() => Promise<void>> {
    const name = endpointKey(id);
    let before: Connections = { endpoints: [], chosen: null };
    let key: string | undefined;
    await this.#changeConnections(async (kept) => {
      before = kept;
      const removed = kept.endpoints.find((endpoint) => endpoint.id === id);
      if (removed)
        key = await orElse(
          this.#keys.get(name, removed.baseUrl),
          undefined,
          'a key that no undo brings back',
        );
      await this.#keys.forget(name);
      return {
        ...kept,
        endpoints: kept.endpoints.filter((endpoint) => endpoint.id !== id),
        chosen: kept.chosen?.endpointId === id ? null : kept.chosen,
      };
    });
    return () =>
      this.#changeConnections(async (now) => {
        const at = before.endpoints.findIndex((endpoint) => endpoint.id === id);
        const removed = before.endpoints[at];
        if (!removed || now.endpoints.some((endpoint) => endpoint.id === id)) return now;
        if (key !== undefined) await this.#keys.keep(name, key, removed.baseUrl);
        return {
          ...now,
          endpoints: [...now.endpoints.slice(0, at), removed, ...now.endpoints.slice(at)],
          chosen: now.chosen ?? before.chosen,
        };
      });
  }

  choose(choice: ModelChoice | null, conversation?: ConversationId): Promise<void> {
    return this.#changeConnections(({ endpoints, picked, ...others }) => {
      if (choice && !endpoints.some(({ id }) => id === choice.endpointId))
        throw settingInvalid([
          { key: 'endpoint', value: choice.endpointId, allowed: endpoints.map(({ id }) => id).join(', ') },
        ]);
      const all = conversation === undefined ? picked : withPicked(picked, conversation, choice);
      return { ...others, endpoints, chosen: choice, ...(all ? { picked: all } : {}) };
    });
  }

  keepChosen(conversation: ConversationId): Promise<void> {
    return this.#changeConnections((kept) =>
      kept.endpoints.length === 0
        ? kept
        : { ...kept, picked: withPicked(kept.picked, conversation, kept.chosen) },
    );
  }

  forgetKey(name: KeyName): Promise<void> {
    return this.#changes.run(() => this.#keys.forget(name));
  }

  async test(endpoint: Endpoint, key: string | undefined, signal: AbortSignal): Promise<ConnectionReport> {
    return this.#deps.test(
      endpoint,
      key ?? (await this.#changes.run(() => this.#keys.get(endpointKey(endpoint.id), endpoint.baseUrl))),
      signal,
    );
  }

  async refreshModels(id: string, signal: AbortSignal): Promise<void> {
    const endpoint = this.connections.get().endpoints.find((known) => known.id === id);
    if (!endpoint) return;
    const key = await this.#changes.run(() => this.#keys.get(endpointKey(id), endpoint.baseUrl));
    const report = await this.#deps.test(endpoint, key, signal);
    if (!report.ok || signal.aborted) return;
    await this.#changeConnections(({ endpoints, ...others }) => ({
      ...others,
      endpoints: endpoints.map((now) =>
        now.id === id && now.baseUrl === endpoint.baseUrl ? withList(now, report) : now,
      ),
    }));
  }

  // The caller stored it and knows its type.
  async recallItem<T>(key: string): Promise<T | undefined> {
    return (await this.#deps.keyValues.get(ITEM + key)) as T | undefined;
  }

  keepItem(key: string, value: unknown): Promise<void> {
    return this.#deps.keyValues.set(ITEM + key, value);
  }

  async #keptValues(): Promise<{ kept: ConfigValues; refused: readonly SettingRefusal[] }> {
    const raw = await this.#deps.keyValues.get(CONFIG);
    const values = z.record(z.string(), z.unknown()).safeParse(raw ?? {});
    return values.success
      ? { kept: values.data, refused: [] }
      : { kept: {}, refused: [{ key: 'settings', value: raw, allowed: '{ }' }] };
  }

  /** Stored settings that are valid. Unknown keys may be a newer app's: they are left alone. */
  #inForce(kept: ConfigValues) {
    return configOf(Object.fromEntries(Object.entries(kept).filter(([path]) => configField(path))));
  }

  async #readConnections(): Promise<{ next: Connections; refused: SettingRefusal[] }> {
    const raw = await this.#deps.keyValues.get(CONNECTIONS);
    if (raw === undefined) return { next: { endpoints: [], chosen: null }, refused: [] };
    const kept = keptConnections.safeParse(raw);
    const refused: SettingRefusal[] = [];
    const endpoints = (kept.data?.endpoints ?? []).flatMap((found) => {
      const endpoint = endpointSchema.safeParse(found);
      if (!endpoint.success) refused.push(endpointRefusal(found, endpoint.error));
      return endpoint.success ? [endpoint.data] : [];
    });
    if (!kept.success) refused.push({ key: 'endpoints', value: raw, allowed: '[]' });
    const chosen = kept.data?.chosen ?? null;
    const reachable = endpoints.some(({ id }) => id === chosen?.endpointId);
    const picked = { ...kept.data?.picked, ...this.#passing };
    const any = Object.keys(picked).length > 0;
    return {
      next: { endpoints, chosen: reachable ? chosen : null, ...(any ? { picked } : {}) },
      refused,
    };
  }

  async #load(): Promise<void> {
    try {
      const { kept, refused: unreadable } = await this.#keptValues();
      const checked = this.#inForce(kept);
      setIfChanged(this.config, checked.config);
      const read = await this.#readConnections();
      setIfChanged(this.connections, read.next);
      const refused = [...unreadable, ...checked.refused, ...read.refused];
      setIfChanged(this.problem, refused.length > 0 ? settingInvalid(refused).problem : null);
    } catch (error) {
      this.problem.set(toProblem(error));
    }
  }

  /** Sets what `path` names; `first` runs after all checks and before any change, with the coming configuration. */
  #change(
    path: string,
    value: unknown,
    first: (next: Config) => Promise<void> = async () => {},
  ): Promise<void> {
    return this.#changes.run(async () => {
      const { kept } = await this.#keptValues();
      const before = this.#inForce(kept).config;
      const { values, refused } = valuesAt(before, path, value);
      const after = configOf(values);
      const all = [
        ...refused,
        ...after.refused,
        ...refusedShortcuts(before.ui.shortcuts, after.config.ui.shortcuts),
      ];
      if (all.length > 0) throw settingInvalid(all);
      const next = Object.fromEntries(
        Object.entries({ ...kept, ...values }).filter(([, kept]) => kept !== undefined),
      );
      await first(this.#inForce(next).config);
      await this.#deps.keyValues.set(CONFIG, next);
      await this.#load();
    });
  }

  #changeConnections(change: (current: Connections) => Connections | Promise<Connections>): Promise<void> {
    return this.#changes.run(async () => {
      const next = await change((await this.#readConnections()).next);
      const picks = Object.entries(next.picked ?? {});
      const kept = Object.fromEntries(picks.filter(([id]) => !isTemporary(id)));
      await this.#deps.keyValues.set(CONNECTIONS, next.picked ? { ...next, picked: kept } : next);
      this.#passing = Object.fromEntries(picks.filter(([id]) => isTemporary(id)));
      setIfChanged(this.connections, next);
    });
  }
}

/**
 * Updates an endpoint by a new list: offered models stay, and new ones of a short list are
 * offered too. Prices come from the list.
 */
function withList(
  endpoint: Endpoint,
  { models, prices = {} }: Extract<ConnectionReport, { ok: true }>,
): Endpoint {
  const isShort = models.length <= OFFER_ALL;
  const { listed } = endpoint;
  const fresh = isShort && listed ? models.filter((model) => !listed.includes(model)) : [];
  const offered = [...new Set([...endpoint.models, ...fresh])];
  const known = Object.entries(prices).filter(([model]) => offered.includes(model));
  const { prices: _before, listed: _list, ...rest } = endpoint;
  return {
    ...rest,
    models: offered,
    ...(isShort ? { listed: models } : {}),
    ...(known.length > 0 ? { prices: Object.fromEntries(known) } : {}),
  };
}

function endpointRefusal(found: unknown, error: z.ZodError): SettingRefusal {
  const key = String(error.issues[0]?.path[0] ?? '');
  const value = typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[key] : found;
  return {
    key: key ? `endpoint.${key}` : 'endpoint',
    value: value ?? '',
    allowed: key === 'baseUrl' ? 'https://… | http://…' : '"…"',
  };
}

/** Keeps the old object if nothing changed, so that nothing is drawn again. All values are plain data. */
function setIfChanged<T>(readable: Writable<T>, next: T): void {
  if (JSON.stringify(readable.get()) !== JSON.stringify(next)) readable.set(next);
}
