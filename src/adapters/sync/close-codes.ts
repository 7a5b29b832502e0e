// Translates the relay's permanent close codes and HTTP answers into problems.
import { type Problem, type ProblemCode, RecollectError } from '../../domain/base/errors.ts';

const CODES: Readonly<Record<number, ProblemCode>> = {
  4400: 'sync-refused',
  4401: 'sync-auth',
  4403: 'sync-quota',
  4404: 'sync-deleted',
  4426: 'sync-upgrade',
  4429: 'sync-rate',
};

/** Codes from 4400 to 4499 are final: connecting again changes nothing. */
export const isFinal = (code: number): boolean => code >= 4400 && code < 4500;

/** Problem of a WebSocket close code; an unknown one is `sync-refused`. */
export const problemOfCode = (code: number): Problem =>
  new RecollectError(CODES[code] ?? 'sync-refused', `The relay closed the connection (${code})`, {
    params: { code },
    retry: code === 4403 || code === 4429,
  }).problem;

/** Error of an HTTP request that the relay did not answer with success. */
export const errorOfStatus = (status: number): RecollectError => {
  const code = CODES[4000 + status] ?? (status >= 500 ? 'sync-offline' : 'sync-refused');
  return new RecollectError(code, `The relay answered ${status}`, {
    params: { code: status },
    retry: status >= 500 || status === 429,
  });
};
