// Parts of an endpoint's form: prices, parameters, results of a test, and the models to offer.
import { Check, Copy } from 'lucide-react';
import { useId, useState } from 'react';
import type { EndpointPreset } from '../../adapters/models/presets.ts';
import type { Problem } from '../../domain/base/errors.ts';
import { formatList } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Select } from '../shell/controls/select.tsx';
import { Button, classes, IconButton, TextArea, TextField } from '../shell/controls.tsx';
import { FilterField, withWords } from '../shell/name-filter.tsx';
import { useCopy, useProblemWords } from '../shell/problem-notice.tsx';
import {
  PARAMETER_FIELDS,
  type ParameterField,
  type ParameterRefusal,
  type ParameterWords,
} from './endpoint-parameters.ts';
import { CURRENCIES, type PriceWords } from './endpoint-price.ts';

/** Endpoints' names for how long a model may think; others can be typed. */
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/** Prices of the models, per million tokens. */
export function PriceFields({
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
        // Scrolls the message into view, since it may be below the fold.
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

/** Parameters of every request, collapsed because few people need them. Opens if one is refused. */
export function ParameterFields({
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
        keys: formatList(refused.keys),
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
      // Scrolls the fields into view, since they may be below the fold.
      ref={(fields) => {
        if (refused) fields?.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' });
      }}
    >
      <summary className="touchable cursor-pointer rounded-xs py-1 font-medium text-sm">
        {t('models.parameters.title')}
        {!open && set.length > 0 && (
          <span className="pl-2 font-normal text-ink-3 text-xs">
            {formatList(set.map((field) => t(`models.parameters.${field}`)))}
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

/** Problem, its remedy, and the endpoint's own message, in that order. */
export function TestProblem({
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
        <summary className="touchable rounded-xs">{t('models.details')}</summary>
        <p className="mt-1 font-mono [overflow-wrap:anywhere]">
          {[problem.code, problem.message, detail].filter(Boolean).join(' · ')}
        </p>
      </details>
    </div>
  );
}

export function CorsHint({ cors }: { cors: NonNullable<EndpointPreset['cors']> }) {
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

/** Chooses which models of a long list the picker offers. */
export function Offered({
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
  const shown = withWords(models, filter, (model) => model);
  return (
    <fieldset>
      <legend className="font-medium">
        {t('models.offered', { count: offered.length, total: models.length })}
      </legend>
      <p className="mt-0.5 text-ink-3 text-xs">{t('models.offeredHelp')}</p>
      <div className="mt-2">
        <FilterField
          label={t('models.filterModels')}
          value={filter}
          onFilter={setFilter}
          count={shown.length}
          total={models.length}
        />
      </div>
      <ul className="mt-1 max-h-44 overflow-y-auto rounded-md border border-line p-1 empty:hidden">
        {shown.map((model) => (
          <li key={model}>
            <label className="touchable flex cursor-pointer items-center gap-2.5 rounded-sm px-2 py-1 hover:bg-fill">
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
