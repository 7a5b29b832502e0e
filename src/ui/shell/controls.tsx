// The controls everything is made of: thin wrappers over Radix primitives that carry our tokens, labels and touch sizes.
import { Check, ChevronDown, ChevronRight, X } from 'lucide-react';
import {
  Dialog as RadixDialog,
  DropdownMenu as RadixMenu,
  Popover as RadixPopover,
  Progress as RadixProgress,
  Select as RadixSelect,
  Switch as RadixSwitch,
  Tooltip as RadixTooltip,
} from 'radix-ui';
import {
  type ComponentProps,
  type InputHTMLAttributes,
  type ReactElement,
  type ReactNode,
  type TextareaHTMLAttributes,
  useId,
  useRef,
} from 'react';
import { useTranslation } from 'react-i18next';

/** Class names, without the empty ones. */
export const classes = (...names: (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(' ');

// ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Whether the modifier is ⌘ here. */
export const isApple = /Mac|iPhone|iPad|iPod/.test(navigator.platform || navigator.userAgent);

const APPLE_KEYS: Record<string, string> = { Mod: '⌘', Shift: '⇧', Alt: '⌥', Ctrl: '⌃' };
const KEY_NAMES: Record<string, string> = {
  Mod: 'Ctrl',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/** `Mod+Shift+O` as people here read it. */
export function keyNames(keys: string): string[] {
  return keys.split('+').map((key) => (isApple ? APPLE_KEYS[key] : undefined) ?? KEY_NAMES[key] ?? key);
}

/** Keys to press, e.g. `keys="Mod+K"`. */
export function Kbd({ keys, className }: { keys: string; className?: string }) {
  const names = keyNames(keys);
  return (
    <span className={classes('inline-flex shrink-0 items-center gap-0.5', className)}>
      {names.map((name) => (
        <kbd
          key={name}
          className="min-w-5 rounded-xs border border-line bg-paper px-1 text-center font-sans text-ink-3 text-xs leading-4.5"
        >
          {name}
        </kbd>
      ))}
    </span>
  );
}

// ── tooltips ───────────────────────────────────────────────────────────────────────────────────────────────────────

export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <RadixTooltip.Provider delayDuration={450} skipDelayDuration={250}>
    {children}
  </RadixTooltip.Provider>
);

/** A short explanation on hover and focus. `children` must be one element that takes a ref. */
export function Tooltip({
  content,
  shortcut,
  side = 'bottom',
  children,
}: {
  content: ReactNode;
  shortcut?: string | undefined;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactElement;
}) {
  return (
    <RadixTooltip.Root>
      <RadixTooltip.Trigger asChild>{children}</RadixTooltip.Trigger>
      <RadixTooltip.Portal>
        <RadixTooltip.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-[70] flex max-w-80 animate-fade items-center gap-2 rounded-sm bg-ink px-2 py-1 text-paper text-xs shadow-float"
        >
          {content}
          {shortcut && <span className="opacity-70">{keyNames(shortcut).join(isApple ? '' : ' ')}</span>}
        </RadixTooltip.Content>
      </RadixTooltip.Portal>
    </RadixTooltip.Root>
  );
}

// ── buttons ────────────────────────────────────────────────────────────────────────────────────────────────────────

const BUTTON_LOOKS = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border border-line-strong bg-paper text-ink hover:bg-fill',
  ghost: 'text-ink-2 hover:bg-fill hover:text-ink',
  danger: 'bg-danger text-on-danger hover:bg-danger-hover',
} as const;

export interface ButtonProps extends ComponentProps<'button'> {
  variant?: keyof typeof BUTTON_LOOKS;
  size?: 'sm' | 'md';
  icon?: ReactNode;
  /** Shows a spinner and refuses clicks, without moving anything. */
  busy?: boolean;
}

export function Button({
  variant = 'secondary',
  size = 'md',
  icon,
  busy = false,
  className,
  children,
  disabled,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={classes(
        'touchable inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium text-sm transition-colors disabled:opacity-50',
        size === 'md' ? 'h-9 px-3.5' : 'h-7 px-2.5',
        BUTTON_LOOKS[variant],
        className,
      )}
      {...rest}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  /** What it does, as a verb: name for screen readers and tooltip. */
  label: string;
  icon: ReactNode;
  shortcut?: string | undefined;
  size?: 'sm' | 'md';
  pressed?: boolean;
  tooltipSide?: 'top' | 'right' | 'bottom' | 'left';
}

export function IconButton({
  label,
  icon,
  shortcut,
  size = 'md',
  pressed,
  tooltipSide = 'bottom',
  className,
  type = 'button',
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip content={label} shortcut={shortcut} side={tooltipSide}>
      <button
        type={type}
        aria-label={label}
        aria-pressed={pressed}
        className={classes(
          'touchable inline-flex shrink-0 items-center justify-center rounded-sm text-ink-2 transition-colors hover:bg-fill hover:text-ink aria-expanded:bg-fill aria-expanded:text-ink aria-pressed:bg-press aria-pressed:text-ink disabled:opacity-40 disabled:hover:bg-transparent',
          size === 'md' ? 'size-8' : 'size-7',
          className,
        )}
        {...rest}
      >
        {icon}
      </button>
    </Tooltip>
  );
}

/** Turning while something goes on. With a label it is announced; without one it is decoration. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  return (
    <span
      role={label ? 'status' : undefined}
      aria-hidden={label ? undefined : true}
      className={classes('inline-flex items-center gap-2', className)}
    >
      <span className="inline-block size-4 animate-spin rounded-full border-2 border-current border-r-transparent opacity-70" />
      {label && <span>{label}</span>}
    </span>
  );
}

const BADGE_LOOKS = {
  neutral: 'bg-fill text-ink-2',
  accent: 'bg-accent-soft text-accent',
  memory: 'bg-memory-soft text-memory',
  folded: 'bg-folded-soft text-folded',
  branch: 'bg-branch-soft text-branch',
  danger: 'bg-danger-soft text-danger',
  ok: 'bg-ok-soft text-ok',
} as const;
export type Tone = keyof typeof BADGE_LOOKS;

export function Badge({
  tone = 'neutral',
  className,
  children,
}: {
  tone?: Tone;
  className?: string;
  children: ReactNode;
}) {
  return (
    <span
      className={classes(
        'inline-flex shrink-0 items-center gap-1 whitespace-nowrap rounded-sm px-1.5 py-0.5 font-medium text-xs',
        BADGE_LOOKS[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

/** Grey shapes for what is not there yet; appears only after 200 ms, so that fast things never flash. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={classes('block animate-pulse rounded-sm bg-fill [animation-delay:200ms]', className)}
    />
  );
}

// ── things that float ──────────────────────────────────────────────────────────────────────────────────────────────

const FLOATING = 'rounded-lg border border-line bg-raised text-ink shadow-float outline-none';

/** For windows that no trigger of Radix opens: where the focus was when they opened is where it returns. */
export function useFocusReturn() {
  const from = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: (event: Event) => {
      const now = document.activeElement;
      if (!(event.target as Node).contains(now)) from.current = now;
    },
    onCloseAutoFocus: (event: Event) => {
      if (event.defaultPrevented || !(from.current instanceof HTMLElement) || !from.current.isConnected)
        return;
      event.preventDefault();
      from.current.focus();
    },
  };
}

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  /** Buttons at the bottom right; the last one is what Enter would mean. */
  footer?: ReactNode;
  size?: 'sm' | 'md' | 'lg';
  /** For screen readers only. */
  hideTitle?: boolean;
  /** Without the padding and the close button: the content draws itself to the edges. */
  bare?: boolean;
  children?: ReactNode;
}

