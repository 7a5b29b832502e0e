// The model of a conversation: picked in it, or that of its latest answer, or the one chosen last.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { createScriptedModel } from '../../../src/adapters/models/index.ts';
import { createVault } from '../../../src/adapters/vault/web-crypto.ts';
import { type ConversationId, newMessageId, newTemporaryId } from '../../../src/domain/base/ids.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { modelInUse } from '../../../src/services/settings/model-in-use.ts';
import type { Settings } from '../../../src/services/settings/settings.ts';
import { createSettings } from '../../../src/services/settings/settings-service.ts';
import { createScene } from '../chat/setup.ts';

const here = { id: 'here', label: 'Here', baseUrl: 'https://here.example/v1', models: ['small', 'large'] };
const there = { id: 'there', label: 'There', baseUrl: 'https://there.example/v1', models: ['large', 'far'] };
const small = { endpointId: 'here', model: 'small' };
const large = { endpointId: 'here', model: 'large' };
const far = { endpointId: 'there', model: 'far' };

let store: ReturnType<typeof createInMemoryStore>;
let settings: Settings;
let scene: ReturnType<typeof createScene>;
const open = () =>
  createSettings({
    keyValues: store.keyValues,
    vault: createVault(store.keyValues),
    test: async () => ({ ok: true, models: [], tookMs: 0 }),
  });
beforeEach(async () => {
  store = createInMemoryStore();
  settings = await open();
  await settings.saveEndpoint(here, undefined);
  await settings.saveEndpoint(there, undefined);
  await settings.choose(small);
  scene = createScene({
    store,
    model: (conversation) => {
      const { choice } = modelInUse(settings.connections.get(), conversation ?? null);
      if (!choice) return null;
      return {
        ...createScriptedModel({
          id: choice.model,
          reply: () => [{ type: 'text-delta', text: choice.model }],
        }),
        endpoint: choice.endpointId,
      };
    },
    onBegun: (id) => void settings.keepChosen(id),
  });
});
afterEach(() => scene.close());

const read = async (id: ConversationId) => (await scene.documents.read(id)) as Conversation;
const inUse = async (id: ConversationId) => modelInUse(settings.connections.get(), await read(id));
const answers = async (id: ConversationId) =>
  (await scene.path(id)).filter(({ role }) => role === 'assistant').map(({ model }) => model ?? null);

