// What it means that two devices have the same.
import * as Y from 'yjs';

/**
 * A document by its structure: equal text, equal state vector, equal deletions, and whether
 * something waits for what never came.
 */
export function structureOf(update: Uint8Array): string {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, update);
  const vector = [...Y.decodeStateVector(Y.encodeStateVector(doc))].sort(([a], [b]) => a - b);
  const deleted = [...Y.decodeUpdate(Y.encodeStateAsUpdate(doc)).ds.clients]
    .map(([client, ranges]) => [client, ranges.map(({ clock, len }) => [clock, len])] as const)
    .sort(([a], [b]) => a - b);
  return JSON.stringify([vector, deleted, doc.store.pendingStructs !== null]);
}