const DIALOG_WIDTH = { sm: 'max-w-100', md: 'max-w-140', lg: 'max-w-200' } as const;

/** A modal window. Focus is kept inside and returns to where it was opened from. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  footer,
  size = 'md',
  hideTitle = false,
  bare = false,
  children,
}: DialogProps) {
  const { t } = useTranslation('shell');
  const focusReturn = useFocusReturn();
  return (
    <RadixDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-50 animate-fade bg-scrim" />
        <div className="pointer-events-none fixed inset-0 z-50 flex items-start justify-center p-4 pt-[10vh] max-md:p-2 max-md:pt-[6vh]">
          <RadixDialog.Content
            {...focusReturn}
            {...(description ? {} : { 'aria-describedby': undefined })}
            className={classes(
              FLOATING,
              'pointer-events-auto flex max-h-[80dvh] w-full animate-rise flex-col overflow-hidden rounded-xl',
              DIALOG_WIDTH[size],
            )}
          >
            {bare ? (
              <RadixDialog.Title className="sr-only">{title}</RadixDialog.Title>
            ) : (
              <div className={classes('flex items-start gap-4 px-5 pt-4', hideTitle && 'sr-only')}>
                <div className="min-w-0 flex-1">
                  <RadixDialog.Title className="py-0.5 font-semibold text-base leading-6">
                    {title}
                  </RadixDialog.Title>
                  {description && (
                    <RadixDialog.Description className="mt-0.5 text-ink-2">
                      {description}
                    </RadixDialog.Description>
                  )}
                </div>
                <RadixDialog.Close asChild>
                  <button
                    type="button"
                    aria-label={t('close')}
                    className="touchable -mr-2 inline-flex size-8 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-fill hover:text-ink"
                  >
                    <X size={17} aria-hidden />
                  </button>
                </RadixDialog.Close>
              </div>
            )}
            {bare ? (
              children
            ) : (
              <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 pt-3 pb-5">
                {children}
              </div>
            )}
            {footer && <div className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{footer}</div>}
          </RadixDialog.Content>
        </div>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** Asks before something that cannot be taken back. */
