// Redacts memory that conversations were given, after what the person deleted or forbade since.
import { orElse } from '../../domain/base/log.ts';
import { until } from '../../domain/base/readable.ts';
import { atMost } from '../../domain/base/within.ts';
import { createRedaction, type Redaction } from '../../domain/context/redaction.ts';
import { unusableSince } from '../../domain/memory/notes.ts';
import type { Documents } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';

/** Nothing waits longer to hear what was deleted or called never, ms. */
const TIMEOUT_MS = 3000;

interface CurrentRedaction {
  /** The same object until a conversation comes or goes, or the person tells memory something: caches go by it. */
  now(): Redaction;
  /** Resolves when it is known what was deleted and called never up to this call; soon, also where that cannot be read. */
  known(): Promise<void>;
}

/** `notes`: what the person told memory; absent: conversations keep what they were given. */
export function createCurrentRedaction({
  library,
  notes,
  closing,
}: {
  readonly library: Documents['library'];
  readonly notes: Pick<Notes, 'state' | 'known'> | undefined;
  readonly closing: AbortSignal;
}): CurrentRedaction {
  if (!notes) {
    const nothing = createRedaction(() => false);
    return { now: () => nothing, known: () => Promise.resolve() };
  }
  /** Conversations that are there; null while the library is not read. */
  const livingOf = ({
    ready,
    entries,
    projects,
  }: ReturnType<typeof library.get>): ReadonlySet<string> | null =>
    ready
      ? new Set([...entries, ...projects].flatMap(({ id, deletedAt }) => (deletedAt === null ? [id] : [])))
      : null;
  const make = () => {
    const [listed, notesState] = [library.get(), notes.state.get()];
    const touched = new Set(
      notesState.feedback.flatMap(({ verdict, conversationId }) =>
        verdict === 'never' ? [conversationId] : [],
      ),
    );
    return {
      listed,
      living: livingOf(listed),
      notesState,
      redaction: createRedaction(unusableSince(listed, notesState), (id) => touched.has(id)),
    };
  };
  let made: ReturnType<typeof make> | undefined;
  const now = (): Redaction => {
    const listed = library.get();
    if (!made || made.notesState !== notes.state.get()) made = make();
    else if (made.listed !== listed) {
      // Most saves change the listing and nothing that matters here.
      made = isSame(made.living, livingOf(listed)) ? { ...made, listed } : make();
    }
    return made.redaction;
  };
  const known = async (): Promise<void> => {
    const both = atMost(closing, TIMEOUT_MS, (bounded) =>
      Promise.all([until(library, ({ ready }) => ready, bounded), notes.known()]),
    );
    await orElse(
      both,
      undefined,
      'what the person deleted or told memory, which came too late for a request',
    );
  };
  return { now, known };
}

const isSame = (one: ReadonlySet<string> | null, other: ReadonlySet<string> | null): boolean =>
  one?.size === other?.size && [...(one ?? [])].every((id) => other?.has(id));
