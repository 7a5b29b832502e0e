// Redacts memory in conversations by what the person deleted or forbade since.
import { orElse } from '../../domain/base/log.ts';
import { until } from '../../domain/base/readable.ts';
import { withDeadline } from '../../domain/base/time-limit.ts';
import { createRedaction, type Redaction } from '../../domain/context/redaction.ts';
import { createUnusableTest } from '../../domain/memory/notes.ts';
import type { Documents } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';

/** Longest wait for the list of deleted and forbidden messages, ms. */
const TIMEOUT_MS = 3000;

interface CurrentRedaction {
  /** The same object until a conversation is added or removed, or the notes change: caches depend on that. */
  now(): Redaction;
  /** Resolves when everything deleted and forbidden up to this call is known; soon, also if it cannot be read. */
  known(): Promise<void>;
}

/** Makes the current redaction. `notes`: memory notes and feedback; absent: nothing is redacted by them. */
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
  /** Existing conversations; null while the library is not read. */
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
      redaction: createRedaction(createUnusableTest(listed, notesState), (id) => touched.has(id)),
    };
  };
  let made: ReturnType<typeof make> | undefined;
  const now = (): Redaction => {
    const listed = library.get();
    if (!made || made.notesState !== notes.state.get()) made = make();
    else if (made.listed !== listed) {
      // Most saves change nothing in the listing that matters here.
      made = isSame(made.living, livingOf(listed)) ? { ...made, listed } : make();
    }
    return made.redaction;
  };
  const known = async (): Promise<void> => {
    const both = withDeadline(closing, TIMEOUT_MS, (bounded) =>
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
