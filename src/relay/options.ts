// Reads the relay's options: environment variables, and a few flags that win over them.
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { limitsSchema } from './limits.ts';

/** Reads names that are separated by commas. */
const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []));
const flag = z.enum(['0', '1']).default('0');

const schema = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(4180),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATABASE_URL: z.string().optional(),
  RELAY_DATA: z.string().min(1).default('relay-data'),
  RELAY_BACKUP_DIR: z.string().optional(),
  RELAY_SERVE: z.string().optional(),
  RELAY_ORIGINS: list,
  RELAY_ACCOUNTS: list,
  RELAY_OPEN: flag,
  RELAY_TRUST_PROXY: flag,
});

/** Text of `--help`. */
export const HELP = `Recollect relay: stores what the devices of an account send, sealed, and hands it to the others.

  npm run relay                         keeps everything in ./relay-data, listens on 127.0.0.1:4180
  npm run relay -- --serve dist         hands out the built app as well (npm run build makes it)

  --port <number>     port, 0 for any free one (PORT, 4180)
  --host <address>    address to listen on (HOST, 127.0.0.1)
  --data <folder>     folder of the embedded store (RELAY_DATA, relay-data)
  --serve <folder>    folder of the built app (RELAY_SERVE)
  --open              lets everybody in who reaches the relay (RELAY_OPEN=1). On an address that
                      others can reach, this or RELAY_ACCOUNTS is needed
  --new-account       makes up an account, prints its token for the app and its tag for RELAY_ACCOUNTS
  --help              prints this

  RELAY_ACCOUNTS      tags of the accounts that may use this relay, with commas
  RELAY_ORIGINS       origins of pages that may connect, with commas
  RELAY_TRUST_PROXY   1: the last X-Forwarded-For is the client's address
  DATABASE_URL        PostgreSQL instead of the embedded store

Limits, backup and more than one machine: docs/relay.md.
`;

/** Thrown for options with which the relay must not start. The message is for its operator. */
class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

/** All options of a relay, checked. */
export type Options = ReturnType<typeof readOptions>;

/** True if only this machine reaches the address. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host === '::1' ||
  host === '[::1]' ||
  /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(host);

/**
 * Reads the options from flags (`args`, without the program's name) and environment variables. Throws a ZodError that
 * names the variable, a TypeError that names the flag, or an OptionsError if strangers could use the relay unasked.
 */
export function readOptions(args: string[], env: Readonly<Record<string, string | undefined>>) {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      data: { type: 'string' },
      serve: { type: 'string' },
      open: { type: 'boolean' },
      'new-account': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const given = {
    PORT: values.port,
    HOST: values.host,
    RELAY_DATA: values.data,
    RELAY_SERVE: values.serve,
    RELAY_OPEN: values.open ? '1' : undefined,
  };
  const flags = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  // An empty variable counts as unset.
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const all = { ...set, ...flags };
  const read = schema.parse(all);
  const options = {
    port: read.PORT,
    host: read.HOST,
    /** PostgreSQL's address; undefined: the embedded store in `data`. */
    databaseUrl: read.DATABASE_URL,
    /** Folder of the embedded store. */
    data: read.RELAY_DATA,
    /** Folder for backups; undefined: beside `data`. */
    backup: read.RELAY_BACKUP_DIR,
    /** Folder of the built app; undefined: the relay serves no pages. */
    serve: read.RELAY_SERVE,
    /** Print the options and exit. */
    help: values.help ?? false,
    /** Make an account, print it and exit. */
    newAccount: values['new-account'] ?? false,
    /** Origins of web pages that may connect; empty: all, since the token decides. */
    origins: read.RELAY_ORIGINS,
    /** Account tags that may use this relay; empty: every account. */
    accounts: read.RELAY_ACCOUNTS,
    /** Take the client's address from the last entry of X-Forwarded-For. */
    trustProxy: read.RELAY_TRUST_PROXY === '1',
    limits: limitsSchema.parse(all),
  };
  const isRelay = !options.help && !options.newAccount;
  if (isRelay && !isLoopback(options.host) && options.accounts.length === 0 && read.RELAY_OPEN === '0')
    throw new OptionsError(
      `On ${options.host} everybody who reaches this relay could store up to ${Math.round(options.limits.account / 1024 / 1024)} MiB an account. Name the accounts that may (RELAY_ACCOUNTS; --new-account makes one up), or say --open (RELAY_OPEN=1) if it is meant for all.`,
    );
  return options;
}
