// Conversations with endpoints as they really are: over the real adapter, real
// documents and a store that outlives the chat.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import { type ConversationId, newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { type Conversation, effectiveHead, pathTo } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { createModelRefusals } from '../../../src/services/chat/model-refusals.ts';
import { type QuirksServer, startQuirks } from '../../server/quirks.ts';
import { createScene } from './setup.ts';

let server: QuirksServer;
beforeAll(async () => {
  server = await startQuirks();
});
beforeEach(() => {
  server.requests.length = 0;
});
afterAll(() => server.close());

function talkTo(model: string, store = createInMemoryStore()) {
  const refusals = createModelRefusals({
    keyValues: store.keyValues,
    now: Date.now,
    onProblem: () => undefined,
  });
  const made = createEndpointModel({
    endpoint: { baseUrl: server.baseUrl, parameters: { temperature: 0.3 } },
    model,
    key: async () => 'sk-test',
    repairs: {
      get: () => refusals.leftOut(made),
      remember: (repairs) => void refusals.remember(made, repairs, null),
    },
  });
  const scene = createScene({ model: () => made, store, refusals });
  const idle = (id: ConversationId) => until(scene.chat.turn(id), ({ status }) => status === 'idle');
  const path = async (id: ConversationId): Promise<Message[]> => {
    const conversation = (await scene.documents.read(id)) as Conversation;
    return pathTo(conversation.messages, effectiveHead(conversation));
  };
  return {
    ...scene,
    store,
    refusals,
    path,
    say: async (text: string, id?: ConversationId) => {
      const sent = await scene.chat.send({
        ...(id ? { conversationId: id } : {}),
        parts: [{ type: 'text', text }],
      });
      await idle(sent.conversationId);
      return sent.conversationId;
    },
    again: async (id: ConversationId, without?: 'tools' | 'thoughts') => {
      const last = (await path(id)).at(-1) as Message;
      await scene.chat.regenerate(id, last.id, without ? { without } : {});
      await idle(id);
    },
    imported: async (said: readonly Partial<Message>[]) => {
      const id = newConversationId();
      const messages: Message[] = [];
      for (const message of said)
        messages.push({
          id: newMessageId(),
          parentId: messages.at(-1)?.id ?? null,
          role: 'user',
          kind: 'message',
          createdAt: 1_750_000_000_000 + messages.length * 1000,
          parts: [],
          ...message,
        } as Message);
      await scene.documents.change(id, {
        messages,
        meta: { head: messages.at(-1)?.id ?? null, createdAt: 1_750_000_000_000, title: 'Imported' },
      });
      return id;
    },
  };
}
const text = (words: string) => [{ type: 'text' as const, text: words }];
const finishes = async (path: Promise<Message[]>) => (await path).map(({ role, finish }) => finish ?? role);

describe('thinking models with tools', () => {
  it.each(['thinking-tools', 'signed-tools'])(
    '%s go on through every turn, also after a reload',
    async (model) => {
      const first = talkTo(model);
      const id = await first.say('When is the backup?');
      expect(await finishes(first.path(id))).toEqual(['user', 'tool-calls', 'tool', 'stop']);
      await first.say('Sure?', id);
      const later = talkTo(model, first.store);
      await later.say('Really?', id);
      expect(
        (await later.path(id))
          .filter(({ role }) => role === 'assistant')
          .every(({ problem }) => problem === undefined),
      ).toBe(true);
      expect((await later.path(id)).at(-1)).toMatchObject({ finish: 'stop' });
      // Nothing had to be repaired.
      expect(later.refusals.all.get()).toEqual([]);
      const sent = JSON.stringify(server.requests.at(-1));
      expect(sent).toContain(
        model === 'thinking-tools'
          ? '"reasoning_content":"I should look it up."'
          : '"thought_signature":"c2lnbmF0dXJl"',
      );
    },
  );

  it('take calls of a turn that was kept without thoughts', async () => {
    const { imported, say, path } = talkTo('wants-thoughts');
    const id = await imported([
      { parts: text('When?') },
      {
        role: 'assistant',
        parts: [{ type: 'tool-call', callId: 'c1', name: 'lookup', arguments: '{}' }],
        finish: 'tool-calls',
      },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'c1', text: 'At three.' }] },
      { role: 'assistant', parts: text('At three.'), finish: 'stop' },
    ]);
    await say('Sure?', id);
    expect((await path(id)).at(-1)).toMatchObject({ finish: 'stop' });
  });
});

