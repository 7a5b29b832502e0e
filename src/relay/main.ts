// The relay's process: reads options, opens the store, serves, and shuts down in order.
// `npm run relay -- --help` lists the options.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { accountTag } from '../domain/sync/keys.ts';
import { createLog } from './log.ts';
import { createMetrics } from './metrics.ts';
import { HELP, readOptions } from './options.ts';
import { createRelayServer } from './server.ts';
import { openLevelStore } from './store-level.ts';
import { openPostgresStore } from './store-postgres.ts';

const log = createLog();

async function run() {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  if (options.newAccount) {
    const token = randomBytes(32).toString('base64url');
    console.info(JSON.stringify({ token, tag: accountTag(token) }));
    return;
  }
  if (options.serve !== undefined && !existsSync(join(options.serve, 'index.html')))
    throw new Error(`there is no built app in ${options.serve}: npm run build makes it`);
  const level = options.databaseUrl ? null : await openLevelStore(options.data);
  const store = level ?? (await openPostgresStore(options.databaseUrl ?? ''));
  const relay = createRelayServer({ store, options, metrics: createMetrics(), log });
  const address = await relay.listen();
  log.info('listening', { address, store: level ? 'embedded' : 'postgresql', pid: process.pid });

  /** A second signal ends the process at once. */
  let leaving = false;
  async function leave(signal: string) {
    if (leaving) process.exit(1);
    leaving = true;
    log.info('leaving', { signal });
    await relay.close();
    await store.close();
    log.info('left');
    process.exit(0);
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      leave(signal).catch((error: unknown) => {
        log.warn('left-badly', { error });
        process.exit(1);
      });
    });

  if (level)
    process.on('SIGUSR2', () => {
      const target = join(
        options.backup ?? `${options.data}-backup`,
        new Date().toISOString().replaceAll(':', '-'),
      );
      level.backup(target).then(
        () => log.info('backed-up', { target }),
        (error: unknown) => log.warn('backup-failed', { error }),
      );
    });
}

run().catch((error: unknown) => {
  log.warn('not-started', { error });
  process.exitCode = 1;
});
