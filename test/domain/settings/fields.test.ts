import { describe, expect, it } from 'vitest';
import { configSchema, defaultConfig } from '../../../src/domain/settings/config.ts';
import {
  allowedValues,
  CONFIG_FIELDS,
  type ConfigField,
  configField,
  configOf,
  configValue,
  settingInvalid,
  valuesAt,
} from '../../../src/domain/settings/fields.ts';

const leaves = (value: unknown, path = ''): string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, path ? `${path}.${key}` : key))
    : [path];

describe('the fields of the configuration', () => {
  it('are exactly the keys of the default configuration, with their defaults', () => {
    expect(CONFIG_FIELDS.map(({ path }) => path)).toEqual(leaves(defaultConfig));
    for (const field of CONFIG_FIELDS)
      expect(field.default, field.path).toEqual(configValue(defaultConfig, field.path));
  });

  it('say what each key is', () => {
    const expected: ConfigField[] = [
      { path: 'indexing.on_end', kind: 'boolean', default: true },
      { path: 'recall.filters.max_results', kind: 'number', default: 5, min: 1, max: 50, integer: true },
      {
        path: 'recall.filters.min_similarity',
        kind: 'number',
        default: 0.75,
        min: 0,
        max: 1,
        integer: false,
      },
      {
        path: 'storage.engine',
        kind: 'enum',
        default: 'auto',
        choices: ['auto', 'indexeddb', 'opfs', 'memory'],
        open: false,
      },
      {
        path: 'embedding.local.source',
        kind: 'enum',
        default: 'bundled',
        choices: ['bundled', 'hub'],
        open: true,
      },
      {
        path: 'embedding.local.model',
        kind: 'text',
        default: 'multilingual-e5-small-en-zh',
        minLength: 1,
        maxLength: null,
        format: null,
      },
      {
        path: 'embedding.custom.base_url',
        kind: 'text',
        default: '',
        minLength: 0,
        maxLength: null,
        format: 'url',
      },
      {
        path: 'privacy.sensitive_keywords',
        kind: 'list',
        default: ['password', 'secret', 'api_key'],
        maxItems: 1000,
        maxLength: 200,
      },
      { path: 'ui.shortcuts', kind: 'map', default: {} },
    ];
    for (const field of expected) expect(configField(field.path)).toEqual(field);
    expect(configField('recall')).toBeUndefined();
  });

  it('accept their bounds and choices and refuse what lies beyond', () => {
    const refusedAt = (path: string, value: unknown) => configOf({ [path]: value }).refused.length === 1;
    for (const field of CONFIG_FIELDS) {
      expect(refusedAt(field.path, field.default), field.path).toBe(false);
      expect(refusedAt(field.path, null), field.path).toBe(true);
      expect(refusedAt(field.path, Symbol.iterator), field.path).toBe(true);
      expect(allowedValues(field)).not.toBe('');
      if (field.kind === 'number') {
        expect([field.min, field.max].every(Number.isFinite), field.path).toBe(true);
        for (const value of [field.min, field.max]) expect(refusedAt(field.path, value)).toBe(false);
        for (const value of [field.min - 1, field.max + 1, Number.NaN, `${field.min}`])
          expect(refusedAt(field.path, value)).toBe(true);
        expect(refusedAt(field.path, (field.min + field.max) / 2 + 0.123)).toBe(field.integer);
      }
      if (field.kind === 'enum') {
        for (const value of field.choices) expect(refusedAt(field.path, value)).toBe(false);
        expect(refusedAt(field.path, 'something else')).toBe(true);
        expect(refusedAt(field.path, 'https://models.example/e5')).toBe(!field.open);
      }
      if (field.kind === 'text' && field.format === 'url') {
        for (const value of ['', 'http://localhost:11434/v1'])
          expect(refusedAt(field.path, value)).toBe(false);
        for (const value of ['localhost', 'javascript:alert(1)', 'ftp://x'])
          expect(refusedAt(field.path, value)).toBe(true);
      }
    }
  });
});

describe('values by path', () => {
  it('make a configuration, the rest being defaults; what is not allowed falls back alone', () => {
    const { config, refused } = configOf({
      'recall.filters.max_results': 9,
      'recall.filters.min_similarity': 7,
      'recall.filtres.max_results': 1,
      'ui.theme': 'dark',
      'ui.language': undefined,
    });
    expect(config.recall.filters.max_results).toBe(9);
    expect(config.recall.filters.min_similarity).toBe(0.75);
    expect(config.ui.theme).toBe('dark');
    expect(refused.map(({ key }) => key)).toEqual([
      'recall.filters.min_similarity',
      'recall.filtres.max_results',
    ]);
    expect(refused[1]?.allowed).toBe('auto_recall, hybrid_weights, filters, context');
    expect(configSchema.parse(config)).toEqual(config);
  });

  it('do not touch the defaults', () => {
    const { config } = configOf({ 'privacy.sensitive_keywords': ['a'] });
    config.privacy.exclude_work_dirs.push('x');
    expect(configOf({}).config).toEqual(configSchema.parse({}));
  });

  it('are taken out of groups, maps and single keys', () => {
    const config = configOf({ 'ui.shortcuts': { palette: 'Mod+K', new: 'Mod+N' } }).config;
    expect(valuesAt(config, 'recall.hybrid_weights', { vector: 0.7, keyword: 0.3 })).toEqual({
      values: { 'recall.hybrid_weights.vector': 0.7, 'recall.hybrid_weights.keyword': 0.3 },
      refused: [],
    });
    expect(valuesAt(config, 'ui.shortcuts.palette', 'Mod+P').values).toEqual({
      'ui.shortcuts': { palette: 'Mod+P', new: 'Mod+N' },
    });
    expect(valuesAt(config, 'ui.shortcuts.palette', undefined).values).toEqual({
      'ui.shortcuts': { new: 'Mod+N' },
    });
    expect(valuesAt(config, 'recall.context', undefined).values).toEqual({
      'recall.context.max_messages_per_session': undefined,
      'recall.context.max_total_tokens': undefined,
    });
    expect(valuesAt(config, '', { ui: { theme: 'dark' }, sync: { remote: { timeout: 5 } } }).values).toEqual({
      'ui.theme': 'dark',
      'sync.remote.timeout': 5,
    });
  });

  it('refuse keys that do not exist and groups that are none', () => {
    for (const [path, value] of [
      ['nothing', 1],
      ['recall.nothing', 1],
      ['recall.filters.max_results.more', 1],
      ['__proto__.polluted', 1],
      ['constructor', 1],
      ['recall', 5],
      ['recall', [1]],
      ['', null],
    ] as const) {
      const { values, refused } = valuesAt(defaultConfig, path, value);
      expect([path, refused.length, Object.keys(values)]).toEqual([path, 1, []]);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('name key, value and what is allowed in the error, without end to neither', () => {
    const { problem } = settingInvalid([
      { key: 'ui.theme', value: 'x'.repeat(500), allowed: 'auto | light | dark' },
    ]);
    expect(problem.code).toBe('setting-invalid');
    expect(problem.params).toMatchObject({ key: 'ui.theme', allowed: 'auto | light | dark' });
    expect(String(problem.params?.value).length).toBe(80);
  });
});
