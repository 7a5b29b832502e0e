// Tells if this window looks like a private one, whose storage goes when it is closed. No browser says so; two show it by what they
// refuse.
import { log } from '../../domain/base/log.ts';

/**
 * Firefox (`SecurityError`) and Safari (`UnknownError`) refuse the origin's private file system to private windows, where they keep IndexedDB until
 * the window is closed. Chromium's incognito windows have all of it, and nothing tells them apart: false.
 */
export async function looksPrivate(
  storage: Pick<StorageManager, 'getDirectory'> | undefined,
): Promise<boolean> {
  if (!storage || !('getDirectory' in storage)) return false;
  try {
    await storage.getDirectory();
    return false;
  } catch (error) {
    log.debug('The private file system is refused', error);
    return ['SecurityError', 'UnknownError'].includes(String((error as { name?: unknown } | null)?.name));
  }
}
