// Settings of theme, colour, sizes, language, and the key that sends.

import { DICTATION_LANGUAGES } from '../../domain/settings/config.ts';
import { useApp } from '../hooks/app.tsx';
import { languageName } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { keyNames } from '../shell/controls.tsx';
import { Choice, Group, Row, SelectSetting, SwitchSetting, useSetting } from './rows.tsx';

export function AppearanceSection() {
  const { t } = useTranslation('settings');
  const { device } = useApp();
  const theme = useSetting<'auto' | 'light' | 'dark'>('ui.theme');
  const language = useSetting<'auto' | 'en' | 'zh'>('ui.language');
  const send = useSetting<'enter' | 'mod-enter'>('ui.send_with');
  const themes = ['auto', 'light', 'dark'] as const;
  const languages = ['auto', 'en', 'zh'] as const;
  return (
    <Group>
      <Row label={t('field.ui.theme.label')} problem={theme.problem} stack>
        <Choice
          label={t('field.ui.theme.label')}
          value={theme.value}
          options={themes.map((value) => ({ value, label: t(`appearance.theme.${value}`) }))}
          onChange={(next) => void theme.set(next)}
        />
      </Row>
      <StyleRow name="accent" values={['blue', 'teal', 'graphite']} />
      <StyleRow name="font_size" values={['small', 'medium', 'large', 'larger']} />
      <StyleRow name="text_width" values={['narrow', 'medium', 'wide']} />
      <SwitchSetting path="ui.compact" />
      <Row label={t('field.ui.language.label')} problem={language.problem} stack>
        <Choice
          label={t('field.ui.language.label')}
          value={language.value}
          options={languages.map((value) => ({
            value,
            label: (
              <span lang={value === 'auto' ? undefined : value}>{t(`appearance.language.${value}`)}</span>
            ),
          }))}
          onChange={(next) => void language.set(next)}
        />
      </Row>
      {device.dictation ? (
        <SelectSetting
          path="ui.dictation_language"
          options={DICTATION_LANGUAGES.map((value) => ({
            value,
            label: value === 'auto' ? t('appearance.dictation') : languageName(value),
          }))}
        />
      ) : (
        <Row label={t('field.ui.dictation_language.label')} help={t('appearance.noDictation')} />
      )}
      <Row
        label={t('field.ui.send_with.label')}
        help={t('field.ui.send_with.help')}
        problem={send.problem}
        stack
      >
        <Choice
          label={t('field.ui.send_with.label')}
          value={send.value}
          options={[
            { value: 'enter', label: t('appearance.send.enter') },
            {
              value: 'mod-enter',
              label: t('appearance.send.mod-enter', { keys: keyNames('Mod+Enter').join(' ') }),
            },
          ]}
          onChange={(next) => void send.set(next)}
        />
      </Row>
    </Group>
  );
}

/** A choice among a few values, all visible. */
function StyleRow({
  name,
  values,
}: {
  name: 'accent' | 'font_size' | 'text_width';
  values: readonly (
    | 'blue'
    | 'teal'
    | 'graphite'
    | 'small'
    | 'medium'
    | 'large'
    | 'larger'
    | 'narrow'
    | 'wide'
  )[];
}) {
  const { t } = useTranslation('settings');
  const setting = useSetting<(typeof values)[number]>(`ui.${name}`);
  return (
    <Row label={t(`field.ui.${name}.label`)} problem={setting.problem} stack>
      <Choice
        label={t(`field.ui.${name}.label`)}
        value={setting.value}
        options={values.map((value) => ({
          value,
          label: (
            <>
              {name === 'accent' && <span data-swatch={value} aria-hidden className="size-3 rounded-full" />}
              {t(`appearance.style.${value}`)}
            </>
          ),
        }))}
        onChange={(next) => void setting.set(next)}
      />
    </Row>
  );
}
