// Marks that only show something: progress, kinds of things, empty states.
import { Progress as RadixProgress } from 'radix-ui';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

/** Spins while work runs. Announced with a label; decorative without. */
export function Spinner({
  label,
  within = false,
  className,
}: {
  label?: string;
  /** True if the surroundings announce it. */
  within?: boolean;
  className?: string;
}) {
  return (
    <span
      role={label && !within ? 'status' : undefined}
      aria-hidden={label ? undefined : true}
      className={classes('inline-flex items-center gap-2', className)}
    >
      <span className="inline-block size-4 animate-spin rounded-full border-2 border-current border-r-transparent opacity-70" />
      {label && <span>{label}</span>}
    </span>
  );
}

const BADGE_STYLES = {
  neutral: 'bg-fill text-ink-2',
  accent: 'bg-accent-soft text-accent',
  memory: 'bg-memory-soft text-memory',
  compacted: 'bg-compacted-soft text-compacted',
  branch: 'bg-branch-soft text-branch',
  danger: 'bg-danger-soft text-danger',
  ok: 'bg-ok-soft text-ok',
} as const;
type Tone = keyof typeof BADGE_STYLES;

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
        BADGE_STYLES[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

/** Grey placeholder for content that is loading; appears after 200 ms so that fast content never flashes. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={classes('block animate-pulse rounded-sm bg-fill [animation-delay:200ms]', className)}
    />
  );
}

/** Progress of long work. `value` 0–1; null while unknown. */
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

/** Empty screen or list: its purpose, and how to begin. */
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
