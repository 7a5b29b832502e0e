// Applies theme, sizes and colour. `public/theme.js` sets the theme before the first paint; this keeps
// everything in step with the settings.
import { useEffect, useLayoutEffect } from 'react';
import { log } from '../../domain/base/log.ts';
import { useApp, useReadable } from '../hooks/app.tsx';

const KEY = 'recollect.theme';

/** Factor on the browser's own font size. */
export const FONT_SCALES = { small: 0.9375, medium: 1, large: 1.125, larger: 1.25 } as const;

/** Applies the chosen text size, width, accent and density; the style sheet reads them from `<html>`. */
export function useAppearance(): void {
  const { font_size, text_width, accent, compact } = useReadable(useApp().settings.config, ({ ui }) => ui);
  useLayoutEffect(() => {
    const { dataset, style } = document.documentElement;
    style.fontSize = `${FONT_SCALES[font_size] * 100}%`;
    dataset.textWidth = text_width;
    dataset.accent = accent;
    dataset.compact = String(compact);
  }, [font_size, text_width, accent, compact]);
}

/** Applies the chosen theme to `<html data-theme>` and the browser's own chrome. */
export function useTheme(): void {
  const app = useApp();
  const chosen = useReadable(app.settings.config, (config) => config.ui.theme);
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const show = () => {
      const dark = chosen === 'dark' || (chosen === 'auto' && system.matches);
      const root = document.documentElement;
      root.dataset.theme = dark ? 'dark' : 'light';
      document
        .querySelector('meta[name="theme-color"]')
        ?.setAttribute('content', getComputedStyle(root).getPropertyValue('--side').trim());
    };
    try {
      localStorage.setItem(KEY, chosen);
    } catch (error) {
      log.debug('The theme follows the system at the next start, until the settings are read', error);
    }
    show();
    system.addEventListener('change', show);
    return () => system.removeEventListener('change', show);
  }, [chosen]);
}
