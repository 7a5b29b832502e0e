// The current day, which changes at midnight.
import { useEffect, useState } from 'react';

const startOf = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
const dayAfter = (day: number): number => new Date(day).setDate(new Date(day).getDate() + 1);
const dayBefore = (day: number): number => new Date(day).setDate(new Date(day).getDate() - 1);

/** Name of a local day if it has one. `today`: start of the current day. Times in ms since 1970. */
export function nearDay(at: number, today: number): 'today' | 'yesterday' | null {
  if (at >= dayAfter(today)) return null;
  if (at >= today) return 'today';
  return at >= dayBefore(today) ? 'yesterday' : null;
}

/** Margin for timers that fire a little early, ms. */
const AFTER_MIDNIGHT = 1000;

/** Start of the current day, ms since 1970. */
export function useToday(): number {
  const [today, setToday] = useState(() => startOf(Date.now()));
  useEffect(() => {
    const update = () => setToday(startOf(Date.now()));
    const timer = setTimeout(update, dayAfter(today) - Date.now() + AFTER_MIDNIGHT);
    // The machine may have slept over midnight.
    document.addEventListener('visibilitychange', update);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', update);
    };
  }, [today]);
  return today;
}
