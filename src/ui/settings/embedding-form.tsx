// The model that makes vectors. Changing it means making all of them again, so it is drafted first and says what it will cost.
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BUNDLED_MODELS } from '../../adapters/embedding/bundled-models.ts';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import type { Config } from '../../domain/settings/config.ts';
import { originOf } from '../../services/settings/keys.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatDuration } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useIndexStats } from '../memory/index-status.tsx';
import { Badge, Button, classes, Field, Select, TextField } from '../shell/controls.tsx';
import { Group, Refusal } from './rows.tsx';

type Embedding = Config['embedding'];
type Remote = 'openai' | 'custom';

const OTHER = 'other';
/** Messages a second that two ordinary cores embed in WASM; WebGPU is faster. For a rough idea of the time only. */
const USUAL_RATE: Readonly<Record<string, number>> = {
  'multilingual-e5-small-en-zh': 9,
  'all-MiniLM-L6-v2': 15,
};

export function EmbeddingForm() {
  const { t } = useTranslation('settings');
  const { settings, memory, documents } = useApp();
  const inForce = useReadable(settings.config, (config) => config.embedding);
  const rate = useReadable(memory.status, (status) => status.rate);
  const stats = useIndexStats();
  // Known at once; the figures of the index come later.
  const said = useReadable(documents.library, (library) =>
    library.entries.reduce((sum, entry) => sum + (entry.deletedAt === null ? entry.messageCount : 0), 0),
  );
  const [draft, setDraft] = useState<Embedding | null>(null);
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [saving, setSaving] = useState(false);
  const name = useId();
  const now = draft ?? inForce;
  const { local } = now;
  const bundled = local.source === 'bundled' && BUNDLED_MODELS.some((model) => model.id === local.model);
  const remote: Remote | null = now.provider === 'local' ? null : now.provider;

  /** Origin that the kept key belongs to. */
  const [kept, setKept] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is in force changes when a key was kept, too
  useEffect(() => {
    let gone = false;
    setKept(null);
    if (remote !== null)
      settings.keyOrigin(`embedding/${remote}`).then(
        (origin) => {
          if (!gone) setKept(origin);
        },
        // A vault that cannot be opened says so where a key is needed.
        () => {},
      );
    return () => {
      gone = true;
    };
  }, [settings, remote, saving]);

  const change = (next: Partial<Embedding>) => {
    setProblem(null);
    setDraft({ ...now, ...next });
  };
  const changeLocal = (next: Partial<Embedding['local']>) => change({ local: { ...local, ...next } });
  const changeRemote = (which: Remote, next: Partial<Embedding[Remote]>) =>
    change({ [which]: { ...now[which], ...next } });

  const changed = key !== '' || JSON.stringify(now) !== JSON.stringify(inForce);
  const modelOf = (embedding: Embedding) =>
    embedding.provider === 'local'
      ? `local ${embedding.local.model} ${embedding.local.source} ${embedding.local.passage_prefix}`
      : `${embedding.provider} ${JSON.stringify(embedding[embedding.provider])}`;
  const remade = modelOf(now) !== modelOf(inForce);
  const messages = Math.max(stats?.messages ?? 0, said);
  const pace = rate > 0 && now.provider === inForce.provider ? rate : USUAL_RATE[local.model];

  const forgetKey = (which: Remote) => {
    settings.forgetKey(`embedding/${which}`).then(
      () => setKept(null),
      (error: unknown) => setProblem(toProblem(error)),
    );
  };

  const apply = () => {
    setSaving(true);
    setProblem(null);
    // A configuration file may carry a key, which goes into the vault; JSON is YAML. All of it is kept or none.
    const withKey =
      remote !== null && key !== ''
        ? settings.importYaml(
            JSON.stringify({ embedding: { ...now, [remote]: { ...now[remote], api_key: key } } }),
          )
        : settings.set('embedding', now);
    withKey.then(
      () => {
        // The service that refused another key is not asked again by itself for minutes.
        if (key !== '') memory.wake('now');
        setSaving(false);
        setDraft(null);
        setKey('');
      },
      (error: unknown) => {
        setSaving(false);
        setProblem(toProblem(error));
      },
    );
  };

  const tile = (checked: boolean) =>
    classes(
      'flex cursor-pointer items-start gap-3 rounded-lg border px-3.5 py-2.5 has-focus-visible:outline-2 has-focus-visible:outline-accent',
      checked ? 'border-accent bg-accent-soft' : 'border-line hover:border-line-strong hover:bg-side',
    );
  const radio = (group: string, checked: boolean, onChange: () => void, label: ReactNode, help: string) => (
    <label className={tile(checked)}>
      <input
        type="radio"
        name={`${name} ${group}`}
        checked={checked}
        onChange={onChange}
        className="mt-0.5 size-4 shrink-0 accent-accent outline-none"
      />
      <span className="min-w-0">
        <span className="flex flex-wrap items-center gap-2 font-medium">{label}</span>
        <span className={classes('block text-xs', checked ? 'text-ink-2' : 'text-ink-3')}>{help}</span>
      </span>
    </label>
  );

  return (
    <Group title={t('field.embedding.label')}>
      <div className="space-y-5 py-2">
        <p className="text-ink-3 text-xs">{t('field.embedding.help')}</p>
        <fieldset className="space-y-2">
          <legend className="mb-1.5 font-medium">{t('memory.provider')}</legend>
          {(['local', 'openai', 'custom'] as const).map((provider) => (
            <div key={provider}>
              {radio(
                'provider',
                now.provider === provider,
                () => change({ provider }),
                <>
                  {t(`memory.providers.${provider}.label`)}
                  {inForce.provider === provider && draft && <Badge>{t('memory.inForce')}</Badge>}
                </>,
                t(`memory.providers.${provider}.help`),
              )}
            </div>
          ))}
        </fieldset>

        {now.provider === 'local' && (
          <>
            <fieldset className="space-y-2">
              <legend className="mb-1.5 font-medium">{t('memory.localModel')}</legend>
              {BUNDLED_MODELS.map((model) => (
                <div key={model.id}>
                  {radio(
                    'model',
                    bundled && local.model === model.id,
                    () =>
                      changeLocal({
                        model: model.id,
                        source: 'bundled',
                        query_prefix: 'auto',
                        passage_prefix: 'auto',
                      }),
                    <>
                      {t(`memory.models.${model.id}.label`)}
                      {inForce.local.model === model.id && draft && <Badge>{t('memory.inForce')}</Badge>}
                    </>,
                    t(`memory.models.${model.id}.help`),
                  )}
                </div>
              ))}
              {radio(
                'model',
                !bundled,
                () => changeLocal({ source: 'hub', model: inForceHub(inForce) }),
                t(`memory.models.${OTHER}.label`),
                t(`memory.models.${OTHER}.help`),
              )}
            </fieldset>
            {!bundled && (
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
                      value={local.source === 'hub' || local.source === 'bundled' ? 'hub' : 'url'}
                      options={[
                        { value: 'hub', label: t('memory.sources.hub') },
                        { value: 'url', label: t('memory.sources.url') },
                      ]}
                      onValueChange={(value) => changeLocal({ source: value === 'hub' ? 'hub' : 'https://' })}
                      className="w-full"
                    />
                  )}
                </Field>
                {local.source !== 'hub' && local.source !== 'bundled' && (
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
            )}
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
          </>
        )}

        {remote && (
          <div className="grid gap-4 @md:grid-cols-2">
            <TextField
              className="@md:col-span-2"
              label={t('models.baseUrl')}
              hint={t('models.baseUrlHelp')}
              value={now[remote].base_url}
              onChange={(event) => changeRemote(remote, { base_url: event.target.value })}
              type="url"
              placeholder="https://…/v1"
              spellCheck={false}
              inputClassName="font-mono"
            />
            <TextField
              label={t('memory.remoteModel')}
              value={now[remote].model}
              onChange={(event) => changeRemote(remote, { model: event.target.value })}
              spellCheck={false}
              inputClassName="font-mono"
            />
            <TextField
              label={t('memory.dimensions')}
              inputMode="numeric"
              value={String(now[remote].dimensions)}
              onChange={(event) => changeRemote(remote, { dimensions: numberOf(event.target.value) })}
            />
            <TextField
              className={kept === null ? '@md:col-span-2' : ''}
              label={t('memory.key')}
              hint={
                kept === null
                  ? t('memory.keyHelp')
                  : kept === originOf(now[remote].base_url)
                    ? t('models.keyKept')
                    : t('models.keyElsewhere', { origin: kept })
              }
              value={key}
              onChange={(event) => setKey(event.target.value)}
              type="password"
              autoComplete="off"
              spellCheck={false}
              inputClassName="font-mono"
            />
            {kept !== null && (
              <div className="self-center">
                <Button size="sm" variant="ghost" onClick={() => forgetKey(remote)}>
                  {t('models.forgetKey')}
                </Button>
              </div>
            )}
          </div>
        )}

        <div aria-live="polite">
          {changed && (
            <div className="rounded-lg border border-memory-line bg-memory-soft px-4 py-3">
              {remade && (
                <p>
                  {sentences(
                    messages > 0 ? t('memory.consequence', { count: messages }) : t('memory.consequenceNone'),
                    messages > 0 &&
                      now.provider === 'local' &&
                      pace !== undefined &&
                      t('memory.consequenceTime', { time: formatDuration((messages / pace) * 1000) }),
                    remote && t('memory.consequenceRemote', { host: hostOf(now[remote].base_url) }),
                  )}
                </p>
              )}
              <Refusal problem={problem} />
              <div className={classes('flex flex-wrap gap-2', remade && 'mt-3')}>
                <Button variant="primary" size="sm" busy={saving} onClick={apply}>
                  {remade ? t('memory.apply') : t('models.save')}
                </Button>
                <Button
                  size="sm"
                  onClick={() => {
                    setDraft(null);
                    setKey('');
                    setProblem(null);
                  }}
                >
                  {t('memory.discard')}
                </Button>
              </div>
            </div>
          )}
        </div>
      </div>
    </Group>
  );
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
/** What is not a number is refused by the settings with the sentence that says what is allowed. */
const numberOf = (text: string): number => (text.trim() === '' ? 0 : Number(text));
const inForceHub = (embedding: Embedding): string =>
  embedding.local.source === 'bundled' ? '' : embedding.local.model;
