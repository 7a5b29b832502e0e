import { describe, expect, it } from 'vitest';
import { STRATEGIES } from '../../../src/domain/context/compaction/index.ts';
import { configSchema, DICTATION_LANGUAGES, defaultConfig } from '../../../src/domain/settings/config.ts';
import {
  allowedValues,
  type ConfigField,
  configField,
  configFields,
  configOf,
  configValue,
  settingInvalid,
  valuesAt,
} from '../../../src/domain/settings/fields.ts';

const leaves = (value: unknown, path = ''): string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, path ? `${path}.${key}` : key))
    : [path];

/** As the first description of the configuration has them; API keys live in the vault. */
const DESCRIBED: Readonly<Record<string, unknown>> = {
  version: '1.0',
  'storage.engine': 'auto',
  'storage.max_size_mb': 2048,
  'storage.cleanup.enabled': false,
  'storage.cleanup.archive_after_days': 90,
  'storage.cleanup.delete_archived_after_days': 365,
  'embedding.provider': 'local',
  'embedding.local.model': 'multilingual-e5-small-en-zh',
  'embedding.local.source': 'bundled',
  'embedding.local.device': 'auto',
  'embedding.local.batch_size': 32,
  'embedding.openai.base_url': 'https://api.openai.com/v1',
  'embedding.openai.model': 'text-embedding-3-small',
  'embedding.openai.dimensions': 1536,
  'embedding.custom.base_url': '',
  'embedding.custom.model': 'bge-large-zh',
  'embedding.custom.dimensions': 1024,
  'indexing.every_messages': 5,
  'indexing.on_end': true,
  'indexing.max_age_minutes': 10,
  'indexing.summaries': 'extractive',
  'sync.mode': 'disabled',
  'sync.auto_sync_interval': 300,
  'sync.exclude_projects': [],
  'sync.remote.endpoint': '',
  'sync.remote.timeout': 30,
  'recall.auto_recall.enabled': true,
  'recall.auto_recall.trigger_on_start': true,
  'recall.auto_recall.trigger_token_threshold': 0.8,
  'recall.hybrid_weights.vector': 0.6,
  'recall.hybrid_weights.keyword': 0.4,
  'recall.filters.min_similarity': 0.75,
  'recall.filters.max_results': 5,
  'recall.filters.exclude_current_session': true,
  'recall.filters.time_decay_factor': 0.001,
  'recall.context.max_messages_per_session': 3,
  'recall.context.max_total_tokens': 2000,
  'context.window_tokens': 64_000,
  'context.reserved_tokens': 50_000,
  'context.trigger_ratio': 0.75,
  'context.target_ratio': 0.5,
  'context.compact_threshold': 0,
  'context.compact_on_new_task': true,
  'context.after_send_back': 'answer',
  'context.keep_last_turns': 6,
  'context.max_attempts': 2,
  'context.strategy': 'session-memory',
  'context.session_memory.every_tokens': 4000,
  'context.session_memory.every_tool_calls': 5,
  'context.confirm': false,
  'context.checkpoints.keep': 50,
  'context.checkpoints.expire_after_days': 0,
  'privacy.sensitive_keywords': ['password', 'secret', 'api_key'],
  'privacy.encrypt_local': false,
  'privacy.exclude_work_dirs': ['*/secret-project/*'],
  'ui.language': 'auto',
  'ui.theme': 'auto',
};
/** Added since. */
const ADDED: Readonly<Record<string, unknown>> = {
  'privacy.keep_out_of_index': ['secrets', 'keywords', 'names', 'addresses', 'words'],
  'privacy.keep_out_of_prompts': ['names', 'addresses', 'words'],
  'privacy.keep_out_of_sync': ['secrets', 'keywords', 'names', 'addresses', 'words'],
  'privacy.placeholders_in_exports': false,
  'privacy.own_names': [],
  'privacy.own_addresses': [],
  'privacy.own_words': [],
  'privacy.own_patterns': [],
  'privacy.skip_sensitive_messages': false,
  'privacy.lock_after_minutes': 15,
  'privacy.lock_when_hidden_minutes': 0,
  'storage.cleanup.except_work_dirs': [],
  'storage.cleanup.except_sources': [],
  'storage.cleanup.except_projects': [],
  'embedding.local.query_prefix': 'auto',
  'embedding.local.passage_prefix': 'auto',
  'recall.auto_recall.min_similarity': 0.9,
  'notes.propose': true,
  'notes.propose_by_model': true,
  'notes.model_tokens_per_day': 20_000,
  'notes.accept': false,
  'notes.apply': true,
  'notes.apply_max_tokens': 200,
  'context.session_memory.by_model': true,
  'context.session_memory.model_budget_tokens': 50_000,
  'context.session_memory.model_from_ratio': 0.5,
  'context.summary_keep_messages': 2,
  'context.summary_prompt': '',
  'chat.instructions': '',
  'chat.titles_by_model': true,
  'chat.persona': '',
  'costs.limit': 0,
  'costs.period': 'month',
  'costs.currency': 'USD',
  'costs.warn_at': 0.8,
  'tools.enabled': true,
  'tools.recall': true,
  'tools.open_conversation': true,
  'tools.remember': true,
  'tools.checkpoint': false,
  'tools.send_dmail': false,
  'tools.max_steps': 12,
  'ui.font_size': 'medium',
  'ui.text_width': 'medium',
  'ui.accent': 'blue',
  'ui.compact': false,
  'ui.send_with': 'enter',
  'ui.dictation_language': 'auto',
  'privacy.dictation_by_service': false,
  'ui.shortcuts': {},
};

