// Times as they are kept: ms since 1970.
import { z } from 'zod';

/** The last moment that calendars can name, ms since 1970. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time from outside: one that no calendar names (a damaged file, a hostile device) becomes the nearest that one does. */
export const timeSchema = z.number().transform((ms) => Math.min(Math.max(ms, 0), LAST));
