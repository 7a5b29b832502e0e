// Decides which keys send the text, the same in the composer and in the editor of a message.
import type { Config } from '../../domain/settings/config.ts';
import { shortcutKeys } from '../../domain/settings/shortcuts.ts';
import { onlyTouch } from '../hooks/media.ts';
import { keysOf } from '../shell/shortcuts.ts';

/** True if the pressed keys send the text rather than break the line. Do not call during input-method composition. */
export function sends(event: KeyboardEvent, config: Config): boolean {
  const pressed = keysOf(event);
  if (pressed === shortcutKeys(config, 'send')) return true;
  // An on-screen keyboard has no other key for a line break.
  return pressed === 'Enter' && config.ui.send_with === 'enter' && !onlyTouch();
}
