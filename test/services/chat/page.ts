// A tab with the real log, documents, chat and model adapter, for the browser test. Memory finds nothing here.
import { openStore } from '../../../src/adapters/log/index.ts';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import { asConversationId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { effectiveHead, pathTo } from '../../../src/domain/chat/conversation.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { createChat } from '../../../src/services/chat/chat-service.ts';
import { createLateContext } from '../../../src/services/context/late-context.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';

export interface TabApi {
  rescued: number;
  send(text: string, conversation: string | null): Promise<string>;
  /** `role finish: words` from the root to the head. */
  transcript(conversation: string): Promise<string[]>;
  /** What streams now, and what waits. */
  now(conversation: string): { status: string; words: string; queue: string[] };
  conversations(): string[];
  rows(): Promise<string[]>;
  /** All draft rows as JSON. */
  onDisk(): Promise<string>;
}

const store = await openStore();
const documents = createDocuments({ store });
const [baseUrl = '', model = ''] = location.hash.slice(1).split('|');
const models = () => createEndpointModel({ endpoint: { baseUrl }, model, key: async () => undefined });
const config = writable(defaultConfig);
const chat = createChat({
  documents,
  keyValues: store.keyValues,
  model: models,
  context: createLateContext({
    documents,
    keyValues: store.keyValues,
    model: models,
    config,
    now: Date.now,
    device: () => 'page',
  }),
  memory: {
    recall: async ({ text }) => ({
      query: text,
      passages: [],
      nearMisses: [],
      threshold: 1,
      tokens: 0,
      mode: 'keyword',
      degraded: null,
      tookMs: 0,
    }),
    wake: () => undefined,
  },
  config,
  now: Date.now,
  device: () => 'page',
  locks: navigator.locks,
});
const rescued = await chat.rescueDrafts();

Object.assign(globalThis, {
  tab: {
    rescued,
    send: async (text, conversation) =>
      (
        await chat.send({
          parts: [{ type: 'text', text }],
          ...(conversation === null ? {} : { conversationId: asConversationId(conversation) }),
        })
      ).conversationId,
    transcript: async (id) => {
      const conversation = await documents.read(asConversationId(id));
      if (!conversation) return [];
      return pathTo(conversation.messages, effectiveHead(conversation)).map(
        (message) => `${message.role} ${message.finish ?? '-'}: ${textOf(message)}`,
      );
    },
    now: (id) => {
      const { status, parts, queue } = chat.turn(asConversationId(id)).get();
      return { status, words: textOf({ parts }), queue: queue.map(textOf) };
    },
    conversations: () => documents.library.get().entries.map((entry) => entry.id),
    onDisk: async () =>
      JSON.stringify(
        await Promise.all((await store.keyValues.keys('draft/')).map((key) => store.keyValues.get(key))),
      ),
    rows: async () => [...(await store.keyValues.keys('draft/')), ...(await store.keyValues.keys('queue/'))],
  } satisfies TabApi,
});
