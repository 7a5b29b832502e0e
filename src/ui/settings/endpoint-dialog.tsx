// One endpoint: address, key, a test that explains itself, and which of its models to offer.
import { Check, Copy } from 'lucide-react';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectionReport, Endpoint } from '../../adapters/models/chat-model.ts';
import { type EndpointPreset, PRESETS } from '../../adapters/models/presets.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { endpointKey, originOf } from '../../services/settings/keys.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatDuration } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import {
  Button,
  classes,
  Dialog,
  Field,
  IconButton,
  Select,
  Spinner,
  TextArea,
  TextField,
} from '../shell/controls.tsx';
import { useCopy, useProblemWords } from '../shell/problem-notice.tsx';
import { hostOf, nameFor, typedName } from './endpoint-name.ts';
import {
  isRefusal,
  PARAMETER_FIELDS,
  type ParameterField,
  type ParameterRefusal,
  type ParameterWords,
  parametersFrom,
  parameterWords,
} from './endpoint-parameters.ts';
import { CURRENCIES, type PriceWords, priceFrom, priceWords } from './endpoint-price.ts';
import { type Draft, plainLabel, presetOf } from './models-section.tsx';
import { FIELD, Refusal } from './rows.tsx';

/** What endpoints call how long a model may think; others can be typed. */
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
/** Lists longer than this are not offered as a whole: the picker would be a phone book. */
const OFFER_ALL = 40;
/** Names of models that turn words into something else. */
const NOT_FOR_WORDS = /embed|rerank|whisper|tts|speech|audio|dall-e|image|moderation/i;

