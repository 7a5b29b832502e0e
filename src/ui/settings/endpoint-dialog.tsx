// Dialog for one endpoint: address, key, a test that explains itself, and the choice of models.
// Typed text is discarded only on purpose.
import { Check } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
import { hostOf } from '../../adapters/models/chat-model.ts';
import { originOf } from '../../services/settings/keys.ts';
import { OFFER_ALL } from '../../services/settings/settings.ts';
import { formatDuration } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Select } from '../shell/controls/select.tsx';
import { Button, Dialog, Field, Spinner, TextField } from '../shell/controls.tsx';
import { SecretField } from '../shell/secret-field.tsx';
import { BrowserModelForm } from './browser-model.tsx';
import { CorsHint, Offered, ParameterFields, PriceFields, TestProblem } from './endpoint-fields.tsx';
import { type ConnectedModel, type EndpointForm, useEndpointForm, withFieldLeft } from './endpoint-form.ts';
import { type EndpointDraft, presetOf, titleOf } from './endpoint-presets.ts';
import { Refusal } from './rows.tsx';

/** `onClose` gets the model that answers from now on, if one was connected. */
export function EndpointDialog({
  draft,
  onClose,
}: {
  draft: EndpointDraft | null;
  onClose: (connected?: ConnectedModel) => void;
}) {
  const { t } = useTranslation('settings');
  if (!draft) return null;
  const preset = draft.kind === 'new' ? draft.preset : presetOf(draft.endpoint);
  const title = draft.kind === 'edit' ? draft.endpoint.label : preset ? titleOf(preset, t) : '';
  if (preset?.protocol !== 'browser') return <FormOfEndpoint draft={draft} title={title} onClose={onClose} />;
  return (
    <Dialog open onOpenChange={() => onClose()} title={title}>
      <BrowserModelForm
        before={draft.kind === 'edit' ? draft.endpoint : null}
        label={title}
        onClose={(model) => onClose(model === undefined ? undefined : { model, test: 'worked' })}
      />
    </Dialog>
  );
}

function FormOfEndpoint({
  draft,
  title,
  onClose,
}: {
  draft: EndpointDraft;
  title: string;
  onClose: (connected?: ConnectedModel) => void;
}) {
  const { t } = useTranslation('settings');
  const id = useId();
  const form = useEndpointForm(draft, onClose);
  const { state, change } = form;
  return (
    <Dialog
      open
      onOpenChange={() => onClose()}
      title={title}
      guarded
      footer={
        <>
          <Button onClick={() => onClose()}>{t('cancel')}</Button>
          <Button type="submit" form={id} variant="primary" busy={state.saving}>
            {state.model.name.trim() === '' ? t('models.save') : t('models.connect')}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={form.save} className="space-y-4" noValidate>
        <AddressAndKey form={form} />
        {form.preset?.cors && <CorsHint cors={form.preset.cors} />}
        <TestRow form={form} />
        <ModelField form={form} />
        <TextField
          label={t('models.name')}
          value={state.label}
          onChange={(event) => change({ label: event.target.value })}
          // Name to use if nothing is typed.
          placeholder={form.named === '' ? hostOf(form.url) : undefined}
          error={state.missing === 'name' ? t('models.needName') : undefined}
          autoComplete="off"
        />
        <PriceFields
          value={state.priced}
          onChange={(priced) => change({ priced, missing: null })}
          refused={state.missing === 'price'}
        />
        <ParameterFields
          value={state.tuned}
          onChange={(tuned) => change({ tuned, untuned: null })}
          refused={state.untuned}
        />
        <Refusal problem={state.problem} />
      </form>
    </Dialog>
  );
}

function AddressAndKey({ form }: { form: EndpointForm }) {
  const { t } = useTranslation('settings');
  const { state, change, preset, before, given, url } = form;
  const { kept } = state;
  const keyField = useRef<HTMLDivElement>(null);
  const keyFits = kept !== null && kept === originOf(url);
  const keyHint = keyFits
    ? t('models.keyKept')
    : kept !== null
      ? t('models.keyForOther', { origin: kept })
      : sentences(
          preset?.key === 'none' ? t('models.keyNone') : preset?.key === 'maybe' ? t('models.keyMaybe') : '',
          preset?.keyFrom ? t('models.keyFrom', { place: preset.keyFrom }) : '',
          t('models.keyHelp'),
        );
  // Focuses the first field of a new endpoint that has to be typed.
  const begins = before !== null ? null : given === '' ? 'url' : preset?.key === 'none' ? null : 'key';
  return (
    <>
      <TextField
        label={t('models.baseUrl')}
        hint={t('models.baseUrlHelp')}
        value={state.baseUrl}
        onChange={(event) => {
          change({ baseUrl: event.target.value, missing: null });
        }}
        error={state.missing === 'url' ? t('models.needUrl') : undefined}
        type="url"
        inputMode="url"
        placeholder={preset?.id === 'azure' ? 'https://….openai.azure.com/openai/v1' : 'https://…/v1'}
        {...(begins === 'url' ? { 'data-first-focus': '' } : {})}
        autoComplete="off"
        spellCheck={false}
        inputClassName="font-mono"
      />
      <div ref={keyField}>
        <SecretField
          label={t('models.key')}
          hint={keyHint}
          value={state.key}
          onChange={(event) => change({ key: event.target.value })}
          autoComplete="off"
          data-1p-ignore
          placeholder={keyFits ? '••••••••' : ''}
          {...(begins === 'key' ? { 'data-first-focus': '' } : {})}
          inputClassName="font-mono"
        />
        {kept !== null && (
          <Button
            size="sm"
            variant="ghost"
            className="mt-1 -ml-2.5"
            onClick={() => form.forget(() => keyField.current?.querySelector('input')?.focus())}
          >
            {t('models.forgetKey')}
          </Button>
        )}
      </div>
    </>
  );
}

function TestRow({ form }: { form: EndpointForm }) {
  const { t } = useTranslation('settings');
  const { change, preset, url, test } = form;
  const { model } = form.state;
  return (
    <div>
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => form.ask()} disabled={test instanceof AbortController}>
          {t('models.test')}
        </Button>
        <div role="status" className="min-w-[min(14rem,100%)] flex-1">
          {test instanceof AbortController && (
            <Spinner within label={t('models.testing', { host: hostOf(url) })} className="text-ink-2" />
          )}
          {test !== null && 'ok' in test && test.ok && (
            <p className="flex items-center gap-2">
              <Check size={16} aria-hidden className="shrink-0" />
              {test.models.length > 0
                ? t('models.testOk', {
                    count: test.models.length,
                    time: formatDuration(Math.max(100, test.tookMs)),
                  })
                : t(preset?.id === 'ollama' ? 'models.testOkOllama' : 'models.testOkNone')}
            </p>
          )}
          {test !== null && 'ok' in test && test.ok && model.name !== '' && !model.byHand && (
            <p className="pl-6 text-ink-2 [overflow-wrap:anywhere]">
              {t('models.testChose', { model: model.name })}
            </p>
          )}
        </div>
      </div>
      {test !== null && 'ok' in test && !test.ok && (
        <TestProblem
          problem={test.problem}
          onSuggestion={(suggestion) => {
            change({ baseUrl: suggestion });
            form.ask(suggestion);
          }}
        />
      )}
    </div>
  );
}

