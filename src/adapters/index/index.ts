// The shelf: which member of the family serves where.
//   tab            openIndexInWorker      through the leader's worker, wherever it runs
//   leader         serveIndex             opens the database on the best engine and serves it
//   tests, Node    createInMemoryIndex    or createPgliteIndex over a PGlite in memory
export { createInMemoryIndex } from './in-memory.ts';
export { createPgliteIndex } from './pglite.ts';
export { type IndexInWorker, openIndexInWorker } from './worker.ts';
