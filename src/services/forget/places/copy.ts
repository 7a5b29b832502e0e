// The second copy of the log and of the key-value store. Its writer follows them by itself; this place triggers it once
// more and waits, since a copy with the words could bring them back.
import { VALUES } from '../../../adapters/log/recovering.ts';
import type { DocumentId } from '../../../domain/base/ids.ts';
import { isHeldIn } from '../../documents/purge.ts';
import type { CreatePlace, PlaceDeps } from '../place.ts';

/** Pauses between checks while the writer works, in ms. If it takes longer, the place is checked again later. */
const CHECKS_MS = [50, 150, 500, 1500];
/** Entries read at once. */
const PAGE = 500;

/** Returns documents whose entries are still in the copy but no longer in the log. */
async function staleIn({ copy, log, signal }: PlaceDeps): Promise<ReadonlySet<DocumentId>> {
  // Reads the copy first, since every entry in it was in the log before.
  const copied = new Map<string, DocumentId>();
  for await (const records of copy.records())
    for (const { entry } of records) copied.set(entry.id, entry.document);
  for (let seq = 0; copied.size > 0; ) {
    signal.throwIfAborted();
    const entries = await log.since(seq, PAGE);
    const last = entries.at(-1);
    if (!last) break;
    for (const { id } of entries) copied.delete(id);
    seq = last.seq;
  }
  return new Set(copied.values());
}

/**
 * Cleans the second copy of the log. Its writer gets 2.2 s to catch up; after that the place counts
 * as waiting and is tried again later.
 */
export const copy: CreatePlace = (deps) => ({
  id: 'copy',
  find: async (eraser) => {
    let count = 0;
    for await (const records of deps.copy.records())
      count += records.filter(({ entry }) => eraser.isGone(entry.document) || isHeldIn(entry, eraser)).length;
    return count === 0
      ? []
      : [
          {
            place: 'copy',
            what: 'records',
            conversation: null,
            message: null,
            title: '',
            excerpt: '',
            count,
          },
        ];
  },
  remove: async () => {
    for (const pauseMs of CHECKS_MS) {
      const [stale, hasStaleValues] = [await staleIn(deps), await deps.copy.hasStaleValues()];
      if (stale.size === 0 && !hasStaleValues) return;
      for (const document of stale) deps.copy.letGo(document);
      if (hasStaleValues) deps.copy.letGo(VALUES);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      deps.signal.throwIfAborted();
    }
  },
  verify: async () => ({
    left: 0,
    waiting: (await staleIn(deps)).size > 0 || (await deps.copy.hasStaleValues()),
  }),
});
