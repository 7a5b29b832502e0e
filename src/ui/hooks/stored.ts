// Keeps small settings that must be right at the first paint (sidebar shown, panel shown) in
// localStorage, which can be read synchronously.
import { useState } from 'react';
import { log } from '../../domain/base/log.ts';

/** A string that outlives the tab if the browser allows it. */
export function useStoredString(name: string, initial: string): [string, (word: string) => void] {
  const key = `recollect.${name}`;
  const [word, setWord] = useState(() => {
    try {
      return localStorage.getItem(key) ?? initial;
    } catch (error) {
      log.debug('A switch could not be read; it starts as it does at first', error);
      return initial;
    }
  });
  return [
    word,
    (next) => {
      setWord(next);
      try {
        localStorage.setItem(key, next);
      } catch (error) {
        log.debug('A switch could not be saved; it is forgotten with the tab', error);
      }
    },
  ];
}

/** The same for a boolean. */
export function useStoredSwitch(name: string, initial: boolean): [boolean, (on: boolean) => void] {
  const [word, setWord] = useStoredString(name, initial ? '1' : '0');
  return [word === '1', (on) => setWord(on ? '1' : '0')];
}