describe('strict templates', () => {
  it.each([
    ['between an answer and a question', ['user', 'assistant', 'system'] as const],
    ['between a question and its answer', ['user', 'system', 'assistant'] as const],
    ['between two answers', ['user', 'assistant', 'system', 'assistant'] as const],
    ['between a result and its answer', ['user', 'call', 'tool', 'system', 'assistant'] as const],
    ['behind a result', ['user', 'call', 'tool', 'system'] as const],
    ['twice, and at the beginning', ['system', 'user', 'system', 'system', 'assistant', 'system'] as const],
  ])('accept a system message %s', async (_, roles) => {
    const { imported, say, path } = talkTo('strict-roles');
    const id = await imported(
      roles.map(
        (role, at): Partial<Message> =>
          role === 'call'
            ? {
                role: 'assistant',
                parts: [{ type: 'tool-call', callId: 'c1', name: 'lookup', arguments: '{}' }],
                finish: 'tool-calls',
              }
            : role === 'tool'
              ? { role, parts: [{ type: 'tool-result', callId: 'c1', text: 'At three.' }] }
              : {
                  role,
                  parts: text(`word ${at} of ${role}`),
                  ...(role === 'assistant' ? { finish: 'stop' } : {}),
                },
      ),
    );
    await say('Sure?', id);
    expect((await path(id)).at(-1)).toMatchObject({ finish: 'stop' });
    expect(server.requests).toHaveLength(1);
    // Nothing is lost.
    const sent = JSON.stringify(server.requests[0]);
    for (const [at, role] of roles.entries())
      if (role !== 'call' && role !== 'tool') expect(sent).toContain(`word ${at} of ${role}`);
  });
});

describe('a refused conversation', () => {
  it('goes on without tools, with what they gave in words', async () => {
    const { imported, say, path, refusals } = talkTo('refuses-tools');
    const id = await imported([
      { parts: text('When?') },
      {
        role: 'assistant',
        parts: [
          ...text('Let me look.'),
          { type: 'tool-call', callId: 'c1', name: 'lookup', arguments: '{"query":"a"}' },
        ],
        finish: 'tool-calls',
      },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'c1', text: 'At three.' }] },
      { role: 'assistant', parts: text('At three.'), finish: 'stop' },
    ]);
    await say('Sure?', id);
    await say('Really?', id);
    expect((await path(id)).at(-1)).toMatchObject({ finish: 'stop' });
    expect(refusals.all.get()).toMatchObject([{ model: 'refuses-tools', leftOut: ['tools'] }]);
    expect(server.requests).toHaveLength(3);
    const { messages } = server.requests[2] ?? { messages: [] };
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(JSON.stringify(messages)).toContain('[Result of lookup({\\"query\\":\\"a\\"})]\\nAt three.');
  });

  it.each(['tools', 'thoughts'] as const)('is sent without %s when that is asked for', async (what) => {
    const { say, again, path } = talkTo('refuses-all');
    const id = await say('When?');
    expect((await path(id)).at(-1)).toMatchObject({
      finish: 'error',
      problem: { code: 'model-server', params: { reason: 'input' } },
    });
    const before = server.requests.length;
    await again(id, what);
    expect(server.requests.length).toBeGreaterThan(before);
    expect(server.requests.length).toBeLessThan(before + 10);
    if (what === 'tools')
      expect(server.requests.slice(before).every((request) => !('tools' in request))).toBe(true);
  });

  it('remembers what it was sent without', async () => {
    const first = talkTo('refuses-temperature');
    const id = await first.say('When?');
    expect((await first.path(id)).at(-1)).toMatchObject({ finish: 'stop' });
    await until(first.refusals.all, (all) => all.length === 1);
    const later = talkTo('refuses-temperature', first.store);
    await until(later.refusals.all, (all) => all.length === 1);
    await later.say('Sure?', id);
    expect(server.requests.map((request) => 'temperature' in request)).toEqual([true, false, false]);
    await later.refusals.forget();
    expect(later.refusals.all.get()).toEqual([]);
  });

  it('changes what is stored, and writes nothing back that was taken out of it since', async () => {
    const { refusals, store } = talkTo('plain');
    const problem = (detail: string) =>
      ({ code: 'unexpected', message: '', params: { detail }, retry: false }) as const;
    const models = ['a', 'b', 'c'].map((id) => ({ id, endpoint: 'host' }));
    await Promise.all(
      models.slice(0, 2).map((model) => refusals.remember(model, ['tools'], problem('No, Mira'))),
    );
    const stored = async () =>
      (await store.keyValues.get('tool-refusals')) as { model: string; detail: string }[];
    expect((await stored()).map(({ model }) => model)).toEqual(['a', 'b']);
    await store.keyValues.set(
      'tool-refusals',
      (await stored()).map((one) => ({ ...one, detail: 'No, •••' })),
    );
    await refusals.remember(models[2] as (typeof models)[0], ['tools'], null);
    expect(await stored()).toMatchObject([{ detail: 'No, •••' }, { detail: 'No, •••' }, { model: 'c' }]);
  });
});
