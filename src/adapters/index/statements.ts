// Runs statements: parses their rows, turns errors into readable problems, and encodes values.
import type { PGliteInterface } from '@electric-sql/pglite';
import { z } from 'zod';
import { type ProblemCode, RecollectError } from '../../domain/base/errors.ts';

/** The parts of PGlite in use. */
export type Database = Pick<PGliteInterface, 'query' | 'close'>;

/** True if the disk or the browser's quota is full. */
export const isFull = (error: unknown): boolean => {
  const { name, message, code } = (error ?? {}) as { name?: unknown; message?: unknown; code?: unknown };
  // 53100 is Postgres' own code for a full disk.
  return code === '53100' || /quota/i.test(`${String(name)} ${String(message)}`);
};
/** Error `storage-full` of the memory index, which may be tried again. */
export const storageFull = (cause: unknown) =>
  new RecollectError('storage-full', 'There is no room for the memory index.', { retry: true, cause });

/** A parameter of a prepared statement. */
export type SqlValue = string | number | boolean | null;

/** Postgres' error codes for damaged files: a page that fails its checksum, a missing file or table. */
const DAMAGED_STATES: ReadonlySet<unknown> = new Set(['XX001', 'XX002', '58P01', '42P01']);
/** Codes of many errors, some of them damage: an internal one, and a read that failed. */
const DAMAGED_IF_SAID: ReadonlySet<unknown> = new Set(['XX000', '58030']);
const DAMAGED_WORDS =
  /^(could not (open relation|find)|cache lookup failed|missing chunk|unexpected chunk|invalid page|could not read block)/;

/** True if a statement failed because the database is damaged. A full disk or a wrong statement is no damage. */
export const isDamaged = (error: unknown): boolean => {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return DAMAGED_STATES.has(code) || (DAMAGED_IF_SAID.has(code) && DAMAGED_WORDS.test(String(message)));
};

/**
 * Postgres crashed during a statement. Committed data survives: the files are whole after reopening. `code` is
 * Postgres' own code for a full disk if that was the cause.
 */
export class PostgresCrash extends Error {
  override readonly name = 'PostgresCrash';
  readonly code: '53100' | undefined;

  constructor(cause: unknown, isDiskFull: boolean) {
    super(`Postgres ended: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.code = isDiskFull ? '53100' : undefined;
  }
}

const codeOf = (error: unknown): ProblemCode =>
  error instanceof PostgresCrash ? 'index-crashed' : isDamaged(error) ? 'index-damaged' : 'index-unavailable';

/** Runs one statement and parses its rows. */
export interface Ask {
  <Row>(row: z.ZodType<Row>, sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /**
   * Does the same for frequent statements, parsed and planned once: planning a search takes longer than most of its
   * parts.
   */
  prepared<Row>(row: z.ZodType<Row>, sql: string, parameters: readonly SqlValue[]): Promise<Row[]>;
}

/** Most prepared statements; the least recently used one is dropped. */
const MOST_PREPARED = 32;

const literal = (value: SqlValue): string =>
  value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`;

/**
 * Makes an `Ask` for this database.
 * @throws RecollectError from each call: `storage-full`, `index-crashed`, `index-damaged` or `index-unavailable`.
 */
export function createAsk(database: Pick<Database, 'query'>): Ask {
  /** Other connections share the database, so a random prefix keeps names apart. */
  const prefix = `asked_${crypto.randomUUID().slice(0, 8)}`;
  const names = new Map<string, Promise<string>>();
  let made = 0;
  const nameOf = (sql: string): Promise<string> => {
    const known = names.get(sql);
    if (known) names.delete(sql);
    const name =
      known ??
      (async () => {
        const fresh = `${prefix}_${++made}`;
        await database.query(`prepare ${fresh} as ${sql}`);
        return fresh;
      })();
    names.set(sql, name);
    return name;
  };
  const letGo = async () => {
    for (const [sql, name] of names) {
      if (names.size <= MOST_PREPARED) return;
      names.delete(sql);
      await database.query(`deallocate ${await name}`);
    }
  };
  const run = async <Row>(row: z.ZodType<Row>, rows: () => Promise<{ rows: unknown[] }>): Promise<Row[]> => {
    try {
      const answer = await rows();
      return z.array(row).parse(answer.rows);
    } catch (error) {
      if (isFull(error)) throw storageFull(error);
      const message = error instanceof Error ? error.message : String(error);
      throw new RecollectError(codeOf(error), `The memory index did not answer: ${message}`, {
        params: { detail: message },
        retry: true,
        cause: error,
      });
    }
  };
  const ask = <Row>(row: z.ZodType<Row>, sql: string, parameters: readonly unknown[] = []) =>
    run(row, () => database.query(sql, [...parameters]));
  return Object.assign(ask, {
    prepared: <Row>(row: z.ZodType<Row>, sql: string, parameters: readonly SqlValue[]) =>
      run(row, async () => {
        const preparing = nameOf(sql);
        const name = await preparing.catch((error: unknown) => {
          if (names.get(sql) === preparing) names.delete(sql);
          throw error;
        });
        const given = parameters.length > 0 ? `(${parameters.map(literal).join(', ')})` : '';
        const answer = await database.query(`execute ${name}${given}`);
        await letGo();
        return answer;
      }),
  });
}

/** Row type of statements whose result is ignored. */
export const nothing = z.unknown();

/** A text parameter without NUL, which Postgres refuses. */
export const plain = (text: string): string => text.replaceAll('\0', '\ufffd');

/** Encodes JSON for Postgres, which accepts neither NUL nor half a surrogate pair: both become U+FFFD. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value).replace(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|[\s\S])/g, (escaped) =>
    escaped.length > 2 ? '\ufffd' : escaped,
  );

/** Formats a `vector` for Postgres. */
export const toVector = (values: Float32Array): string =>
  `[${Array.from(values, (value) => Number(value.toPrecision(9))).join(',')}]`;

/** Parses a `vector` of Postgres. */
export const fromVector = (text: string): Float32Array =>
  Float32Array.from(JSON.parse(text) as readonly number[]);

/** The browser's own decoder of hexadecimal digits, if it has one. */
const { fromHex: native } = Uint8Array as { readonly fromHex?: (digits: string) => Uint8Array };
/** Values of hexadecimal digits, by their character code. */
const DIGITS = Uint8Array.from(
  { length: 128 },
  (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0,
);

/**
 * Decodes a `bytea` in Postgres' text form: `\x` and two hexadecimal digits per byte. PGlite reads binary columns
 * very slowly.
 */
export function fromHex(text: string): Uint8Array {
  if (native) return native.call(Uint8Array, text.slice(2));
  const bytes = new Uint8Array(Math.max(0, (text.length - 2) >> 1));
  for (let at = 0, from = 2; at < bytes.length; at++, from += 2)
    bytes[at] =
      ((DIGITS[text.charCodeAt(from)] as number) << 4) | (DIGITS[text.charCodeAt(from + 1)] as number);
  return bytes;
}
