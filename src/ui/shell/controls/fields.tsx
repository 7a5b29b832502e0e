// Form fields (text, choice, switch) with label, hint and error.
import { Switch as RadixSwitch } from 'radix-ui';
import {
  type InputHTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import { classes } from './classes.ts';

const INPUT =
  'w-full rounded-md border border-line-strong bg-paper px-3 text-ink text-sm transition-colors hover:border-ink-3 focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-danger pointer-coarse:text-base';

interface FieldFrame {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  /** Shows the label to screen readers only. */
  hideLabel?: boolean;
  className?: string;
}

/** Label, control, hint and error, linked for screen readers. The function gets the ids for the control. */
export function Field({
  label,
  hint,
  error,
  hideLabel,
  className,
  children,
}: FieldFrame & {
  children: (ids: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': true | undefined;
  }) => ReactNode;
}) {
  const id = useId();
  return (
    <div className={classes('flex flex-col gap-1.5', className)}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'font-medium text-sm'}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': error || hint ? `${id}-more` : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {(error || hint) && (
        <p
          id={`${id}-more`}
          role={error ? 'alert' : undefined}
          className={classes('text-xs', error ? 'text-danger' : 'text-ink-3')}
        >
          {error || hint}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = FieldFrame & {
  inputClassName?: string;
  /** Content at the end of the field, inside its frame. */
  trailing?: ReactNode;
} & Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'className'> & { ref?: React.Ref<HTMLInputElement> };

export function TextField({
  label,
  hint,
  error,
  hideLabel,
  className,
  inputClassName,
  trailing,
  ...rest
}: TextFieldProps) {
  return (
    <Field
      {...{ label, hint, error }}
      {...(hideLabel ? { hideLabel } : {})}
      {...(className ? { className } : {})}
    >
      {(ids) => (
        <span className="relative block">
          <input
            {...ids}
            autoComplete="off"
            dir="auto"
            className={classes(INPUT, 'touchable h-9', Boolean(trailing) && 'pr-10', inputClassName)}
            {...rest}
          />
          {trailing && <span className="absolute inset-y-0 right-1 flex items-center">{trailing}</span>}
        </span>
      )}
    </Field>
  );
}

type TextAreaProps = FieldFrame &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id' | 'className'> & {
    inputClassName?: string;
    ref?: React.Ref<HTMLTextAreaElement>;
  };

export function TextArea({
  label,
  hint,
  error,
  hideLabel,
  className,
  inputClassName,
  ...rest
}: TextAreaProps) {
  return (
    <Field
      {...{ label, hint, error }}
      {...(hideLabel ? { hideLabel } : {})}
      {...(className ? { className } : {})}
    >
      {(ids) => (
        <textarea
          {...ids}
          autoComplete="off"
          dir="auto"
          className={classes(INPUT, 'py-2 leading-5', inputClassName)}
          {...rest}
        />
      )}
    </Field>
  );
}

/** Submits the form of a field whose text wraps and has no lines of its own. */
export function submitByEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

/** Switch that takes effect at once. */
export function Switch({
  checked,
  onCheckedChange,
  label,
  id,
  disabled = false,
  'aria-describedby': describedBy,
}: {
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
  label?: string;
  id?: string;
  disabled?: boolean;
  'aria-describedby'?: string | undefined;
}) {
  return (
    <RadixSwitch.Root
      id={id}
      checked={checked}
      onCheckedChange={onCheckedChange}
      disabled={disabled}
      aria-label={label}
      aria-describedby={describedBy}
      className="relative inline-flex h-5.5 w-9.5 shrink-0 items-center rounded-full bg-ink-3 transition-colors disabled:opacity-50 data-[state=checked]:bg-accent pointer-coarse:before:absolute pointer-coarse:before:-inset-3"
    >
      <RadixSwitch.Thumb className="block size-4.5 translate-x-0.5 rounded-full bg-paper transition-transform data-[state=checked]:translate-x-4.5" />
    </RadixSwitch.Root>
  );
}
