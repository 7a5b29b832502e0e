// Asks memory for an answer: decides if and for what, and how long the answer waits.
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import {
  asConversationId,
  asMessageId,
  type ConversationId,
  isTemporary,
  type MessageId,
  NOTES,
} from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { isTimeout, withDeadline } from '../../domain/base/time-limit.ts';
import { startsTurn } from '../../domain/chat/checkpoint.ts';
import { compactionOn } from '../../domain/chat/compaction.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { type AppliedNote, type Message, textOf } from '../../domain/chat/message.ts';
import type { Recall } from '../../domain/context/recalled.ts';
import { refersToEarlierTalk } from '../../domain/memory/calls.ts';
import { feedbackFor } from '../../domain/memory/feedback.ts';
import { lastQueryOn } from '../../domain/memory/last-query.ts';
import { createDeletedTest } from '../../domain/memory/notes.ts';
import { type PassageMessage, withoutMessages } from '../../domain/memory/passages.ts';
import { queryForMessage } from '../../domain/memory/query.ts';
import { configWith } from '../../domain/prompts/persona.ts';
import type { Config } from '../../domain/settings/config.ts';
import { queryWords } from '../../domain/text/words.ts';
import type { Documents } from '../documents/documents.ts';
import type { Applying } from '../memory/applying.ts';
import type { Memory, RecallResult } from '../memory/memory.ts';
import type { Prompts } from '../prompts/prompts.ts';
import { askedAgain, queriesFor } from './repeat.ts';
import type { NotesLike } from './tools/index.ts';

/** Longest wait of an answer for the index, ms. */
const RECALL_TIMEOUT_MS = 3000;
/** Without a model the recall is the answer, so it may wait for an index that is starting or being rebuilt, ms. */
const RECALL_ONLY_TIMEOUT_MS = 120_000;
/** Turns between two recalls for a full window. */
const RECALL_PAUSE_TURNS = 8;

/** Longest wait of a message for the test whether the topic moved, ms. */
const TOPIC_TIMEOUT_MS = 500;
/** A call on memory with at least so many search words is also a query by itself. */
const CALL_WORDS = 3;

/** Reason for an unasked recall, as stored with it. */
type Why = Pick<Recall, 'trigger' | 'moved'>;
/** Decision to ask memory, with its queries. */
interface Wanted {
  /** Undefined: the person asked for it, or it is the answer. */
  readonly why: Why | undefined;
  readonly queries: readonly string[];
}

interface QuestionToRecall {
  readonly conversation: Conversation;
  readonly path: readonly Message[];
  readonly asked: Message;
  /** A model answers; without one the recall is the answer. */
  readonly answering: boolean;
  readonly without: readonly MessageId[] | undefined;
  /** Passages found for these words while they were typed; used if memory does not answer now. */
  readonly announced: RecallResult | undefined;
  readonly pressure: () => Promise<number>;
  readonly onAsking: () => void;
  readonly signal: AbortSignal;
}

export interface RecallOfTurn {
  /** The passages as stored with the answer; null if none were wanted or none could be had. */
  readonly recall: Recall | null;
  /** Problem because of which memory could not be asked. */
  readonly problem: Problem | null;
  /** Reason for an unasked recall; undefined if the person asked for it, or it is the answer. */
  readonly why: Why | undefined;
  /** The person's notes that apply to the question, whether or not memory was searched. */
  readonly applied: readonly AppliedNote[];
}

interface TurnRecall {
  /**
   * Finds passages for the question at the end of the path. `pressure`: fill of the window, 0–1, read only if it
   * matters. `onAsking`: called when memory is asked. Never throws.
   */
  forQuestion(request: QuestionToRecall): Promise<RecallOfTurn>;
}

/** True if the conversation was compacted since the previous question, e.g. between the steps of its answer. */
function wasJustCompacted(
  conversation: Conversation,
  path: readonly Message[],
  before: Message | undefined,
): boolean {
  const compaction = compactionOn(conversation, path);
  return (
    compaction !== null &&
    (compaction.reason === 'auto' || compaction.reason === 'length') &&
    compaction.createdAt >= (before?.createdAt ?? 0)
  );
}

