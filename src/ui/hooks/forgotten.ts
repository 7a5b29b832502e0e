// Keeps what was forgotten off the screen: from what is shown, and from what memory answers with afterwards.
import { useCallback, useEffect, useEffectEvent, useRef } from 'react';
import type { Eraser } from '../../services/forget/eraser.ts';
import { useApp } from './app.tsx';

/**
 * Calls `onForgetting` with a function that cleans what is shown. Returns one that cleans an answer which was asked for
 * before: memory reads its index, and that is cleaned after the page.
 */
export function useWithoutForgotten(onForgetting: (clean: Eraser['clean']) => void): <T>(found: T) => T {
  const { forget } = useApp();
  const cleaning = useRef<Eraser['clean'][]>([]);
  const notify = useEffectEvent(onForgetting);
  useEffect(
    () =>
      forget.onForgetting(({ clean }) => {
        cleaning.current.push(clean);
        notify(clean);
      }),
    [forget],
  );
  return useCallback((found) => cleaning.current.reduce((left, clean) => clean(left), found), []);
}
