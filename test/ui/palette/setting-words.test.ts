import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { palette as en } from '../../../src/ui/i18n/en/palette.ts';
import { settings as enSettings } from '../../../src/ui/i18n/en/settings.ts';
import { palette as zh } from '../../../src/ui/i18n/zh/palette.ts';
import { settings as zhSettings } from '../../../src/ui/i18n/zh/settings.ts';
import { readLine, settingsFor } from '../../../src/ui/palette/matches.ts';
import { settingWords } from '../../../src/ui/palette/setting-words.ts';
import { SETTING_ENTRIES } from '../../../src/ui/settings/sections.ts';

/** These keys are put together here; the app's own are typed. */
type Say = (key: string, options?: object) => string;
const says = new Map<string, Say>();
beforeAll(async () => {
  const resources = {
    en: { palette: en, settings: enSettings },
    zh: { palette: zh, settings: zhSettings },
  };
  await i18next.init({ lng: 'en', resources, defaultNS: 'palette' });
  for (const language of ['en', 'zh']) says.set(language, i18next.getFixedT(language) as Say);
});

const found = (language: string, query: string): string[] => {
  const t = says.get(language) as Say;
  const settings = SETTING_ENTRIES.map((entry) => ({
    key: entry.key,
    label: t(`settings:${entry.key}`),
    also: `${t(`settings:section.${entry.section}.title`)} ${entry.path ?? ''}`,
    more: settingWords(entry, (key) => t(key, { returnObjects: true, defaultValue: '' })),
  }));
  return settingsFor(readLine(query, 0), settings).map(({ key }) => key);
};

describe('settings', () => {
  it.each([
    ['en', 'dark', 'field.ui.theme.label'],
    ['en', '中文', 'field.ui.language.label'],
    ['en', 'api key', 'models.addTitle'],
    ['en', 'temperature', 'models.addTitle'],
    ['en', 'system prompt', 'field.chat.instructions.label'],
    ['en', 'undelete', 'storage.trash.title'],
    ['zh', '深色', 'field.ui.theme.label'],
    ['zh', '夜间模式', 'field.ui.theme.label'],
    ['zh', '英文', 'field.ui.language.label'],
    ['zh', '温度', 'models.addTitle'],
    ['zh', 'api 密钥', 'models.addTitle'],
    ['zh', '回收站', 'storage.trash.title'],
  ])('are found by everyday words (%s: %s)', (language, query, key) => {
    expect(found(language, query)).toContain(key);
  });

  it('everyday words are those of settings that there are', () => {
    const keys = SETTING_ENTRIES.map(({ key }) => key);
    for (const { everyday } of [en, zh]) for (const key of Object.keys(everyday)) expect(keys).toContain(key);
  });
});
