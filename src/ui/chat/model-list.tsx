// A long list of models with a filter: typed words leave those with them in their name, arrow keys move, Enter chooses.
import { Check } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { ModelChoice } from '../../services/settings/settings.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { MENU_ROW } from '../shell/controls/surfaces.ts';
import { classes } from '../shell/controls.tsx';
import { FilterField, withWords } from '../shell/name-filter.tsx';
import { isComposing } from '../shell/shortcuts.ts';

export interface ListedModel {
  readonly endpointId: string;
  /** Name of the endpoint. */
  readonly label: string;
  readonly model: string;
}

/** All connected models, those of one endpoint together. */
export function useListedModels(): readonly ListedModel[] {
  const endpoints = useReadable(useApp().settings.connections, (connections) => connections.endpoints);
  return endpoints.flatMap(({ id, label, models }) =>
    models.map((model) => ({ endpointId: id, label, model })),
  );
}

/** Names the chosen model, with its service where another service has a model of that name. */
export function nameAmong(models: readonly ListedModel[], { endpointId, model }: ModelChoice): string {
  const same = models.filter((one) => one.model === model);
  const service = same.find((one) => one.endpointId === endpointId);
  return service && same.length > 1 ? `${model} · ${service.label}` : model;
}

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

export function ModelList({
  models,
  isChosen,
  onChoose,
}: {
  /** Those of one endpoint stand together. */
  models: readonly ListedModel[];
  isChosen: (model: ListedModel) => boolean;
  onChoose: (model: ListedModel) => void;
}) {
  const { t } = useTranslation('chat');
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [filter, setFilter] = useState('');
  const [pointed, setPointed] = useState(() => Math.max(0, models.findIndex(isChosen)));
  const several = models.some(({ endpointId }) => endpointId !== models[0]?.endpointId);
  const shown = withWords(models, filter, ({ model, label }) => (several ? `${model} ${label}` : model));
  const active = Math.min(pointed, shown.length - 1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows stand there after typing
  useEffect(() => {
    list.current?.querySelector('[data-highlighted]')?.scrollIntoView({ block: 'nearest' });
  }, [active, filter]);
  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent) || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    const one = shown[active];
    if (!one || (!step && event.key !== 'Enter')) return;
    event.preventDefault();
    if (step) setPointed((active + step + shown.length) % shown.length);
    else onChoose(one);
  };
  return (
    <div className="flex min-h-0 flex-col gap-1">
      <FilterField
        label={t('filterModels')}
        value={filter}
        onFilter={(words) => {
          setFilter(words);
          setPointed(0);
        }}
        count={shown.length}
        total={models.length}
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={active < 0 ? undefined : `${id}-${active}`}
        data-first-focus=""
        onKeyDown={onKey}
      />
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={t('models')}
        className="max-h-[min(20rem,calc(var(--visible-height)*0.45))] min-h-0 overflow-y-auto overscroll-contain"
      >
        {groupsOf(shown).map(({ label, from, group }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset holds fields
          <div key={`${label} ${from}`} role="group" aria-label={label}>
            <p aria-hidden className="px-2 pt-1.5 pb-1 text-ink-3 text-xs">
              {label}
            </p>
            {group.map((one, at) => (
              <ModelOption
                key={`${one.endpointId} ${one.model}`}
                id={`${id}-${from + at}`}
                model={one.model}
                isChosen={isChosen(one)}
                isActive={from + at === active}
                onPoint={() => setPointed(from + at)}
                onChoose={() => onChoose(one)}
              />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Neighbours of one endpoint, with the place of the first. */
function groupsOf(models: readonly ListedModel[]) {
  const groups: { label: string; endpointId: string; from: number; group: ListedModel[] }[] = [];
  for (const [from, one] of models.entries()) {
    const last = groups.at(-1);
    if (last?.endpointId === one.endpointId) last.group.push(one);
    else groups.push({ label: one.label, endpointId: one.endpointId, from, group: [one] });
  }
  return groups;
}

function ModelOption({
  id,
  model,
  isChosen,
  isActive,
  onPoint,
  onChoose,
}: {
  id: string;
  model: string;
  isChosen: boolean;
  isActive: boolean;
  onPoint: () => void;
  onChoose: () => void;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the filter, which keeps the focus
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      {...(isActive ? { 'data-highlighted': '' } : {})}
      onPointerMove={onPoint}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className={classes(MENU_ROW, 'text-sm')}
    >
      <Check size={15} aria-hidden className={classes('shrink-0', !isChosen && 'invisible')} />
      <span dir="auto" className="min-w-0 flex-1 truncate" title={model}>
        {model}
      </span>
    </div>
  );
}
