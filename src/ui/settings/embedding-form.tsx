// Chooses the embedding model. A change makes all vectors again, so it is a draft first and says what it will cost.
import { useId } from 'react';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatDuration } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useIndexStats } from '../memory/index-status.tsx';
import { Badge, Button, classes } from '../shell/controls.tsx';
import { LocalModelFields, RemoteModelFields } from './embedding-fields.tsx';
import { RadioTile } from './radio-tile.tsx';
import { Group, Refusal } from './rows.tsx';
import { type EmbeddingDraft, useEmbeddingDraft } from './use-embedding-draft.ts';

/** Messages a second that two ordinary cores embed in WASM; WebGPU is faster. Only for a rough estimate of the time. */
const USUAL_RATE: Readonly<Record<string, number>> = {
  'multilingual-e5-small-en-zh': 9,
  'all-MiniLM-L6-v2': 15,
};

export function EmbeddingForm() {
  const { t } = useTranslation('settings');
  const draft = useEmbeddingDraft();
  return (
    <Group title={t('field.embedding.label')}>
      <div className="space-y-5 py-2">
        <p className="text-ink-3 text-xs">{t('field.embedding.help')}</p>
        <ProviderChoice draft={draft} />
        {draft.remote ? (
          <RemoteModelFields draft={draft} remote={draft.remote} />
        ) : (
          <LocalModelFields draft={draft} />
        )}
        <div aria-live="polite">{draft.isChanged && <ApplyChange draft={draft} />}</div>
      </div>
    </Group>
  );
}

function ProviderChoice({ draft }: { draft: EmbeddingDraft }) {
  const { t } = useTranslation('settings');
  const name = useId();
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1.5 font-medium">{t('memory.provider')}</legend>
      {(['local', 'openai', 'custom'] as const).map((provider) => (
        <RadioTile
          key={provider}
          name={name}
          checked={draft.shown.provider === provider}
          onChange={() => draft.change({ provider })}
          label={
            <>
              {t(`memory.providers.${provider}.label`)}
              {draft.inForce.provider === provider && draft.isDrafted && <Badge>{t('memory.inForce')}</Badge>}
            </>
          }
          help={t(`memory.providers.${provider}.help`)}
        />
      ))}
    </fieldset>
  );
}

/** Shows the cost of the change or why it was refused, and the buttons to apply or discard it. */
function ApplyChange({ draft }: { draft: EmbeddingDraft }) {
  const { t } = useTranslation('settings');
  const { shown, remote, changesVectors } = draft;
  const { messages, rate } = useEmbeddingWork(draft);
  return (
    <div className="rounded-lg border border-memory-line bg-memory-soft px-4 py-3">
      {changesVectors && (
        <p>
          {sentences(
            messages > 0 ? t('memory.consequence', { count: messages }) : t('memory.consequenceNone'),
            messages > 0 &&
              remote === null &&
              rate !== undefined &&
              t('memory.consequenceTime', { time: formatDuration((messages / rate) * 1000) }),
            remote && t('memory.consequenceRemote', { host: hostOf(shown[remote].base_url) }),
          )}
        </p>
      )}
      <Refusal problem={draft.problem} />
      <div className={classes('flex flex-wrap gap-2', changesVectors && 'mt-3')}>
        <Button variant="primary" size="sm" busy={draft.isSaving} onClick={draft.apply}>
          {changesVectors ? t('memory.apply') : t('models.save')}
        </Button>
        <Button size="sm" onClick={draft.discard}>
          {t('memory.discard')}
        </Button>
      </div>
    </div>
  );
}

/** Messages to embed again, and how many a second; undefined while unknown. */
function useEmbeddingWork({ shown, inForce }: EmbeddingDraft): {
  messages: number;
  rate: number | undefined;
} {
  const { memory, documents } = useApp();
  const measured = useReadable(memory.status, (status) => status.rate);
  const stats = useIndexStats();
  // Known at once; the figures of the index arrive later.
  const said = useReadable(documents.library, (library) =>
    library.entries.reduce((sum, entry) => sum + (entry.deletedAt === null ? entry.messageCount : 0), 0),
  );
  return {
    messages: Math.max(stats?.messages ?? 0, said),
    rate: measured > 0 && shown.provider === inForce.provider ? measured : USUAL_RATE[shown.local.model],
  };
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
