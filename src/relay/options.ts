// How the relay is told what to do: the environment, and a few flags that go before it.
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { limitsSchema } from './limits.ts';

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []));

const schema = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(4180),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATABASE_URL: z.string().optional(),
  RELAY_DATA: z.string().min(1).default('relay-data'),
  RELAY_BACKUP_DIR: z.string().optional(),
  RELAY_SERVE: z.string().optional(),
  RELAY_ORIGINS: list,
  RELAY_ACCOUNTS: list,
  RELAY_TRUST_PROXY: z.enum(['0', '1']).default('0'),
});

export type Options = ReturnType<typeof readOptions>;

/** Throws a ZodError that names the variable, or a TypeError that names the flag. */
export function readOptions(args: string[], env: Readonly<Record<string, string | undefined>>) {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      data: { type: 'string' },
      serve: { type: 'string' },
      'new-account': { type: 'boolean' },
    },
  });
  const given = {
    PORT: values.port,
    HOST: values.host,
    RELAY_DATA: values.data,
    RELAY_SERVE: values.serve,
  };
  const flags = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  // An empty variable is one that is not set.
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const all = { ...set, ...flags };
  const read = schema.parse(all);
  return {
    port: read.PORT,
    host: read.HOST,
    databaseUrl: read.DATABASE_URL,
    data: read.RELAY_DATA,
    backup: read.RELAY_BACKUP_DIR,
    serve: read.RELAY_SERVE,
    /** Make up an account and say what it is, nothing else. */
    newAccount: values['new-account'] ?? false,
    /** Origins of web pages that may connect; none named: all may, as the token is what lets one in. */
    origins: read.RELAY_ORIGINS,
    /** Account tags that may use this relay; none named: whoever reaches it. */
    accounts: read.RELAY_ACCOUNTS,
    trustProxy: read.RELAY_TRUST_PROXY === '1',
    limits: limitsSchema.parse(all),
  };
}
