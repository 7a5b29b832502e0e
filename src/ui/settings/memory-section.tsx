// Settings of memory: recall, ranking, limits, when to read, and the embedding model.

import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { formatPercent } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { formatScore } from '../memory/scores.tsx';
import { EmbeddingForm } from './embedding-form.tsx';
import {
  Group,
  NumberSetting,
  SelectSetting,
  Slider,
  SliderSetting,
  SwitchSetting,
  useSetting,
} from './rows.tsx';

export function MemorySection() {
  const { t } = useTranslation('settings');
  const navigation = useNavigation();
  const auto = useReadable(useApp().settings.config, (config) => config.recall.auto_recall.enabled);
  const proposes = useReadable(useApp().settings.config, (config) => config.notes.propose);
  return (
    <>
      <Group title={t('memory.auto')}>
        <SwitchSetting path="recall.auto_recall.enabled" />
        <SwitchSetting path="recall.auto_recall.trigger_on_start" disabled={!auto} />
        <SliderSetting
          path="recall.auto_recall.min_similarity"
          min={0}
          max={1}
          step={0.01}
          show={formatScore}
        />
        <SliderSetting
          path="recall.auto_recall.trigger_token_threshold"
          min={0}
          max={1}
          step={0.05}
          show={formatPercent}
        />
      </Group>
      <Group title={t('memory.notes')}>
        <SwitchSetting path="notes.propose" />
        <SwitchSetting path="notes.propose_by_model" disabled={!proposes} />
        <NumberSetting path="notes.model_tokens_per_day" />
        <SwitchSetting path="notes.accept" disabled={!proposes} />
        <SwitchSetting path="notes.apply" />
        <NumberSetting path="notes.apply_max_tokens" />
      </Group>
      <Group title={t('memory.ranking')}>
        <Weights />
        <SliderSetting path="recall.filters.min_similarity" min={0} max={1} step={0.01} show={formatScore} />
        <SliderSetting
          path="recall.filters.time_decay_factor"
          min={0}
          max={0.01}
          step={0.0005}
          show={(value) => String(Number(value.toFixed(4)))}
          more={(value) => t('memory.decayAfter', { share: formatPercent(Math.exp(-value * 365)) })}
        />
        <SwitchSetting path="recall.filters.exclude_current_session" />
      </Group>
      <Group title={t('memory.limits')}>
        <NumberSetting path="recall.filters.max_results" />
        <NumberSetting path="recall.context.max_messages_per_session" />
        <NumberSetting path="recall.context.max_total_tokens" />
      </Group>
      <Group title={t('memory.indexing')}>
        <NumberSetting path="indexing.every_messages" />
        <NumberSetting path="indexing.max_age_minutes" />
        <SwitchSetting path="indexing.on_end" />
        <SelectSetting
          path="indexing.summaries"
          options={(['extractive', 'model'] as const).map((value) => ({
            value,
            label: t(`memory.summaries.${value}`),
          }))}
        />
      </Group>
      <EmbeddingForm />
      <button
        type="button"
        onClick={() => navigation.openScreen('memory', 'index')}
        className="touchable rounded-xs text-accent hover:underline"
      >
        {t('memory.openMemory')}
      </button>
    </>
  );
}

/** The weights of meaning and words as one slider, since they always add up to one. */
function Weights() {
  const { t } = useTranslation('settings');
  const { value, set, problem } = useSetting<{ vector: number; keyword: number }>('recall.hybrid_weights');
  const total = value.vector + value.keyword;
  const words = total > 0 ? value.keyword / total : 0.5;
  const say = (share: number) =>
    t('memory.weights', { vector: formatPercent(1 - share), keyword: formatPercent(share) });
  return (
    <Slider
      label={t('field.recall.hybrid_weights.label')}
      help={(share) => sentences(t('field.recall.hybrid_weights.help'), say(share))}
      min={0}
      max={1}
      step={0.05}
      value={Number(words.toFixed(2))}
      show={(share) => `${Math.round((1 - share) * 100)} / ${Math.round(share * 100)}`}
      problem={problem}
      onKeep={(share) =>
        void set({ vector: Number((1 - share).toFixed(2)), keyword: Number(share.toFixed(2)) })
      }
    />
  );
}
