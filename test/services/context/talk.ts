// A conversation too long for its window, over real documents and the scripted model server.
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import { type ConversationId, newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import type { Message, Part } from '../../../src/domain/chat/message.ts';
import type { Config } from '../../../src/domain/settings/config.ts';
import type { CompactionEvent } from '../../../src/services/context/context.ts';
import { type Script, type ScriptedModelServer, startScriptedModel } from '../../server/scripted-model.ts';
import { createScene } from '../chat/setup.ts';

/** Window of the tests, tokens. */
export const WINDOW = 4000;

export const contextConfig =
  (change: Partial<Config['context']> = {}, tools: Partial<Config['tools']> = { enabled: false }) =>
  (config: Config): Config => ({
    ...config,
    context: { ...config.context, window_tokens: WINDOW, reserved_tokens: 400, ...change },
    tools: { ...config.tools, ...tools },
  });

export const words = (text: string): Script => ({
  steps: [
    { text },
    { finish: 'stop' },
    { usage: { prompt_tokens: 900, completion_tokens: 50, total_tokens: 950 } },
  ],
});

/** About 120 tokens that say something of their own. */
export const filler = (at: number): string =>
  `Step ${at}: the loader reads shard ${at} of the archive and writes ${at * 17} rows into table t${at}. ` +
  `We looked at the import of region ${at}, found that file r${at}.csv has a header of ${at + 3} lines, and skipped it. ` +
  `The timing was ${at * 3 + 11} ms for the parse and ${at * 5 + 7} ms for the write; nothing else was slow. ` +
  `Next we take the file after it and see whether the counts agree with the list.`;

export function createTalk(
  server: ScriptedModelServer,
  options: Parameters<typeof createScene>[0] & { id?: string } = {},
) {
  const model = () =>
    createEndpointModel({
      endpoint: { baseUrl: server.baseUrl },
      model: options.id ?? 'plain',
      key: async () => 'sk-test',
    });
  const scene = createScene({ model, config: contextConfig(), ...options });
  const events: CompactionEvent[] = [];
  scene.context.onEvent((event) => events.push(event));
  return {
    ...scene,
    model,
    events,
    /** Adds a conversation of so many turns to the log. */
    async grown(
      turns: number,
      say: (at: number) => { user: readonly Part[]; more?: readonly Partial<Message>[] } = (at) => ({
        user: [{ type: 'text', text: filler(2 * at) }],
      }),
    ): Promise<ConversationId> {
      const id = newConversationId();
      const messages: Message[] = [];
      const add = (message: Partial<Message>) => {
        messages.push({
          id: newMessageId(),
          parentId: messages.at(-1)?.id ?? null,
          role: 'user',
          kind: 'message',
          createdAt: 1_750_000_000_000 + messages.length * 1000,
          parts: [],
          ...message,
        } as Message);
      };
      for (let at = 0; at < turns; at++) {
        const { user, more } = say(at);
        add({ parts: user });
        for (const message of more ?? []) add(message);
        add({ role: 'assistant', parts: [{ type: 'text', text: filler(2 * at + 1) }], finish: 'stop' });
      }
      await scene.documents.change(id, {
        messages,
        meta: { head: messages.at(-1)?.id ?? null, createdAt: 1_750_000_000_000, title: 'Long' },
      });
      return id;
    },
    compactions: async (id: ConversationId) => [
      ...((await scene.documents.read(id))?.compactions.values() ?? []),
    ],
    /** Every begin has one end, in order. */
    paired: () => {
      const open = new Set<string>();
      for (const event of events)
        if (event.type === 'compaction-begin') {
          expect(open.has(event.id)).toBe(false);
          open.add(event.id);
        } else expect(open.delete(event.id)).toBe(true);
      expect([...open]).toEqual([]);
      return events.flatMap((event) => (event.type === 'compaction-end' ? [event] : []));
    },
  };
}

/** A scripted server for one file of tests, and conversations over it that end with their test. */
export async function startTalks(defaults: Parameters<typeof createTalk>[1] = {}) {
  const server = await startScriptedModel();
  const talks: { close(): Promise<void> }[] = [];
  beforeEach(() => server.reset());
  afterEach(async () => {
    for (const made of talks.splice(0)) await made.close();
  });
  afterAll(() => server.close());
  return {
    server,
    talk: (options: Parameters<typeof createTalk>[1] = {}) => {
      const made = createTalk(server, { ...defaults, ...options });
      talks.push(made);
      return made;
    },
  };
}
