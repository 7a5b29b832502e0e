// Work that only one tab of the origin may do at a time, over the Web Locks API. A browser without it does the work at once.

/** Waits until no other tab does work of this name. Settles as the work does. */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  return await (navigator.locks ? navigator.locks.request(name, work) : work());
}

/** Does the work unless another tab does work of this name just now; resolves with undefined then. */
export async function ifFree<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
  if (!navigator.locks) return await work();
  return await navigator.locks.request(name, { ifAvailable: true }, (lock) => (lock ? work() : undefined));
}
