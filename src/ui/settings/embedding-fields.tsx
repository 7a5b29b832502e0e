// Fields of an embedding model: on this device, or from a service.
import { useId } from 'react';
import { BUNDLED_MODELS } from '../../adapters/embedding/bundled-models.ts';
import { originOf } from '../../services/settings/keys.ts';
import { wordsFor } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Select } from '../shell/controls/select.tsx';
import { Badge, Button, Field, TextField } from '../shell/controls.tsx';
import { SecretField } from '../shell/secret-field.tsx';
import { RadioTile } from './radio-tile.tsx';
import type { Embedding, EmbeddingDraft, RemoteProvider } from './use-embedding-draft.ts';

/** Chooses a model on this device and how it runs. */
export function LocalModelFields({ draft }: { draft: EmbeddingDraft }) {
  const { local } = draft.shown;
  const isBundled = local.source === 'bundled' && BUNDLED_MODELS.some((model) => model.id === local.model);
  return (
    <>
      <LocalModelChoice draft={draft} isBundled={isBundled} />
      {!isBundled && <OwnModelFields draft={draft} />}
      <RunFields draft={draft} />
    </>
  );
}

function LocalModelChoice({ draft, isBundled }: { draft: EmbeddingDraft; isBundled: boolean }) {
  const { t } = useTranslation('settings');
  const name = useId();
  const { inForce, isDrafted, changeLocal } = draft;
  const chosen = draft.shown.local.model;
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1.5 font-medium">{t('memory.localModel')}</legend>
      {BUNDLED_MODELS.map(({ id }) => (
        <RadioTile
          key={id}
          name={name}
          checked={isBundled && chosen === id}
          onChange={() =>
            changeLocal({ model: id, source: 'bundled', query_prefix: 'auto', passage_prefix: 'auto' })
          }
          label={
            <>
              {wordsFor('settings', `memory.models.${id}.label`) ?? id}
              {inForce.local.model === id && isDrafted && <Badge>{t('memory.inForce')}</Badge>}
            </>
          }
          help={wordsFor('settings', `memory.models.${id}.help`) ?? ''}
        />
      ))}
      <RadioTile
        name={name}
        checked={!isBundled}
        onChange={() =>
          changeLocal({
            source: 'hub',
            model: inForce.local.source === 'bundled' ? '' : inForce.local.model,
          })
        }
        label={t('memory.models.other.label')}
        help={t('memory.models.other.help')}
      />
    </fieldset>
  );
}

/** A model that does not ship with the app: its source, and the prefixes of its texts. */
function OwnModelFields({ draft }: { draft: EmbeddingDraft }) {
  const { t } = useTranslation('settings');
  const { changeLocal } = draft;
  const { local } = draft.shown;
  const isFromHub = local.source === 'hub' || local.source === 'bundled';
  return (
    <div className="grid gap-4 @md:grid-cols-2">
      <TextField
        className="@md:col-span-2"
        label={t('memory.hubId')}
        hint={t('memory.hubIdHelp')}
        value={local.model}
        onChange={(event) => changeLocal({ model: event.target.value })}
        spellCheck={false}
        inputClassName="font-mono"
      />
      <Field label={t('memory.source')} className="@md:col-span-2">
        {(ids) => (
          <Select
            {...ids}
            label={t('memory.source')}
            value={isFromHub ? 'hub' : 'url'}
            options={[
              { value: 'hub', label: t('memory.sources.hub') },
              { value: 'url', label: t('memory.sources.url') },
            ]}
            onValueChange={(value) => changeLocal({ source: value === 'hub' ? 'hub' : 'https://' })}
            className="w-full"
          />
        )}
      </Field>
      {!isFromHub && (
        <TextField
          className="@md:col-span-2"
          label={t('memory.sourceUrl')}
          value={local.source}
          onChange={(event) => changeLocal({ source: event.target.value })}
          type="url"
          spellCheck={false}
          inputClassName="font-mono"
        />
      )}
      <TextField
        label={t('memory.queryPrefix')}
        hint={t('memory.prefixHelp')}
        value={local.query_prefix}
        onChange={(event) => changeLocal({ query_prefix: event.target.value })}
        spellCheck={false}
        inputClassName="font-mono"
      />
      <TextField
        label={t('memory.passagePrefix')}
        value={local.passage_prefix}
        onChange={(event) => changeLocal({ passage_prefix: event.target.value })}
        spellCheck={false}
        inputClassName="font-mono"
      />
    </div>
  );
}

function RunFields({ draft }: { draft: EmbeddingDraft }) {
  const { t } = useTranslation('settings');
  const { changeLocal } = draft;
  const { local } = draft.shown;
  return (
    <div className="grid gap-4 @md:grid-cols-2">
      <Field label={t('memory.device')}>
        {(ids) => (
          <Select
            {...ids}
            label={t('memory.device')}
            value={local.device}
            options={(['auto', 'webgpu', 'wasm'] as const).map((value) => ({
              value,
              label: t(`memory.devices.${value}`),
            }))}
            onValueChange={(device) => changeLocal({ device })}
            className="w-full"
          />
        )}
      </Field>
      <TextField
        label={t('memory.batch')}
        inputMode="numeric"
        value={String(local.batch_size)}
        onChange={(event) => changeLocal({ batch_size: numberOf(event.target.value) })}
      />
    </div>
  );
}

/** Address, model and key of a service. */
export function RemoteModelFields({ draft, remote }: { draft: EmbeddingDraft; remote: RemoteProvider }) {
  const { t } = useTranslation('settings');
  const { changeRemote, key, keptKeyOrigin } = draft;
  const service: Embedding[RemoteProvider] = draft.shown[remote];
  return (
    <div className="grid gap-4 @md:grid-cols-2">
      <TextField
        className="@md:col-span-2"
        label={t('models.baseUrl')}
        hint={t('models.baseUrlHelp')}
        value={service.base_url}
        onChange={(event) => changeRemote({ base_url: event.target.value })}
        type="url"
        placeholder="https://…/v1"
        spellCheck={false}
        inputClassName="font-mono"
      />
      <TextField
        label={t('memory.remoteModel')}
        value={service.model}
        onChange={(event) => changeRemote({ model: event.target.value })}
        spellCheck={false}
        inputClassName="font-mono"
      />
      <TextField
        label={t('memory.dimensions')}
        inputMode="numeric"
        value={String(service.dimensions)}
        onChange={(event) => changeRemote({ dimensions: numberOf(event.target.value) })}
      />
      <SecretField
        className={keptKeyOrigin === null ? '@md:col-span-2' : ''}
        label={t('memory.key')}
        hint={
          keptKeyOrigin === null
            ? t('memory.keyHelp')
            : keptKeyOrigin === originOf(service.base_url)
              ? t('models.keyKept')
              : t('models.keyForOther', { origin: keptKeyOrigin })
        }
        value={key}
        onChange={(event) => draft.setKey(event.target.value)}
        autoComplete="off"
        inputClassName="font-mono"
      />
      {keptKeyOrigin !== null && (
        <div className="self-center">
          <Button size="sm" variant="ghost" onClick={draft.forgetKey}>
            {t('models.forgetKey')}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Settings reject text that is not a number, with a sentence that says what is allowed. */
const numberOf = (text: string): number => (text.trim() === '' ? 0 : Number(text));
