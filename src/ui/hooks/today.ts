// The day it is, which ends while one looks.
import { useEffect, useState } from 'react';

const startOf = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
const dayAfter = (day: number): number => new Date(day).setDate(new Date(day).getDate() + 1);
const dayBefore = (day: number): number => new Date(day).setDate(new Date(day).getDate() - 1);

/** The name of the local day a time lies on, where people have one for it. `today`: when that day began. Times in ms since 1970. */
export function nearDay(at: number, today: number): 'today' | 'yesterday' | null {
  if (at >= dayAfter(today)) return null;
  if (at >= today) return 'today';
  return at >= dayBefore(today) ? 'yesterday' : null;
}

/** A timer may come a little early, ms. */
const AFTER_MIDNIGHT = 1000;

/** When today began, ms since 1970. */
export function useToday(): number {
  const [today, setToday] = useState(() => startOf(Date.now()));
  useEffect(() => {
    const look = () => setToday(startOf(Date.now()));
    const timer = setTimeout(look, dayAfter(today) - Date.now() + AFTER_MIDNIGHT);
    // A machine that slept over midnight.
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [today]);
  return today;
}
