// Asking a branch again: the app never reuses answers of another model, or to other instructions or tools.
import { beforeEach, describe, expect, it } from 'vitest';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';
import { startTalks, words } from '../context/talk.ts';

const { server, talk } = await startTalks({
  config: (config) => ({
    ...config,
    recall: { ...config.recall, auto_recall: { ...config.recall.auto_recall, enabled: false } },
  }),
  model: () =>
    createEndpointModel({ endpoint: { baseUrl: server.baseUrl }, model, key: async () => 'sk-test' }),
});
let model = 'plain';
beforeEach(() => {
  model = 'plain';
});
type Scene = ReturnType<typeof talk>;

const changes: Readonly<Record<string, (scene: Scene, id: ConversationId) => unknown>> = {
  'another model': () => {
    model = 'other';
  },
  'instructions of its own': ({ documents }, id) =>
    documents.change(id, { meta: { systemPrompt: 'Answer in one word.' } }),
  'other instructions for all': ({ config }) => {
    config.update((now) => ({ ...now, chat: { ...now.chat, instructions: 'Answer in one word.' } }));
  },
  'one tool less': ({ config }) => {
    config.update((now) => ({ ...now, tools: { ...now.tools, open_conversation: false } }));
  },
};

describe('a branch gone through again with the same words', () => {
  it.each([...Object.keys(changes), 'nothing else'])('and %s', async (what) => {
    const scene = talk();
    const { say, chat, idle, path } = scene;
    server.answer((request) => words(`${request.model} answers`));
    const id = await say('one');
    await say('two', id);
    await say('three', id);
    const before = await path(id);
    const asked = server.chats().length;
    await changes[what]?.(scene, id);
    await chat.sendBack(id, {
      type: 'edit',
      message: before[0]?.id as MessageId,
      parts: [{ type: 'text', text: 'one' }],
      replay: 'branch',
    });
    await idle(id);
    const saved = changes[what] ? 0 : 3;
    expect(chat.turn(id).get().replay).toEqual({ done: 3, total: 3, saved, asked: 3 - saved });
    expect(server.chats()).toHaveLength(asked + 3 - saved);
    expect((await path(id)).filter(({ reused }) => reused)).toHaveLength(saved);
    expect((await path(id)).at(-1)?.parts.at(-1)).toMatchObject({ text: `${model} answers` });
  });
});
