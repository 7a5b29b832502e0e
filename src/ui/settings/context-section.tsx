// Settings of long conversations: the model's window, when and how older messages are compacted, checkpoints, tools.

import { nameOfRepair } from '../../adapters/models/repairs.ts';
import { configField } from '../../domain/settings/fields.ts';
import { TOOLS } from '../../services/chat/tools/index.ts';
import { useStrategyName } from '../chat/compaction.tsx';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatList, formatNumber, formatPercent, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { Group, NumberSetting, SelectSetting, SliderSetting, SwitchSetting, TextSetting } from './rows.tsx';

/** Shares of the window, and the limits of each slider. */
const SHARES = [
  { path: 'context.trigger_ratio', min: 0.1, max: 0.99 },
  { path: 'context.target_ratio', min: 0.05, max: 0.95 },
] as const;

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
      <Group title={t('context.compaction')}>
        <SelectSetting
          path="context.strategy"
          options={(strategy?.kind === 'enum' ? strategy.choices : []).map((value) => ({
            value,
            label: strategyName(value),
            description: tc(`strategyHelp.${value as 'turns'}`),
          }))}
        />
        <SwitchSetting path="context.confirm" />
        {SHARES.map(({ path, min, max }) => (
          <SliderSetting
            key={path}
            {...{ path, min, max }}
            step={0.01}
            show={formatPercent}
            more={ofWindow}
          />
        ))}
        <NumberSetting path="context.compact_threshold" />
        <SwitchSetting path="context.compact_on_new_task" />
        <NumberSetting path="context.keep_last_turns" />
        <NumberSetting path="context.max_attempts" />
      </Group>
      <Group title={t('context.summaries')}>
        <NumberSetting path="context.summary_keep_messages" />
        <TextSetting
          path="context.summary_prompt"
          placeholder={t('context.shippedPrompt')}
          reset={t('context.useShipped')}
        />
      </Group>
      <Group title={t('context.window')}>
        <NumberSetting path="context.window_tokens" />
        <NumberSetting path="context.reserved_tokens" />
      </Group>
      <Group title={t('context.sessionMemory')}>
        <NumberSetting path="context.session_memory.every_tokens" />
        <NumberSetting path="context.session_memory.every_tool_calls" />
        <SwitchSetting path="context.session_memory.by_model" />
        {context.session_memory.by_model && (
          <>
            <NumberSetting path="context.session_memory.model_budget_tokens" />
            <SliderSetting
              path="context.session_memory.model_from_ratio"
              min={0}
              max={1}
              step={0.05}
              show={formatPercent}
            />
          </>
        )}
      </Group>
      <Group title={t('context.checkpoints')}>
        <SelectSetting
          path="context.after_send_back"
          options={(['answer', 'patch', 'branch', 'none'] as const).map((value) => ({
            value,
            label: tc(`dmail.replay.${value}`),
          }))}
        />
        <NumberSetting path="context.checkpoints.keep" />
        <NumberSetting path="context.checkpoints.expire_after_days" />
      </Group>
      <Group title={t('context.tools')}>
        <SwitchSetting path="tools.enabled" />
        {TOOLS.map(({ switch: tool }) => (
          <SwitchSetting key={tool} path={`tools.${tool}`} disabled={!tools.enabled} />
        ))}
        <NumberSetting path="tools.max_steps" />
        <ModelRefusals />
      </Group>
    </>
  );
}

/**
 * Parameters that models refused, with the endpoint's message; one click sends them
 * again. Draws nothing if there are none.
 */
function ModelRefusals() {
  const { t } = useTranslation('context');
  const { chat } = useApp();
  const report = useReport();
  const refusals = useReadable(chat.modelRefusals);
  if (refusals.length === 0) return null;
  const nameOfRefused = (what: string) =>
    what === 'tools' || what === 'thoughts' || what === 'images' ? t(`refusals.${what}`) : nameOfRepair(what);
  return (
    <section aria-label={t('refusals.title')} className="py-3">
      <div className="flex items-start gap-6">
        <div className="min-w-0 flex-1">
          <p className="font-medium">{t('refusals.title')}</p>
          <p className="mt-0.5 text-ink-3 text-xs">{t('refusals.lead')}</p>
        </div>
        <Button size="sm" onClick={() => void chat.forgetModelRefusals().catch(report)}>
          {t('refusals.forget')}
        </Button>
      </div>
      <ul className="mt-2 space-y-1.5">
        {refusals.map(({ endpoint, model, detail, at, leftOut }) => (
          <li key={`${endpoint} ${model}`} className="[overflow-wrap:anywhere]">
            {model}
            <span className="block text-ink-3 text-xs">
              {t('refusals.without', { what: formatList(leftOut.map(nameOfRefused)) })}
              {' · '}
              {t(detail === '' ? 'refusals.seen' : 'refusals.said', {
                endpoint,
                detail,
                when: formatRelative(at),
              })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