/** Returns the memory of an earlier answer for the same question, without what was deleted or forbidden since. */
export async function recallAgain(
  stored: Recall,
  { documents, notes }: { documents: Pick<Documents, 'library' | 'read'>; notes: NotesLike | undefined },
): Promise<Recall> {
  const noteState = await notes?.known();
  const library = documents.library.get();
  const { never, notRelated } = feedbackFor(noteState?.feedback ?? [], stored.query);
  const living = new Set<string>(
    [...library.entries, ...library.projects].flatMap(({ id, deletedAt }) =>
      deletedAt === null ? [id] : [],
    ),
  );
  const quoted = [
    ...new Set(
      [...stored.passages, ...stored.nearMisses, ...(stored.leftOut ?? [])].map((one) => one.conversationId),
    ),
  ];
  const read = new Map(
    await Promise.all(
      quoted
        .filter((id) => living.has(id))
        .map(async (id) => [id, await documents.read(asConversationId(id))] as const),
    ),
  );
  const gone = createDeletedTest(library, noteState ?? { ready: false, notes: [] });
  const isGone = (said: PassageMessage): boolean =>
    gone(said) || read.get(said.conversationId)?.messages.has(asMessageId(said.messageId)) === false;
  const out = (said: PassageMessage) => never(said) || notRelated(said) || isGone(said);
  return {
    ...stored,
    passages: withoutMessages(stored.passages, out),
    nearMisses: withoutMessages(stored.nearMisses, out),
    ...(stored.leftOut ? { leftOut: withoutMessages(stored.leftOut, out) } : {}),
    ...(stored.applied
      ? {
          applied: stored.applied.filter(
            ({ id, at, text }) => !isGone({ conversationId: NOTES, messageId: `${id}@${at}`, text }),
          ),
        }
      : {}),
  };
}

interface Remembered {
  readonly recall: Recall | null;
  readonly problem: Problem | null;
}

/**
 * Returns what goes with a message: what memory finds now, or what it showed for these words if it finds less of that
 * only because it is not ready; that is then asked for again later.
 */
function withAnnounced(now: RecallResult, shown: RecallResult): RecallResult {
  if (now.unavailable) return shown;
  const found = new Set(now.passages.map(({ messageId }) => messageId));
  const lacks = shown.passages.some(({ messageId }) => !found.has(messageId));
  return now.degraded && lacks ? { ...shown, degraded: now.degraded } : now;
}

/** Picks the result whose best passage is closest. */
function fittest(found: readonly Remembered[]): Remembered {
  const best = ({ recall }: Remembered): number =>
    recall
      ? Math.max(0, ...[...recall.passages, ...recall.nearMisses].map(({ scores }) => scores.final))
      : -1;
  const [first = { recall: null, problem: null }, ...others] = found;
  return others.reduce((one, other) => (best(other) > best(one) ? other : one), first);
}

interface TurnRecallServiceDeps {
  readonly personaOf?: Prompts['personaOf'] | undefined;
  /** Without `topicMoved` the topic never moves. */
  readonly memory: Pick<Memory, 'recall'> & Partial<Pick<Memory, 'topicMoved' | 'refersToEarlierTalk'>>;
  readonly config: Readable<Config>;
  readonly notes?: NotesLike | undefined;
  /** Absent: no note applies. */
  readonly applying?: Applying | undefined;
}

/**
 * Makes the recall of turns. An answer waits for it 3 s at most; without a model, when the recall is the answer, 120 s.
 */
export function createTurnRecall(deps: TurnRecallServiceDeps): TurnRecall {
  return new TurnRecallService(deps);
}

class TurnRecallService implements TurnRecall {
  readonly #deps: TurnRecallServiceDeps;
  /** Last query of each conversation, whether or not it found anything. */
  readonly #lastQueries = new Map<ConversationId, { readonly after: MessageId; readonly text: string }>();

  constructor(deps: TurnRecallServiceDeps) {
    this.#deps = deps;
  }

