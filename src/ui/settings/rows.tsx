// Rows of the settings. Each saves its key at once; a refused value stays in the field with
// a sentence that says what is allowed.
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { ignore } from '../../domain/base/log.ts';
import { configField, configValue } from '../../domain/settings/fields.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatNumber, wordsFor } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Select } from '../shell/controls/select.tsx';
import { Button, classes, Switch, TextArea } from '../shell/controls.tsx';
import { useProblemWords } from '../shell/problem-notice.tsx';

/**
 * Current value of one key, and its setter. `problem`: why the last value was refused; the previous one stays in use.
 */
export function useSetting<T>(path: string): {
  value: T;
  set: (value: T | undefined) => Promise<boolean>;
  problem: Problem | null;
  forgive: () => void;
} {
  const { settings } = useApp();
  const [problem, setProblem] = useState<Problem | null>(null);
  const config = useReadable(settings.config);
  return {
    value: configValue(config, path) as T,
    set: (value) =>
      settings.set(path, value).then(
        () => {
          setProblem(null);
          return true;
        },
        (error: unknown) => {
          setProblem(toProblem(error));
          return false;
        },
      ),
    problem,
    forgive: () => setProblem(null),
  };
}

/** Sentence of a refusal: the problem and the allowed values. `name`: label of the setting. */
export function Refusal({ problem, id, name }: { problem: Problem | null; id?: string; name?: string }) {
  const words = useProblemWords();
  if (!problem) return null;
  const { what, todo } = words(name ? { ...problem, params: { ...problem.params, key: name } } : problem);
  return (
    <p id={id} role="alert" className="mt-1 text-danger text-xs">
      {sentences(what, todo)}
    </p>
  );
}

/** A group of rows with a heading. */
export function Group({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section {...(title ? { 'aria-label': title } : {})}>
      {title && <h3 className="mb-1 font-semibold">{title}</h3>}
      <div className="divide-y divide-line">{children}</div>
    </section>
  );
}

/** Text at the start, control at the end; stacked on narrow screens if `stack` is set. */
export function Row({
  label,
  help,
  labelFor,
  describedBy,
  problem = null,
  stack = false,
  dense = false,
  children,
}: {
  label: ReactNode;
  help?: ReactNode;
  labelFor?: string;
  /** Id of the help text, for the control's `aria-describedby`. */
  describedBy?: string;
  problem?: Problem | null;
  stack?: boolean;
  /** For a long list of short rows. */
  dense?: boolean;
  children?: ReactNode;
}) {
  return (
    <div
      className={classes(
        'flex gap-x-6 gap-y-2',
        dense ? 'min-h-11 py-1' : 'py-3',
        stack ? 'flex-col @lg:flex-row @lg:items-center' : 'items-center',
      )}
    >
      <div className="min-w-0 flex-1">
        {labelFor ? (
          <label htmlFor={labelFor} className="font-medium">
            {label}
          </label>
        ) : (
          <p className="font-medium">{label}</p>
        )}
        {help && (
          <p id={describedBy} className="mt-0.5 text-ink-3 text-xs">
            {help}
          </p>
        )}
        <Refusal problem={problem} {...(typeof label === 'string' ? { name: label } : {})} />
      </div>
      {children}
    </div>
  );
}

/** Label and help of a setting, by its path in the configuration. */
export function useFieldWords(path: string): { label: string; help: string } {
  useTranslation('settings');
  const word = (part: 'label' | 'help') => wordsFor('settings', `field.${path}.${part}`) ?? path;
  return { label: word('label'), help: word('help') };
}

export function SwitchSetting({ path, disabled = false }: { path: string; disabled?: boolean }) {
  const { label, help } = useFieldWords(path);
  const { value, set, problem } = useSetting<boolean>(path);
  const id = useId();
  return (
    <Row label={label} help={help} labelFor={id} describedBy={`${id}-help`} problem={problem}>
      <Switch
        id={id}
        checked={value}
        disabled={disabled}
        aria-describedby={`${id}-help`}
        onCheckedChange={(next) => void set(next)}
      />
    </Row>
  );
}

/** Number field, saved on Enter and on blur; Esc restores the value. `unit`: shown behind the number. */
export function NumberSetting({ path, unit }: { path: string; unit?: string }) {
  const { t } = useTranslation('settings');
  const { label, help } = useFieldWords(path);
  const { value, set, problem, forgive } = useSetting<number>(path);
  const field = configField(path);
  const id = useId();
  const [draft, setDraft] = useState<string | null>(null);
  const keep = () => {
    if (draft === null) return;
    const text = draft.trim().replace(',', '.');
    const next = text === '' ? undefined : Number(text);
    if (next === value) return setDraft(null);
    ignore(
      set(Number.isNaN(next) ? (draft as never) : next).then((kept) => {
        if (kept) setDraft(null);
      }),
      'a setting; its row says why it was refused',
    );
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter') keep();
    else if (event.key === 'Escape' && draft !== null) {
      event.stopPropagation();
      setDraft(null);
      forgive();
    }
  };
  return (
    <Row
      label={label}
      help={sentences(
        help,
        field?.kind === 'number' &&
          field.default !== value &&
          t('default', { value: formatNumber(field.default, { maximumFractionDigits: 6 }) }),
      )}
      labelFor={id}
      describedBy={`${id}-help`}
      problem={problem}
      stack={unit !== undefined}
    >
      <span className="flex shrink-0 items-center gap-2">
        <input
          id={id}
          autoComplete="off"
          inputMode="decimal"
          value={draft ?? String(value)}
          aria-describedby={unit === undefined ? `${id}-help` : `${id}-unit ${id}-help`}
          aria-invalid={problem ? true : undefined}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={keep}
          onKeyDown={onKey}
          className={classes(FIELD, 'w-24 shrink-0 text-right tabular-nums')}
        />
        {unit !== undefined && (
          <span id={`${id}-unit`} className="text-ink-2">
            {unit}
          </span>
        )}
      </span>
    </Row>
  );
}

