// A device that forgets: log, documents, notes, library and index as the app wires them, and a
// search for a text in everything it keeps.

import type { MemoryIndex } from '../../../src/adapters/index/memory-index.ts';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { asConversationId, type ConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import { until, writable } from '../../../src/domain/base/readable.ts';
import { SerialQueue } from '../../../src/domain/base/serial-queue.ts';
import type { ConversationMeta } from '../../../src/domain/chat/conversation.ts';
import type { Message, Part } from '../../../src/domain/chat/message.ts';
import type { Sought } from '../../../src/domain/forget/sought.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { createLateForget, forgettingAlone, IMPORTING } from '../../../src/services/forget/late-forget.ts';
import type { PlaceDeps } from '../../../src/services/forget/place.ts';
import { createLibrary } from '../../../src/services/library/library-service.ts';
import { type EngineStatus, startMemoryEngine } from '../../../src/services/memory/engine.ts';
import { createPrompts } from '../../../src/services/prompts/prompts-service.ts';
import { SYNC_OFF } from '../../../src/services/sync/sync.ts';
import { createInMemoryIndex } from '../../adapters/index/in-memory-index.ts';
import { englishWords } from '../../fixtures/words.ts';
import { isInLog } from '../documents/said.ts';

export const NOW = Date.UTC(2026, 10, 21);

const NO_COPY: PlaceDeps['copy'] = {
  records: async function* () {},
  hasStaleValues: async () => false,
  letGo: () => {},
};

interface Options {
  readonly store?: Store;
  readonly index?: MemoryIndex;
  readonly sync?: PlaceDeps['sync'];
  readonly device?: string | null | (() => Promise<string | null>);
  /** Default true. */
  readonly engine?: boolean;
  readonly copy?: PlaceDeps['copy'];
  readonly undoMs?: number;
  readonly now?: () => number;
  /** When the service begins by itself with what no earlier page left; default: at once. */
  readonly due?: Promise<void>;
}

/** Messages of a person and a model in turns. */
function messagesOf(said: readonly (string | readonly Part[])[], at: number): Message[] {
  let parentId: Message['parentId'] = null;
  return said.map((one, place): Message => {
    const message: Message = {
      id: newMessageId(),
      parentId,
      role: place % 2 === 0 ? 'user' : 'assistant',
      kind: 'message',
      createdAt: at + place,
      parts: typeof one === 'string' ? [{ type: 'text', text: one }] : one,
    };
    parentId = message.id;
    return message;
  });
}

/** The browser's locks by name; `asked` lists those that were asked for. */
function createNamedLocks() {
  const locks = new Map<string, SerialQueue>();
  const asked = writable<readonly string[]>([]);
  const exclusively = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const queue = locks.get(name) ?? new SerialQueue();
    locks.set(name, queue);
    asked.update((before) => [...before, name]);
    return queue.run(work);
  };
  return { asked, exclusively };
}

export function openDevice({
  now = () => NOW,
  store = createInMemoryStore({ now }),
  index = createInMemoryIndex(),
  sync = { status: writable(SYNC_OFF), account: writable(null), forget: async () => {} },
  device = null,
  engine: hasEngine = true,
  copy = NO_COPY,
  undoMs = 0,
  due = Promise.resolve(),
}: Options = {}) {
  const closing = new AbortController();
  const notes = createNotes({ store, now });
  const documents = createDocuments({ store, notes });
  const prompts = createPrompts({ store, now, onProblem: console.error });
  const { asked, exclusively } = createNamedLocks();
  const library = createLibrary({
    ...{ documents, notes, prompts, words: englishWords, now },
    exclusive: (work) => exclusively(IMPORTING, work),
  });
  const indexStatus = writable<EngineStatus | null>(null);
  const engine = hasEngine
    ? startMemoryEngine({
        store,
        index,
        embedding: () => null,
        config: writable(defaultConfig),
        setTitle: async () => {},
        onStatus: indexStatus.set,
        signal: closing.signal,
      })
    : undefined;
  const deps = {
    documents,
    notes,
    prompts,
    log: store.log,
    copy,
    keyValues: store.keyValues,
    index: () => (engine ? index : null),
    wakeIndex: () => engine?.wake('now'),
    indexStatus,
    privacy: () => defaultConfig.privacy,
    sync,
    signal: closing.signal,
  };
  const forget = createLateForget(
    {
      ...deps,
      now,
      exclusive: forgettingAlone(exclusively),
      device: async () => (typeof device === 'function' ? await device() : device),
      undoMs,
      graceMs: 0,
    },
    { firstScreen: Promise.resolve(), due },
  );
  const signal = closing.signal;
  return {
    store,
    index,
    documents,
    notes,
    prompts,
    library,
    forget,
    deps,
    asked,
    say: async (
      name: string,
      said: readonly (string | readonly Part[])[],
      meta: Partial<ConversationMeta> = {},
      at = NOW - 86_400_000,
    ): Promise<{ id: ConversationId; messages: Message[] }> => {
      const id = idOf(name);
      const messages = messagesOf(said, at);
      const head = messages.at(-1)?.id ?? null;
      await documents.change(id, { messages, meta: { createdAt: at, head, ...meta } });
      return { id, messages };
    },
    /** From seeking to the report. */
    forgetAll: async (sought: Sought) => {
      const plan = await forget.seek(sought, signal);
      await forget.begin(plan);
      const ended = await until(forget.state, ({ step }) => step === 'done' || step === 'failed', signal);
      if (ended.step !== 'done') throw new Error(JSON.stringify(ended));
      return { plan, report: ended.report };
    },
    /** Everything that is kept here, in which the text stands. */
    placesOf: async (text: string): Promise<string[]> => {
      const found: string[] = [];
      if (await isInLog(store, text)) found.push('log');
      for (const key of await store.keyValues.keys(''))
        if (key.includes(text) || JSON.stringify(await store.keyValues.get(key))?.includes(text))
          found.push(key.split('/')[0] ?? key);
      if (engine) {
        await engine.settled();
        const { candidates } = await index.search({ words: '', filter: {}, limit: 50, newest: text });
        if (candidates.length > 0) found.push('index');
        if (JSON.stringify((await index.overview('none')).conversations).includes(text))
          found.push('overview');
      }
      return found;
    },
    close: async () => {
      closing.abort();
      notes.close();
      prompts.close();
      await documents.close();
    },
  };
}

/** The same for the same name. */
export const idOf = (name: string) =>
  asConversationId(
    `00000000-0000-7000-8000-${Buffer.from(name).toString('hex').slice(0, 12).padEnd(12, '0')}`,
  );

/** Passages of a message as the recall card of an answer has them. */
export const recallOf = (
  { id, messages }: { id: ConversationId; messages: readonly Message[] },
  passage: string,
): Part =>
  ({
    type: 'recall',
    query: 'Who?',
    threshold: 0.5,
    passages: [
      {
        conversationId: id,
        messageId: messages[0]?.id as string,
        title: 'A title',
        createdAt: NOW,
        role: 'user',
        passage,
        neighbours: [],
        scores: { vector: null, keyword: 1, hybrid: 1, decay: 1, final: 1 },
        tokens: 3,
      },
    ],
    nearMisses: [],
  }) as Part;
