import { describe, expect, it } from 'vitest';
import { configFields } from '../../../src/domain/settings/fields.ts';
import { settings as en } from '../../../src/ui/i18n/en/settings.ts';
import { settings as zh } from '../../../src/ui/i18n/zh/settings.ts';
import { SETTING_ENTRIES } from '../../../src/ui/settings/sections.ts';

/** Keys that a person edits under another name, or not in a row. */
const ELSEWHERE = [
  'version',
  'sync.mode',
  'sync.remote.endpoint',
  'ui.shortcuts',
  'chat.persona',
  'sync.exclude_projects',
];

const under = (path: string, group: string) => path === group || path.startsWith(`${group}.`);

describe('settings that can be found by name', () => {
  it('are all that can be set', () => {
    const found = SETTING_ENTRIES.flatMap(({ path }) => path ?? []);
    const missing = configFields()
      .map(({ path }) => path)
      .filter((path) => ![...found, ...ELSEWHERE].some((group) => under(path, group)));
    expect(missing, 'paths for SETTING_ENTRIES of src/ui/settings/sections.ts').toEqual([]);
  });

  it('have a name in both languages', () => {
    for (const { path } of SETTING_ENTRIES)
      if (path !== undefined)
        for (const words of [en, zh])
          expect((words.field as Record<string, { label: string }>)[path]?.label, path).toBeTruthy();
  });
});
