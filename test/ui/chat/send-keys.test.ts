import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Config, defaultConfig } from '../../../src/domain/settings/config.ts';
import { sends } from '../../../src/ui/chat/send-keys.ts';

const press = (keys: Partial<KeyboardEvent> = {}) =>
  ({
    key: 'Enter',
    code: 'Enter',
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...keys,
  }) as KeyboardEvent;
const withKeys = (ui: Partial<Config['ui']>): Config => ({
  ...defaultConfig,
  ui: { ...defaultConfig.ui, ...ui },
});
const byMod = withKeys({ send_with: 'mod-enter' });

// Which keyboard it is, is asked when the module is loaded.
vi.hoisted(() => vi.stubGlobal('navigator', { platform: 'Linux x86_64' }));

let touch = false;
beforeEach(() => {
  touch = false;
  vi.stubGlobal('matchMedia', () => ({ matches: touch }));
});
afterEach(() => vi.unstubAllGlobals());

it('Enter sends, or breaks the line where that was chosen; Mod+Enter always sends', () => {
  expect(sends(press(), defaultConfig)).toBe(true);
  expect(sends(press(), byMod)).toBe(false);
  for (const config of [defaultConfig, byMod]) {
    expect(sends(press({ ctrlKey: true }), config)).toBe(true);
    expect(sends(press({ shiftKey: true }), config)).toBe(false);
    expect(sends(press({ altKey: true }), config)).toBe(false);
    expect(sends(press({ key: 'a', code: 'KeyA' }), config)).toBe(false);
  }
});

it('Enter on a keyboard on the glass breaks the line', () => {
  touch = true;
  expect(sends(press(), defaultConfig)).toBe(false);
  expect(sends(press({ ctrlKey: true }), defaultConfig)).toBe(true);
});

it('other keys may have been chosen', () => {
  const config = withKeys({ shortcuts: { send: 'Alt+Enter' } });
  expect(sends(press({ altKey: true }), config)).toBe(true);
  expect(sends(press({ ctrlKey: true }), config)).toBe(false);
});
