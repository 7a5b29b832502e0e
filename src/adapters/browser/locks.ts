// Runs work in only one tab of the origin at a time, by the Web Locks API. Without that API the work runs at once.

const locks = (): LockManager | undefined =>
  (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks;

/** Waits until no other tab does work of this name, then runs it. Settles as the work does. */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  const held = locks();
  return await (held ? held.request(name, work) : work());
}

/** Runs the work unless another tab is doing work of this name; then resolves with undefined. */
export async function ifFree<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
  const held = locks();
  if (!held) return await work();
  return await held.request(name, { ifAvailable: true }, (lock) => (lock ? work() : undefined));
}