function ModelField({ form }: { form: EndpointForm }) {
  const { t } = useTranslation('settings');
  const { change, test } = form;
  const { models, offered, model, missing } = form.state;
  const list = useId();
  const place = useRef<HTMLDivElement>(null);
  const isListed = test !== null && 'ok' in test && test.ok;
  // Scrolls to the chosen model, which a phone could hide below the fold although it will answer.
  useEffect(() => {
    if (isListed) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isListed]);
  return (
    <>
      {models.length > OFFER_ALL && (
        <Offered
          models={models}
          offered={offered}
          onChange={(offered) => change({ offered, missing: null })}
        />
      )}
      <div ref={place} className="scroll-mb-4 space-y-4">
        {models.length > 0 && models.length <= OFFER_ALL && !model.byHand ? (
          <Field label={t('models.defaultModel')}>
            {(ids) => (
              <Select
                id={ids.id}
                label={t('models.defaultModel')}
                value={model.name === '' ? undefined : model.name}
                placeholder={t('models.chooseModel')}
                options={models.map((name) => ({ value: name, label: name }))}
                onValueChange={(name) => change({ model: { name, byHand: false }, missing: null })}
                className="w-full"
              />
            )}
          </Field>
        ) : (
          <>
            <TextField
              label={t('models.defaultModel')}
              value={model.name}
              // The list must not take the field's place while a person is in it.
              onFocus={() => change({ model: { name: model.name, byHand: true } })}
              onBlur={() => change((now) => withFieldLeft(now, { isNew: form.before === null }))}
              onChange={({ target }) =>
                change({ model: { name: target.value, byHand: true }, missing: null })
              }
              list={list}
              autoComplete="off"
              spellCheck={false}
              hint={models.length === 0 ? t('models.modelsTyped') : undefined}
              error={missing === 'model' ? t('models.needModel') : undefined}
              inputClassName="font-mono"
            />
            <datalist id={list}>
              {models.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
        {missing === 'model' && models.length > 0 && !model.byHand && (
          <p role="alert" className="text-danger text-xs">
            {t('models.needModel')}
          </p>
        )}
      </div>
    </>
  );
}
