// A temporary conversation: talked through like any other, and nothing of it is in the store, the
// library, or what a model is offered.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { withoutTemporary } from '../../../src/adapters/log/temporary.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { newTemporaryId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { toolsInForce } from '../../../src/services/chat/tools/index.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createLibrary } from '../../../src/services/library/library-service.ts';
import { englishWords } from '../../fixtures/words.ts';
import { startTalks, words } from '../context/talk.ts';
import { createScene, notesOf, passage } from './setup.ts';

const { server, talk } = await startTalks();

/** All that a store holds, as text. */
const contents = async ({ log, keyValues }: Store): Promise<string> => {
  const values = await Promise.all(
    (await keyValues.keys('')).map(async (key) => [key, await keyValues.get(key)]),
  );
  const entries = (await log.since(0, 1000)).map(({ document, bytes }) => [
    document,
    Buffer.from(bytes).toString('latin1'),
  ]);
  return JSON.stringify([values, entries]);
};

/** A scene over a store whose contents are seen, with a temporary conversation that has begun. */
async function begun(options: Parameters<typeof talk>[0] = {}) {
  const kept = createInMemoryStore();
  const made = talk({ store: withoutTemporary(kept), ...options });
  const id = newTemporaryId();
  await made.documents.change(id, { meta: { createdAt: 1 } });
  return { ...made, kept, id };
}