export function Confirm({
  open,
  onOpenChange,
  title,
  children,
  action,
  danger = false,
  onConfirm,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  children: ReactNode;
  /** The verb on the button. */
  action: string;
  danger?: boolean;
  onConfirm: () => void;
}) {
  const { t } = useTranslation('shell');
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      size="sm"
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{t('cancel')}</Button>
          <Button
            variant={danger ? 'danger' : 'primary'}
            onClick={() => {
              onOpenChange(false);
              onConfirm();
            }}
          >
            {action}
          </Button>
        </>
      }
    >
      <div className="text-ink-2">{children}</div>
    </Dialog>
  );
}

const SHEET_SIDES = {
  left: 'inset-y-0 left-0 w-[min(20rem,86vw)] animate-slide-left border-r',
  right: 'inset-y-0 right-0 w-[min(22rem,90vw)] animate-slide-right border-l',
  bottom: 'inset-x-0 bottom-0 max-h-[85dvh] animate-slide-up rounded-t-xl border-t',
} as const;

/** A drawer from an edge of the screen. */
export function Sheet({
  open,
  onOpenChange,
  title,
  side = 'right',
  hideTitle = false,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  side?: keyof typeof SHEET_SIDES;
  hideTitle?: boolean;
  children: ReactNode;
}) {
  const { t } = useTranslation('shell');
  const focusReturn = useFocusReturn();
  return (
    <RadixDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-40 animate-fade bg-scrim" />
        <RadixDialog.Content
          {...focusReturn}
          aria-describedby={undefined}
          className={classes(
            'fixed z-40 flex flex-col bg-raised text-ink shadow-float outline-none',
            SHEET_SIDES[side],
          )}
        >
          <div className={hideTitle ? 'sr-only' : 'flex items-center gap-2 border-b py-2 pr-2 pl-4'}>
            <RadixDialog.Title className="min-w-0 flex-1 truncate font-semibold">{title}</RadixDialog.Title>
            <RadixDialog.Close asChild>
              <button
                type="button"
                aria-label={t('close')}
                className="touchable inline-flex size-8 items-center justify-center rounded-sm text-ink-3 hover:bg-fill hover:text-ink"
              >
                <X size={17} aria-hidden />
              </button>
            </RadixDialog.Close>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">{children}</div>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** Something small that opens beside its trigger and is not a menu. */
export function Popover({
  trigger,
  label,
  side = 'bottom',
  align = 'start',
  open,
  onOpenChange,
  className,
  children,
}: {
  trigger: ReactElement;
  label: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  align?: 'start' | 'center' | 'end';
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  className?: string;
  children: ReactNode;
}) {
  return (
    <RadixPopover.Root {...(open === undefined ? {} : { open })} {...(onOpenChange ? { onOpenChange } : {})}>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content
          aria-label={label}
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className={classes(FLOATING, 'z-50 w-80 max-w-[calc(100vw-1rem)] animate-rise p-3', className)}
        >
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  );
}

// ── menus ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export type MenuItem =
  | {
      readonly label: string;
      readonly description?: string;
      readonly icon?: ReactNode;
      readonly shortcut?: string | undefined;
      readonly danger?: boolean;
      readonly disabled?: boolean;
      /** Present: one of several that can be chosen. */
      readonly checked?: boolean;
      readonly onSelect: () => void;
    }
  | { readonly label: string; readonly icon?: ReactNode; readonly items: readonly MenuItem[] }
  | { readonly heading: string }
  | 'separator';

const MENU_ROW =
  'flex min-h-8 cursor-default select-none items-center gap-2.5 rounded-sm px-2 py-1 outline-none data-[highlighted]:bg-fill data-[disabled]:opacity-45 pointer-coarse:min-h-11';

function MenuRows({ items }: { items: readonly MenuItem[] }) {
  const checkable = items.some((item) => typeof item === 'object' && 'checked' in item);
  return items.map((item, at) => {
    // Rows have no identity beside their place: the list is drawn anew each time it opens.
    const key = `${at}`;
    if (item === 'separator') return <RadixMenu.Separator key={key} className="my-1 h-px bg-line" />;
    if ('heading' in item)
      return (
        <RadixMenu.Label key={key} className="px-2 pt-1.5 pb-1 text-ink-3 text-xs">
          {item.heading}
        </RadixMenu.Label>
      );
    if ('items' in item)
      return (
        <RadixMenu.Sub key={key}>
          <RadixMenu.SubTrigger className={classes(MENU_ROW, 'data-[state=open]:bg-fill')}>
            {item.icon && <span className="text-ink-3">{item.icon}</span>}
            <span className="flex-1">{item.label}</span>
            <ChevronRight size={14} aria-hidden className="text-ink-3" />
          </RadixMenu.SubTrigger>
          <RadixMenu.Portal>
            <RadixMenu.SubContent
              sideOffset={4}
              collisionPadding={8}
              className={classes(FLOATING, 'z-[60] min-w-44 animate-fade p-1')}
            >
              <MenuRows items={item.items} />
            </RadixMenu.SubContent>
          </RadixMenu.Portal>
        </RadixMenu.Sub>
      );
    return (
      <RadixMenu.Item
        key={key}
        disabled={item.disabled ?? false}
        onSelect={item.onSelect}
        {...('checked' in item ? { role: 'menuitemradio', 'aria-checked': item.checked } : {})}
        className={classes(MENU_ROW, item.danger && 'text-danger data-[highlighted]:bg-danger-soft')}
      >
        {checkable && (
          <Check size={15} aria-hidden className={classes('shrink-0', !item.checked && 'invisible')} />
        )}
        {item.icon && <span className={item.danger ? '' : 'text-ink-3'}>{item.icon}</span>}
        <span className="min-w-0 flex-1">
          <span className="block truncate">{item.label}</span>
          {item.description && <span className="block text-ink-3 text-xs">{item.description}</span>}
        </span>
        {item.shortcut && <Kbd keys={item.shortcut} />}
      </RadixMenu.Item>
    );
  });
}

/** A menu of actions. The trigger is one button; focus returns to it. */
export function Menu({
  trigger,
  items,
  side = 'bottom',
  align = 'end',
  open,
  onOpenChange,
  keepFocus = false,
}: {
  trigger: ReactElement;
  items: readonly MenuItem[];
  side?: 'top' | 'right' | 'bottom' | 'left';
  align?: 'start' | 'center' | 'end';
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** True where the chosen action moves the focus itself. */
  keepFocus?: boolean;
}) {
  return (
    <RadixMenu.Root
      modal={false}
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange ? { onOpenChange } : {})}
    >
      <RadixMenu.Trigger asChild>{trigger}</RadixMenu.Trigger>
      <RadixMenu.Portal>
        <RadixMenu.Content
          side={side}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          loop
          {...(keepFocus ? { onCloseAutoFocus: (event: Event) => event.preventDefault() } : {})}
          className={classes(
            FLOATING,
            'z-[60] max-h-[min(28rem,var(--radix-dropdown-menu-content-available-height))] min-w-48 max-w-80 animate-rise overflow-y-auto p-1',
          )}
        >
          <MenuRows items={items} />
        </RadixMenu.Content>
      </RadixMenu.Portal>
    </RadixMenu.Root>
  );
}

