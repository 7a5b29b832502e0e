// Writes the relay's log for its operator, one JSON object a line. It never contains names of rooms or accounts, tokens
// or query strings, and of an error only its name, its code, its message and that of its cause.
import { z } from 'zod';

/** The operator's log. `event`: a fixed name; `facts`: values beside it, of which errors are shortened. */
export interface OperatorLog {
  info(event: string, facts?: Readonly<Record<string, unknown>>): void;
  /** Logs an event that the operator should look at. */
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** Replaces an error by a text of at most 400 characters without its stack. */
function plain(value: unknown): unknown {
  if (value instanceof z.ZodError) return z.prettifyError(value);
  if (!(value instanceof Error)) return value;
  const code = 'code' in value ? ` ${String(value.code)}` : '';
  const cause = value.cause instanceof Error ? ` (${value.cause.message})` : '';
  return `${value.name}${code}: ${value.message}${cause}`.slice(0, 400);
}

/**
 * Makes the log: a line of JSON for each event with time (ISO 8601), level, event and facts.
 * `write` gets a line without its line break.
 */
export function createLog(write: (line: string) => void = console.info): OperatorLog {
  const say =
    (level: string) =>
    (event: string, facts: Readonly<Record<string, unknown>> = {}) => {
      const read = Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, plain(value)]));
      write(JSON.stringify({ time: new Date().toISOString(), level, event, ...read }));
    };
  return { info: say('info'), warn: say('warn') };
}
