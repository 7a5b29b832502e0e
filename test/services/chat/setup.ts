// A chat over real documents and an in-memory store, with a memory that a test fills and locks as a browser has them.

import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import type { ChatModel } from '../../../src/adapters/models/chat-model.ts';
import type { Problem } from '../../../src/domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';
import { until, writable } from '../../../src/domain/base/readable.ts';
import { type Conversation, effectiveHead, pathTo } from '../../../src/domain/chat/conversation.ts';
import { type Message, type Part, type RecalledPassage, textOf } from '../../../src/domain/chat/message.ts';
import type { Price } from '../../../src/domain/context/budget.ts';
import { type Config, defaultConfig } from '../../../src/domain/settings/config.ts';
import { createChat } from '../../../src/services/chat/chat-service.ts';
import type { ChannelLike } from '../../../src/services/chat/cross-tab-turns.ts';
import type { ModelRefusals } from '../../../src/services/chat/model-refusals.ts';
import type { LocksLike, TabMemory } from '../../../src/services/chat/tab.ts';
import type { NotesLike } from '../../../src/services/chat/tools/index.ts';
import type { ContextDependencies } from '../../../src/services/context/context-service.ts';
import { createLateContext } from '../../../src/services/context/late-context.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import type { NotesState } from '../../../src/services/documents/notes.ts';
import type { RecallRequest, RecallResult } from '../../../src/services/memory/memory.ts';
import type { Prompts } from '../../../src/services/prompts/prompts.ts';
import type { ModelChoice } from '../../../src/services/settings/settings.ts';

/** Exclusive locks in one thread. `kill` frees all that one holder has, as the end of a tab does. */
export function createLocks() {
  const held = new Map<string, string>();
  const waiting: { name: string; run: () => void }[] = [];
  const free = (name: string) => {
    held.delete(name);
    const at = waiting.findIndex((item) => item.name === name);
    if (at >= 0) waiting.splice(at, 1)[0]?.run();
  };
  return {
    held,
    of: (holder: string): LocksLike => ({
      request: async (name, { ifAvailable }, callback) => {
        if (held.has(name)) {
          if (ifAvailable) return await callback(null);
          await new Promise<void>((run) => waiting.push({ name, run }));
        }
        held.set(name, holder);
        try {
          return await callback({ name });
        } finally {
          if (held.get(name) === holder) free(name);
        }
      },
    }),
    kill: (holder: string) => {
      for (const [name, owner] of [...held]) if (owner === holder) free(name);
    },
  };
}

export const passage = (id: string, text: string): RecalledPassage => ({
  conversationId: 'old',
  messageId: id,
  title: 'About backups',
  createdAt: Date.UTC(2025, 10, 2, 12),
  role: 'user',
  passage: text,
  neighbours: [],
  scores: { vector: 0.9, keyword: 0.8, hybrid: 0.86, decay: 1, final: 0.86 },
  tokens: 10,
});

/** Memory notes and feedback: none so far. */
export const emptyNotes = () => writable<NotesState>({ ready: true, notes: [], feedback: [] });
/** Notes with this state; `write` gets what a model writes. */
export const notesOf = (
  state = emptyNotes(),
  write: NotesLike['write'] = async () => ({ id: 'note' }),
): NotesLike => ({ state, known: () => until(state, ({ ready }) => ready), write });

export function createScene(
  options: {
    model?: (conversation?: Conversation, by?: ModelChoice) => ChatModel | null;
    priceOf?: (model: ChatModel) => Price | null;
    onBegun?: (id: ConversationId) => void;
    store?: Store;
    locks?: LocksLike;
    tabs?: ChannelLike;
    recall?: (request: RecallRequest) => Promise<Partial<RecallResult>>;
    config?: (config: Config) => Config;
    notes?: NotesLike;
    context?: Partial<ContextDependencies>;
    refusals?: ModelRefusals;
    personaOf?: Prompts['personaOf'];
    withoutForgotten?: (message: Message) => Message | null;
    tabMemory?: () => TabMemory;
  } = {},
) {
  const store = options.store ?? createInMemoryStore();
  const documents = createDocuments({ store });
  const asked: RecallRequest[] = [];
  const problems: string[] = [];
  const config = writable<Config>(options.config?.(defaultConfig) ?? defaultConfig);
  const model = options.model ?? (() => null);
  const onProblem = (problem: Problem) => problems.push(problem.code);
  const context = createLateContext({
    documents,
    keyValues: store.keyValues,
    model,
    config,
    now: Date.now,
    device: () => 'test-device',
    notes: options.notes,
    personaOf: options.personaOf,
    onProblem,
    ...options.context,
  });
  const chat = createChat({
    documents,
    keyValues: store.keyValues,
    model,
    ...(options.priceOf ? { priceOf: options.priceOf } : {}),
    ...(options.onBegun ? { onBegun: options.onBegun } : {}),
    ...(options.refusals ? { refusals: options.refusals } : {}),
    context,
    personaOf: options.personaOf,
    notes: options.notes,
    withoutForgotten: options.withoutForgotten,
    memory: {
      recall: async (request) => {
        asked.push(request);
        return {
          query: request.text,
          passages: [],
          nearMisses: [],
          threshold: 0.75,
          tokens: 0,
          mode: 'hybrid',
          degraded: null,
          tookMs: 1,
          ...(await options.recall?.(request)),
        };
      },
      wake: () => undefined,
    },
    config,
    now: Date.now,
    device: () => 'test-device',
    locks: options.locks,
    tabs: options.tabs,
    tabMemory: options.tabMemory,
    onProblem,
  });
  const idle = (id: ConversationId) => until(chat.turn(id), (state) => state.status === 'idle');
  const path = async (id: ConversationId): Promise<Message[]> => {
    const conversation = await documents.read(id);
    return conversation ? pathTo(conversation.messages, effectiveHead(conversation)) : [];
  };
  return {
    store,
    documents,
    chat,
    context,
    config,
    /** What was asked of memory. */
    asked,
    problems,
    idle,
    path,
    all: async (id: ConversationId) => [...((await documents.read(id))?.messages.values() ?? [])],
    /** Sends and waits for the end of the turn. */
    say: async (
      what: string | readonly Part[],
      conversationId?: ConversationId,
      without?: readonly MessageId[],
    ) => {
      const parts: readonly Part[] = typeof what === 'string' ? [{ type: 'text', text: what }] : what;
      const sent = await chat.send({
        parts,
        ...(conversationId ? { conversationId } : {}),
        ...(without ? { withoutPassages: without } : {}),
      });
      await idle(sent.conversationId);
      return sent.conversationId;
    },
    /** `role: words` of the path to the head. */
    transcript: async (id: ConversationId) =>
      (await path(id)).map((message) => `${message.role}: ${textOf(message)}`),
    close: async () => {
      await chat.close();
      await context.close();
      await documents.close();
    },
  };
}