// ── fields ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const INPUT =
  'w-full rounded-md border border-line-strong bg-paper px-3 text-ink text-sm transition-colors hover:border-ink-3 focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-danger pointer-coarse:text-base';

interface FieldFrame {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  /** For screen readers only. */
  hideLabel?: boolean;
  className?: string;
}

/** Label, control, hint and error, tied together for screen readers. The control gets its ids from the function. */
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
  /** Inside the frame, at its end. */
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
      {(ids) => <textarea {...ids} className={classes(INPUT, 'py-2 leading-5', inputClassName)} {...rest} />}
    </Field>
  );
}

export interface SelectOption<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  readonly description?: string;
  readonly disabled?: boolean;
}

/** One of several. `label` names it for screen readers; put it in a `Field` or a row that shows the words. */
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
  return (
    <RadixSelect.Root
      value={value ?? ''}
      onValueChange={(next) => onValueChange(next as Value)}
      disabled={disabled}
    >
      <RadixSelect.Trigger
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

/** On or off, at once. */
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

/** How far long work is. `value` 0–1; null while nobody knows. */
export function Progress({ value, label }: { value: number | null; label: string }) {
  return (
    <RadixProgress.Root
      value={value === null ? null : Math.round(value * 100)}
      aria-label={label}
      className="h-1.5 w-full overflow-hidden rounded-full bg-press"
    >
      <RadixProgress.Indicator
        className={classes(
          'h-full rounded-full bg-accent transition-[width]',
          value === null && 'w-1/3 animate-pulse',
        )}
        style={value === null ? undefined : { width: `${value * 100}%` }}
      />
    </RadixProgress.Root>
  );
}

/** A screen or list with nothing in it: what it is for, and the way to begin. */
export function EmptyState({
  icon,
  title,
  children,
  actions,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-100 flex-col items-center gap-2 px-6 py-12 text-center">
      {icon && <div className="mb-1 text-ink-3">{icon}</div>}
      <h2 className="font-semibold text-base">{title}</h2>
      {children && <div className="text-ink-2">{children}</div>}
      {actions && <div className="mt-3 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
