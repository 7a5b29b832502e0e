import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import type { ConnectionReport, Endpoint } from '../../../src/adapters/models/chat-model.ts';
import type { Vault } from '../../../src/adapters/vault/vault.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { type ConfigField, configFields } from '../../../src/domain/settings/fields.ts';
import { createKeys } from '../../../src/services/settings/keys.ts';
import type { Settings } from '../../../src/services/settings/settings.ts';
import { createSettings } from '../../../src/services/settings/settings-service.ts';
import { createInMemoryVault } from '../../adapters/vault/in-memory.ts';
import { runs } from '../../scale.ts';

const endpoint: Endpoint = {
  id: 'e1',
  label: 'Local',
  baseUrl: 'http://localhost:11434/v1',
  models: ['llama'],
};

describe('settings', () => {
  let store: Store;
  let vault: Vault;
  let settings: Settings;
  let asked: { endpoint: Endpoint; key: string | undefined }[];
  let report: ConnectionReport;
  const open = () =>
    createSettings({
      keyValues: store.keyValues,
      vault,
      now: () => Date.UTC(2026, 0, 2),
      test: async (endpoint, key): Promise<ConnectionReport> => {
        asked.push({ endpoint, key });
        return report;
      },
    });

  beforeEach(async () => {
    store = createInMemoryStore();
    vault = createInMemoryVault();
    asked = [];
    report = { ok: true, models: ['m'], tookMs: 1 };
    settings = await open();
  });

  it('take what is new in an endpoint’s list, keep what a person picked, and stay as they are where it fails', async () => {
    const endpoint = {
      id: 'e',
      label: 'E',
      baseUrl: 'https://e.example/v1',
      models: ['a', 'typed'],
      listed: ['a', 'b'],
    };
    const now = () => settings.connections.get().endpoints[0];
    const look = () => settings.refreshModels('e', new AbortController().signal);
    await settings.saveEndpoint(endpoint, 'sk');
    const price = { currency: 'USD', input: 1, output: 2 };
    report = { ok: true, models: ['a', 'b', 'new'], prices: { new: price, b: price }, tookMs: 1 };
    await look();
    expect(asked.at(-1)?.key).toBe('sk');
    const grown = {
      ...endpoint,
      models: ['a', 'typed', 'new'],
      listed: ['a', 'b', 'new'],
      prices: { new: price },
    };
    expect(now()).toEqual(grown);
    report = { ok: false, problem: { code: 'model-network', message: 'Gone', retry: true } };
    await look();
    expect(now()).toEqual(grown);
    report = { ok: true, models: Array.from({ length: 100 }, (_, at) => `m${at}`), tookMs: 1 };
    const leaving = AbortSignal.abort();
    await settings.refreshModels('e', leaving);
    expect(now()).toEqual(grown);
    await look();
    expect(now()?.models).toEqual(grown.models);
  });

  it('begin with the defaults', () => {
    expect(settings.config.get()).toEqual(defaultConfig);
    expect(settings.connections.get()).toEqual({ endpoints: [], chosen: null });
    expect(settings.problem.get()).toBeNull();
  });

  it.each([
    ['brackets', `ui: ${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['braces', `ui: ${'{ a: '.repeat(20_000)}1${'}'.repeat(20_000)}`],
    ['braces that stay open', '{a: '.repeat(100_000)],
    ['lines', Array.from({ length: 1_200 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['marks', `ui:\n  ${'- '.repeat(100_000)}x`],
    ['questions', `${'? '.repeat(100_000)}x`],
  ])('refuse a file that is nested too deep in a sentence of their own (%s)', async (_, file) => {
    await expect(settings.importYaml(file)).rejects.toMatchObject({ problem: { code: 'settings-nested' } });
    expect(settings.config.get()).toEqual(defaultConfig);
  });

  it('take long texts and many keys beside one another for what they are', async () => {
    const words = `chat:\n  instructions: |\n    ${'- [ { '.repeat(400)}\n    ${' '.repeat(300)}end\n`;
    const keys = `ui:\n  shortcuts:\n    palette: "${'Mod+K'}"\n    ${'# [[[['.repeat(100)}\n`;
    await settings.importYaml(`${words}${keys}`);
    expect(settings.config.get().chat.instructions).toContain('end');
  });

  it('set one key, tell who watches, and have it again after a restart', async () => {
    let notified = 0;
    settings.config.subscribe(() => {
      notified += 1;
    });
    await settings.set('recall.filters.max_results', 9);
    expect(settings.config.get().recall.filters.max_results).toBe(9);
    expect(notified).toBe(1);
    expect((await open()).config.get()).toEqual(settings.config.get());
  });

  it('keep the same object where nothing changed', async () => {
    await settings.set('ui.theme', 'dark');
    const before = settings.config.get();
    await settings.set('ui.theme', 'dark');
    expect(settings.config.get()).toBe(before);
  });

  it('refuse a value that is not allowed, naming key, value and what is allowed; the last good one stays', async () => {
    await settings.set('recall.filters.max_results', 9);
    await expect(settings.set('recall.filters.max_results', 500)).rejects.toMatchObject({
      problem: {
        code: 'setting-invalid',
        params: { key: 'recall.filters.max_results', value: '500', allowed: '1 … 50 (1, 2, 3 …)' },
      },
    });
    await expect(settings.set('recall.filters.nothing', 1)).rejects.toMatchObject({
      problem: { code: 'setting-unknown', params: { key: 'recall.filters.nothing' } },
    });
    await expect(settings.set('recall.hybrid_weights', { vector: 0.5, keyword: 2 })).rejects.toMatchObject({
      problem: { code: 'setting-invalid', params: { key: 'recall.hybrid_weights.keyword' } },
    });
    expect(settings.config.get().recall.hybrid_weights.vector).toBe(0.6);
    expect(settings.config.get().recall.filters.max_results).toBe(9);
    expect((await open()).config.get().recall.filters.max_results).toBe(9);
  });

  it('set a group at once, put one key back, and put all back', async () => {
    await settings.set('recall.hybrid_weights', { vector: 0.5, keyword: 0.5 });
    expect(settings.config.get().recall.hybrid_weights).toEqual({ vector: 0.5, keyword: 0.5 });
    await settings.set('recall.hybrid_weights.vector', undefined);
    expect(settings.config.get().recall.hybrid_weights).toEqual({ vector: 0.6, keyword: 0.5 });
    await settings.set('ui.shortcuts.palette', 'Mod+J');
    const before = settings.config.get();
    const undo = await settings.reset();
    expect(settings.config.get()).toEqual(defaultConfig);
    expect((await open()).config.get()).toEqual(defaultConfig);
    await undo();
    expect(settings.config.get()).toEqual(before);
    expect((await open()).config.get()).toEqual(before);
  });

  it('made at the same time all hold', async () => {
    await Promise.all([
      settings.set('ui.theme', 'dark'),
      settings.set('ui.language', 'zh'),
      settings.set('ui.theme', 'purple').catch(() => {}),
      settings.set('recall.filters.max_results', 3),
    ]);
    expect(settings.config.get().ui).toMatchObject({ theme: 'dark', language: 'zh' });
    expect(settings.config.get().recall.filters.max_results).toBe(3);
  });

  it('reach another tab, which forgets nothing of its own', async () => {
    const other = await open();
    await settings.set('ui.theme', 'dark');
    await until(other.config, (config) => config.ui.theme === 'dark');
    await Promise.all([settings.set('ui.language', 'zh'), other.set('recall.filters.max_results', 3)]);
    for (const one of [settings, other])
      await until(one.config, ({ ui, recall }) => ui.language === 'zh' && recall.filters.max_results === 3);
    await other.saveEndpoint(endpoint, 'sk');
    await until(settings.connections, ({ endpoints }) => endpoints.length === 1);
  });

  it('fall back key by key where what was kept is broken, and say which', async () => {
    await store.keyValues.set('settings/config', {
      'recall.filters.max_results': 'many',
      'ui.theme': 'dark',
      'storage.engine': 7,
      'of.a.newer.app': 1,
    });
    const again = await open();
    expect(again.config.get().recall.filters.max_results).toBe(5);
    expect(again.config.get().storage.engine).toBe('auto');
    expect(again.config.get().ui.theme).toBe('dark');
    expect(again.problem.get()).toMatchObject({
      code: 'setting-invalid',
      params: { key: 'recall.filters.max_results; storage.engine', value: 'many; 7' },
    });
    await again.set('recall.filters.max_results', 8);
    expect(again.problem.get()?.params?.key).toBe('storage.engine');
    await again.set('storage.engine', 'memory');
    expect(again.problem.get()).toBeNull();
    expect(await store.keyValues.get('settings/config')).toMatchObject({ 'of.a.newer.app': 1 });
  });

  it.each([['text'], [[1, 2]], [null]])('begin with the defaults where %j was kept', async (kept) => {
    await store.keyValues.set('settings/config', kept);
    const again = await open();
    expect(again.config.get()).toEqual(defaultConfig);
    expect(again.problem.get()?.code).toBe(kept === null ? undefined : 'setting-invalid');
    await again.set('ui.theme', 'dark');
    expect(again.problem.get()).toBeNull();
    expect((await open()).config.get().ui.theme).toBe('dark');
  });

  it('begin with the defaults where nothing can be read, and say why', async () => {
    const unreadable = {
      ...store.keyValues,
      get: async () => {
        throw new RecollectError('storage-failed', 'the disk is gone', { retry: true });
      },
    };
    const again = await createSettings({
      keyValues: unreadable,
      vault,
      test: async () => ({ ok: true, models: [], tookMs: 0 }),
    });
    expect(again.config.get()).toEqual(defaultConfig);
    expect(again.problem.get()?.code).toBe('storage-failed');
    await expect(again.set('ui.theme', 'dark')).rejects.toMatchObject({
      problem: { code: 'storage-failed' },
    });
  });

  it('keep what the interface wants kept', async () => {
    await settings.keepItem('sidebar', { width: 272 });
    expect(await settings.recallItem('sidebar')).toEqual({ width: 272 });
    await settings.keepItem('sidebar', undefined);
    expect(await settings.recallItem('sidebar')).toBeUndefined();
  });

  describe('as a file', () => {
    it('have every key and no secret', async () => {
      await settings.saveEndpoint(endpoint, 'sk-very-secret');
      await vault.put('embedding/openai', 'sk-also-secret');
      await settings.set('privacy.exclude_work_dirs', ['*/x: y/*', '中文']);
      const file = await settings.exportYaml();
      expect(file).toContain('2026-01-02');
      expect(file).not.toMatch(/sk-|secret[^"\n-]*sk/);
      expect(parse(file)).toEqual(settings.config.get());
    });

    const anyValue = (field: ConfigField): fc.Arbitrary<unknown> => {
      switch (field.kind) {
        case 'boolean':
          return field.only === undefined ? fc.boolean() : fc.constant(field.only);
        case 'number':
          return field.integer
            ? fc.integer({ min: field.min, max: field.max })
            : fc
                .double({ min: field.min, max: field.max, noNaN: true })
                .map((value) => (value === 0 ? 0 : value));
        case 'enum':
          return fc.constantFrom(...field.choices);
        case 'text':
          return field.format === 'url'
            ? fc.constantFrom('', 'https://api.example.com/v1')
            : fc.string({ minLength: Math.max(1, field.minLength), maxLength: 100, unit: 'grapheme' });
        case 'list':
          if (field.choices) return fc.uniqueArray(fc.constantFrom(...field.choices));
          if (field.path === 'privacy.own_patterns') return fc.constantFrom([], ['EMP-\\d+']);
          return fc.array(
            fc
              .string({ minLength: 1, maxLength: 20 })
              .map((word) => word.trim().padEnd(field.minLength, '·')),
            { maxLength: 5 },
          );
        case 'map':
          return fc.dictionary(fc.constantFrom('palette', 'new'), fc.constantFrom('Mod+Shift+ArrowUp', 'F2'));
      }
    };

    it('exported and imported elsewhere are equal, whatever was set', async () => {
      const changes = fc.record(
        Object.fromEntries(configFields().map((field) => [field.path, anyValue(field)])),
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(changes, async (values) => {
          const here = await createSettings({
            keyValues: createInMemoryStore().keyValues,
            vault,
            test: async () => ({ ok: true, models: [], tookMs: 0 }),
          });
          for (const [path, value] of Object.entries(values)) await here.set(path, value);
          const there = await createSettings({
            keyValues: createInMemoryStore().keyValues,
            vault,
            test: async () => ({ ok: true, models: [], tookMs: 0 }),
          });
          await there.set('ui.theme', 'dark');
          await there.importYaml(await here.exportYaml());
          expect(there.config.get()).toEqual(here.config.get());
        }),
        { numRuns: runs(10, 2) },
      );
    });

    it('as first described bring their API keys into the vault', async () => {
      await vault.put('embedding/custom', 'kept');
      await settings.importYaml(`
version: 1.0
embedding:
  provider: openai
  openai:   { api_key: "sk-from-file", base_url: "https://api.openai.com/v1", model: text-embedding-3-small, dimensions: 1536 }
  custom:   { api_key: "", base_url: "", model: bge-large-zh, dimensions: 1024 }
recall:
  filters: { max_results: 7 }
`);
      expect(settings.config.get().embedding.provider).toBe('openai');
      expect(settings.config.get().recall.filters.max_results).toBe(7);
      const keys = createKeys(vault);
      expect(await keys.get('embedding/openai', 'https://api.openai.com/v1')).toBe('sk-from-file');
      expect(await vault.get('embedding/custom')).toBe('kept');
      expect(JSON.stringify(await store.keyValues.get('settings/config'))).not.toContain('sk-from-file');
      expect(await settings.exportYaml()).not.toContain('api_key:');
    });

    it('that name another address do not take a kept key along', async () => {
      const keys = createKeys(vault);
      const file = (url: string, key = '') =>
        `embedding: { provider: openai, openai: { base_url: "${url}"${key && `, api_key: "${key}"`} } }\n`;
      await settings.importYaml(file('https://good.example/v1', 'sk-good'));
      await settings.importYaml(file('https://evil.example/v1'));
      expect(await keys.get('embedding/openai', 'https://evil.example/v1')).toBeUndefined();
      expect(await settings.keyOrigin('embedding/openai')).toBe('https://good.example');
      // A person who switches back still has the key.
      await settings.set('embedding.openai.base_url', 'https://good.example/v2');
      expect(await keys.get('embedding/openai', 'https://good.example/v2')).toBe('sk-good');
      for (const other of ['http://good.example/v1', 'https://good.example:8443/v1', 'nowhere', ''])
        expect(await keys.get('embedding/openai', other)).toBeUndefined();
    });

    it('do not take along a key that an earlier version kept', async () => {
      await vault.put('embedding/openai', 'sk-bare');
      await vault.put('endpoint/e1', 'sk-bare-too');
      await store.keyValues.set('settings/connections', { endpoints: [endpoint], chosen: null });
      const again = await open();
      await again.importYaml('embedding: { openai: { base_url: "https://evil.example/v1" } }\n');
      await again.saveEndpoint({ ...endpoint, baseUrl: 'https://evil.example/v1' }, undefined);
      const keys = createKeys(vault);
      expect(await keys.get('embedding/openai', 'https://evil.example/v1')).toBeUndefined();
      expect(await keys.get('endpoint/e1', 'https://evil.example/v1')).toBeUndefined();
      expect(await keys.get('embedding/openai', defaultConfig.embedding.openai.base_url)).toBe('sk-bare');
      expect(await keys.get('endpoint/e1', endpoint.baseUrl)).toBe('sk-bare-too');
    });

    it('with a key for no address change nothing', async () => {
      await expect(
        settings.importYaml('ui: { theme: dark }\nembedding: { custom: { api_key: "sk-9" } }\n'),
      ).rejects.toMatchObject({
        problem: { code: 'setting-invalid', params: { key: 'embedding.custom.base_url' } },
      });
      expect(settings.config.get()).toEqual(defaultConfig);
      expect(await vault.names()).toEqual([]);
    });

    it('leave alone what they do not mention', async () => {
      await settings.set('ui.theme', 'dark');
      await settings.importYaml('recall: { filters: { max_results: 7 } }');
      expect(settings.config.get().ui.theme).toBe('dark');
    });

    it.each([
      [
        'a value out of range',
        'ui: { theme: dark }\nrecall: { filters: { max_results: 500 } }',
        'recall.filters.max_results',
      ],
      [
        'a text for a number',
        'ui: { theme: dark }\nrecall: { filters: { max_results: "7" } }',
        'recall.filters.max_results',
      ],
      ['a text for a switch', 'ui: { theme: dark }\nindexing: { on_end: "no" }', 'indexing.on_end'],
      [
        'a text for a list',
        'ui: { theme: dark }\nprivacy: { sensitive_keywords: secret }',
        'privacy.sensitive_keywords',
      ],
      ['a list for a text', 'ui: { theme: dark }\nsync: { mode: [local] }', 'sync.mode'],
      ['nothing for a value', 'ui: { theme: dark }\nstorage: { engine: null }', 'storage.engine'],
      ['several', 'ui: { theme: pink }\nrecall: 3\nnothing: 1', 'ui.theme; recall; nothing'],
      ['a newer version', 'version: "2.0"\nui: { theme: dark }', 'version'],
      [
        'a key that is no text',
        'ui: { theme: dark }\nembedding: { openai: { api_key: [sk-9] } }',
        'embedding.openai.api_key',
      ],
    ])('with %s change nothing', async (_, file, key) => {
      await vault.put('embedding/openai', 'kept');
      const failure = settings.importYaml(`${file}\n`);
      await expect(failure).rejects.toMatchObject({ problem: { code: 'setting-invalid' } });
      const { problem } = (await failure.catch((error: unknown) => error)) as RecollectError;
      expect(String(problem.params?.key).split('; ').sort()).toEqual(key.split('; ').sort());
      expect(JSON.stringify(problem)).not.toContain('sk-9');
      expect(settings.config.get()).toEqual(defaultConfig);
      expect(await vault.get('embedding/openai')).toBe('kept');
    });

    it.each([
      ['an unknown key', 'ui: { theme: dark, colour: red }', 'ui.colour', /language, theme/],
      ['an unknown section', 'ui: { theme: dark }\nweather: { city: X }', 'weather', /storage, embedding/],
      [
        'an unknown action',
        'ui: { theme: dark, shortcuts: { palette: F2, pallete: Mod+J } }',
        'ui.shortcuts.pallete',
        /^palette, new/,
      ],
      ['an action whose keys are fixed', 'ui: { shortcuts: { send: F2 } }', 'ui.shortcuts.send', /palette/],
    ])('with %s name it and what there is', async (_, file, key, known) => {
      await expect(settings.importYaml(file)).rejects.toMatchObject({
        problem: { code: 'setting-unknown', params: { key, allowed: expect.stringMatching(known) } },
      });
      expect(settings.config.get()).toEqual(defaultConfig);
    });

    it.each(['Hello there', 'mod+k', 'Mod+k', 'X', 'Mod+W', ''])(
      'with keys that no action can have are refused: %s',
      async (keys) => {
        await expect(
          settings.importYaml(`ui: { theme: dark, shortcuts: { palette: "${keys}" } }`),
        ).rejects.toMatchObject({
          problem: { code: 'setting-invalid', params: { key: 'ui.shortcuts.palette' } },
        });
        expect(settings.config.get()).toEqual(defaultConfig);
      },
    );

    it('leave what a newer app has keys for where it is', async () => {
      await store.keyValues.set('settings/config', { 'ui.shortcuts': { hologram: 'Mod+H' } });
      const again = await open();
      await again.set('ui.shortcuts.palette', 'F2');
      expect(again.config.get().ui.shortcuts).toEqual({ hologram: 'Mod+H', palette: 'F2' });
      await again.importYaml(await again.exportYaml());
      expect(again.problem.get()).toBeNull();
    });

    it.each([
      ['ui: {}\n\nui: {}\n', 'ui', 1, 3],
      [
        'ui:\n  theme: dark\nrecall:\n  filters:\n    max_results: 7\n    "max_results": 8\n',
        'recall.filters.max_results',
        5,
        6,
      ],
    ])('with a key twice name it and its lines', async (file, key, first, line) => {
      await expect(settings.importYaml(file)).rejects.toMatchObject({
        problem: { code: 'settings-twice', params: { key, first, line } },
      });
      expect(settings.config.get()).toEqual(defaultConfig);
    });

    it('that are broken name the line', async () => {
      await expect(
        settings.importYaml('ui:\n  theme: dark\n  language: [en\nrecall: {}\n'),
      ).rejects.toMatchObject({ problem: { code: 'settings-line', params: { line: 4 } } });
      expect(settings.config.get()).toEqual(defaultConfig);
    });

    it('that ask for a lock are taken: the dialog of the lock carries it out', async () => {
      await settings.importYaml(
        'ui: { theme: dark }\nprivacy: { encrypt_local: true, lock_after_minutes: 5 }\n',
      );
      expect(settings.config.get().privacy).toMatchObject({ encrypt_local: true, lock_after_minutes: 5 });
      await expect(settings.set('privacy.encrypt_local', 'yes')).rejects.toMatchObject({
        problem: { code: 'setting-invalid' },
      });
    });

    it.each([
      ['nothing', ''],
      ['prose', 'Dear diary, today was fine.'],
      ['a list', '- a\n- b'],
      ['another file', '{ "name": "x", "dependencies": {} }'],
      ['two documents', 'ui: {}\n---\nui: {}'],
      ['too much', `ui: {}\n#${'x'.repeat(1_000_001)}`],
      [
        'a bomb',
        `ui: {}\na: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
          .split('')
          .map((name, n) => `${name}: &${name} [${`*${'abcdefg'[n]},`.repeat(9)}]`)
          .join('\n')}`,
      ],
    ])('that are %s are no configuration', async (_, file) => {
      await expect(settings.importYaml(file)).rejects.toMatchObject({ problem: { code: 'settings-file' } });
      expect(settings.config.get()).toEqual(defaultConfig);
    });
  });

  describe('of endpoints', () => {
    it('keep the endpoint in the key-value store and its key in the vault', async () => {
      await settings.saveEndpoint({ ...endpoint, baseUrl: 'http://localhost:11434/v1/' }, 'sk-very-secret');
      expect(settings.connections.get().endpoints).toEqual([endpoint]);
      expect(await settings.keyOrigin('endpoint/e1')).toBe('http://localhost:11434');
      expect(await createKeys(vault).get('endpoint/e1', endpoint.baseUrl)).toBe('sk-very-secret');
      expect(JSON.stringify(await store.keyValues.get('settings/connections'))).not.toContain('sk-');
      expect((await open()).connections.get().endpoints).toEqual([endpoint]);
    });

    it('have a name that can be seen, and models that can', async () => {
      await settings.saveEndpoint(
        { ...endpoint, label: '\u200b\u2060', models: ['m', ' ', '\u3164'] },
        undefined,
      );
      expect(settings.connections.get().endpoints).toMatchObject([
        { label: 'localhost:11434', models: ['m'] },
      ]);
    });

    it('change an endpoint without its key, and forget a key', async () => {
      await settings.saveEndpoint(endpoint, 'sk');
      await settings.saveEndpoint({ ...endpoint, id: 'e2', label: 'Second' }, undefined);
      await settings.saveEndpoint({ ...endpoint, label: 'Renamed' }, undefined);
      expect(settings.connections.get().endpoints.map(({ label }) => label)).toEqual(['Renamed', 'Second']);
      expect(await settings.keyOrigin('endpoint/e1')).not.toBeNull();
      expect(await settings.keyOrigin('endpoint/e2')).toBeNull();
      await settings.saveEndpoint(endpoint, '');
      expect(await settings.keyOrigin('endpoint/e1')).toBeNull();
      await settings.saveEndpoint(endpoint, 'sk');
      await settings.forgetKey('endpoint/e1');
      expect(await settings.keyOrigin('endpoint/e1')).toBeNull();
      expect(settings.connections.get().endpoints).toHaveLength(2);
    });

    it('keep and forget keys that belong to no endpoint', async () => {
      expect(await settings.keyOrigin('embedding/custom')).toBeNull();
      await settings.importYaml(
        'embedding: { custom: { base_url: "http://localhost:1234/v1", api_key: sk-vectors } }\n',
      );
      expect(await settings.keyOrigin('embedding/custom')).toBe('http://localhost:1234');
      expect(await settings.exportYaml()).not.toContain('sk-vectors');
      await settings.forgetKey('embedding/custom');
      expect(await settings.keyOrigin('embedding/custom')).toBeNull();
      expect(await vault.names()).toEqual([]);
    });

    it('keep what a person wants to go along with every request', async () => {
      const parameters = { temperature: 0.2, more: { seed: 7 } };
      await settings.saveEndpoint({ ...endpoint, parameters }, undefined);
      expect((await open()).connections.get().endpoints[0]?.parameters).toEqual(parameters);
      for (const wrong of [{ temperature: 3 }, { max_tokens: 0 }, { more: { messages: [] } }])
        await expect(
          settings.saveEndpoint({ ...endpoint, parameters: wrong }, undefined),
        ).rejects.toMatchObject({
          problem: { code: 'setting-invalid' },
        });
      await settings.saveEndpoint(endpoint, undefined);
      expect(settings.connections.get().endpoints).toEqual([endpoint]);
    });

    it('keep what a person says their models cost', async () => {
      const price = { currency: 'CNY', input: 4, output: 16.5 };
      await settings.saveEndpoint({ ...endpoint, price }, undefined);
      expect(settings.connections.get().endpoints[0]?.price).toEqual(price);
      for (const wrong of [
        { ...price, input: -1 },
        { ...price, currency: '¥' },
      ])
        await expect(settings.saveEndpoint({ ...endpoint, price: wrong }, undefined)).rejects.toMatchObject({
          problem: { code: 'setting-invalid' },
        });
      await settings.saveEndpoint({ ...endpoint, baseUrl: 'https://one.example/v1' }, undefined);
      expect(settings.connections.get().endpoints[0]?.price).toBeUndefined();
    });

    it('refuse an address that is none', async () => {
      for (const baseUrl of ['localhost:11434', 'javascript:alert(1)', ''])
        await expect(settings.saveEndpoint({ ...endpoint, baseUrl }, 'sk')).rejects.toMatchObject({
          problem: { code: 'setting-invalid', params: { key: 'endpoint.baseUrl' } },
        });
      expect(settings.connections.get().endpoints).toEqual([]);
      expect(await settings.keyOrigin('endpoint/e1')).toBeNull();
    });

    it('do not keep an endpoint whose key cannot be kept', async () => {
      vault.put = async () => {
        throw new RecollectError('vault-unavailable', 'no');
      };
      await expect(settings.saveEndpoint(endpoint, 'sk')).rejects.toMatchObject({
        problem: { code: 'vault-unavailable' },
      });
      expect(settings.connections.get().endpoints).toEqual([]);
    });

    it('choose a model, and forget the choice with its endpoint', async () => {
      await settings.saveEndpoint(endpoint, 'sk');
      await settings.choose({ endpointId: 'e1', model: 'llama' });
      expect((await open()).connections.get().chosen).toEqual({ endpointId: 'e1', model: 'llama' });
      await expect(settings.choose({ endpointId: 'none', model: 'x' })).rejects.toMatchObject({
        problem: { code: 'setting-invalid' },
      });
      await settings.removeEndpoint('e1');
      expect(settings.connections.get()).toEqual({ endpoints: [], chosen: null });
      expect(await vault.names()).toEqual([]);
      await settings.choose(null);
    });

    it('bring a removed endpoint back in its place, with its key and in use', async () => {
      await settings.saveEndpoint(endpoint, 'sk');
      await settings.saveEndpoint({ ...endpoint, id: 'e2' }, undefined);
      await settings.choose({ endpointId: 'e1', model: 'llama' });
      const before = settings.connections.get();
      const names = await vault.names();
      const undo = await settings.removeEndpoint('e1');
      expect(await vault.names()).toEqual([]);
      await undo();
      expect(settings.connections.get()).toEqual(before);
      expect(await vault.names()).toEqual(names);
      // One that was made anew meanwhile stays as it is.
      const late = await settings.removeEndpoint('e1');
      await settings.saveEndpoint({ ...endpoint, label: 'Anew' }, undefined);
      await late();
      expect(settings.connections.get().endpoints.map(({ label }) => label)).toContain('Anew');
      expect(settings.connections.get().endpoints).toHaveLength(2);
    });

    it('leave out what is broken and say so', async () => {
      await store.keyValues.set('settings/connections', {
        endpoints: [endpoint, { id: 'e2', baseUrl: 'nowhere' }, 'x'],
        chosen: { endpointId: 'e2', model: 'm' },
      });
      const again = await open();
      expect(again.connections.get()).toEqual({ endpoints: [endpoint], chosen: null });
      expect(again.problem.get()?.code).toBe('setting-invalid');
      await store.keyValues.set('settings/connections', 'broken');
      expect((await open()).connections.get()).toEqual({ endpoints: [], chosen: null });
    });

    it('test with the key given, else with the one kept', async () => {
      const { signal } = new AbortController();
      await settings.saveEndpoint(endpoint, 'kept');
      expect(await settings.test(endpoint, 'given', signal)).toEqual({ ok: true, models: ['m'], tookMs: 1 });
      await settings.test(endpoint, undefined, signal);
      await settings.test({ ...endpoint, id: 'new' }, undefined, signal);
      expect(asked.map(({ key }) => key)).toEqual(['given', 'kept', undefined]);
    });

    it('test and keep a changed address without the key of the old one', async () => {
      const { signal } = new AbortController();
      const moved = { ...endpoint, baseUrl: 'https://elsewhere.example/v1' };
      await settings.saveEndpoint(endpoint, 'kept');
      await settings.test(moved, undefined, signal);
      await settings.saveEndpoint(moved, undefined);
      await settings.test(moved, undefined, signal);
      await settings.test(endpoint, undefined, signal);
      await settings.saveEndpoint(moved, 'new');
      await settings.test(moved, undefined, signal);
      await settings.test(endpoint, undefined, signal);
      expect(asked.map(({ key }) => key)).toEqual([undefined, undefined, 'kept', 'new', undefined]);
    });
  });
});
