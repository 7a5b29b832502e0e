// Defines every configuration key, its range and its default in one schema. A duration is in the unit that its key
// names, or its comment.
import { z } from 'zod';
import { CATEGORIES, KEPT_OUT, KEPT_OUT_OF_PROMPTS } from '../privacy/categories.ts';
import { isOwnPattern } from '../privacy/own-pattern.ts';

const share = z.number().min(0).max(1);
const count = (min: number, max: number) => z.number().int().min(min).max(max);
const categories = z.array(z.enum(CATEGORIES)).max(CATEGORIES.length);
const ownList = z.array(z.string().trim().min(2).max(200)).max(1000).default([]);
const url = z.union([z.literal(''), z.url({ protocol: /^https?$/ })]);

/** Languages of a recogniser (BCP 47); `auto`: the language of the interface. */
export const DICTATION_LANGUAGES = [
  'auto',
  'en-US',
  'en-GB',
  'en-IN',
  'zh-CN',
  'zh-TW',
  'zh-HK',
  'de-DE',
  'es-ES',
  'es-MX',
  'fr-FR',
  'hi-IN',
  'it-IT',
  'ja-JP',
  'ko-KR',
  'nl-NL',
  'pl-PL',
  'pt-BR',
  'pt-PT',
  'ru-RU',
  'tr-TR',
  'uk-UA',
  'vi-VN',
] as const;

/** Ids of compaction strategies (`domain/context/compaction`), whose code is loaded with the first compaction. */
export const STRATEGY_IDS = [
  'session-memory',
  'summary',
  'turns',
  'sliding-window',
  'retrieval',
  'smart',
  'hierarchical',
  'interactive',
] as const;

