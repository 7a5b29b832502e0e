// What a model gets to see of a long conversation: the window, when and how older messages are folded, checkpoints, tools.
import { useTranslation } from 'react-i18next';
import { configField } from '../../domain/settings/fields.ts';
import { useStrategyName } from '../chat/compaction.tsx';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatNumber, formatPercent } from '../i18n/index.ts';
import { Group, NumberSetting, SelectSetting, SliderSetting, SwitchSetting } from './rows.tsx';

export function ContextSection() {
  const { t } = useTranslation('settings');
  const { t: tc } = useTranslation('context');
  const config = useReadable(useApp().settings.config);
  const strategyName = useStrategyName();
  const { context, tools } = config;
  const strategy = configField('context.strategy');
  const ofWindow = (share: number) =>
    t('context.ofWindow', { tokens: formatNumber(Math.floor(context.window_tokens * share)) });
  return (
    <>
      <Group title={t('context.folding')}>
        <SelectSetting
          path="context.strategy"
          options={(strategy?.kind === 'enum' ? strategy.choices : []).map((value) => ({
            value,
            label: strategyName(value),
            description: tc(`strategyHelp.${value as 'turns'}`),
          }))}
        />
        <SwitchSetting path="context.confirm" />
        <SliderSetting
          path="context.trigger_ratio"
          min={0.1}
          max={0.99}
          step={0.01}
          show={formatPercent}
          more={ofWindow}
        />
        <SliderSetting
          path="context.target_ratio"
          min={0.05}
          max={0.95}
          step={0.01}
          show={formatPercent}
          more={ofWindow}
        />
        <NumberSetting path="context.keep_last_turns" />
        <NumberSetting path="context.max_attempts" />
      </Group>
      <Group title={t('context.window')}>
        <NumberSetting path="context.window_tokens" />
        <NumberSetting path="context.reserved_tokens" />
      </Group>
      <Group title={t('context.sessionMemory')}>
        <NumberSetting path="context.session_memory.every_tokens" />
        <NumberSetting path="context.session_memory.every_tool_calls" />
      </Group>
      <Group title={t('context.checkpoints')}>
        <NumberSetting path="context.checkpoints.keep" />
        <NumberSetting path="context.checkpoints.expire_after_days" />
      </Group>
      <Group title={t('context.tools')}>
        <SwitchSetting path="tools.enabled" />
        {(['recall', 'open_conversation', 'remember', 'checkpoint', 'send_dmail'] as const).map((tool) => (
          <SwitchSetting key={tool} path={`tools.${tool}`} disabled={!tools.enabled} />
        ))}
        <NumberSetting path="tools.max_steps" />
      </Group>
    </>
  );
}
