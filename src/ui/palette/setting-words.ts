// Texts about a setting besides its name: its help, its choices, its everyday names.
import type { SettingEntry } from '../settings/sections.ts';

/** Keys of the settings' catalogue for the choices or fields of a setting. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  'models.addTitle': [
    'models.addText',
    'models.preset',
    'models.name',
    'models.baseUrl',
    'models.key',
    'models.keyHelp',
    'models.price.title',
    'models.parameters.title',
    'models.parameters.help',
    'models.parameters.temperature',
    'models.parameters.top_p',
    'models.parameters.max_tokens',
    'models.parameters.reasoning_effort',
  ],
  'models.defaultModel': ['models.choice', 'models.choiceHelp', 'models.memoryOnly'],
  'field.embedding.label': ['memory.providers', 'memory.models', 'memory.devices', 'memory.key'],
  'field.indexing.summaries.label': ['memory.summaries'],
  'field.storage.engine.label': ['auto', 'opfs', 'indexeddb', 'memory'].map((one) => `storage.engine.${one}`),
  'field.ui.theme.label': ['appearance.theme'],
  'field.ui.language.label': ['appearance.language'],
  'field.ui.dictation_language.label': ['appearance.dictation'],
  'field.ui.send_with.label': ['appearance.send.enter'],
  'about.config': ['about.configText'],
  'about.reset': ['about.resetText'],
};

/** All texts in a part of a catalogue. */
const textsIn = (words: unknown): string[] =>
  typeof words === 'string'
    ? [words]
    : typeof words === 'object' && words !== null
      ? Object.values(words).flatMap(textsIn)
      : [];

/**
 * All of these as one text. `say`: returns the words under a key, or a whole part of
 * the catalogue; empty if there are none.
 */
export function settingWords({ key, path }: SettingEntry, say: (key: string) => unknown): string {
  const section = /^storage\.\w+\.title$/.test(key) ? [key.replace(/title$/, 'text')] : [];
  const help = path === undefined ? section : [`field.${path}.help`];
  return [...[...help, ...(CHOICES[key] ?? [])].map((one) => `settings:${one}`), `palette:everyday.${key}`]
    .flatMap((one) => textsIn(say(one)))
    .join(', ');
}