describe('the fields of the configuration', () => {
  it('are those that were described, with the defaults that were described', () => {
    const defaults = Object.fromEntries(configFields().map((field) => [field.path, field.default]));
    expect(defaults, 'a new setting has its line in ADDED').toEqual({ ...DESCRIBED, ...ADDED });
  });

  it('offer the choices that were described', () => {
    const choices = configFields().flatMap((field) =>
      field.kind === 'enum' ? [[field.path, field.choices]] : [],
    );
    expect(
      Object.fromEntries(choices),
      'strategies are those of STRATEGY_IDS, in the order of STRATEGIES',
    ).toEqual({
      version: ['1.0'],
      'storage.engine': ['auto', 'indexeddb', 'opfs', 'memory'],
      'embedding.provider': ['local', 'openai', 'custom'],
      'embedding.local.source': ['bundled', 'hub'],
      'embedding.local.device': ['auto', 'webgpu', 'wasm'],
      'indexing.summaries': ['extractive', 'model'],
      'sync.mode': ['disabled', 'local', 'remote', 'managed'],
      'context.after_send_back': ['answer', 'patch', 'branch', 'none'],
      'context.strategy': STRATEGIES.map(({ id }) => id),
      'costs.period': ['day', 'month'],
      'costs.currency': ['USD', 'EUR', 'CNY', 'GBP', 'JPY'],
      'ui.language': ['auto', 'en', 'zh'],
      'ui.dictation_language': [...DICTATION_LANGUAGES],
      'ui.theme': ['auto', 'light', 'dark'],
      'ui.font_size': ['small', 'medium', 'large', 'larger'],
      'ui.text_width': ['narrow', 'medium', 'wide'],
      'ui.accent': ['blue', 'teal', 'graphite'],
      'ui.send_with': ['enter', 'mod-enter'],
    });
  });

  it('are exactly the keys of the default configuration, with their defaults', () => {
    expect(configFields().map(({ path }) => path)).toEqual(leaves(defaultConfig));
    for (const field of configFields())
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
        minLength: 1,
        maxLength: 200,
        choices: null,
      },
      { path: 'ui.shortcuts', kind: 'map', default: {} },
    ];
    for (const field of expected) expect(configField(field.path)).toEqual(field);
    expect(configField('recall')).toBeUndefined();
  });

  it('accept their bounds and choices and refuse what lies beyond', () => {
    const refusedAt = (path: string, value: unknown) => configOf({ [path]: value }).refused.length === 1;
    for (const field of configFields()) {
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

  it('name a number beyond all numbers, and how long the words of a list may be', () => {
    const { refused } = configOf({ 'recall.filters.max_results': Number.POSITIVE_INFINITY });
    expect(settingInvalid(refused).problem.params).toMatchObject({ value: 'Infinity' });
    const words = configOf({ 'privacy.sensitive_keywords': ['x'.repeat(201)] }).refused;
    expect(words[0]?.allowed).toContain('1–200');
  });

  it('quote of a list the entries that are wrong, not those beside them', () => {
    const long = 'x'.repeat(201);
    const { refused } = configOf({ 'privacy.sensitive_keywords': ['password', long, 'secret', ''] });
    expect(refused.map(({ value }) => value)).toEqual([long, '']);
    const { message, params } = settingInvalid(refused.slice(0, 1)).problem;
    expect(params?.value).toBe(`${'x'.repeat(79)}…`);
    expect(message).not.toContain('password');
    const many = configOf({ 'privacy.sensitive_keywords': Array.from({ length: 1001 }, (_, n) => `w${n}`) });
    expect(many.refused).toMatchObject([{ value: '[…] (1001)', allowed: expect.stringContaining('0–1000') }]);
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
