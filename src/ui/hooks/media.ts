// Width classes of the layout, with the same numbers as styles.css.
import { useSyncExternalStore } from 'react';

/** True while a media query matches; renders again when that changes. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}

/** Less than 720 px: one column, sidebar as a drawer. */
export const useIsPhone = (): boolean => useMedia('(width < 720px)');
/** 1200 px and more: room for the context panel. */
export const useIsWide = (): boolean => useMedia('(width >= 1200px)');
/** True for touch as the only input: focusing a text field opens a keyboard over half of the screen. */
export const onlyTouch = (): boolean => matchMedia('(pointer: coarse) and (hover: none)').matches;
