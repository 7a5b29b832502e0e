// Notices sentences in which a person describes themselves or their wishes, and puts them into the inbox of the memory
// notes as questions. Reads the log with its own bookmark, only messages written on this device; once per origin, after
// the index, never while the person types.
import type { Store } from '../../adapters/log/conversation-log.ts';
import { toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, isConversation } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { type Conversation, haveSameWords } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { MemoryNote, Proposal } from '../../domain/memory/notes.ts';
import { isSkipped } from '../../domain/memory/privacy.ts';
import type { NoteKind } from '../../domain/memory/recognition/kinds.ts';
import { dot, PROPOSED_FROM, statementsOf } from '../../domain/memory/recognition/recognise.ts';
import { wordsToKeep } from '../../domain/memory/recognition/wording.ts';
import type { Config } from '../../domain/settings/config.ts';
import { squeezed } from '../../domain/text/sentences.ts';
import type { Notes } from '../documents/notes.ts';
import { createReader } from '../documents/reader.ts';
import { mayBeNote, type PrivacyFilter } from '../privacy/privacy-filter.ts';
import { createJob } from '../scheduler.ts';
import type { RecognisedText, Recognising } from './recognising.ts';
import { isRemembered } from './rows.ts';

/** Delay after a message, ms, so that the conversation comes first. */
const REST_MS = 3_000;
/** A typing notice that is not repeated ends after this time, ms. */
const TYPING_FORGOTTEN_MS = 15_000;
const PAGE = 100;
/** Most messages that are remembered as seen; older ones are recognised by their time. */
const SEEN = 500;
/** A message may be saved this much later than it was made, ms; all tabs share one clock. */
const LATE_MS = 600_000;
/** From the first cosine on a note says the same in other words; from the second on it may say what was true before. */
const [SAME_FROM, REPLACES_FROM] = [0.92, 0.6];
/** Kinds that hold only in the project where they were said; identity and tastes hold everywhere. */
export const OF_A_PROJECT: readonly NoteKind[] = ['rule', 'decision', 'project'];
/** Most notes that a sentence is compared with, newest first. */
const COMPARED = 500;

interface NoticingDeps {
  readonly store: Store;
  readonly notes: Notes;
  readonly recognising: Recognising;
  /** Finds private words: a sentence that contains one is not proposed. */
  readonly filter: Pick<PrivacyFilter, 'find'>;
  /** False while there is no model yet: noticing waits for it. */
  readonly ready: () => boolean;
  readonly config: Readable<Config>;
  /** ms since 1970 */
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly restMs?: number;
}

interface Noticing {
  /** Looks as soon as possible. */
  wake(): void;
  setPaused(paused: boolean): void;
  settled(): Promise<void>;
}

interface Bookmark {
  readonly seq: number;
  /** Messages before this time are older than the first start, ms since 1970. */
  readonly at: number;
  readonly seen: readonly string[];
}
const BOOKMARK = 'memory.noticed';

/**
 * Starts looking for sentences worth remembering, 3 s after each message; ends with `deps.signal`.
 * Runs once per origin, in the leader.
 */
export function startNoticing(deps: NoticingDeps): Noticing {
  return new NoticingService(deps);
}

class NoticingService implements Noticing {
  readonly #deps: NoticingDeps;
  readonly #reader: ReturnType<typeof createReader>;
  readonly #job: ReturnType<typeof createJob>;
  #typingSince = Number.NEGATIVE_INFINITY;

