// Titles and summaries by a model: only where the person allows it, only what rests, never over a person's own title.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { createScriptedModel } from '../../../src/adapters/models/in-memory.ts';
import { type ConversationId, newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import { until, writable } from '../../../src/domain/base/readable.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { type Config, configSchema } from '../../../src/domain/settings/config.ts';
import type { Documents } from '../../../src/services/documents/documents.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { startTitling } from '../../../src/services/memory/titling.ts';

const NOW = 1_790_000_000_000;
const endings: AbortController[] = [];
afterEach(() => {
  for (const ending of endings.splice(0)) ending.abort();
  vi.useRealTimers();
});

const setting = (summaries: 'extractive' | 'model'): Config =>
  configSchema.parse({ indexing: { summaries } });

async function home(options: {
  summaries?: 'extractive' | 'model';
  reply?: string;
  titleBy?: 'auto' | 'person';
  imported?: boolean;
  text?: string;
  /** Happens while the model is asked. */
  meanwhile?: (documents: Documents, id: ConversationId, asked: Message) => Promise<void>;
}) {
  vi.useFakeTimers({ now: NOW, toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  const documents = createDocuments({ store: createInMemoryStore() });
  await until(documents.library, (library) => library.ready);
  const id = newConversationId();
  const asked: Message = {
    id: newMessageId(),
    parentId: null,
    role: 'user',
    kind: 'message',
    createdAt: NOW - 5000,
    parts: [{ type: 'text', text: options.text ?? 'Why is my loaf flat?' }],
  };
  const answer: Message = {
    ...asked,
    id: newMessageId(),
    parentId: asked.id,
    role: 'assistant',
    createdAt: NOW - 4000,
    parts: [{ type: 'text', text: 'Too much water: 80 %.' }],
  };
  await documents.change(id, {
    messages: [asked, answer],
    meta: {
      title: 'Why is my loaf flat?',
      titleBy: options.titleBy ?? 'auto',
      head: answer.id,
      createdAt: NOW - 5000,
      ...(options.imported ? { source: { tool: 'chatgpt', id: 'x' } } : {}),
    },
  });
  const model = createScriptedModel({
    *reply() {
      if (options.meanwhile) yield options.meanwhile(documents, id, asked);
      yield {
        type: 'text-delta',
        text: options.reply ?? 'Sure: {"title": "A flat loaf", "summary": "Too much water made it flat."}',
      };
    },
  });
  const ending = new AbortController();
  endings.push(ending);
  startTitling({
    documents,
    config: writable(setting(options.summaries ?? 'model')),
    model: () => model,
    now: Date.now,
    signal: ending.signal,
  });
  /** Lets minutes pass and everything that is due happen. */
  const rest = async () => {
    for (let step = 0; step < 12; step++) await vi.advanceTimersByTimeAsync(20_000);
  };
  return { documents, id, model, rest, meta: async () => (await documents.read(id))?.meta };
}

describe('titles and summaries by a model', () => {
  it('are written once a conversation rests, once', async () => {
    const { rest, meta, model } = await home({});
    await rest();
    expect(await meta()).toMatchObject({ title: 'A flat loaf', summary: 'Too much water made it flat.' });
    await rest();
    expect(model.prompts).toHaveLength(1);
  });

  it('are not asked for where the person did not allow it, nor for what was imported', async () => {
    for (const options of [{ summaries: 'extractive' as const }, { imported: true }]) {
      const { rest, meta, model } = await home(options);
      await rest();
      expect(model.prompts).toHaveLength(0);
      expect(await meta()).toMatchObject({ title: 'Why is my loaf flat?', summary: null });
      vi.useRealTimers();
    }
  });

  it('leave a person’s own title alone', async () => {
    const { rest, meta } = await home({ titleBy: 'person' });
    await rest();
    expect(await meta()).toMatchObject({
      title: 'Why is my loaf flat?',
      summary: 'Too much water made it flat.',
    });
  });

  it('leave a title alone that a person gave while the model was asked', async () => {
    const { rest, meta } = await home({
      meanwhile: (documents, id) => documents.change(id, { meta: { title: 'Mine', titleBy: 'person' } }),
    });
    await rest();
    expect(await meta()).toMatchObject({ title: 'Mine', titleBy: 'person' });
  });

  it('keep nothing of words that were forgotten while the model was asked', async () => {
    const { rest, meta, model } = await home({
      meanwhile: (documents, id, asked) =>
        documents.change(id, { removed: [asked.id], takesOut: true, meta: { title: '' } }),
    });
    await rest();
    expect(model.prompts).toHaveLength(1);
    expect(await meta()).toMatchObject({ title: '', summary: null });
  });

  it('stay as they were where the model talks about something else', async () => {
    const { rest, meta, model } = await home({ reply: 'I cannot do that.' });
    await rest();
    expect(await meta()).toMatchObject({ title: 'Why is my loaf flat?', summary: null });
    expect(model.prompts).toHaveLength(1);
  });

  it('never see a secret', async () => {
    const { rest, model } = await home({ text: 'password: hunter2hunter2 — why is it refused?' });
    await rest();
    expect(JSON.stringify(model.prompts)).not.toContain('hunter2');
  });
});
