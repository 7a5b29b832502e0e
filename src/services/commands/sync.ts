// /sync: fetches changes of other devices, and sends what they lack. Also reached as /memory sync.
import { RecollectError } from '../../domain/base/errors.ts';
import type { Command, CommandContext, CommandOutcome } from './command.ts';

/** Runs /sync; `force` compares every room with this device, `status` only reports. */
export async function runSync(
  { sync }: CommandContext,
  { force, status }: { readonly force: boolean; readonly status: boolean },
): Promise<CommandOutcome> {
  if (!sync) throw new RecollectError('sync-unpaired', 'This device belongs to no account');
  if (!status) {
    const { state, problem } = sync.status.get();
    if (state === 'unpaired' || state === 'disabled')
      throw new RecollectError('sync-unpaired', 'This device belongs to no account');
    if (state === 'stopped' && problem && !force)
      throw new RecollectError(
        problem.code,
        problem.message,
        problem.params ? { params: problem.params } : {},
      );
    await sync.syncNow({ force });
    if (state !== 'local') return { type: 'done', what: force ? 'syncForced' : 'syncing' };
  }
  const { state, waiting, devices } = sync.status.get();
  return { type: 'done', what: `sync_${state}`, params: { waiting, devices: devices.length } };
}

export const sync: Command = {
  name: 'sync',
  arguments: [
    { name: 'force', kind: 'flag', value: 'none', optional: true },
    { name: 'status', kind: 'flag', value: 'none', optional: true },
  ],
  run: (context, args) => runSync(context, { force: args.force === true, status: args.status === true }),
};