describe('a temporary conversation', () => {
  it('is answered, and nothing of it lies in the store, also while it is being said', async () => {
    const { chat, idle, transcript, id, kept, documents } = await begun();
    server.next({
      steps: [{ text: 'The answer is ' }, { gate: true }, { text: 'a confidence.' }, { finish: 'stop' }],
    });
    await chat.send({ conversationId: id, parts: [{ type: 'text', text: 'A question in confidence' }] });
    await until(chat.turn(id), ({ parts }) => parts.length > 0);
    await chat.send({ conversationId: id, parts: [{ type: 'text', text: 'More in confidence' }] });
    const meanwhile = await contents(kept);
    server.next(words('That too.'));
    server.go();
    await idle(id);
    expect(await transcript(id)).toEqual([
      'user: A question in confidence',
      'assistant: The answer is a confidence.',
      'user: More in confidence',
      'assistant: That too.',
    ]);
    for (const there of [meanwhile, await contents(kept)]) {
      expect(there).not.toMatch(/confidence|answer/);
      expect(there).not.toContain(id);
    }
    expect(documents.library.get().entries).toEqual([]);
    expect(documents.saving.get()).toEqual({ state: 'saved' });
  });

  it('asks memory nothing by itself, and offers a model no tool of memory', async () => {
    const { say, id, asked } = await begun({
      recall: async () => ({ passages: [passage('m1', 'An old passage.')] }),
      notes: notesOf(),
      config: (config) => config,
    });
    server.answer(() => words('Yes.'));
    await say('Do you remember?', id);
    expect(asked).toEqual([]);
    expect(server.chats().at(-1)?.tools).toBeUndefined();
    const notes = notesOf();
    const names = (conversationId: ReturnType<typeof newTemporaryId> | null) =>
      toolsInForce(defaultConfig, { notes, conversationId }).map(({ name }) => name);
    expect(names(null)).toContain('remember');
    expect(names(id)).toEqual([]);
  });

  it('without a model is answered from memory, which is the answer then', async () => {
    const scene = createScene({
      store: withoutTemporary(createInMemoryStore()),
      recall: async () => ({ passages: [passage('m1', 'An old passage.')] }),
    });
    const id = newTemporaryId();
    await scene.documents.change(id, { meta: { createdAt: 1 } });
    await scene.say('What was it?', id);
    expect((await scene.all(id)).flatMap(({ parts }) => parts)).toContainEqual(
      expect.objectContaining({ type: 'recall' }),
    );
    await scene.close();
  });

  it('outlives those who look at it, and ends with its tab', async () => {
    const { say, id, documents, kept } = await begun();
    server.answer(() => words('Yes.'));
    await say('Still there?', id);
    (await documents.open(id)).close();
    expect((await documents.read(id))?.messages.size).toBe(2);
    const again = createDocuments({ store: kept });
    expect(await again.read(id)).toBeUndefined();
    await expect(again.open(id)).rejects.toMatchObject({ problem: { code: 'conversation-ended' } });
    await again.close();
  });

  it('is gone once it is ended, and what is still answered does not bring it back', async () => {
    const { chat, idle, id, documents } = await begun();
    server.next({ steps: [{ text: 'Too ' }, { gate: true }, { text: 'late.' }, { finish: 'stop' }] });
    await chat.send({ conversationId: id, parts: [{ type: 'text', text: 'Wait' }] });
    await until(chat.turn(id), ({ parts }) => parts.length > 0);
    await documents.erase([id]);
    server.go();
    await idle(id);
    expect(await documents.read(id)).toBeUndefined();
  });

  it('is kept whole when it is worth it, under another name, and can be gone on with', async () => {
    const { say, id, documents, kept, transcript, context } = await begun();
    server.answer(() => words('A fine plan.'));
    await say('Plan the garden', id);
    await context.checkpoint(id, 'first plan');
    const before = await documents.read(id);
    const made = await documents.keep(id);
    expect(await documents.read(id)).toBeUndefined();
    const { messages, meta, checkpoints } = (await createDocuments({ store: kept }).read(made)) ?? {};
    expect({ messages, meta, checkpoints }).toEqual({
      messages: before?.messages,
      meta: before?.meta,
      checkpoints: before?.checkpoints,
    });
    expect(documents.library.get().entries).toMatchObject([{ id: made, messageCount: 2 }]);
    await say('And the fence?', made);
    expect(await transcript(made)).toHaveLength(4);
  });

  it('is not begun again by what comes after its end', async () => {
    const { id, documents, context, say } = await begun();
    server.answer(() => words('Yes.'));
    await say('Mark this', id);
    const { undo } = await context.checkpoint(id, 'here');
    await documents.erase([id]);
    await expect(undo()).rejects.toMatchObject({ problem: { code: 'conversation-ended' } });
    expect(await documents.read(id)).toBeUndefined();
  });

  it('is kept once, however often that is asked, with what is said meanwhile', async () => {
    const { id, documents, say } = await begun();
    server.answer(() => words('Yes.'));
    await say('Keep this', id);
    const keeping = [documents.keep(id), documents.keep(id)];
    await documents.change(id, { meta: { title: 'Named late' } });
    const [one, other] = await Promise.all(keeping);
    expect(other).toBe(one);
    expect(documents.library.get().entries).toMatchObject([{ id: one, title: 'Named late' }]);
    expect(await documents.keep(id)).toBe(one);
  });

  it('stays as it was where the disk has no room to keep it, and can be kept later', async () => {
    const kept = createInMemoryStore();
    let full = true;
    const append: Store['log']['append'] = async (entries, writes) => {
      if (full && entries.length > 0) throw new RecollectError('storage-full', 'No room');
      return await kept.log.append(entries, writes);
    };
    const { id, documents, say } = await begun({
      store: withoutTemporary({ ...kept, log: { ...kept.log, append } }),
    });
    server.answer(() => words('Yes.'));
    await say('Keep this', id);
    await expect(documents.keep(id)).rejects.toMatchObject({ problem: { code: 'storage-full' } });
    expect((await documents.read(id))?.messages.size).toBe(2);
    expect(documents.library.get().entries).toEqual([]);
    full = false;
    await documents.keep(id);
    expect(documents.library.get().entries).toMatchObject([{ messageCount: 2 }]);
  });

  it('takes a name, which it has when it is kept', async () => {
    const { id, documents } = await begun();
    const library = createLibrary({ documents, words: englishWords });
    await library.setMeta([id], { title: 'The party' });
    await documents.keep(id);
    expect(documents.library.get().entries).toMatchObject([{ title: 'The party' }]);
  });
});
