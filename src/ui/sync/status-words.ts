// Chooses the sentence of the status line while a device belongs to an account. It
// never claims more than is known. Pure.
import type { SyncLocation, SyncStatus } from '../../services/sync/sync.ts';

interface SyncLine {
  readonly tone: 'danger' | 'ok' | 'busy' | 'plain';
  /** Key below `line` of the catalogue. */
  readonly key: string;
  readonly values: Readonly<Record<string, string | number>>;
}

/** Most devices named before the rest are counted. */
const NAMED = 2;

/**
 * Null: no news from sync, so the ordinary sentence stays. `where`: of the conversation on the screen, null if there is
 * none. `online`: what the browser reports.
 */
export function syncLine(status: SyncStatus, where: SyncLocation | null, online: boolean): SyncLine | null {
  const { state, waiting, fetching } = status;
  // Without an account says nothing, unless sync stopped: if it is switched on and cannot
  // run, it does not even know its account.
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
  if (where.place === 'localOnly') return line('ok', 'localOnly');
  if (where.place === 'here') return line('ok', 'here');
  const [first, second] = where.devices;
  if (first === undefined) return line('ok', 'relay');
  if (second === undefined) return line('ok', 'one', { device: first });
  const more = where.devices.length - NAMED;
  return more > 0
    ? line('ok', 'many', { device: first, other: second, count: more })
    : line('ok', 'two', { device: first, other: second });
}
