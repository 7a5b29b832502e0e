// Chooses one of several values. Not exported with the other controls: its code is
// large and the first screen has no select.
import { Check, ChevronDown } from 'lucide-react';
import { Select as RadixSelect } from 'radix-ui';
import { useRef } from 'react';
import { classes } from './classes.ts';
import { handHome } from './floating.tsx';
import { FLOATING, MENU_ROW } from './surfaces.ts';

interface SelectOption<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  readonly description?: string;
  readonly disabled?: boolean;
}

/** Select control. `label` names it for screen readers; a `Field` or row around it shows the visible text. */
export function Select<Value extends string>({
  value,
  onValueChange,
  options,
  label,
  id,
  placeholder,
  disabled = false,
  className,
  'aria-describedby': describedBy,
}: {
  value: Value | undefined;
  onValueChange: (value: Value) => void;
  options: readonly SelectOption<Value>[];
  label?: string;
  id?: string;
  placeholder?: string;
  disabled?: boolean;
  className?: string;
  'aria-describedby'?: string | undefined;
}) {
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <RadixSelect.Root
      value={value ?? ''}
      onValueChange={(next) => onValueChange(next as Value)}
      disabled={disabled}
    >
      <RadixSelect.Trigger
        ref={opener}
        id={id}
        aria-label={label}
        aria-describedby={describedBy}
        className={classes(
          'touchable inline-flex h-9 min-w-0 items-center justify-between gap-2 rounded-md border border-line-strong bg-paper px-3 text-left text-sm hover:bg-fill disabled:opacity-50 data-[placeholder]:text-ink-3',
          className,
        )}
      >
        <span className="truncate">
          <RadixSelect.Value placeholder={placeholder} />
        </span>
        <RadixSelect.Icon>
          <ChevronDown size={15} aria-hidden className="text-ink-3" />
        </RadixSelect.Icon>
      </RadixSelect.Trigger>
      <RadixSelect.Portal>
        <RadixSelect.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={() => handHome(opener.current)}
          className={classes(
            FLOATING,
            'z-[60] max-h-[min(24rem,var(--radix-select-content-available-height))] min-w-[var(--radix-select-trigger-width)] max-w-90 animate-rise overflow-hidden',
          )}
        >
          <RadixSelect.Viewport className="p-1">
            {options.map((option) => (
              <RadixSelect.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled ?? false}
                className={classes(MENU_ROW, 'justify-between')}
              >
                <span className="min-w-0">
                  <RadixSelect.ItemText>{option.label}</RadixSelect.ItemText>
                  {option.description && (
                    <span className="block text-ink-3 text-xs">{option.description}</span>
                  )}
                </span>
                <RadixSelect.ItemIndicator>
                  <Check size={15} aria-hidden />
                </RadixSelect.ItemIndicator>
              </RadixSelect.Item>
            ))}
          </RadixSelect.Viewport>
        </RadixSelect.Content>
      </RadixSelect.Portal>
    </RadixSelect.Root>
  );
}
