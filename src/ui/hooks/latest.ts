// The latest value of something, for callbacks that keep their identity.
import { useInsertionEffect, useRef } from 'react';

/**
 * Holds the value of the latest drawn render. For callbacks that are handed out; what only effects call is a
 * `useEffectEvent`. Not to be read while rendering: a render may be thrown away, so it writes no ref.
 */
export function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value);
  // Runs before every layout effect of the same render.
  useInsertionEffect(() => {
    latest.current = value;
  });
  return latest;
}
