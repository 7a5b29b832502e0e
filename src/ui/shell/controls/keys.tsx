// Shows keys as this machine labels them.
import { classes } from './classes.ts';

/** True if the modifier key is ⌘ here. */
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

/** Splits `Mod+Shift+O` into the names of its keys on this machine. */
export function keyNames(keys: string): string[] {
  return keys.split('+').map((key) => (isApple ? APPLE_KEYS[key] : undefined) ?? KEY_NAMES[key] ?? key);
}

/** Shows keys to press, e.g. `keys="Mod+K"`. */
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
