// Guesses if this window is private, so that its storage is lost when it is closed. No browser says so, but
// two refuse features in private windows.
import { log } from '../../domain/base/log.ts';

/**
 * Firefox (`SecurityError`) and Safari (`UnknownError`) refuse the origin's private file system in private windows,
 * though IndexedDB works until they close. Chromium's incognito windows cannot be recognised: false.
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
