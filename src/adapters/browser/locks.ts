// Work that only one tab of the origin may do at a time, over the Web Locks API. Where there is none, the work is done at once.

const locks = (): LockManager | undefined =>
  (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks;

/** Waits until no other tab does work of this name. Settles as the work does. */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  const held = locks();
  return await (held ? held.request(name, work) : work());
}

/** Does the work unless another tab does work of this name just now; resolves with undefined then. */
export async function ifFree<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
  const held = locks();
  if (!held) return await work();
  return await held.request(name, { ifAvailable: true }, (lock) => (lock ? work() : undefined));
}
