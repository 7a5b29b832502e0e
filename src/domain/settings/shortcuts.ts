// The actions that have keys, which keys those are, and which others a person may give them: for the screen that
// listens, and for settings that come from a file.
import type { Config } from './config.ts';
import type { SettingRefusal } from './fields.ts';

export const SHORTCUTS = [
  { id: 'palette', keys: 'Mod+K', group: 'go' },
  { id: 'new', keys: 'Mod+Shift+O', group: 'go' },
  { id: 'previous', keys: 'Alt+ArrowUp', group: 'go' },
  { id: 'next', keys: 'Alt+ArrowDown', group: 'go' },
  { id: 'sidebar', keys: 'Mod+B', group: 'go' },
  { id: 'panel', keys: 'Mod+.', group: 'go' },
  { id: 'notices', keys: 'Alt+T', group: 'go' },
  { id: 'find', keys: 'Mod+F', group: 'go' },
  { id: 'shortcuts', keys: 'Mod+/', group: 'go' },
  { id: 'lock', keys: 'Mod+Shift+L', group: 'go' },
  { id: 'focus', keys: 'Shift+Escape', group: 'write' },
  { id: 'send', keys: 'Mod+Enter', group: 'write' },
  { id: 'editLast', keys: 'ArrowUp', group: 'write' },
  { id: 'stop', keys: 'Escape', group: 'write' },
  { id: 'messageNext', keys: 'J', group: 'read' },
  { id: 'messagePrevious', keys: 'K', group: 'read' },
  { id: 'openRecall', keys: 'O', group: 'read' },
  { id: 'openMessage', keys: 'Enter', group: 'read' },
] as const satisfies readonly { id: string; keys: string; group: 'go' | 'write' | 'read' }[];

export type ShortcutId = (typeof SHORTCUTS)[number]['id'];

/** Keys in force for a shortcut. */
export function shortcutKeys(config: Config, id: ShortcutId): string {
  return config.ui.shortcuts[id] ?? (SHORTCUTS.find((shortcut) => shortcut.id === id)?.keys as string);
}

/** Keys that a page cannot have or should not take: tabs, windows, reloading, copy and paste, input methods, zoom. */
const RESERVED = new Set([
  ...'Mod+T Mod+W Mod+N Mod+Q Mod+Shift+T Mod+Shift+W Mod+Shift+N Mod+R Mod+Shift+R Mod+L Mod+A Mod+C Mod+V Mod+X Mod+Z Mod+Shift+Z Mod+Y Mod+P Mod+S Mod+0 Mod++ Mod+- Mod+= Mod+Tab Mod+Shift+Tab Alt+Tab Tab Shift+Tab Alt+F4 F5 F11 F12 Mod+Shift+I Mod+Shift+J Mod+Shift+C'.split(
    ' ',
  ),
  ' ',
  'Mod+ ',
  'Shift+ ',
]);
/** Actions on the message in focus, while the person does not type: a letter alone is enough. */
const PLAIN: readonly string[] = SHORTCUTS.filter(({ group }) => group === 'read').map(({ id }) => id);
/** Actions whose keys are fixed: other keys would break writing, or a library listens for these. */
const FIXED: readonly string[] = ['editLast', 'stop', 'send', 'openMessage', 'notices'];

/** True if a person may give this action other keys. */
export const isRebindable = (id: string): boolean => REBINDABLE.includes(id);
const REBINDABLE: readonly string[] = SHORTCUTS.map(({ id }) => id).filter((id) => !FIXED.includes(id));

/** Reason why an action cannot have these keys, regardless of other actions; null: it can. */
export function whyNot(id: string, keys: string): 'reserved' | 'needsModifier' | null {
  if (RESERVED.has(keys)) return 'reserved';
  const bare = !/^(?:Mod|Ctrl|Alt)\+/.test(keys) && !/(?:^|\+)(?:F\d+|Escape)$/.test(keys);
  return bare && !PLAIN.includes(id) ? 'needsModifier' : null;
}

/** Form in which pressed keys are written: letters as capitals, modifiers in this order. */
const KEYS = /^(?:Mod\+)?(?:Ctrl\+)?(?:Alt\+)?(?:Shift\+)?(?:[^\p{Ll}]|[A-Z][A-Za-z0-9]+)$/u;
const SOME_KEYS = '"Mod+K" | "Alt+Shift+ArrowUp" | "F2" …';

/**
 * Returns new shortcuts that no action can have or that name no action. Earlier shortcuts stay, since a newer
 * version of the app may have set them.
 */
export function refusedShortcuts(
  before: Config['ui']['shortcuts'],
  after: Config['ui']['shortcuts'],
): SettingRefusal[] {
  return Object.entries(after).flatMap(([id, value]) => {
    const key = `ui.shortcuts.${id}`;
    if (before[id] === value) return [];
    if (!isRebindable(id)) return [{ key, value, allowed: REBINDABLE.join(', '), unknown: true }];
    return KEYS.test(value) && whyNot(id, value) === null ? [] : [{ key, value, allowed: SOME_KEYS }];
  });
}