export const FIELD =
  'touchable h-9 rounded-md border border-line-strong bg-paper px-3 hover:border-ink-3 focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 aria-invalid:border-danger pointer-coarse:text-base';

/** Slider for a share or rate; saved on release. `show` formats the number beside it. */
export function SliderSetting({
  path,
  min,
  max,
  step,
  show,
  more,
}: {
  path: string;
  min: number;
  max: number;
  step: number;
  show: (value: number) => string;
  /** Second sentence that depends on the number. */
  more?: (value: number) => string;
}) {
  const { label, help } = useFieldWords(path);
  const { value, set, problem } = useSetting<number>(path);
  return (
    <Slider
      {...{ label, min, max, step, value, show, problem }}
      help={(now) => sentences(help, more?.(now))}
      onKeep={(next) => void set(next)}
    />
  );
}

export function Slider({
  label,
  help,
  min,
  max,
  step,
  value,
  show,
  problem = null,
  onKeep,
}: {
  label: string;
  help: (value: number) => ReactNode;
  min: number;
  max: number;
  step: number;
  value: number;
  show: (value: number) => string;
  problem?: Problem | null;
  onKeep: (value: number) => void;
}) {
  const id = useId();
  const [draft, setDraft] = useState<number | null>(null);
  const now = draft ?? value;
  // Shows the released value until the configuration has it.
  useEffect(() => {
    if (draft === value) setDraft(null);
  }, [draft, value]);
  const keep = () => {
    if (draft !== null && draft !== value) onKeep(draft);
  };
  return (
    <Row label={label} help={help(now)} labelFor={id} describedBy={`${id}-help`} problem={problem} stack>
      <div className="flex w-full items-center gap-3 @lg:w-60">
        <input
          id={id}
          type="range"
          min={min}
          max={max}
          step={step}
          value={now}
          aria-describedby={`${id}-help`}
          aria-valuetext={show(now)}
          onChange={(event) => setDraft(event.target.valueAsNumber)}
          onPointerUp={keep}
          onKeyUp={keep}
          onBlur={keep}
          className="touchable h-5 min-w-0 flex-1 cursor-pointer accent-accent"
        />
        <span className="w-14 shrink-0 text-right text-ink-2 tabular-nums">{show(now)}</span>
      </div>
    </Row>
  );
}

/** Choice among a few values, all visible. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: readonly { value: Value; label: ReactNode }[];
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset className="inline-flex max-w-full flex-wrap self-start rounded-md bg-fill p-0.5 @lg:shrink-0 @lg:self-center">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className={classes(
            'touchable relative inline-flex h-8 cursor-pointer items-center justify-center gap-1.5 whitespace-nowrap rounded-sm px-3 max-[22rem]:px-2 has-focus-visible:outline-2 has-focus-visible:outline-accent',
            value === option.value
              ? 'border border-line-strong bg-paper font-medium'
              : 'border border-transparent text-ink-2 hover:text-ink',
          )}
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
            className="sr-only"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

export function SelectSetting<Value extends string>({
  path,
  options,
  onChange,
}: {
  path: string;
  options: readonly { value: Value; label: string; description?: string }[];
  /** Called instead of setting the value at once. */
  onChange?: (value: Value) => void;
}) {
  const { label, help } = useFieldWords(path);
  const { value, set, problem } = useSetting<Value>(path);
  const id = useId();
  return (
    <Row label={label} help={help} labelFor={id} describedBy={`${id}-help`} problem={problem} stack>
      <Select
        id={id}
        label={label}
        value={value}
        options={options}
        aria-describedby={`${id}-help`}
        onValueChange={(next) => (onChange ? onChange(next) : void set(next))}
        className="w-full @lg:w-60"
      />
    </Row>
  );
}

/** Text field, saved on blur. `placeholder`: value used while it is empty; `reset`: effect of emptying it. */
export function TextSetting({
  path,
  placeholder,
  reset,
}: {
  path: string;
  placeholder: string;
  reset: string;
}) {
  const { label, help } = useFieldWords(path);
  const { value, set, problem } = useSetting<string>(path);
  const [draft, setDraft] = useState<string | null>(null);
  const keep = (next: string | undefined) => {
    ignore(
      set(next).then((kept) => {
        if (kept) setDraft(null);
      }),
      'a setting; its row says why it was refused',
    );
  };
  return (
    <div className="py-3">
      <TextArea
        label={label}
        hint={help}
        value={draft ?? value}
        placeholder={placeholder}
        rows={3}
        inputClassName="field-sizing-content max-h-80 min-h-14"
        onChange={(event) => setDraft(event.target.value)}
        onBlur={() => {
          if (draft !== null && draft !== value) keep(draft.trim() === '' ? undefined : draft);
        }}
      />
      <Refusal problem={problem} name={label} />
      {value !== '' && (
        <Button size="sm" variant="ghost" className="mt-1 -ml-2.5" onClick={() => keep(undefined)}>
          {reset}
        </Button>
      )}
    </div>
  );
}
