// Turns changed conversations into rows of the index, in batches: a batch is one transaction, a bad row costs only its
// conversation, and everything may be repeated.

import type { ConversationRow, MemoryIndex, MessageRow } from '../../adapters/index/memory-index.ts';
import { toProblem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { yieldToEvents } from '../../domain/base/yielding.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Reader } from '../documents/reader.ts';
import type { PrivacyFilter } from '../privacy/privacy-filter.ts';
import {
  continuations,
  conversationRow,
  describeConversation,
  isRemembered,
  messageRow,
  missingTitle,
  withoutCutWords,
} from './rows.ts';

/** Most messages, and characters of chunks, in one transaction: small enough for searches to come in between. */
const BATCH_MESSAGES = 200;
const BATCH_CHARACTERS = 300_000;

interface Batch {
  conversations: ConversationRow[];
  messages: MessageRow[];
  removedMessages: MessageId[];
  removedConversations: ConversationId[];
  characters: number;
}
const emptyBatch = (): Batch => ({
  conversations: [],
  messages: [],
  removedMessages: [],
  removedConversations: [],
  characters: 0,
});

interface ProjectionDeps {
  readonly index: Pick<MemoryIndex, 'apply' | 'bookmark' | 'messageIds' | 'describe'>;
  readonly reader: Reader;
  readonly config: Readable<Config>;
  readonly filter: PrivacyFilter;
  /** Writes a title made from the words. */
  readonly setTitle: (conversation: ConversationId, title: string) => Promise<void>;
  readonly signal: AbortSignal;
  /** Documents named by a change; each is removed when it is handled. */
  readonly touched: Set<ConversationId>;
  /** Conversations whose summary is older than their messages: kept up to date. */
  readonly undescribed: Set<ConversationId>;
  /** Reports something of a conversation that cannot be read. */
  readonly onSkipped: (conversation: string, detail: string, cause?: unknown) => void;
  /** Reports how many new messages of a conversation are about to be read; `onMessage` reports each. */
  readonly onFresh: (messages: number) => void;
  readonly onMessage: () => void;
  /** Called before a batch moves the bookmark. */
  readonly beforeBatch: () => Promise<void>;
  readonly onBatch: () => void;
}

interface Projection {
  /**
   * Projects conversations in batches; the bookmark moves to `reach` with the last one.
   * `all`: existing rows are rebuilt too.
   */
  projectAll(
    ids: readonly ConversationId[],
    reach: number,
    options: { readonly all: boolean; readonly bookmark: number },
  ): Promise<void>;
}

/** True for errors of the index as a whole, not of an item: the batch must wait, or it would be left out for good. */
const isOfTheIndex = (error: unknown): boolean => toProblem(error).code === 'storage-full';

/**
 * True if a message's row must be written: messages never change, but a forgotten one passes its children on, and gets
 * them back when it is restored.
 */
const lacksRow = (
  { id, parentId }: Message,
  { messages }: Conversation,
  known: ReadonlySet<MessageId>,
): boolean => !known.has(id) || (parentId !== null && messages.has(parentId) && !known.has(parentId));

/** Makes the projector. It keeps nothing but titles that are still to be written. */
export function createProjection(deps: ProjectionDeps): Projection {
  return new LogProjector(deps);
}

class LogProjector implements Projection {
  readonly #deps: ProjectionDeps;
  /** Conversations to get a title made from their words, once their rows are written. */
  readonly #untitled: [ConversationId, string][] = [];
  /** Completed messages with new rows; the index cannot see that from an id. */
  readonly #renewed = new WeakSet<Message>();
  /** Messages whose rows are in the present batch. */
  readonly #renewing: Message[] = [];

  constructor(deps: ProjectionDeps) {
    this.#deps = deps;
  }

  readonly projectAll: Projection['projectAll'] = async (ids, reach, options) => {
    const batch = emptyBatch();
    const send = async (position: number) => {
      const full = { ...batch };
      const made = this.#renewing.splice(0);
      Object.assign(batch, emptyBatch());
      await this.#deps.beforeBatch();
      await this.#apply(full, position);
      for (const message of made) this.#renewed.add(message);
      this.#deps.onBatch();
      await yieldToEvents(this.#deps.signal);
    };
    for (const id of ids) {
      this.#deps.touched.delete(id);
      try {
        await this.#project(id, batch, { all: options.all, flush: () => send(options.bookmark) });
      } catch (error) {
        this.#deps.signal.throwIfAborted();
        const { code } = toProblem(error);
        if (code !== 'unexpected' && code !== 'damaged-entry') throw error;
        this.#deps.onSkipped(id, toProblem(error).message, error);
      }
      if (batch.messages.length >= BATCH_MESSAGES || batch.conversations.length >= BATCH_MESSAGES)
        await send(options.bookmark);
    }
    await send(reach);
    for (const [id, title] of this.#untitled.splice(0)) await this.#nameIt(id, title);
  };

  /** Applies a batch; if the index refuses it, conversation by conversation, so that one bad row costs only its own. */
  async #apply(batch: Batch, bookmark: number): Promise<void> {
    try {
      await this.#deps.index.apply(batch, bookmark);
    } catch (error) {
      this.#deps.signal.throwIfAborted();
      if (isOfTheIndex(error)) throw error;
      const ids = [...new Set(batch.messages.map((row) => row.conversationId))];
      if (ids.length + batch.conversations.length === 0) throw error;
      let failed = 0;
      const all = [...new Set([...ids, ...batch.conversations.map((row) => row.id)])];
      const position = await this.#deps.index.bookmark();
      await this.#deps.index.apply(
        { ...emptyBatch(), removedConversations: batch.removedConversations },
        position,
      );
      for (const id of all) {
        try {
          await this.#deps.index.apply(
            {
              conversations: batch.conversations.filter((row) => row.id === id),
              messages: batch.messages.filter((row) => row.conversationId === id),
              removedMessages: batch.removedMessages,
              removedConversations: [],
            },
            position,
          );
        } catch (one) {
          this.#deps.signal.throwIfAborted();
          if (isOfTheIndex(one)) throw one;
          failed += 1;
          this.#deps.onSkipped(id, toProblem(one).message, one);
        }
      }
      // If nothing at all was accepted, the index is at fault and not the rows.
      if (failed === all.length && all.length > 1) throw error;
      await this.#deps.index.apply(emptyBatch(), bookmark);
    }
  }

  /** Adds a conversation's new rows to the batch, and removes surplus ones. */
  async #project(
    id: ConversationId,
    batch: Batch,
    options: { readonly all: boolean; readonly flush: () => Promise<void> },
  ): Promise<void> {
    const found = await this.#deps.reader.read(id);
    const { privacy } = this.#deps.config.get();
    const damaged = (found?.damaged ?? 0) > 0;
    if (damaged) this.#deps.onSkipped(id, `${found?.damaged} entries`);
    const line = damaged ? (await this.#deps.reader.library()).find((entry) => entry.id === id) : undefined;
    if (!found || !isRemembered(found.conversation, privacy, line)) {
      batch.removedConversations.push(id);
      this.#deps.undescribed.delete(id);
      return;
    }
    const conversation = await this.#deps.filter.hiding('index', (whole) =>
      withoutCutWords(found.conversation, whole),
    );
    const known = await this.#deps.index.messageIds(id);
    const grown = new Set(found.grown.filter((message) => !this.#renewed.has(message)));
    const removed = [...known].filter((message) => !conversation.messages.has(message));
    const rebuild = options.all || removed.length > 0;
    const continued = continuations(conversation);
    const isContinuedAnew = ({ id }: Message): boolean => {
      const next = continued.get(id);
      return next !== undefined && !known.has(next.id);
    };
    const fresh = [...conversation.messages.values()].filter(
      (message) =>
        rebuild || grown.has(message) || lacksRow(message, conversation, known) || isContinuedAnew(message),
    );
    this.#deps.onFresh(fresh.filter(({ id }) => !known.has(id)).length);
    batch.removedMessages.push(...removed);
    const hiding = <T>(work: (clean: (text: string) => string) => T): Promise<T> =>
      this.#deps.filter.hiding('index', ({ hide }) => work((text) => hide(text).text));
    const row = await hiding((clean) => conversationRow(conversation, clean));
    const described = () => hiding((clean) => describeConversation(conversation, privacy, clean));
    if (known.size === 0 && fresh.length > 0) batch.conversations.push({ ...row, ...(await described()) });
    else {
      batch.conversations.push(row);
      // Words that left messages or a title, or that the rules of privacy remove now, leave the description at once.
      if (options.all || removed.length > 0 || fresh.length === 0) {
        await this.#deps.index.describe(id, await described());
        this.#deps.undescribed.delete(id);
      } else this.#deps.undescribed.add(id);
    }

    for (const message of fresh) {
      try {
        const made = await hiding((clean) => messageRow(conversation, message, privacy, clean));
        batch.messages.push(made);
        if (grown.has(message)) this.#renewing.push(message);
        for (const chunk of made.chunks) batch.characters += chunk.text.length + chunk.words.length;
      } catch (error) {
        this.#deps.onSkipped(id, toProblem(error).message, error);
      }
      if (!known.has(message.id)) this.#deps.onMessage();
      if (batch.messages.length >= BATCH_MESSAGES || batch.characters >= BATCH_CHARACTERS) {
        await options.flush();
        // The rest of a long conversation still needs its row, or the transaction would make an empty one.
        batch.conversations.push(row);
      }
    }
    const title = missingTitle(conversation, privacy, (text) => this.#deps.filter.redacted('index', text));
    if (title) this.#untitled.push([id, title]);
  }

  async #nameIt(id: ConversationId, title: string): Promise<void> {
    try {
      await this.#deps.setTitle(id, title);
    } catch (error) {
      this.#deps.signal.throwIfAborted();
      // Without a title its first words are listed; the next change tries again.
      log.info('A title could not be saved', error);
    }
  }
}