export const configSchema = z.strictObject({
  version: z.literal('1.0').default('1.0'),
  storage: z
    .strictObject({
      engine: z.enum(['auto', 'indexeddb', 'opfs', 'memory']).default('auto'),
      max_size_mb: count(64, 1_048_576).default(2048),
      cleanup: z
        .strictObject({
          enabled: z.boolean().default(false),
          archive_after_days: count(1, 36_500).default(90),
          delete_archived_after_days: count(1, 36_500).default(365),
          /** Folders, with `*` for any characters, tools that conversations were imported from, and ids of projects. */
          except_work_dirs: z.array(z.string().min(1).max(1000)).max(1000).default([]),
          except_sources: z.array(z.string().min(1).max(100)).max(100).default([]),
          except_projects: z.array(z.string().min(1).max(100)).max(1000).default([]),
        })
        .prefault({}),
    })
    .prefault({}),
  embedding: z
    .strictObject({
      provider: z.enum(['local', 'openai', 'custom']).default('local'),
      local: z
        .strictObject({
          model: z.string().min(1).default('multilingual-e5-small-en-zh'),
          source: z.union([z.enum(['bundled', 'hub']), z.url({ protocol: /^https?$/ })]).default('bundled'),
          device: z.enum(['auto', 'webgpu', 'wasm']).default('auto'),
          batch_size: count(1, 256).default(32),
          /** Text in front of what is embedded; `auto`: the prefix that the model's family needs. */
          query_prefix: z.string().max(200).default('auto'),
          passage_prefix: z.string().max(200).default('auto'),
        })
        .prefault({}),
      openai: z
        .strictObject({
          base_url: url.default('https://api.openai.com/v1'),
          model: z.string().default('text-embedding-3-small'),
          dimensions: count(1, 16_000).default(1536),
        })
        .prefault({}),
      custom: z
        .strictObject({
          base_url: url.default(''),
          model: z.string().default('bge-large-zh'),
          dimensions: count(1, 16_000).default(1024),
        })
        .prefault({}),
    })
    .prefault({}),
  indexing: z
    .strictObject({
      every_messages: count(1, 1000).default(5),
      on_end: z.boolean().default(true),
      max_age_minutes: z.number().min(0.1).max(1440).default(10),
      summaries: z.enum(['extractive', 'model']).default('extractive'),
    })
    .prefault({}),
  sync: z
    .strictObject({
      mode: z.enum(['disabled', 'local', 'remote', 'managed']).default('disabled'),
      /** Seconds. */
      auto_sync_interval: count(10, 86_400).default(300),
      /** Ids of projects whose conversations this device does not send. */
      exclude_projects: z.array(z.string().min(1).max(100)).max(1000).default([]),
      /** `timeout`: seconds. */
      remote: z
        .strictObject({ endpoint: z.string().max(2000).default(''), timeout: count(1, 600).default(30) })
        .prefault({}),
    })
    .prefault({}),
  recall: z
    .strictObject({
      auto_recall: z
        .strictObject({
          enabled: z.boolean().default(true),
          trigger_on_start: z.boolean().default(true),
          trigger_token_threshold: share.default(0.8),
          /**
           * Least similarity at which a passage goes into the prompt unasked; never lower than that of shown passages.
           */
          min_similarity: share.default(0.9),
        })
        .prefault({}),
      hybrid_weights: z
        .strictObject({ vector: share.default(0.6), keyword: share.default(0.4) })
        .prefault({}),
      filters: z
        .strictObject({
          min_similarity: share.default(0.75),
          max_results: count(1, 50).default(5),
          exclude_current_session: z.boolean().default(true),
          /** Decay per day: exp(-factor · days). */
          time_decay_factor: z.number().min(0).max(1).default(0.001),
        })
        .prefault({}),
      context: z
        .strictObject({
          max_messages_per_session: count(1, 50).default(3),
          max_total_tokens: count(100, 100_000).default(2000),
        })
        .prefault({}),
    })
    .prefault({}),
  /** Memory notes: which notes the app proposes, and which notes travel with requests. */
  notes: z
    .strictObject({
      /** Recognises on the device what a person says about themselves and their wishes, and asks whether to keep it. */
      propose: z.boolean().default(true),
      /**
       * Lets the answering model propose more notes from what was written on this device, within so many
       * tokens a day; the app always asks.
       */
      propose_by_model: z.boolean().default(true),
      model_tokens_per_day: count(1000, 1_000_000).default(20_000),
      /** Keeps recognised notes without asking, unless they may contradict another note. */
      accept: z.boolean().default(false),
      /** Sends notes that apply to a request without sharing a word with it, up to so many tokens. */
      apply: z.boolean().default(true),
      apply_max_tokens: count(20, 4000).default(200),
    })
    .prefault({}),
  context: z
    .strictObject({
      window_tokens: count(1000, 100_000_000).default(64_000),
      reserved_tokens: count(0, 10_000_000).default(50_000),
      trigger_ratio: z.number().min(0.1).max(0.99).default(0.75),
      target_ratio: z.number().min(0.05).max(0.95).default(0.5),
      /**
       * Number of whole messages from which on older ones are compacted although there is room; 0: no limit by number.
       */
      compact_threshold: count(0, 100_000).default(0),
      /**
       * Compacts before a request that begins another task, once the conversation
       * fills half of the limit for compaction.
       */
      compact_on_new_task: z.boolean().default(true),
      /** Action after something was sent back, unless the person chooses otherwise there. */
      after_send_back: z.enum(['answer', 'patch', 'branch', 'none']).default('answer'),
      keep_last_turns: count(1, 100).default(6),
      max_attempts: count(1, 10).default(2),
      strategy: z.enum(STRATEGY_IDS).default('session-memory'),
      session_memory: z
        .strictObject({
          every_tokens: count(100, 1_000_000).default(4000),
          every_tool_calls: count(1, 1000).default(5),
          /**
           * Lets the model that answers write the memory in the background, for so many
           * tokens of one conversation at most.
           */
          by_model: z.boolean().default(true),
          model_budget_tokens: count(1000, 100_000_000).default(50_000),
          /**
           * Share of the limit for compaction at which the model begins: most conversations never reach it,
           * and work for them would be wasted.
           */
          model_from_ratio: z.number().min(0).max(1).default(0.5),
        })
        .prefault({}),
      /** Newest messages of person and model that the strategy `summary` keeps. */
      summary_keep_messages: count(1, 1000).default(2),
      /** Instructions for a model that writes a summary; empty: the shipped words. */
      summary_prompt: z.string().max(20_000).default(''),
      confirm: z.boolean().default(false),
      checkpoints: z
        .strictObject({ keep: count(1, 100_000).default(50), expire_after_days: count(0, 36_500).default(0) })
        .prefault({}),
    })
    .prefault({}),
  chat: z
    .strictObject({
      /** Instructions for conversations without their own; empty: the shipped words. */
      instructions: z.string().max(20_000).default(''),
      /** The model that gave the first answer names the conversation, in one small request. */
      titles_by_model: z.boolean().default(true),
      /** Id of the persona that a new conversation begins with; empty: none. */
      persona: z.string().max(100).default(''),
    })
    .prefault({}),
  /** Spending above which the app warns. It never holds a message back. */
  costs: z
    .strictObject({
      /** In `currency`, for one `period`; 0: no limit. */
      limit: z.number().min(0).max(1_000_000).default(0),
      period: z.enum(['day', 'month']).default('month'),
      currency: z.enum(['USD', 'EUR', 'CNY', 'GBP', 'JPY']).default('USD'),
      /** Share of the limit at which the app warns. */
      warn_at: share.default(0.8),
    })
    .prefault({}),
  /** Actions that a model may take by itself. The conversation shows every call. */
  tools: z
    .strictObject({
      enabled: z.boolean().default(true),
      recall: z.boolean().default(true),
      open_conversation: z.boolean().default(true),
      remember: z.boolean().default(true),
      checkpoint: z.boolean().default(false),
      send_dmail: z.boolean().default(false),
      /** Most requests for one answer. */
      max_steps: count(1, 100).default(12),
    })
    .prefault({}),
  privacy: z
    .strictObject({
      sensitive_keywords: z
        .array(z.string().min(1).max(200))
        .max(1000)
        .default(['password', 'secret', 'api_key']),
      /** Leaves a message with a private word out of the index altogether. */
      skip_sensitive_messages: z.boolean().default(false),
      /** Kinds of private words that become tokens before text goes into the index (`domain/privacy`). */
      keep_out_of_index: categories.default([...KEPT_OUT]),
      keep_out_of_prompts: categories.default([...KEPT_OUT_OF_PROMPTS]),
      keep_out_of_sync: categories.default([...KEPT_OUT]),
      /** Also replaces the private words of sync in files that are exported for reading. A backup holds the words. */
      placeholders_in_exports: z.boolean().default(false),
      own_names: ownList,
      own_addresses: ownList,
      own_words: ownList,
      /**
       * Regular expressions whose work grows only linearly with the length of a text (`domain/privacy/own-pattern.ts`).
       */
      own_patterns: z.array(z.string().min(1).max(200).refine(isOwnPattern)).max(100).default([]),
      /** The person has agreed that the browser sends the microphone's sound to a service of its maker. */
      dictation_by_service: z.boolean().default(false),
      /** The person's wish to lock. The lock's dialog carries it out, since the lock needs a passphrase. */
      encrypt_local: z.boolean().default(false),
      /**
       * Time after which a device with a lock locks itself: minutes without a key or a click,
       * and minutes out of sight. 0: never.
       */
      lock_after_minutes: count(0, 1440).default(15),
      lock_when_hidden_minutes: count(0, 1440).default(0),
      exclude_work_dirs: z.array(z.string().min(1).max(1000)).max(1000).default(['*/secret-project/*']),
    })
    .prefault({}),
  ui: z
    .strictObject({
      language: z.enum(['auto', 'en', 'zh']).default('auto'),
      dictation_language: z.enum(DICTATION_LANGUAGES).default('auto'),
      theme: z.enum(['auto', 'light', 'dark']).default('auto'),
      /** Size of all text, in the browser's own steps. */
      font_size: z.enum(['small', 'medium', 'large', 'larger']).default('medium'),
      /** Longest line of messages. */
      text_width: z.enum(['narrow', 'medium', 'wide']).default('medium'),
      /** Colour of buttons and links. */
      accent: z.enum(['blue', 'teal', 'graphite']).default('blue'),
      /** Shows more conversations in the list, with less room for each. */
      compact: z.boolean().default(false),
      /** Key that sends. `mod-enter` suits people who write long texts: Enter then begins a new line. */
      send_with: z.enum(['enter', 'mod-enter']).default('enter'),
      /** Keys by command, e.g. `palette: "Mod+K"`; a missing command has its default keys. */
      shortcuts: z.record(z.string(), z.string()).default({}),
    })
    .prefault({}),
});

/** The whole configuration. API keys are not part of it: they lie in the vault (`adapters/vault`). */
export type Config = z.infer<typeof configSchema>;

export const defaultConfig: Config = configSchema.parse({});
