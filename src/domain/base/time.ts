// Checks stored times, in ms since 1970.
import { z } from 'zod';

/** Last moment that calendars can name, ms since 1970. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Checks a time from outside. A time beyond all calendars (from a damaged file or a hostile device) becomes the nearest possible one. */
export const timeSchema = z.number().transform((ms) => Math.min(Math.max(ms, 0), LAST));
