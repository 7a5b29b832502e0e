// Several models on one question at once: each answer a sibling branch, one stopped or failed
// without the others, the head left alone.
import { describe, expect, it, vi } from 'vitest';
import type { ChatModel } from '../../../src/adapters/models/chat-model.ts';
import { createScriptedModel } from '../../../src/adapters/models/in-memory.ts';
import { type Readable, until } from '../../../src/domain/base/readable.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import type { TurnState } from '../../../src/services/chat/chat.ts';
import { createScene } from './setup.ts';

/** Models by name: each answers its name; `slow` waits until it is released, `broken` fails once. */
async function scene() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let broken = true;
  const model = (id: string): ChatModel =>
    createScriptedModel({
      id,
      contextWindow: 32_000,
      *reply() {
        if (id === 'broken' && broken) {
          broken = false;
          yield {
            type: 'end',
            finish: 'error',
            problem: { code: 'model-server', message: 'No', retry: true },
          };
          return;
        }
        yield { type: 'text-delta', text: `I am ${id}.` };
        if (id === 'slow') yield held;
        yield { type: 'usage', usage: { inputTokens: 1000, outputTokens: 1000 } };
      },
    });
  const made = createScene({
    model: (_, by) => model(by?.model ?? 'first'),
    priceOf: () => ({ currency: 'USD', input: 1, output: 2 }),
  });
  const { conversationId: id } = await made.chat.send({ parts: [{ type: 'text', text: 'Who are you?' }] });
  await made.idle(id);
  const [question, answer] = await made.path(id);
  if (!question || !answer) throw new Error('No answer');
  const ask = async (...models: string[]) => {
    await made.chat.compare(
      id,
      answer.id,
      models.map((one) => ({ endpointId: 'e', model: one })),
    );
    const comparison = made.chat.comparison(id).get();
    if (!comparison) throw new Error('No comparison');
    return comparison.answers;
  };
  const texts = async () => {
    const conversation = await made.documents.read(id);
    return [...(conversation?.messages.values() ?? [])]
      .filter(({ parentId }) => parentId === question.id)
      .map(textOf)
      .sort();
  };
  return { ...made, id, question, answer, ask, texts, release };
}
const ended = (turn: Readable<TurnState>) => until(turn, ({ status }) => status === 'idle');

describe('comparing models', () => {
  it('keeps each answer as a branch beside the first, with its cost, and leaves the head', async () => {
    const { ask, texts, idle, id, path, answer, documents } = await scene();
    const answers = await ask('second', 'third');
    await idle(id);
    expect(await texts()).toEqual(['I am first.', 'I am second.', 'I am third.']);
    expect((await path(id)).at(-1)?.id).toBe(answer.id);
    const last = answers[0]?.last.get();
    expect((await documents.read(id))?.messages.get(last as never)).toMatchObject({
      model: 'second',
      cost: { amount: 0.003, currency: 'USD' },
    });
  });

  it('stops one and lets the other end; the conversation is busy until then', async () => {
    const { ask, chat, idle, id, texts } = await scene();
    const [slow, third] = await ask('slow', 'third');
    await until(slow?.turn as Readable<TurnState>, ({ parts }) => parts.length > 0);
    await ended(third?.turn as Readable<TurnState>);
    expect(chat.turn(id).get().status).not.toBe('idle');
    slow?.stop();
    await idle(id);
    expect(await texts()).toContain('I am slow.');
  });

  it('stops all of them with the conversation', async () => {
    const { ask, chat, idle, id } = await scene();
    const [slow] = await ask('slow');
    await until(slow?.turn as Readable<TurnState>, ({ parts }) => parts.length > 0);
    chat.stop(id);
    await idle(id);
    expect(slow?.turn.get().status).toBe('idle');
  });

  it('asks a failed one again, which takes its place', async () => {
    const { ask, chat, idle, id, texts } = await scene();
    const [broken, third] = await ask('broken', 'third');
    await idle(id);
    expect(await texts()).toEqual(['', 'I am first.', 'I am third.']);
    expect(third?.last.get()).not.toBeNull();
    broken?.again();
    expect(chat.turn(id).get().status).toBe('waiting');
    await idle(id);
    expect(await texts()).toEqual(['I am broken.', 'I am first.', 'I am third.']);
  });

  it('sends what was queued meanwhile once all have ended, below the head', async () => {
    const { ask, chat, id, path, release } = await scene();
    await ask('slow', 'third');
    await chat.send({ conversationId: id, parts: [{ type: 'text', text: 'And now?' }] });
    expect(chat.turn(id).get().queue).toHaveLength(1);
    release();
    await until(chat.turn(id), ({ status, queue }) => status === 'idle' && queue.length === 0);
    expect((await path(id)).map(textOf)).toEqual(['Who are you?', 'I am first.', 'And now?', 'I am first.']);
  });

  it('is there again after a reload, and asks again from there', async () => {
    const { ask, idle, id, store, documents, texts, answer } = await scene();
    await ask('second', 'broken');
    await idle(id);
    await vi.waitFor(async () =>
      expect(JSON.stringify(await store.keyValues.get('comparisons'))).toContain('second'),
    );
    const again = createScene({
      store,
      model: (_, by) =>
        createScriptedModel({
          id: by?.model ?? 'first',
          contextWindow: 32_000,
          reply: () => [{ type: 'text-delta', text: `Once more ${by?.model}.` }],
        }),
    });
    const comparison = again.chat.comparison(id);
    const found = await until(comparison, (one) => one !== null);
    expect(found).toMatchObject({ answer: answer.id });
    const [second, broken] = found?.answers ?? [];
    const last = second?.last.get();
    expect((await documents.read(id))?.messages.get(last as never)).toMatchObject({ model: 'second' });
    broken?.again();
    await until(broken?.last as Readable<unknown>, (one) => one !== null);
    await again.idle(id);
    expect(again.chat.comparison(id).get()).toBe(found);
    expect(await texts()).toContain('Once more broken.');
  });

  it('refuses to begin while an answer is being written', async () => {
    const { ask, release, idle, id } = await scene();
    await ask('slow');
    await expect(ask('third')).rejects.toMatchObject({ problem: { code: 'conversation-busy' } });
    release();
    await idle(id);
  });
});
