// Locks the device after a time without a key, click or touch in any tab, and after a time out of sight. Also opens the
// lock dialog if the configuration asks for another lock than the current one.
import { useEffect, useEffectEvent } from 'react';
import { log } from '../../domain/base/log.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { isTimeToLock } from '../lock/time-to-lock.ts';
import { useShortcuts } from './shortcuts.ts';

/** Time of the last activity in any tab, ms since 1970: an active tab keeps the others unlocked. */
const KEY = 'recollect.active';
/** Interval for checking and storing the time, ms. */
const EVERY_MS = 5_000;
const MINUTE = 60_000;

const lastActive = (): number => {
  try {
    return Number(localStorage.getItem(KEY) ?? 0);
  } catch (error) {
    log.debug('Other tabs cannot be asked for the time of the last activity', error);
    return 0;
  }
};
const note = (at: number): void => {
  try {
    localStorage.setItem(KEY, String(at));
  } catch (error) {
    log.debug('Other tabs do not learn that somebody is here', error);
  }
};

/** Draws nothing. */
export function AutoLock(): null {
  const { lock, settings } = useApp();
  const isOn = useReadable(lock.state, ({ phase }) => phase === 'sealed' || phase === 'sealing');
  const { lock_after_minutes: idle, lock_when_hidden_minutes: hidden } = useReadable(
    settings.config,
    ({ privacy }) => privacy,
  );
  useShortcuts({
    lock: () => {
      if (!isOn) return false;
      lock.lockNow();
      return undefined;
    },
  });
  useEffect(() => {
    if (!isOn || (idle === 0 && hidden === 0)) return;
    const limits = { idle: idle * MINUTE, hidden: hidden * MINUTE };
    let own = Date.now();
    let hiddenSince = document.hidden ? own : null;
    note(own);
    const onActive = () => {
      const now = Date.now();
      if (now - own < EVERY_MS) return;
      own = now;
      note(now);
    };
    const check = () => {
      const now = Date.now();
      if (isTimeToLock(now, { active: Math.max(own, lastActive()), hiddenSince }, limits)) lock.lockNow();
    };
    const onVisible = () => {
      // A computer may wake from sleep with the page visible, so checks at once whether to lock.
      check();
      hiddenSince = document.hidden ? Date.now() : null;
    };
    const timer = setInterval(check, EVERY_MS);
    const events = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'touchstart'];
    for (const event of events) window.addEventListener(event, onActive, { capture: true, passive: true });
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      clearInterval(timer);
      for (const event of events) window.removeEventListener(event, onActive, { capture: true });
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [isOn, idle, hidden, lock]);
  useRequest(isOn);
  return null;
}

/** Opens the settings dialog if a configuration file asks for a lock or for none: only the dialog can change it. */
function useRequest(isOn: boolean): void {
  const { lock, settings } = useApp();
  const { openScreen } = useNavigation();
  const open = useEffectEvent(openScreen);
  const wanted = useReadable(settings.config, ({ privacy }) => privacy.encrypt_local);
  const isAsked = wanted !== isOn && lock.isAvailable;
  useEffect(() => {
    if (isAsked && document.visibilityState === 'visible') open('settings', 'privacy');
  }, [isAsked]);
}
