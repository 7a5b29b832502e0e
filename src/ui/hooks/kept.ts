// Small switches that must be right at the first paint (sidebar shown, panel shown): kept in localStorage, which can be read at once.
import { useState } from 'react';
import { log } from '../../domain/base/log.ts';

/** A boolean that outlives the tab where the browser allows it. */
export function useKeptSwitch(name: string, initial: boolean): [boolean, (on: boolean) => void] {
  const key = `recollect.${name}`;
  const [on, setOn] = useState(() => {
    try {
      const kept = localStorage.getItem(key);
      return kept === null ? initial : kept === '1';
    } catch (error) {
      log.debug('A switch could not be read; it starts as it does at first', error);
      return initial;
    }
  });
  return [
    on,
    (next) => {
      setOn(next);
      try {
        localStorage.setItem(key, next ? '1' : '0');
      } catch (error) {
        log.debug('A switch could not be saved; it is forgotten with the tab', error);
      }
    },
  ];
}
