import type { ReactNode } from 'react';
import { classes } from '../shell/controls.tsx';

/** One of several choices that need a sentence each. Tiles with the same `name` exclude one another. */
export function RadioTile({
  name,
  checked,
  onChange,
  label,
  help,
}: {
  name: string;
  checked: boolean;
  onChange: () => void;
  label: ReactNode;
  help: string;
}) {
  return (
    <label
      className={classes(
        'flex cursor-pointer items-start gap-3 rounded-lg border px-3.5 py-2.5 has-focus-visible:outline-2 has-focus-visible:outline-accent',
        checked ? 'border-accent bg-accent-soft' : 'border-line hover:border-line-strong hover:bg-side',
      )}
    >
      <input
        type="radio"
        name={name}
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
}
