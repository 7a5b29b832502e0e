// Theme, language, and which key sends.
import { useTranslation } from 'react-i18next';
import { keyNames } from '../shell/controls.tsx';
import { Choice, Group, Row, useSetting } from './rows.tsx';

export function AppearanceSection() {
  const { t } = useTranslation('settings');
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
