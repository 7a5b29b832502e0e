// State of the interface that lives only while the tab is open: floating windows, unread marks, reading places.
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { SourceFile } from '../../adapters/importers/importer.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { type Readable, type Writable, writable } from '../../domain/base/readable.ts';
import type { PassageSource } from '../../domain/chat/files.ts';
import type { Sought } from '../../domain/forget/sought.ts';
import type { ProjectId } from '../../domain/projects/project.ts';
import type { App } from '../../services/app.ts';
import type { DraftFile } from '../../services/chat/composer-drafts.ts';
import type { CommandOutcome } from '../../services/commands/command.ts';
import type { ProjectEntry } from '../../services/documents/documents.ts';
import type { ForgottenRecord } from '../../services/documents/forgotten-records.ts';
import type { RecallResult } from '../../services/memory/memory.ts';
import { createReadAloud, type ReadAloud } from '../chat/read-aloud.ts';
import { useApp } from './app.tsx';

/** Reading place in a conversation. `cache` belongs to the virtual list. */
export interface ReadingPlace {
  readonly offset: number;
  readonly atEnd: boolean;
  readonly rows: number;
  readonly cache: unknown;
}

/** Outcome of a slash command, shown below the messages until it is closed. */
export interface ShownOutcome {
  readonly id: number;
  readonly line: string;
  /** Null while the command runs. */
  readonly outcome: CommandOutcome | null;
  /** Time when it ended, ms since 1970. */
  readonly at: number;
}

type Floating = 'palette' | 'shortcuts' | 'import' | 'drawer' | null;

/** Question about projects. */
type ProjectQuestion =
  | { readonly type: 'make' }
  | { readonly type: 'folders' }
  | { readonly type: 'move'; readonly ids: readonly ConversationId[] }
  | { readonly type: 'remove'; readonly project: ProjectEntry };

/**
 * Request to forget permanently: already named by a title or first words, or to be entered in the
 * dialog, whose field starts with `words`.
 */
export type AskedToForget = { readonly sought: Sought; readonly title: string } | { readonly words: string };

interface ComposerControl {
  focus(): void;
  insert(text: string): void;
  addFiles(files: readonly File[]): void;
  /** Saves the draft; resolves to true when it is durable. */
  keep(): Promise<boolean>;
  moveTo(conversation: ConversationId): Promise<void>;
  /**
   * Returns false, without attaching, if the composer belongs to another conversation
   * than `place` (null: the empty page).
   */
  attach(place: ConversationId | null, file: DraftFile): boolean;
}

interface SearchedAgain {
  readonly result: RecallResult;
  /** Memory was complete by then. */
  readonly whole: boolean;
  /** Records that had been forgotten by then. */
  readonly forgotten: readonly ForgottenRecord[];
}

