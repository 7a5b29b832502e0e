// The sections of the settings and every setting in them, as data: the screen draws them, the palette finds them.

export const SECTION_IDS = [
  'models',
  'costs',
  'prompts',
  'memory',
  'context',
  'sync',
  'storage',
  'privacy',
  'appearance',
  'shortcuts',
  'about',
] as const;
export type SectionId = (typeof SECTION_IDS)[number];

/** The section of a link; undefined for one that does not exist (or the list of all). */
export const sectionOf = (section: string): SectionId | undefined => SECTION_IDS.find((id) => id === section);

/** What can be found by name. `key`: its words in the catalogue; `path`: its configuration key, where it is one. */
export interface SettingEntry {
  readonly section: SectionId;
  readonly key: string;
  readonly path?: string;
}

const fields = (section: SectionId, ...paths: readonly string[]): SettingEntry[] =>
  paths.map((path) => ({ section, key: `field.${path}.label`, path }));

export const SETTING_ENTRIES: readonly SettingEntry[] = [
  { section: 'models', key: 'models.addTitle' },
  { section: 'models', key: 'models.defaultModel' },
  ...fields('models', 'chat.instructions', 'chat.titles_by_model'),
  { section: 'prompts', key: 'section.prompts.title' },
  { section: 'costs', key: 'costs.prices.title' },
  ...fields('costs', 'costs.limit', 'costs.period', 'costs.currency', 'costs.warn_at'),
  ...fields(
    'memory',
    'recall.auto_recall.enabled',
    'recall.auto_recall.trigger_on_start',
    'recall.auto_recall.min_similarity',
    'recall.hybrid_weights',
    'recall.auto_recall.trigger_token_threshold',
    'recall.filters.min_similarity',
    'recall.filters.time_decay_factor',
    'recall.filters.exclude_current_session',
    'recall.filters.max_results',
    'recall.context.max_messages_per_session',
    'recall.context.max_total_tokens',
    'indexing.every_messages',
    'indexing.on_end',
    'indexing.max_age_minutes',
    'indexing.summaries',
    'embedding',
  ),
  { section: 'sync', key: 'sync.mode' },
  { section: 'sync', key: 'sync.pair' },
  { section: 'sync', key: 'sync.devices' },
  { section: 'sync', key: 'sync.log' },
  ...fields('sync', 'sync.auto_sync_interval', 'sync.remote.timeout'),
  ...fields(
    'context',
    'context.strategy',
    'context.confirm',
    'context.trigger_ratio',
    'context.target_ratio',
    'context.keep_last_turns',
    'context.max_attempts',
    'context.summary_keep_messages',
    'context.summary_prompt',
    'context.window_tokens',
    'context.reserved_tokens',
    'context.session_memory.every_tokens',
    'context.session_memory.every_tool_calls',
    'context.session_memory.by_model',
    'context.session_memory.model_budget_tokens',
    'context.checkpoints.keep',
    'context.checkpoints.expire_after_days',
    'tools.enabled',
    'tools.recall',
    'tools.open_conversation',
    'tools.remember',
    'tools.checkpoint',
    'tools.send_dmail',
    'tools.max_steps',
  ),
  ...fields('storage', 'storage.engine', 'storage.max_size_mb'),
  ...fields(
    'storage',
    'storage.cleanup.enabled',
    'storage.cleanup.archive_after_days',
    'storage.cleanup.delete_archived_after_days',
    'storage.cleanup.except_sources',
    'storage.cleanup.except_work_dirs',
  ),
  { section: 'storage', key: 'storage.export.title' },
  { section: 'storage', key: 'storage.import.title' },
  { section: 'storage', key: 'storage.rebuild.title' },
  { section: 'storage', key: 'storage.trash.title' },
  { section: 'storage', key: 'storage.samples.title' },
  { section: 'storage', key: 'storage.persist.title' },
  ...fields(
    'privacy',
    'privacy.sensitive_keywords',
    'privacy.skip_sensitive_messages',
    'privacy.keep_out_of_index',
    'privacy.keep_out_of_prompts',
    'privacy.keep_out_of_sync',
    'privacy.placeholders_in_exports',
    'privacy.own_names',
    'privacy.own_addresses',
    'privacy.own_words',
    'privacy.own_patterns',
    'privacy.exclude_work_dirs',
  ),
  ...fields(
    'appearance',
    'ui.theme',
    'ui.accent',
    'ui.font_size',
    'ui.text_width',
    'ui.compact',
    'ui.language',
    'ui.send_with',
  ),
  { section: 'shortcuts', key: 'section.shortcuts.title' },
  { section: 'about', key: 'about.config' },
  { section: 'about', key: 'about.reset' },
  { section: 'about', key: 'about.licences' },
  { section: 'about', key: 'diagnostics.log' },
];
