// The model of the first answer makes a title: once, only where allowed, and never over a given title.
import { afterEach, expect, it, vi } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import type { Prompt } from '../../../src/adapters/models/chat-model.ts';
import { createScriptedModel } from '../../../src/adapters/models/in-memory.ts';
import { type ConversationId, newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import { until, writable } from '../../../src/domain/base/readable.ts';
import type { ConversationMeta } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { type Config, configSchema } from '../../../src/domain/settings/config.ts';
import type { Documents } from '../../../src/services/documents/documents.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { startNaming, titleIn } from '../../../src/services/memory/naming.ts';

const NOW = 1_790_000_000_000;
const endings: AbortController[] = [];
afterEach(() => {
  for (const ending of endings.splice(0)) ending.abort();
  vi.useRealTimers();
});

async function home({
  on = true,
  reply = 'A flat loaf',
  meta = {},
  finish = 'stop',
  text = 'Why is my loaf flat?',
  meanwhile = async () => {},
}: {
  on?: boolean;
  reply?: string;
  meta?: Partial<ConversationMeta>;
  finish?: Message['finish'];
  text?: string;
  /** Happens while the model is asked. */
  meanwhile?: (documents: Documents, id: ConversationId, answer: Message) => Promise<void>;
} = {}) {
  vi.useFakeTimers({ now: NOW, toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  const documents = createDocuments({ store: createInMemoryStore() });
  await until(documents.library, (library) => library.ready);
  const prompts: Prompt[] = [];
  const model = createScriptedModel({
    contextWindow: 8_000,
    *reply(prompt) {
      prompts.push(prompt);
      yield meanwhile(documents, id, answer);
      yield { type: 'text-delta', text: reply };
      yield { type: 'usage', usage: { inputTokens: 80, outputTokens: 5 } };
    },
  });
  const ending = new AbortController();
  endings.push(ending);
  const config = writable<Config>(
    configSchema.parse({ chat: { titles_by_model: on }, privacy: { sensitive_keywords: ['password'] } }),
  );
  startNaming({ documents, config, model: () => model, now: Date.now, signal: ending.signal });
  const id = newConversationId();
  const asked: Message = {
    id: newMessageId(),
    parentId: null,
    role: 'user',
    kind: 'message',
    createdAt: NOW + 1,
    parts: [{ type: 'text', text }],
  };
  const answer: Message = {
    ...asked,
    id: newMessageId(),
    parentId: asked.id,
    role: 'assistant',
    createdAt: NOW + 2,
    finish,
    parts: [{ type: 'text', text: 'Too much water: 80 %.' }],
  };
  await documents.change(id, {
    messages: [asked, answer],
    meta: { title: text, titleBy: 'auto', head: answer.id, createdAt: NOW + 1, ...meta },
  });
  const rest = () => vi.advanceTimersByTimeAsync(10_000);
  const now = async () => (await documents.read(id))?.meta;
  await rest();
  return { documents, id, prompts, rest, now };
}

it('names a conversation once, and keeps what that cost', async () => {
  const { documents, id, prompts, rest, now } = await home();
  expect(await now()).toMatchObject({
    title: 'A flat loaf',
    titleBy: 'auto',
    titleCall: { model: 'scripted', inputTokens: 80, outputTokens: 5 },
  });
  await documents.change(id, { meta: { pinned: true } });
  await rest();
  expect(prompts).toHaveLength(1);
});

it('gives no two conversations one name', async () => {
  const { now } = await home({
    meanwhile: (documents) =>
      documents.change(newConversationId(), { meta: { title: 'a flat  loaf.', titleBy: 'person' } }),
  });
  expect((await now())?.title).toBe('A flat loaf (2)');
});

it('gives no name made of words that were forgotten while the model was asked', async () => {
  const { prompts, now } = await home({
    meanwhile: (documents, id, { id: answer }) => documents.change(id, { removed: [answer], takesOut: true }),
  });
  expect(prompts).toHaveLength(1);
  expect((await now())?.title).not.toBe('A flat loaf');
});

it('leaves private words out of what is sent', async () => {
  const { prompts } = await home({ text: 'Why is it refused?\npassword: hunter2' });
  expect(JSON.stringify(prompts)).not.toContain('hunter2');
  expect(prompts).toHaveLength(1);
});

it.each([
  ['switched off', { on: false }],
  ['named by a person', { meta: { title: 'Mine', titleBy: 'person' as const } }],
  ['imported', { meta: { source: { tool: 'chatgpt', id: 'x' } } }],
  ['begun before', { meta: { createdAt: NOW - 1 } }],
  ['not answered', { finish: 'error' as const }],
])('asks nobody where it is %s', async (_, options) => {
  const { prompts, now } = await home(options);
  expect(prompts).toHaveLength(0);
  expect((await now())?.titleCall).toBeNull();
});

it.each([
  ['"A flat loaf."', 'A flat loaf'],
  ['**Title: A flat loaf**', 'A flat loaf'],
  ['标题：《面包不蓬松》', '面包不蓬松'],
  ['# Flat loaf', 'Flat loaf'],
  ['\n\n', ''],
])('reads %j as %j', (said, title) => {
  expect(titleIn(said)).toBe(title);
});
