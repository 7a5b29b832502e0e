// Opens the stores of a tab, and unlocks them if the device is locked.
import { startAnewWhenErased } from '../adapters/browser/erasing.ts';
import { createInMemoryStore } from '../adapters/log/in-memory.ts';
import { withoutTemporary } from '../adapters/log/temporary.ts';
import { createVault } from '../adapters/vault/web-crypto.ts';
import { type Problem, toProblem } from '../domain/base/errors.ts';
import { attempt } from '../domain/base/log.ts';
import type { Writable } from '../domain/base/readable.ts';
import { NOTED_WORDS } from '../services/chat/tab.ts';
import type { StoresInForce } from '../services/lock/in-force.ts';
import { openForTab } from './device-lock.ts';

/**
 * Opens the stores, on a locked device once it is unlocked. If the log cannot be opened, `fatal` has the problem, and a
 * store in memory shows it; lesser ones go to `alert`. Rejects with `storage-failed` for an unreadable lock.
 */
export async function openStorage(
  unlocking: {
    readonly ask: Parameters<typeof openForTab>[0]['unlock'];
    readonly progress: Parameters<typeof openForTab>[0]['onProgress'];
  },
  alert: Writable<Problem | null>,
  signal: AbortSignal,
) {
  startAnewWhenErased(signal);
  const { records, holder, inForce } = await openForTab({
    signal,
    onProblem: alert.set,
    unlock: (parts) => {
      // Noted before locking was turned on, by a page that is gone since.
      attempt(() => sessionStorage.removeItem(NOTED_WORDS), undefined, 'words that this tab noted in clear');
      return unlocking.ask(parts);
    },
    onProgress: (done, all) => unlocking.progress(done, all),
    removeIndex: async (sealed) =>
      (await import('../adapters/index/engines.ts')).removeEngineFiles(undefined, sealed),
  });
  let fatal: Problem | null = null;
  const { name, vault, store } = await inForce.catch((error: unknown): StoresInForce => {
    fatal = toProblem(error);
    const store = createInMemoryStore();
    return {
      name: '',
      store,
      below: store,
      vault: createVault(store.keyValues),
      indexCipher: null,
      dataKey: null,
    };
  });
  return { records, holder, name, vault, store: withoutTemporary(store), fatal };
}