  constructor(deps: NoticingDeps) {
    this.#deps = deps;
    const { store, config, signal, restMs = REST_MS } = deps;
    this.#reader = createReader(store.log);
    this.#job = createJob({
      run: (ending) => this.#run(ending),
      signal,
      gapMs: Math.min(500, restMs),
      onError: (error) =>
        log.info(`Sentences worth remembering are searched for later: ${toProblem(error).code}`),
    });
    const stops = [
      store.log.subscribe(({ documents }) => {
        if (documents.some(isConversation)) this.#job.wakeWithin(restMs);
      }),
      config.subscribe(() => this.#job.wakeWithin(restMs)),
    ];
    signal.addEventListener(
      'abort',
      () => {
        for (const stop of stops) stop();
      },
      { once: true },
    );
    this.#job.wakeWithin(restMs);
  }

  wake(): void {
    this.#job.wake(true);
  }

  settled(): Promise<void> {
    return this.#job.settled();
  }

  setPaused(paused: boolean): void {
    this.#typingSince = paused ? performance.now() : Number.NEGATIVE_INFINITY;
    if (!paused) this.#job.wakeWithin(this.#deps.restMs ?? REST_MS);
  }

  async #run(ending: AbortSignal): Promise<void> {
    const { store, config, now } = this.#deps;
    const keyValues = store.keyValues;
    const head = await store.log.head();
    let bookmark = bookmarkIn(await keyValues.get(BOOKMARK));
    // A person may write before the first run: `at` leaves out what is older.
    if (!bookmark && config.get().notes.propose) {
      bookmark = { seq: Math.max(0, head - PAGE), at: now(), seen: [] };
      await keyValues.set(BOOKMARK, bookmark);
    }
    // Skip what was said while proposals are off.
    if (!bookmark || bookmark.seq > head || !config.get().notes.propose) {
      if (bookmark?.seq === head) return;
      await keyValues.set(BOOKMARK, {
        seq: head,
        at: now(),
        seen: bookmark?.seen ?? [],
      } satisfies Bookmark);
      return;
    }
    while (bookmark.seq < head) {
      ending.throwIfAborted();
      if (performance.now() - this.#typingSince < TYPING_FORGOTTEN_MS) {
        this.#job.wakeWithin(TYPING_FORGOTTEN_MS);
        return;
      }
      if (!this.#deps.ready()) {
        this.#job.wakeWithin(5_000);
        return;
      }
      const entries = await store.log.since(bookmark.seq, PAGE);
      if (entries.length === 0) return;
      const touched = new Set<ConversationId>();
      for (const { document, origin } of entries)
        if (origin === 'user' && isConversation(document)) touched.add(document);
      const seen: Set<string> = new Set(bookmark.seen);
      for (const id of touched) await this.#examine(id, bookmark.at - LATE_MS, seen, ending);
      bookmark = { ...bookmark, seq: entries.at(-1)?.seq ?? head, seen: [...seen].slice(-SEEN) };
      await keyValues.set(BOOKMARK, bookmark);
    }
  }

  async #examine(id: ConversationId, from: number, seen: Set<string>, ending: AbortSignal): Promise<void> {
    const { notes, config, recognising } = this.#deps;
    const { privacy } = config.get();
    const found = await this.#reader.read(id);
    const { conversation } = found ?? {};
    // Withdraw proposals from messages that are gone.
    const isGone = (source: Proposal['source']): boolean =>
      source.conversationId === id &&
      !(conversation && [...conversation.messages.keys()].some((one) => one === source.messageId));
    await notes.known();
    if (notes.inbox.get().proposals.some(({ source }) => isGone(source))) await notes.withdraw(isGone);
    if (!conversation || !isRemembered(conversation, privacy)) return;
    const { sample, project, projectId } = conversation.meta;
    if (sample || project) return;
    const sentences: { said: string; text: string; message: Message }[] = [];
    for (const message of fresh(conversation, from, seen)) {
      seen.add(message.id);
      if (isSkipped(message, privacy)) continue;
      for (const said of statementsOf(message))
        if (mayBeNote(this.#deps.filter, said)) sentences.push({ said, text: wordsToKeep(said), message });
    }
    if (sentences.length === 0) return;
    // The rest of the sentence says the kind; where it says none, the request to remember it does.
    const recognised = await recognising.of(
      sentences.flatMap(({ text, said }) => [text, said]),
      ending,
    );
    const proposable = sentences.flatMap((one, at) => {
      const [alone, asSaid] = recognised.slice(2 * at) as [RecognisedText, RecognisedText];
      const { kind, probability } = alone.kind && alone.probability >= PROPOSED_FROM ? alone : asSaid;
      return kind && probability >= PROPOSED_FROM ? [{ ...one, kind, vector: alone.vector }] : [];
    });
    if (proposable.length === 0) return;
    const known = notes.state.get().notes.filter(({ beside }) => beside === undefined);
    const compared = known.slice(0, COMPARED);
    const meanings = await recognising.of(
      compared.map(({ text }) => text),
      ending,
    );
    // Words may have been deleted or forgotten while the model was asked.
    const left = (await this.#reader.read(id))?.conversation;
    const proposals = proposable.flatMap(({ text, message, kind, vector }) => {
      if (!left || !haveSameWords([message], left)) return [];
      const near = nearest(vector, compared, meanings);
      if (near && (near.cosine >= SAME_FROM || squeezed(near.note.text) === squeezed(text))) return [];
      return [
        {
          text,
          kind,
          source: { conversationId: id, messageId: message.id },
          at: message.createdAt,
          by: 'device' as const,
          ...(projectId !== null && OF_A_PROJECT.includes(kind) ? { project: projectId } : {}),
          ...(near && near.cosine >= REPLACES_FROM ? { replaces: near.note.id } : {}),
        },
      ];
    });
    await notes.propose(proposals);
    if (config.get().notes.accept) await this.#acceptAll(id);
  }

  /**
   * The person wants no questions: sentences that replace nothing are kept. Those that may contradict a note,
   * or that a model suggests, still wait.
   */
  async #acceptAll(id: ConversationId): Promise<void> {
    const { notes } = this.#deps;
    for (const { id: proposal, source, replaces, by } of notes.inbox.get().proposals)
      if (by === 'device' && source.conversationId === id && replaces === undefined)
        await notes.accept(proposal);
  }
}

/** The person's unseen messages, in order, without copies on other branches. */
const fresh = (conversation: Conversation, from: number, seen: ReadonlySet<string>): Message[] =>
  [...conversation.messages.values()]
    .filter(
      ({ id, role, createdAt, copyOf, sourceId }) =>
        role === 'user' &&
        createdAt >= from &&
        copyOf === undefined &&
        sourceId === undefined &&
        !seen.has(id),
    )
    .sort((a, b) => a.createdAt - b.createdAt);

function nearest(
  vector: Float32Array | null,
  notes: readonly MemoryNote[],
  meanings: readonly RecognisedText[],
): { readonly note: MemoryNote; readonly cosine: number } | null {
  let best: { note: MemoryNote; cosine: number } | null = null;
  for (const [at, note] of notes.entries()) {
    const other = meanings[at]?.vector;
    if (!vector || !other) continue;
    const cosine = dot(vector, other);
    if (!best || cosine > best.cosine) best = { note, cosine };
  }
  return best;
}

function bookmarkIn(kept: unknown): Bookmark | null {
  if (typeof kept !== 'object' || kept === null) return null;
  const { seq, at, seen } = kept as Record<string, unknown>;
  return typeof seq === 'number' && typeof at === 'number' && Array.isArray(seen)
    ? { seq, at, seen: seen.filter((one) => typeof one === 'string') }
    : null;
}