export function EndpointDialog({ draft, onClose }: { draft: Draft | null; onClose: () => void }) {
  const { t } = useTranslation('settings');
  // The last one stays drawn while the window closes.
  const last = useRef(draft);
  if (draft) last.current = draft;
  const shown = draft ?? last.current;
  const preset = shown?.kind === 'new' ? shown.preset : shown ? presetOf(shown.endpoint) : undefined;
  const title =
    shown?.kind === 'edit'
      ? shown.endpoint.label
      : preset?.id === 'custom'
        ? t('models.customLabel')
        : preset
          ? plainLabel(preset)
          : '';
  return (
    <Dialog open={draft !== null} onOpenChange={onClose} title={title} size="md" hideTitle={false}>
      {shown && (
        <EndpointForm
          key={shown.kind === 'new' ? `new ${shown.preset.id}` : shown.endpoint.id}
          draft={shown}
          preset={preset}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

/** An id that says where it came from and is not taken. */
function freeId(preset: EndpointPreset, taken: readonly Endpoint[]): string {
  for (let at = 1; ; at++) {
    const id = at === 1 ? preset.id : `${preset.id}-${at}`;
    if (!taken.some((endpoint) => endpoint.id === id)) return id;
  }
}

function EndpointForm({
  draft,
  preset,
  onClose,
}: {
  draft: Draft;
  preset: EndpointPreset | undefined;
  onClose: () => void;
}) {
  const { t } = useTranslation('settings');
  const { settings } = useApp();
  const { endpoints, chosen } = useReadable(settings.connections);
  const before = draft.kind === 'edit' ? draft.endpoint : null;
  // Free now, not when the window opened: another tab may have connected one meanwhile.
  const id = before?.id ?? freeId(preset ?? (PRESETS.at(-1) as EndpointPreset), endpoints);
  const named = before ? typedName(before) : preset && preset.id !== 'custom' ? plainLabel(preset) : '';
  const [label, setLabel] = useState(named);
  const [given] = useState(before?.baseUrl ?? preset?.baseUrl ?? '');
  const [baseUrl, setBaseUrl] = useState(given);
  const [key, setKey] = useState('');
  /** Origin that the kept key belongs to. */
  const [kept, setKept] = useState<string | null>(null);
  const [models, setModels] = useState<readonly string[]>(before?.models ?? []);
  const [offered, setOffered] = useState<readonly string[]>(before?.models ?? []);
  // Who has begun to type a name keeps name and field, whatever list arrives meanwhile.
  const [model, setModel] = useState({
    name: chosen?.endpointId === id ? chosen.model : '',
    byHand: false,
  });
  const [test, setTest] = useState<AbortController | ConnectionReport | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [missing, setMissing] = useState<'url' | 'name' | 'price' | null>(null);
  const [priced, setPriced] = useState<PriceWords>(() => priceWords(before?.price));
  const [tuned, setTuned] = useState<ParameterWords>(() => parameterWords(before?.parameters));
  const [untuned, setUntuned] = useState<ParameterRefusal | null>(null);
  const [saving, setSaving] = useState(false);
  const listedAt = useRef(before?.baseUrl);
  const list = useId();

  useEffect(() => {
    if (before) settings.keyOrigin(endpointKey(before.id)).then(setKept, () => {});
  }, [settings, before]);
  // A test that nobody waits for any more is not finished.
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const url = baseUrl.trim().replace(/\/+$/, '');
  const price = priceFrom(priced);
  const parameters = parametersFrom(tuned);
  const endpoint = (offer: readonly string[]): Endpoint => ({
    id,
    label: nameFor(label, url),
    baseUrl: url,
    models: offer,
    ...((before ? before.protocol : preset?.protocol)
      ? { protocol: before ? before.protocol : preset?.protocol }
      : {}),
    ...(price ? { price } : {}),
    ...(parameters && !isRefusal(parameters) ? { parameters } : {}),
  });
  const ask = (address = url) => {
    if (address === '') return setMissing('url');
    running.current?.abort();
    const asking = new AbortController();
    running.current = asking;
    setTest(asking);
    settings
      .test({ ...endpoint(offered), baseUrl: address }, key === '' ? undefined : key, asking.signal)
      .then(
        (report) => {
          if (asking.signal.aborted) return;
          setTest(report);
          if (!report.ok) return;
          // Another server's list says nothing about this one.
          const here = listedAt.current === address ? offered : [];
          listedAt.current = address;
          setModels([...new Set([...report.models, ...here])]);
          setOffered(here.length === 0 && report.models.length <= OFFER_ALL ? report.models : here);
          const few = report.models.length > 0 && report.models.length <= OFFER_ALL;
          setModel((now) => {
            if (now.byHand || report.models.includes(now.name)) return now;
            // Who connects a model wants it to answer: one that can is chosen, for all to see.
            if (before === null && few)
              return { name: report.models.find((name) => !NOT_FOR_WORDS.test(name)) ?? '', byHand: false };
            return here.length === 0 ? { name: '', byHand: false } : now;
          });
        },
        (error: unknown) => {
          if (!isAbort(error)) setTest({ ok: false, problem: toProblem(error) });
        },
      );
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (url === '') return setMissing('url');
    if (label.trim() === '' && named !== '') return setMissing('name');
    if (price === undefined) return setMissing('price');
    if (isRefusal(parameters)) return setUntuned(parameters);
    setMissing(null);
    setSaving(true);
    const wanted = model.name.trim();
    const offer = [...new Set([...offered, ...(wanted ? [wanted] : [])])];
    settings
      .saveEndpoint(endpoint(offer), key === '' ? undefined : key)
      .then(() => (wanted ? settings.choose({ endpointId: id, model: wanted }) : undefined))
      .then(onClose, (error: unknown) => {
        setSaving(false);
        setProblem(toProblem(error));
      });
  };

  const keyField = useRef<HTMLDivElement>(null);
  const forget = () => {
    settings.forgetKey(endpointKey(id)).then(
      () => {
        setKept(null);
        // The button that was pressed is gone.
        keyField.current?.querySelector('input')?.focus();
      },
      (error: unknown) => setProblem(toProblem(error)),
    );
  };

  const keyFits = kept !== null && kept === originOf(url);
  const keyHint = keyFits
    ? t('models.keyKept')
    : kept !== null
      ? t('models.keyElsewhere', { origin: kept })
      : sentences(
          preset?.key === 'none' ? t('models.keyNone') : preset?.key === 'maybe' ? t('models.keyMaybe') : '',
          preset?.keyFrom ? t('models.keyFrom', { place: preset.keyFrom }) : '',
          t('models.keyHelp'),
        );
  // A new one begins where something has to be typed.
  const begins = before !== null ? null : given === '' ? 'url' : preset?.key === 'none' ? null : 'key';
  return (
    <form onSubmit={save} className="space-y-4" noValidate>
      <TextField
        label={t('models.baseUrl')}
        hint={t('models.baseUrlHelp')}
        value={baseUrl}
        onChange={(event) => {
          setBaseUrl(event.target.value);
          setMissing(null);
        }}
        error={missing === 'url' ? t('models.needUrl') : undefined}
        type="url"
        inputMode="url"
        placeholder="https://…/v1"
        {...(begins === 'url' ? { 'data-first-focus': '' } : {})}
        autoComplete="off"
        spellCheck={false}
        inputClassName="font-mono"
      />
      <div ref={keyField}>
        <TextField
          label={t('models.key')}
          hint={keyHint}
          value={key}
          onChange={(event) => setKey(event.target.value)}
          type="password"
          autoComplete="off"
          data-1p-ignore
          spellCheck={false}
          placeholder={keyFits ? '••••••••' : ''}
          {...(begins === 'key' ? { 'data-first-focus': '' } : {})}
          inputClassName="font-mono"
        />
        {kept !== null && (
          <Button size="sm" variant="ghost" className="mt-1 -ml-2.5" onClick={forget}>
            {t('models.forgetKey')}
          </Button>
        )}
      </div>
      {preset?.cors && <CorsHint cors={preset.cors} />}

      <div>
        <div className="flex flex-wrap items-center gap-3">
          <Button onClick={() => ask()} disabled={test instanceof AbortController}>
            {t('models.test')}
          </Button>
          <div role="status" className="min-w-0 flex-1">
            {test instanceof AbortController && (
              <Spinner label={t('models.testing', { host: hostOf(url) })} className="text-ink-2" />
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
          </div>
        </div>
        {test !== null && 'ok' in test && !test.ok && (
          <TestProblem
            problem={test.problem}
            onSuggestion={(suggestion) => {
              setBaseUrl(suggestion);
              ask(suggestion);
            }}
          />
        )}
      </div>

      {models.length > OFFER_ALL && <Offered models={models} offered={offered} onChange={setOffered} />}
      {models.length > 0 && models.length <= OFFER_ALL && !model.byHand ? (
        <Field label={t('models.defaultModel')}>
          {(ids) => (
            <Select
              id={ids.id}
              label={t('models.defaultModel')}
              value={model.name === '' ? undefined : model.name}
              placeholder={t('models.chooseModel')}
              options={models.map((name) => ({ value: name, label: name }))}
              onValueChange={(name) => setModel({ name, byHand: false })}
              className="w-full"
            />
          )}
        </Field>
      ) : (
        <>
          <TextField
            label={t('models.defaultModel')}
            value={model.name}
            onFocus={() => setModel(({ name }) => ({ name, byHand: true }))}
            onChange={({ target }) => setModel({ name: target.value, byHand: true })}
            list={list}
            autoComplete="off"
            spellCheck={false}
            hint={models.length === 0 ? t('models.modelsTyped') : undefined}
            inputClassName="font-mono"
          />
          <datalist id={list}>
            {models.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
      <TextField
        label={t('models.name')}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
        // What it is called where nothing is typed.
        placeholder={named === '' ? hostOf(url) : undefined}
        error={missing === 'name' ? t('models.needName') : undefined}
        autoComplete="off"
      />
      <PriceFields
        value={priced}
        onChange={(next) => {
          setPriced(next);
          setMissing(null);
        }}
        refused={missing === 'price'}
      />
      <ParameterFields
        value={tuned}
        onChange={(next) => {
          setTuned(next);
          setUntuned(null);
        }}
        refused={untuned}
      />
      <Refusal problem={problem} />
      <div className="sticky -bottom-5 -mx-5 -mb-5 flex flex-wrap justify-end gap-2 border-t bg-raised px-5 py-3">
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button type="submit" variant="primary" busy={saving}>
          {model.name.trim() === '' ? t('models.save') : t('models.connect')}
        </Button>
      </div>
    </form>
  );
}

/** What the models cost, per million tokens. */
function PriceFields({
  value,
  onChange,
  refused,
}: {
  value: PriceWords;
  onChange: (value: PriceWords) => void;
  refused: boolean;
}) {
  const { t } = useTranslation('settings');
  const help = useId();
  const field = (part: 'input' | 'output') => (
    <TextField
      className="min-w-24 flex-1"
      label={t(`models.price.${part}`)}
      type="number"
      inputMode="decimal"
      min={0}
      step="any"
      autoComplete="off"
      value={value[part]}
      onChange={(event) => onChange({ ...value, [part]: event.target.value })}
      aria-describedby={help}
      aria-invalid={refused || undefined}
    />
  );
  return (
    <fieldset aria-describedby={help}>
      <legend className="font-medium text-sm">{t('models.price.title')}</legend>
      <div className="mt-1.5 flex flex-wrap items-end gap-3">
        {field('input')}
        {field('output')}
        <Select
          className="w-24"
          label={t('models.price.currency')}
          value={value.currency}
          onValueChange={(currency) => onChange({ ...value, currency })}
          options={[...new Set([...CURRENCIES, value.currency])].map((code) => ({
            value: code,
            label: code,
          }))}
        />
      </div>
      <p
        id={help}
        // Below the fold of the window it would be said to nobody.
        ref={(line) => {
          if (refused) line?.scrollIntoView({ block: 'nearest' });
        }}
        role={refused ? 'alert' : undefined}
        className={classes('mt-1.5 scroll-mb-20 text-xs', refused ? 'text-danger' : 'text-ink-3')}
      >
        {t(refused ? 'models.price.refused' : 'models.price.help')}
      </p>
    </fieldset>
  );
}

/** What goes along with every request, folded away: few people need it. Opens where something in it is refused. */
function ParameterFields({
  value,
  onChange,
  refused,
}: {
  value: ParameterWords;
  onChange: (value: ParameterWords) => void;
  refused: ParameterRefusal | null;
}) {
  const { t } = useTranslation('settings');
  const [wanted, setWanted] = useState(false);
  const efforts = useId();
  const set = PARAMETER_FIELDS.filter((field) => value[field].trim() !== '');
  const open = wanted || refused !== null;
  const frame = (field: ParameterField) => ({
    label: t(`models.parameters.${field}`),
    value: value[field],
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...value, [field]: target.value }),
    autoComplete: 'off',
    spellCheck: false,
    error:
      refused?.field === field &&
      t(`models.parameters.refused.${refused.why === 'range' ? field : refused.why}`, {
        keys: refused.keys.join(', '),
      }),
  });
  const number = (field: 'temperature' | 'top_p' | 'max_tokens') => (
    <TextField
      className="min-w-28 flex-1"
      inputMode={field === 'max_tokens' ? 'numeric' : 'decimal'}
      {...frame(field)}
    />
  );
  return (
    <details
      open={open}
      onToggle={({ currentTarget }) => setWanted(currentTarget.open)}
      // Below the fold of the window it would be said to nobody.
      ref={(fields) => {
        if (refused) fields?.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' });
      }}
    >
      <summary className="touchable cursor-pointer rounded-xs py-1 font-medium text-sm">
        {t('models.parameters.title')}
        {!open && set.length > 0 && (
          <span className="pl-2 font-normal text-ink-3 text-xs">
            {set.map((field) => t(`models.parameters.${field}`)).join(', ')}
          </span>
        )}
      </summary>
      <p className="mt-1 text-ink-3 text-xs">{t('models.parameters.help')}</p>
      <div className="mt-3 space-y-3 [&_[role=alert]]:scroll-mb-20">
        <div className="flex flex-wrap items-start gap-3">
          {number('temperature')}
          {number('top_p')}
        </div>
        <div className="flex flex-wrap items-start gap-3">
          {number('max_tokens')}
          <TextField className="min-w-28 flex-1" list={efforts} {...frame('reasoning_effort')} />
          <datalist id={efforts}>
            {EFFORTS.map((effort) => (
              <option key={effort} value={effort} />
            ))}
          </datalist>
        </div>
        <TextArea
          rows={4}
          placeholder='{ "seed": 7 }'
          inputClassName="font-mono"
          hint={t('models.parameters.moreHelp')}
          {...frame('more')}
        />
      </div>
    </details>
  );
}

/** What went wrong, what to do about it, and the endpoint's own words, in that order. */
function TestProblem({
  problem,
  onSuggestion,
}: {
  problem: Problem;
  onSuggestion: (baseUrl: string) => void;
}) {
  const { t } = useTranslation('settings');
  const { what, todo, reason } = useProblemWords()(problem);
  const suggestion = problem.params?.suggestion;
  const detail = problem.params?.detail;
  return (
    <div role="alert" className="mt-3 rounded-lg border border-danger-line bg-danger-soft px-4 py-3">
      <p className="font-medium">{what}</p>
      <p className="mt-0.5 text-ink-2">{todo}</p>
      {reason && <p className="mt-0.5 text-ink-2 [overflow-wrap:anywhere]">{reason}</p>}
      {typeof suggestion === 'string' && suggestion !== '' && (
        <Button size="sm" className="mt-2 max-w-full" onClick={() => onSuggestion(suggestion)}>
          <span className="truncate">{t('models.useSuggestion', { url: suggestion })}</span>
        </Button>
      )}
      <details className="mt-2 text-ink-3 text-xs">
        <summary className="rounded-xs">{t('models.details')}</summary>
        <p className="mt-1 font-mono [overflow-wrap:anywhere]">
          {[problem.code, problem.message, detail].filter(Boolean).join(' · ')}
        </p>
      </details>
    </div>
  );
}

function CorsHint({ cors }: { cors: NonNullable<EndpointPreset['cors']> }) {
  const { t } = useTranslation(['settings', 'shell']);
  const [copy, copied] = useCopy();
  const how = cors.how.replace('{origin}', location.origin);
  return (
    <div className="rounded-lg bg-side px-3.5 py-2.5">
      <p className="text-ink-2 text-xs">{t(`models.cors.${cors.kind}`)}</p>
      <div className="mt-1 flex items-center gap-2">
        <code className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">{how}</code>
        {cors.kind === 'environment' && (
          <IconButton
            size="sm"
            label={copied ? t('shell:copied') : t('models.copy')}
            icon={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
            onClick={() => copy(how)}
          />
        )}
      </div>
    </div>
  );
}

/** Which of a long list the picker offers. */
function Offered({
  models,
  offered,
  onChange,
}: {
  models: readonly string[];
  offered: readonly string[];
  onChange: (offered: readonly string[]) => void;
}) {
  const { t } = useTranslation('settings');
  const [filter, setFilter] = useState('');
  const ticked = new Set(offered);
  const shown = models.filter((model) => model.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <fieldset>
      <legend className="font-medium">
        {t('models.offered', { count: offered.length, total: models.length })}
      </legend>
      <p className="mt-0.5 text-ink-3 text-xs">{t('models.offeredHelp')}</p>
      <input
        type="search"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
        aria-label={t('models.filterModels')}
        placeholder={t('models.filterModels')}
        className={`${FIELD} mt-2 w-full`}
      />
      <ul className="mt-1.5 max-h-44 overflow-y-auto rounded-md border border-line p-1">
        {shown.map((model) => (
          <li key={model}>
            <label className="flex cursor-pointer items-center gap-2.5 rounded-sm px-2 py-1 hover:bg-fill">
              <input
                type="checkbox"
                checked={ticked.has(model)}
                onChange={() =>
                  onChange(
                    ticked.has(model) ? offered.filter((other) => other !== model) : [...offered, model],
                  )
                }
                className="size-4 shrink-0 accent-accent"
              />
              <span className="min-w-0 truncate font-mono text-xs">{model}</span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
