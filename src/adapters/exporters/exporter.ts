// Conversations out, as a file a person can keep.
import type { NotesAndFeedback } from '../../domain/chat/archive.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Role } from '../../domain/chat/message.ts';
import type { Feedback } from '../../domain/memory/notes.ts';

export interface Exporter {
  readonly id: string;
  readonly label: string;
  /** Without the dot. `json` for one file, `zip` where several conversations become several files. */
  readonly extension: (conversations: number) => string;
  readonly mediaType: (conversations: number) => string;
  /** Yields the file in pieces, so that a large library never lies in memory twice. */
  write(
    conversations: AsyncIterable<Conversation>,
    /**
     * `count`: conversations, and one more where there are notes or feedback to be read beside them. `told`: what the person told
     * memory, where everything is exported. `words`: in the language of the person.
     */
    options: {
      count: number;
      now: number;
      signal: AbortSignal;
      notesAndFeedback?: NotesAndFeedback;
      words: ExportWords;
    },
  ): AsyncIterable<Uint8Array>;
}

/** Words that a file for readers adds to the conversation. */
type ExportWord =
  | 'untitled'
  | Role
  | 'note'
  | 'attachment'
  | 'reasoning'
  /** `name` */
  | 'calls'
  | 'result'
  | 'error'
  | 'resultOf'
  | 'errorOf'
  | 'recalled'
  /** `title`, `date`, `score` */
  | 'passage'
  /** Above passages that were found and that the person left out. */
  | 'leftOut'
  | 'unknown'
  /** `number`; `place`: who spoke there, and when. */
  | 'branch'
  | 'branchAfter'
  | 'elsewhere'
  /** `name` */
  | 'checkpoint'
  /** `count`, `before`, `after` */
  | 'folded'
  | 'foldedUncounted'
  | 'memory'
  /** `device`, `date` */
  | 'memoryOf'
  /** `place` */
  | 'dmail'
  | 'dmailByModel'
  | 'dmailSent'
  | 'dmailLost'
  | 'notes'
  | 'feedback'
  /** `query` */
  | Feedback['verdict'];
export type ExportWords = (word: ExportWord, values?: Readonly<Record<string, string | number>>) => string;
