// Reads pressed keys, with a hook that listens for them. `domain/settings/shortcuts.ts` lists the keys. Never acts on
// a key that an input method is using.
import { useEffect, useRef } from 'react';
import { SHORTCUTS, type ShortcutId, shortcutKeys } from '../../domain/settings/shortcuts.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { isApple } from './controls.tsx';

/** The current keys of a shortcut, to display them. */
export function useShortcutKeys(id: ShortcutId): string {
  return useReadable(useApp().settings.config, (config) => shortcutKeys(config, id));
}

/** True during input-method composition, when keys belong to it. Safari reports this only by the key code. */
export const isComposing = (event: { isComposing: boolean; keyCode: number }): boolean =>
  event.isComposing || event.keyCode === 229;

/** Pressed keys in the notation of the table (`Mod+Shift+O`); null for a modifier alone. */
export function keysOf(event: KeyboardEvent): string | null {
  if (['Control', 'Meta', 'Alt', 'Shift', 'AltGraph'].includes(event.key)) return null;
  const parts: string[] = [];
  if (isApple ? event.metaKey : event.ctrlKey) parts.push('Mod');
  if (isApple && event.ctrlKey) parts.push('Ctrl');
  if (event.altKey) parts.push('Alt');
  // On a layout without Latin letters, or with Option on a Mac, people mean the key's position.
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1];
  const foreign = letter !== undefined && !/^[a-z]$/i.test(event.key);
  const key = foreign ? letter : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  if (event.shiftKey && (letter !== undefined || event.key.length > 1)) parts.push('Shift');
  parts.push(key);
  return parts.join('+');
}

const isEditable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('input:not([type="checkbox"], [type="radio"]), textarea, select'));

/** True if a dialog, a menu or a list covers the page and gets the keys. */
export const somethingOnTop = (): boolean =>
  document.querySelector(
    '[role="dialog"][data-state="open"], [role="menu"], [role="listbox"][data-state]',
  ) !== null;

const ABOVE_ALL: readonly ShortcutId[] = ['palette', 'shortcuts'];

/**
 * Listens for shortcuts while mounted. A handler that returns false leaves the key to others.
 * Keys without a modifier work only while no text field has the focus and nothing floats.
 */
export function useShortcuts(
  handlers: Partial<Record<ShortcutId, (event: KeyboardEvent) => boolean | undefined>>,
): void {
  const { config } = useApp().settings;
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isComposing(event)) return;
      const pressed = keysOf(event);
      if (pressed === null) return;
      for (const { id } of SHORTCUTS) {
        const handler = latest.current[id];
        if (!handler || shortcutKeys(config.get(), id) !== pressed) continue;
        if (somethingOnTop() && !ABOVE_ALL.includes(id)) continue;
        const plain = !/^(Mod|Ctrl|Alt)\+/.test(pressed) && !pressed.endsWith('Escape');
        if (plain && isEditable(event.target)) continue;
        if (pressed === 'Enter' && !(event.target as HTMLElement).matches('[data-message-id]')) continue;
        if (handler(event) === false) continue;
        event.preventDefault();
        return;
      }
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [config]);
}
