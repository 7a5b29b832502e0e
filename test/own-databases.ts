// Gives each file of tests databases of its own: files that share a process would otherwise wait for
// connections that an earlier one left open, whichever came first that day.
export {};

if ('indexedDB' in globalThis) {
  const { IDBFactory } = await import('fake-indexeddb');
  globalThis.indexedDB = new IDBFactory();
}
