// Light or dark. `public/theme.js` sets it before the first paint; this keeps it in step with the settings and the system.
import { useEffect } from 'react';
import { log } from '../../domain/base/log.ts';
import { useApp, useReadable } from '../hooks/app.tsx';

const KEY = 'recollect.theme';

/** Keeps `<html data-theme>` and the browser's own chrome as the person chose. */
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
