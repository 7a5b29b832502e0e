import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import { Spinner } from './marks.tsx';
import { Tooltip } from './tooltip.tsx';

const BUTTON_STYLES = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border border-line-strong bg-paper text-ink hover:bg-fill',
  ghost: 'text-ink-2 hover:bg-fill hover:text-ink',
  danger: 'bg-danger text-on-danger hover:bg-danger-hover',
} as const;

interface ButtonProps extends ComponentProps<'button'> {
  variant?: keyof typeof BUTTON_STYLES;
  size?: 'sm' | 'md';
  icon?: ReactNode;
  /** Shows a spinner and ignores clicks, without moving anything. */
  busy?: boolean;
}

export function Button({
  variant = 'secondary',
  size = 'md',
  icon,
  busy = false,
  className,
  children,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      // Not `disabled`: the browser would remove the focus while the work continues.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={classes(
        // As wide as its words, on one line; only a label wider than its container wraps.
        'touchable inline-flex max-w-full shrink-0 select-none items-center justify-center gap-1.5 rounded-md font-medium text-sm transition-colors disabled:opacity-50 aria-disabled:opacity-50',
        size === 'md' ? 'min-h-9 px-3.5 py-1' : 'min-h-7 px-2.5 py-0.5',
        BUTTON_STYLES[variant],
        className,
      )}
      {...rest}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  /** Action as a verb: name for screen readers, and tooltip. */
  label: string;
  icon: ReactNode;
  /** Part of the label, beside the icon where the window is wide enough. */
  words?: string;
  shortcut?: string | undefined;
  size?: 'sm' | 'md';
  pressed?: boolean;
  tooltipSide?: 'top' | 'right' | 'bottom' | 'left';
}

export function IconButton({
  label,
  icon,
  words,
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
          words && 'lg:w-auto lg:gap-1.5 lg:px-2',
          className,
        )}
        {...rest}
      >
        {icon}
        {words && <span className="text-sm max-lg:hidden">{words}</span>}
      </button>
    </Tooltip>
  );
}
