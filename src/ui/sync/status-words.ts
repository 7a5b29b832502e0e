// Which sentence the status line says while a device belongs to an account. Never more than is known. Pure.
import type { SyncStatus, Whereabouts } from '../../services/sync/sync.ts';

interface SyncLine {
  readonly tone: 'danger' | 'ok' | 'busy' | 'plain';
  /** Under `line` of the catalogue. */
  readonly key: string;
  readonly values: Readonly<Record<string, string | number>>;
}

/** How many devices are named before the rest is counted. */
const NAMED = 2;

/**
 * Null: nothing to say about sync, the ordinary sentence holds. `where`: of the conversation on the screen, null where there is none.
 * `online`: what the browser believes.
 */
export function syncLine(status: SyncStatus, where: Whereabouts | null, online: boolean): SyncLine | null {
  const { state, waiting, fetching } = status;
  // Without an account say nothing, unless sync stopped: if it was wanted and cannot run, it does not even know its account.
  if (status.account === null && state !== 'stopped') return null;
  const line = (tone: SyncLine['tone'], key: string, values: SyncLine['values'] = {}): SyncLine => ({
    tone,
    key,
    values,
  });
  if (state === 'stopped') return line('danger', 'stopped');
  if (!online) return waiting > 0 ? line('plain', 'offlineWaiting', { count: waiting }) : null;
  if (state === 'offline')
    return waiting > 0 ? line('plain', 'awayWaiting', { count: waiting }) : line('plain', 'away');
  if (waiting > 0) return line('ok', 'waiting', { count: waiting });
  if (state === 'connecting') return line('ok', 'connecting');
  if (state === 'syncing')
    return fetching > 0 ? line('ok', 'fetching', { count: fetching }) : line('ok', 'syncing');
  if (state !== 'synced') return null;
  if (where === null) return line('ok', 'relay');
  if (where.place === 'withheld') return line('ok', 'withheld');
  if (where.place === 'here') return line('ok', 'here');
  const [first, second] = where.devices;
  if (first === undefined) return line('ok', 'relay');
  if (second === undefined) return line('ok', 'one', { device: first });
  const more = where.devices.length - NAMED;
  return more > 0
    ? line('ok', 'many', { device: first, other: second, count: more })
    : line('ok', 'two', { device: first, other: second });
}
