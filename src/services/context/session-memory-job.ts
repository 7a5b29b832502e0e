// Lets a model write the session memory, and updates it once a compaction comes near, unless the person
// switched that off, within the tokens they allow. Stored in the key-value store: derived, on this
// device only, and made again if it is lost.
import { z } from 'zod';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import type { ChatModel } from '../../adapters/models/chat-model.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, isTemporary, type MessageId } from '../../domain/base/ids.ts';
import { ignore, log } from '../../domain/base/log.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { type Conversation, effectiveHead, haveSameWords, pathTo } from '../../domain/chat/conversation.ts';
import type { Message, Usage } from '../../domain/chat/message.ts';
import { budgetOf } from '../../domain/context/budget.ts';
import { conversationLanguage } from '../../domain/context/compaction/headings.ts';
import { SUMMARY_SYSTEM, summaryPrompt, transcriptOf } from '../../domain/context/compaction/prompts.ts';
import { MESSAGE_OVERHEAD, type TokenMeter } from '../../domain/context/meter.ts';
import type { Redaction } from '../../domain/context/redaction.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents } from '../documents/documents.ts';
import type { SessionMemoryState } from './context.ts';
import { summariseWith } from './summarise.ts';

/** Longest memory, tokens. */
const MEMORY_TOKENS = 1200;
/** Tokens that a model may use to write it, its thoughts included. */
const ANSWER_TOKENS = 4 * MEMORY_TOKENS;
const PREFIX = 'session-memory/';

const keptSchema = z.object({
  text: z.string(),
  upTo: z.string(),
  /** Count of the branch's messages that it was made from: if one of them is forgotten, so is the memory. */
  messages: z.number(),
  calls: z.number(),
  tokens: z.number(),
});
type Kept = z.infer<typeof keptSchema>;

/** A call was paid for without a usable memory, so it covers no branch. */
const NOTHING_YET = { text: '', upTo: '', messages: 0 };

/** Index of the last message that a memory covers; -1 if it covers another branch or a forgotten message. */
function endOf(memory: Kept, path: readonly Message[]): number {
  const at = path.findIndex((message) => message.id === memory.upTo);
  return at + 1 === memory.messages ? at : -1;
}

/**
 * Takes as many of the first messages as cost at most `available` tokens, at least one;
 * returns their tokens and calls, too.
 */
function readAtOnce(
  messages: readonly Message[],
  available: number,
  meter: TokenMeter,
): { readonly news: readonly Message[]; readonly tokens: number; readonly calls: number } {
  const news: Message[] = [];
  let [tokens, calls] = [0, 0];
  for (const message of messages) {
    const cost = meter.parts(message.parts);
    if (tokens + cost > available && news.length > 0) break;
    tokens += cost;
    calls += message.parts.filter((part) => part.type === 'tool-call').length;
    news.push(message);
  }
  return { news, tokens, calls };
}

export type SessionMemoryJob = ReturnType<typeof createSessionMemoryJob>;

interface SessionMemoryWriterDeps {
  readonly keyValues: KeyValues;
  readonly documents: Pick<Documents, 'library'>;
  readonly config: Readable<Config>;
  readonly timeoutMs: number;
  readonly redaction: () => Redaction;
  readonly onState: (id: ConversationId, state: SessionMemoryState) => void;
}

/**
 * Makes the job that lets a model write session memories of up to 1,200 tokens. It deletes the memories of
 * erased conversations; `close` ends it.
 */
export function createSessionMemoryJob(deps: SessionMemoryWriterDeps) {
  return new SessionMemoryWriter(deps);
}

class SessionMemoryWriter {
  readonly #deps: SessionMemoryWriterDeps;
  /** Conversations with a memory here. Memories of erased ones must go. */
  readonly #written = new Set<string>();
  readonly close: () => void;