  async forQuestion({
    conversation,
    path,
    asked,
    answering,
    without,
    announced,
    pressure,
    onAsking,
    signal,
  }: QuestionToRecall): Promise<RecallOfTurn> {
    const applying = answering ? this.#apply(conversation, path, asked, signal) : Promise.resolve([]);
    const offered = (announced?.passages.length ?? 0) > 0;
    const wanted = answering
      ? await this.#recallWanted(conversation, path, asked, { offered, pressure, signal })
      : { why: undefined, queries: [textOf(asked)] };
    if (!wanted) return { recall: null, problem: null, why: undefined, applied: await applying };
    onAsking();
    const { why, queries } = wanted;
    this.#lastQueries.set(conversation.id, { after: asked.id, text: textOf(asked) });
    const timeoutMs = answering ? RECALL_TIMEOUT_MS : RECALL_ONLY_TIMEOUT_MS;
    const found = await Promise.all(
      queries.map((query) =>
        this.#remember(conversation, query, { why, without, announced, timeoutMs, signal }),
      ),
    );
    return { ...fittest(found), why, applied: await applying };
  }

  async #apply(
    conversation: Conversation,
    path: readonly Message[],
    asked: Message,
    signal: AbortSignal,
  ): Promise<readonly AppliedNote[]> {
    const { applying, notes, personaOf } = this.#deps;
    if (!applying || personaOf?.(conversation)?.memory === 'none') return [];
    const noteState = await notes?.known();
    return applying.forRequest({
      conversation,
      path: path.slice(0, -1),
      message: asked,
      known: noteState,
      project: conversation.meta?.projectId ?? undefined,
      signal,
    });
  }

  /** Returns the passages as stored with the answer; null if none were wanted. Never throws. */
  async #remember(
    conversation: Conversation,
    query: string,
    {
      why,
      without,
      announced,
      timeoutMs,
      signal,
    }: {
      why: Why | undefined;
      without: readonly MessageId[] | undefined;
      announced: RecallResult | undefined;
      timeoutMs: number;
      signal: AbortSignal;
    },
  ): Promise<Remembered> {
    const text = queryForMessage(query);
    if (text === '') return { recall: null, problem: null };
    const { exclude_current_session: exclude } = this.#deps.config.get().recall.filters;
    try {
      const before = announced?.query === text ? announced : undefined;
      // A person who left something out chose among the announced passages, so use
      // those: a fresh search may add others.
      const seen = announced && without?.length ? announced : undefined;
      const ask = () =>
        withDeadline(signal, timeoutMs, (bounded) =>
          this.#deps.memory.recall({
            text,
            from: conversation.id,
            persona: this.#deps.personaOf?.(conversation) ?? null,
            ...(exclude ? { currentConversation: conversation.id } : {}),
            ...(why ? { purpose: 'inject' as const } : {}),
            signal: bounded,
          }),
        ).catch((error: unknown) => {
          if (before && isTimeout(error)) return before;
          throw error;
        });
      const now = seen ?? (await ask());
      const found = before ? withAnnounced(now, before) : now;
      if (found.unavailable) return { recall: null, problem: found.degraded };
      // Questions about a course of events get their passages by date.
      const passages = found.overview
        ? [...found.passages].sort((a, b) => a.createdAt - b.createdAt)
        : found.passages;
      const left = new Set<string>(without ?? []);
      const isOff = ({ messageId }: { readonly messageId: string }) => left.has(messageId);
      const leftOut = [...found.passages, ...found.nearMisses].filter(isOff);
      return {
        recall: {
          type: 'recall',
          query: found.query,
          threshold: found.threshold,
          quoting: 'lines',
          passages: withoutMessages(passages, isOff),
          nearMisses: withoutMessages(found.nearMisses, isOff),
          ...(leftOut.length > 0 ? { leftOut } : {}),
          ...why,
          ...(found.scope ? { scope: { ...found.scope } } : {}),
          ...(found.degraded ? { degraded: { ...found.degraded } } : {}),
        },
        problem: null,
      };
    } catch (error) {
      if (!isAbort(error) && !isTimeout(error)) return { recall: null, problem: toProblem(error) };
      return {
        recall: null,
        problem: signal.aborted
          ? null
          : new RecollectError('index-unavailable', 'Memory did not answer in time.', {
              retry: true,
              params: { reason: 'slow' },
            }).problem,
      };
    }
  }

  async #recallWanted(
    conversation: Conversation,
    path: readonly Message[],
    asked: Message,
    { offered, pressure, signal }: Pick<QuestionToRecall, 'pressure' | 'signal'> & { offered: boolean },
  ): Promise<Wanted | null> {
    // Both tests wait for the model, so they wait together.
    const moving = this.#onNewTopic(conversation, path, asked, offered, signal);
    return (await this.#recallTrigger(conversation, path, asked, pressure, signal)) ?? (await moving);
  }

  /** True if a message calls on memory; its form alone tells if the model is late. Never throws. */
  async #calls(text: string, signal: AbortSignal): Promise<boolean> {
    const { memory } = this.#deps;
    const byForm = refersToEarlierTalk(text);
    const asking = withDeadline(
      signal,
      TOPIC_TIMEOUT_MS,
      async (bounded) => (await memory.refersToEarlierTalk?.(text, { signal: bounded })) ?? byForm,
    );
    return orElse(asking, byForm, 'the check for a call on memory, which did not finish in time');
  }

  /**
   * Recalls for a message on another topic than the last query, as for a first message; so also if
   * passages were offered while it was typed.
   */
  async #onNewTopic(
    conversation: Conversation,
    path: readonly Message[],
    asked: Message,
    offered: boolean,
    signal: AbortSignal,
  ): Promise<Wanted | null> {
    const { config, personaOf } = this.#deps;
    const { auto_recall: auto } = configWith(config.get(), personaOf?.(conversation) ?? null).recall;
    const earlier = path.slice(0, -1);
    const before = lastQueryOn(earlier, this.#lastQueries.get(conversation.id));
    if (!auto.enabled || !auto.trigger_on_start || isTemporary(conversation.id) || before === null)
      return null;
    const moved = offered || (await this.#topicMoved(textOf(asked), before, signal));
    return moved ? { why: { moved: true }, queries: [textOf(asked)] } : null;
  }

  /** False if that cannot be decided in time. Never throws. */
  async #topicMoved(text: string, before: string, signal: AbortSignal): Promise<boolean> {
    const { memory } = this.#deps;
    const asking = withDeadline(
      signal,
      TOPIC_TIMEOUT_MS,
      async (bounded) => (await memory.topicMoved?.(text, before, { signal: bounded })) ?? false,
    );
    return orElse(asking, false, 'the check whether the topic moved, which did not finish in time');
  }

  /** Decides on an unasked recall and its queries: of several, the one that finds more counts. Null: none. */
  async #recallTrigger(
    conversation: Conversation,
    path: readonly Message[],
    asked: Message,
    pressure: () => Promise<number>,
    signal: AbortSignal,
  ): Promise<Wanted | null> {
    const persona = this.#deps.personaOf?.(conversation) ?? null;
    const { recall: settings, context } = configWith(this.#deps.config.get(), persona);
    const { enabled, trigger_on_start: onStart, trigger_token_threshold: threshold } = settings.auto_recall;
    if (!enabled || isTemporary(conversation.id)) return null;
    const questions = path.filter(startsTurn);
    const itself = [textOf(asked)];
    const first = questions.length <= 1;
    if (first && onStart) return { why: { trigger: 'start' }, queries: itself };
    const calls = await this.#calls(textOf(asked), signal);
    const repeated = first ? null : askedAgain(path.slice(0, -1));
    if (repeated !== null) {
      // "As always" is searched for with the question that it answers; a call with more
      // words may be about something else.
      const more = calls && queryWords(textOf(asked)).split(' ').length >= CALL_WORDS ? itself : [];
      return { why: { trigger: 'repeat' }, queries: [...queriesFor(repeated, textOf(asked)), ...more] };
    }
    // The person asked in so many words, at any point of the conversation, so there is no reason to show.
    if (calls) return { why: undefined, queries: itself };
    if (first) return null;
    // Recalls once each time the window fills up, not with every later message.
    const lately = path.slice(-2 * RECALL_PAUSE_TURNS);
    const recalled = lately.some((message) =>
      message.parts.some((part) => part.type === 'recall' && part.trigger === 'window'),
    );
    if (recalled) return null;
    // A compaction that begins earlier would empty the window again and again before it is that full.
    const full = Math.min(threshold, context.trigger_ratio);
    const isFull = wasJustCompacted(conversation, path, questions.at(-2)) || (await pressure()) >= full;
    return isFull ? { why: { trigger: 'window' }, queries: itself } : null;
  }
}
