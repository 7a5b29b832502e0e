// The library document: `c` maps a conversation's id to its list entry. Each entry is derived from
// the conversation's own document in the same append, and can be made again from it.
import * as Y from 'yjs';
import { z } from 'zod';
import { asConversationId, type ConversationId } from '../../domain/base/ids.ts';
import { timeSchema } from '../../domain/base/time.ts';
import { projectOf } from '../../domain/projects/filing.ts';
import { projectLineSchema } from '../../domain/projects/project.ts';
import { shownName } from '../../domain/text/shown.ts';
import type { LibraryEntry, LibraryListing, ProjectEntry } from './documents.ts';

const entrySchema = z.looseObject({
  title: z
    .string()
    .transform((title) => (shownName(title) === '' ? '' : title))
    .catch(''),
  createdAt: timeSchema.catch(0),
  updatedAt: timeSchema.catch(0),
  messageCount: z.number().catch(0),
  pinned: z.boolean().catch(false),
  archived: z.boolean().catch(false),
  workDir: z.string().nullable().catch(null),
  deletedAt: timeSchema.nullable().catch(null),
  movedAt: timeSchema.catch(0),
  source: z.object({ tool: z.string(), id: z.string() }).nullable().catch(null),
  child: z.boolean().catch(false),
  sample: z.boolean().catch(false),
  projectId: z.string().nullable().catch(null),
  filed: z.string().nullable().catch(null),
  project: projectLineSchema.nullable().catch(null),
});

export interface LibraryDocument {
  readonly doc: Y.Doc;
  /** All entries, projects included, as stored; newest first. The same array until the document changes. */
  entries(): readonly LibraryEntry[];
  /**
   * Conversations and projects separately, each with its present project. The same arrays until the document changes.
   */
  listed(): Pick<LibraryListing, 'entries' | 'projects'>;
  get(id: ConversationId): LibraryEntry | undefined;
  /** Sets and removes entries; returns the update, or undefined if nothing changed. */
  change(set: readonly LibraryEntry[], remove: readonly ConversationId[]): Uint8Array | undefined;
  apply(update: Uint8Array): void;
}

/**
 * Wraps a Yjs document as the library. Entries are parsed leniently: a damaged value falls back to its default, and
 * only an entry that is no object is left out.
 */
export function createLibraryDocument(doc: Y.Doc = new Y.Doc()): LibraryDocument {
  const c = doc.getMap<unknown>('c');
  const parsed = new Map<string, LibraryEntry>();
  let sorted: LibraryEntry[] | undefined;
  let split: ReturnType<LibraryDocument['listed']> | undefined;
  /** Entries whose present project differs from the stored one, by entry, so that readers get the same objects. */
  const moved = new WeakMap<LibraryEntry, LibraryEntry>();
  c.observe((event) => {
    for (const key of event.keysChanged) parsed.delete(key);
    sorted = undefined;
    split = undefined;
  });

  const get = (id: string): LibraryEntry | undefined => {
    const known = parsed.get(id);
    if (known) return known;
    const result = entrySchema.safeParse(c.get(id));
    if (!result.success) return undefined;
    const entry = { ...result.data, id: asConversationId(id) } as LibraryEntry;
    parsed.set(id, entry);
    return entry;
  };

  const entries = (): readonly LibraryEntry[] => {
    sorted ??= [...c.keys()]
      .map(get)
      .filter((entry) => entry !== undefined)
      .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
    return sorted;
  };

  const splitUp = (): ReturnType<LibraryDocument['listed']> => {
    const written = entries().filter((entry): entry is ProjectEntry => entry.project !== null);
    const placeOf = projectOf(written);
    const placed = <E extends LibraryEntry>(entry: E): E => {
      const projectId = placeOf(entry);
      if (projectId === entry.projectId) return entry;
      const known = moved.get(entry);
      if (known?.projectId === projectId) return known as E;
      const made = { ...entry, projectId };
      moved.set(entry, made);
      return made;
    };
    return {
      entries: entries().flatMap((entry) => (entry.project === null ? [placed(entry)] : [])),
      projects: written.map(placed),
    };
  };

  return {
    doc,
    get,
    entries,
    listed: () => {
      split ??= splitUp();
      return split;
    },
    change: (set, remove) => {
      let update: Uint8Array | undefined;
      const capture = (bytes: Uint8Array) => {
        update = bytes;
      };
      doc.on('update', capture);
      try {
        doc.transact(() => {
          for (const { id, ...line } of set) {
            const before = get(id);
            const { id: _, ...known } = before ?? { id };
            if (!before || JSON.stringify(known) !== JSON.stringify(entrySchema.parse(line))) c.set(id, line);
          }
          for (const id of remove) c.delete(id);
        });
      } finally {
        doc.off('update', capture);
      }
      return update;
    },
    apply: (update) => Y.applyUpdate(doc, update, 'log'),
  };
}