interface Session {
  /** The part of the shell that floats now, at most one. */
  readonly floating: Writable<Floating>;
  /**
   * Files dropped elsewhere, for the import dialog: from `filesOfDrop`, called inside the event (the
   * browser empties the transfer after it).
   */
  readonly dropped: Writable<Promise<readonly SourceFile[]> | null>;
  /** Conversations with an unread answer. */
  readonly unread: Writable<ReadonlySet<ConversationId>>;
  /** Latest answer that ended out of sight. */
  readonly ended: Readable<{ readonly id: ConversationId } | null>;
  /** True if memory's reading was paused from this tab. */
  readonly pausedHere: Writable<boolean>;
  /** The conversation on the screen. */
  readonly current: Writable<ConversationId | null>;
  /** The conversation that is or was last on the screen; null before the first. */
  readonly lastOpen: Readable<ConversationId | null>;
  /** Content of the forget dialog; null while closed. */
  readonly forgetting: Writable<AskedToForget | null>;
  /** Conversation whose session memory is open in its dialog; null while closed. */
  readonly memoryFile: Writable<ConversationId | null>;
  readonly places: Map<ConversationId, ReadingPlace>;
  /**
   * Recall cards that the person opened or closed, by answer, or by tool call and query: a card that is drawn again
   * when its answer ends or scrolls back looks as it was left.
   */
  readonly cards: Map<string, boolean>;
  /** Ticked passages of a `/recall --explain`, by its outcome: they stay while one looks at a passage's message. */
  readonly ticks: WeakMap<object, ReadonlySet<string>>;
  /** Passages offered for an unsent message and unticked, by its conversation; `new` for the empty page. */
  readonly unticked: Map<ConversationId | 'new', readonly MessageId[]>;
  /** Later findings of memory, by the answer that came too early for them. */
  readonly searchedAgain: Map<string, SearchedAgain>;
  /** Place in an attached document to open once its message is on the screen; null: none. */
  readonly openingFile: Writable<{ readonly messageId: string; readonly source: PassageSource } | null>;
  /** Outcomes of slash commands by conversation; `new` for the empty page. */
  readonly outcomes: Writable<ReadonlyMap<ConversationId | 'new', readonly ShownOutcome[]>>;
  /** Temporary conversation that the empty page would begin; null: an ordinary one. */
  readonly temporary: Writable<ConversationId | null>;
  /** Project in which the empty page would begin a conversation; null: none. */
  readonly project: Writable<ProjectId | null>;
  /** The open dialog about projects. */
  readonly asking: Writable<ProjectQuestion | null>;
  /** Project whose page is to scroll to its name and looks once shown; null: none. */
  readonly openingAppearance: Writable<ProjectId | null>;
  /** Control of the mounted composer, which sets it; null while none is mounted. */
  readonly composer: Writable<ComposerControl | null>;
  /** Stops when the person leaves the conversation. */
  readonly readAloud: ReadAloud;
  /** Follows a turn to its end; marks the conversation unread if it ends out of sight. */
  follow(id: ConversationId): void;
}

function createSession(app: App): Session {
  const unread = writable<ReadonlySet<ConversationId>>(new Set());
  const current = writable<ConversationId | null>(null);
  const lastOpen = writable<ConversationId | null>(null);
  const readAloud = createReadAloud(globalThis.speechSynthesis);
  const ended = writable<{ readonly id: ConversationId } | null>(null);
  const followed = new Set<ConversationId>();
  const read = (id: ConversationId) => {
    if (unread.get().has(id)) unread.update((ids) => new Set([...ids].filter((other) => other !== id)));
  };
  // Lives as long as the tab, so it is never removed.
  document.addEventListener('visibilitychange', () => {
    const id = current.get();
    if (!document.hidden && id !== null) read(id);
  });
  // A voice may go on after its page is gone, or while a page that is being locked still saves.
  window.addEventListener('pagehide', () => readAloud.stop());
  current.subscribe(() => {
    const id = current.get();
    readAloud.stop();
    if (id !== null) lastOpen.set(id);
    if (id !== null) read(id);
  });
  return {
    floating: writable<Floating>(null),
    dropped: writable<Promise<readonly SourceFile[]> | null>(null),
    unread,
    ended,
    pausedHere: writable(false),
    current,
    lastOpen,
    forgetting: writable<AskedToForget | null>(null),
    memoryFile: writable<ConversationId | null>(null),
    places: new Map(),
    cards: new Map(),
    ticks: new WeakMap(),
    unticked: new Map(),
    searchedAgain: new Map(),
    openingFile: writable<{ readonly messageId: string; readonly source: PassageSource } | null>(null),
    outcomes: writable<ReadonlyMap<ConversationId | 'new', readonly ShownOutcome[]>>(new Map()),
    temporary: writable<ConversationId | null>(null),
    project: writable<ProjectId | null>(null),
    asking: writable<ProjectQuestion | null>(null),
    openingAppearance: writable<ProjectId | null>(null),
    composer: writable<ComposerControl | null>(null),
    readAloud,
    follow: (id) => {
      const turn = app.chat.turn(id);
      if (followed.has(id) || turn.get().status === 'idle') return;
      followed.add(id);
      const stop = turn.subscribe(() => {
        if (turn.get().status !== 'idle') return;
        stop();
        followed.delete(id);
        if (current.get() === id && !document.hidden) return;
        unread.update((ids) => new Set([...ids, id]));
        ended.set({ id });
      });
    },
  };
}

const SessionContext = createContext<Session | null>(null);

export function SessionProvider({ children }: { children: ReactNode }) {
  const app = useApp();
  const session = useMemo(() => createSession(app), [app]);
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** Throws outside of `SessionProvider`. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession needs a <SessionProvider> above it');
  return session;
}
