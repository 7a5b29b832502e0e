// Checks stored times, in ms since 1970, and names their days.
import { z } from 'zod';

/** Last moment that calendars can name, ms since 1970. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Checks a time from outside. A time beyond all calendars (from a damaged file or a hostile
 * device) becomes the nearest possible one.
 */
export const timeSchema = z.number().transform((ms) => Math.min(Math.max(ms, 0), LAST));

/** Day of a time (ms since 1970) in this device's time zone, as `2026-11-27`. Days in this form sort as texts. */
export function localDay(at: number): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
