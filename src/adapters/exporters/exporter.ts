// Contract of an exporter: it writes conversations as a file for people to keep.
import type { NotesAndFeedback } from '../../domain/chat/archive.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Role } from '../../domain/chat/message.ts';
import type { Feedback } from '../../domain/memory/notes.ts';

export interface Exporter {
  readonly id: string;
  readonly label: string;
  /** Without the dot. `json` for one file, `zip` if several conversations become several files. */
  readonly extension: (conversations: number) => string;
  readonly mediaType: (conversations: number) => string;
  /** Yields the file in pieces, so that a large library is never in memory twice. */
  write(
    conversations: AsyncIterable<Conversation>,
    /**
     * `count`: conversations, and one more if there are notes or feedback to read. `notesAndFeedback`: memory notes,
     * feedback and prompts, in a whole export. `words`: in the person's language.
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

/** Words that a file for people adds to the conversation. */
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
  /** Above the pages and documents that an answer cites. */
  | 'sources'
  /** `number`; `place`: speaker and time of the branching message. */
  | 'branch'
  | 'branchAfter'
  | 'elsewhere'
  /** `name` */
  | 'checkpoint'
  /** `count`, `before`, `after` */
  | 'compacted'
  | 'compactedUncounted'
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