  constructor(deps: SessionMemoryWriterDeps) {
    this.#deps = deps;
    this.close = deps.documents.library.subscribe(() => this.#swept());
    const listed = deps.keyValues.keys(PREFIX).then((keys) => {
      for (const key of keys) this.#written.add(key.slice(PREFIX.length));
      this.#swept();
    });
    ignore(listed, 'the list of session memories; they are removed after the next start');
  }

  /** The memory, if it covers this branch. */
  async memoryOn(
    id: ConversationId,
    path: readonly Message[],
  ): Promise<{ text: string; upTo: MessageId } | null> {
    if (!this.#deps.config.get().context.session_memory.by_model) return null;
    const memory = await this.#kept(id);
    const at = memory ? endOf(memory, path) : -1;
    const upTo = path[at]?.id;
    return memory && upTo !== undefined && memory.text.trim() !== '' ? { text: memory.text, upTo } : null;
  }

  /** Updates the memory if enough was said since. Never throws: notes by rules replace it. */
  async write(
    id: ConversationId,
    conversation: () => Conversation,
    model: ChatModel,
    meter: TokenMeter,
    signal: AbortSignal,
  ): Promise<void> {
    const { context } = this.#deps.config.get();
    const { session_memory: rules, summary_prompt: custom } = context;
    const window = model.contextWindow ?? context.window_tokens;
    const now = conversation();
    const path = this.#deps.redaction().path(pathTo(now.messages, effectiveHead(now)));
    const before = await this.#kept(id);
    const from = before ? endOf(before, path) : -1;
    // On another branch it begins again, but spent tokens stay spent.
    const previous = from < 0 ? null : (before?.text ?? null);
    const spent = before?.tokens ?? 0;
    const size = path.reduce((sum, { parts }) => sum + meter.parts(parts) + MESSAGE_OVERHEAD, 0);
    if (size < budgetOf(context, window).trigger * rules.model_from_ratio) return;
    // Reads as much of a long conversation as the budget allows, with space for instructions and answer.
    const paid = rules.model_budget_tokens - spent - 2 * ANSWER_TOKENS;
    const half = Math.floor(window / 2);
    const available = paid >= 2 * rules.every_tokens ? Math.min(half, paid) : half;
    const { news, tokens, calls } = readAtOnce(path.slice(from + 1), available, meter);
    const last = news.at(-1);
    if (!last || (tokens < rules.every_tokens && calls < rules.every_tool_calls)) return;
    const state = (change: Partial<SessionMemoryState>) =>
      this.#deps.onState(id, {
        running: false,
        upTo: (before?.upTo || null) as MessageId | null,
        calls: before?.calls ?? 0,
        tokens: before?.tokens ?? 0,
        budget: rules.model_budget_tokens,
        problem: null,
        ...change,
      });
    const language = conversationLanguage(path);
    const system = SUMMARY_SYSTEM[language];
    const prompt = summaryPrompt({
      language,
      transcript: news
        .map((message, at) => transcriptOf(message, at + 1))
        .filter(Boolean)
        .join('\n\n'),
      previous,
      ...(custom.trim() === '' ? {} : { custom }),
      maxTokens: MEMORY_TOKENS,
      again: false,
    });
    const asking = meter.text(system) + meter.text(prompt) + 2 * MESSAGE_OVERHEAD;
    const left = rules.model_budget_tokens - spent - asking;
    if (left < MEMORY_TOKENS) return state({});
    state({ running: true });
    let usage: Usage | undefined;
    /** Records a call's cost, and the memory after it. */
    const keep = async (
      cost: number,
      { text, upTo, messages }: Pick<Kept, 'text' | 'upTo' | 'messages'>,
      problem: Problem | null = null,
    ) => {
      const after: Kept = {
        text,
        upTo,
        messages,
        calls: (before?.calls ?? 0) + 1,
        tokens: spent + cost,
      };
      await this.#deps.keyValues.set(this.#keyOf(id), after);
      this.#written.add(id);
      state({
        upTo: (upTo || null) as MessageId | null,
        calls: after.calls,
        tokens: after.tokens,
        problem,
      });
    };
    try {
      const { text } = await summariseWith(model, {
        timeoutMs: this.#deps.timeoutMs,
        signal,
        answerTokens: Math.min(left, ANSWER_TOKENS),
        onUsage: (reported) => {
          usage = reported;
        },
      })({ system, prompt });
      // An unusable text, or one from words that were forgotten meanwhile, is dropped; its cost is recorded. What it
      // was to replace is read again: it may have been forgotten, too.
      const still = await this.#kept(id);
      const read = path
        .slice(0, from + 1 + news.length)
        .flatMap(({ id: one }) => now.messages.get(one) ?? []);
      const good =
        text.trim() !== '' &&
        meter.text(text) <= 2 * MEMORY_TOKENS &&
        haveSameWords(read, conversation()) &&
        (previous === null || still?.text === previous);
      const cost = (usage?.inputTokens ?? asking) + (usage?.outputTokens ?? meter.text(text));
      await keep(
        cost,
        good ? { text, upTo: last.id, messages: from + 1 + news.length } : { ...NOTHING_YET, ...still },
      );
    } catch (error) {
      const problem = isAbort(error) ? null : toProblem(error);
      // A failed call may have been billed: the endpoint's usage counts.
      const billed = usage && (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
      try {
        if (billed) await keep(billed, { ...NOTHING_YET, ...(await this.#kept(id)) }, problem);
        else state({ problem });
      } catch (unkept) {
        state({ problem: problem ?? toProblem(unkept) });
      }
    }
  }

  #keyOf(id: ConversationId): string {
    return `${PREFIX}${id}`;
  }

  async #kept(id: ConversationId): Promise<Kept | undefined> {
    try {
      return keptSchema.safeParse(await this.#deps.keyValues.get(this.#keyOf(id))).data;
    } catch (error) {
      log.debug('The session memory could not be read; rules alone do without it', error);
      return undefined;
    }
  }

  async #sweep(): Promise<void> {
    const { ready, entries } = this.#deps.documents.library.get();
    if (!ready) return;
    const there = new Set<string>(entries.map((entry) => entry.id));
    for (const id of [...this.#written])
      if (!there.has(id) && !isTemporary(id)) {
        this.#written.delete(id);
        await this.#deps.keyValues.set(this.#keyOf(id as ConversationId), undefined);
      }
  }

  #swept(): void {
    if (this.#written.size > 0) ignore(this.#sweep(), 'taking away session memories; the next change does');
  }
}