describe('the model of a conversation', () => {
  it('stays when another is chosen in another conversation, also after a reload', async () => {
    const first = await scene.say('one');
    await settings.choose(far);
    const second = await scene.say('two');
    await scene.say('three', first);
    await settings.choose(large, first);
    await scene.say('four', first);
    await scene.say('five', second);
    expect(await answers(first)).toEqual(['small', 'small', 'large']);
    expect(await answers(second)).toEqual(['far', 'far']);
    settings = await open();
    expect((await inUse(first)).choice).toEqual(large);
    expect((await inUse(second)).choice).toEqual(far);
    // What begins now starts with the one chosen last.
    expect(modelInUse(settings.connections.get(), null).choice).toEqual(large);
  });

  it('is counted with by the context meter and gives the answers that are asked for again', async () => {
    const first = await scene.say('one');
    await settings.choose(far);
    expect((await scene.context.next(first, []))?.model).toBe('small');
    expect((await scene.context.next(null, []))?.model).toBe('far');
    const answer = (await scene.path(first)).at(-1) as Message;
    await scene.chat.regenerate(first, answer.id);
    await scene.idle(first);
    expect(await answers(first)).toEqual(['small']);
    expect((await scene.path(first)).at(-1)?.id).not.toBe(answer.id);
  });

  it('may be memory alone, which stays as well', async () => {
    await settings.choose(null);
    const first = await scene.say('one');
    await settings.choose(far);
    expect((await inUse(first)).choice).toBeNull();
    await scene.say('two', first);
    expect(await answers(first)).toEqual([null, null]);
  });

  it('is that of the latest answer where nothing was picked on this device', async () => {
    const id = await scene.say('one');
    const add = async (message: Partial<Message>) => {
      const parentId = (await scene.path(id)).at(-1)?.id ?? null;
      const added = {
        id: newMessageId(),
        parentId,
        role: 'assistant',
        createdAt: Date.now() + 1000,
      } as const;
      const whole: Message = { ...added, kind: 'message', parts: [{ type: 'text', text: 'x' }], ...message };
      await scene.documents.change(id, { messages: [whole], meta: { head: whole.id } });
    };
    // As on a device that it came to by sync.
    const { picked: _picked, ...inAnotherTab } = settings.connections.get();
    await add({ model: 'far' });
    expect(modelInUse(inAnotherTab, await read(id))).toEqual({ choice: far, missing: null });
    await add({ model: 'large' });
    expect(modelInUse(inAnotherTab, await read(id)).choice).toEqual(large);
    expect(
      modelInUse({ ...inAnotherTab, chosen: { ...far, model: 'large' } }, await read(id)).choice,
    ).toEqual({
      endpointId: 'there',
      model: 'large',
    });
    await add({ model: 'gpt-9' });
    expect(modelInUse(inAnotherTab, await read(id))).toEqual({ choice: small, missing: 'gpt-9' });
    expect(modelInUse({ endpoints: [], chosen: null }, await read(id)).missing).toBeNull();
    await add({ kind: 'recall', parts: [] });
    expect(modelInUse(inAnotherTab, await read(id))).toEqual({ choice: small, missing: null });
  });

  it('falls back where its endpoint was removed, says so until another has answered, and comes back with it', async () => {
    const id = await scene.say('one');
    await settings.choose(far);
    await settings.removeEndpoint('here');
    expect(await inUse(id)).toEqual({ choice: far, missing: 'small' });
    await settings.saveEndpoint({ ...here, models: ['other'] }, undefined);
    expect(await inUse(id)).toEqual({ choice: far, missing: 'small' });
    await settings.saveEndpoint(here, undefined);
    expect(await inUse(id)).toEqual({ choice: small, missing: null });
    await settings.removeEndpoint('here');
    await scene.say('two', id);
    expect(await inUse(id)).toEqual({ choice: far, missing: null });
    await settings.removeEndpoint('there');
    expect(await inUse(id)).toEqual({ choice: null, missing: 'far' });
    await scene.say('three', id);
    expect(await inUse(id)).toEqual({ choice: null, missing: null });
  });

  it('is none that its endpoint does not offer any more', async () => {
    const id = await scene.say('one');
    await settings.saveEndpoint({ ...here, models: ['other'] }, undefined);
    expect(settings.connections.get().chosen).toBeNull();
    expect(await inUse(id)).toEqual({ choice: null, missing: 'small' });
    await settings.saveEndpoint(here, undefined);
    expect(await inUse(id)).toEqual({ choice: small, missing: null });
  });

  it('is kept for the conversations picked in last', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`c${at}`, small]));
    await store.keyValues.set('settings/connections', { ...settings.connections.get(), picked: many });
    settings = await open();
    await settings.choose(large, 'c1' as ConversationId);
    await settings.choose(small, 'new' as ConversationId);
    const { picked = {} } = settings.connections.get();
    expect(Object.keys(picked).length).toBe(500);
    expect(picked.c0).toBeUndefined();
    expect(picked.c1).toEqual(large);
  });

  it('is known of a temporary conversation as long as it is open, and not kept', async () => {
    const temporary = newTemporaryId();
    const kept = await scene.say('one');
    await settings.choose(large, temporary);
    expect(settings.connections.get().picked?.[temporary]).toEqual(large);
    await settings.choose(far, kept);
    await settings.keepChosen(temporary);
    expect(settings.connections.get().picked?.[temporary]).toEqual(far);
    expect(JSON.stringify(await store.keyValues.get('settings/connections'))).not.toContain(temporary);
    expect((await open()).connections.get().picked).toEqual({ [kept]: far });
  });
});
