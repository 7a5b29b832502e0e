// Finds memory notes that apply to a request although they share no word with it: "a small function that parses dates"
// brings "TypeScript strict, tests first".
import { isTemporary } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { withDeadline } from '../../domain/base/time-limit.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { type AppliedNote, type Message, textOf } from '../../domain/chat/message.ts';
import { estimateTokens } from '../../domain/context/tokens.ts';
import { createNeverTest, isNoteValidAt, type MemoryNote } from '../../domain/memory/notes.ts';
import type { NoteKind } from '../../domain/memory/recognition/kinds.ts';
import { appliesTo } from '../../domain/memory/recognition/recognise.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { NotesState } from '../documents/notes.ts';
import type { Recognising } from './recognising.ts';

/** Longest wait of an answer for the notes, ms. */
const TIMEOUT_MS = 1_500;
/** Most notes examined, newest first; most that go along. */
const [MOST_EXAMINED, MOST] = [300, 8];
/** Longest part of a request that is read, characters. */
const READ = 1_000;
/** A note that went along goes along again after so many messages. */
const AGAIN_AFTER = 24;
/** Decisions and projects concern one subject, which must plainly be the request's. */
const SURELY: Partial<Record<NoteKind, number>> = { decision: 0.5, project: 0.5, person: 0.3 };

export interface Applying {
  /**
   * Lists the notes that apply to the question, the most fitting first; none if that is switched off. Never rejects.
   */
  forRequest(asked: {
    readonly conversation: Conversation;
    readonly path: readonly Message[];
    readonly message: Message;
    readonly known: NotesState | undefined;
    readonly project?: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<readonly AppliedNote[]>;
}

/**
 * Makes the finder of notes that apply. A request waits for it 1.5 s at most and gets at most eight
 * notes, within `notes.apply_max_tokens`.
 */
export function createApplying({
  recognising,
  config,
  now,
}: {
  readonly recognising: Recognising;
  readonly config: Readable<Config>;
  /** ms since 1970 */
  readonly now: () => number;
}): Applying {
  return {
    forRequest: async ({ conversation, path, message, known, project, signal }) => {
      const { apply, apply_max_tokens: most } = config.get().notes;
      const text = textOf(message).slice(0, READ).trim();
      if (!apply || !known || text === '' || isTemporary(conversation.id)) return [];
      const given = givenLately(path);
      const standing = known.notes.filter((note) => mayApply(note, now(), project)).slice(0, MOST_EXAMINED);
      const never = createNeverTest(known.feedback);
      const candidates = standing.filter(
        (note) =>
          !never({ conversationId: 'notes', messageId: `${note.id}@${note.updatedAt}`, text: note.text }),
      );
      if (candidates.length === 0) return [];
      const texts = [text, ...candidates.map((note) => note.text)];
      try {
        const [request, ...notes] = await withDeadline(signal, TIMEOUT_MS, (bounded) =>
          recognising.of(texts, bounded),
        );
        if (!request) return [];
        const scored = candidates.flatMap((note, at) => {
          const found = notes[at];
          const kind = note.kind ?? found?.kind ?? 'fact';
          const score = found ? appliesTo({ ...found, kind }, request) : null;
          return score !== null && score >= (SURELY[kind] ?? 0) ? [{ note, kind, score }] : [];
        });
        return withinBudget(
          scored.sort((a, b) => b.score - a.score),
          most,
        ).filter(({ id, at }) => !given.has(`${id}@${at}`));
      } catch (error) {
        log.debug('Notes were not compared in time; the answer continues without them', error);
        return [];
      }
    },
  };
}

/** True for the person's own note that holds now, in this project. A model's note is recalled, but gives no orders. */
const mayApply = (note: MemoryNote, now: number, project: string | undefined): boolean =>
  note.applies !== false &&
  note.by === 'person' &&
  note.beside === undefined &&
  isNoteValidAt(note, now) &&
  (note.project === undefined || note.project === project);

function givenLately(path: readonly Message[]): ReadonlySet<string> {
  const given = new Set<string>();
  for (const { parts } of path.slice(-AGAIN_AFTER))
    for (const part of parts)
      if (part.type === 'recall') for (const { id, at } of part.applied ?? []) given.add(`${id}@${at}`);
  return given;
}

function withinBudget(
  scored: readonly { readonly note: MemoryNote; readonly kind: NoteKind }[],
  most: number,
): AppliedNote[] {
  const chosen: AppliedNote[] = [];
  let left = most;
  for (const { note, kind } of scored) {
    const tokens = estimateTokens(note.text);
    if (tokens > left || chosen.length >= MOST) continue;
    left -= tokens;
    chosen.push({ id: note.id, at: note.updatedAt, text: note.text, kind, tokens });
  }
  return chosen;
}
