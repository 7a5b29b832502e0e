// Which keys send what is written: in the composer and in the editor of a message, the same.
import type { Config } from '../../domain/settings/config.ts';
import { shortcutKeys } from '../../domain/settings/shortcuts.ts';
import { onlyTouch } from '../hooks/media.ts';
import { keysOf } from '../shell/shortcuts.ts';

/** True if the pressed keys send the words, rather than break the line. Not asked while an input method is at work. */
export function sends(event: KeyboardEvent, config: Config): boolean {
  const pressed = keysOf(event);
  if (pressed === shortcutKeys(config, 'send')) return true;
  // A keyboard on the glass has no other key to break a line with.
  return pressed === 'Enter' && config.ui.send_with === 'enter' && !onlyTouch();
}
