// The screen stays on a person's question while others write on other branches, and follows what goes on from it.
import { describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { newConversationId, newEntryId } from '../../../src/domain/base/ids.ts';
import { effectiveHead, pathTo } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { readWhole } from '../../../src/services/documents/shared.ts';
import { said, textOf } from './said.ts';

const id = newConversationId();

/** A device with the conversation on its screen. What others say comes into its log as sync brings it. */
function createScreen() {
  const store = createInMemoryStore();
  const { log } = store;
  const documents = createDocuments({
    store: {
      ...store,
      log: {
        ...log,
        subscribe: (listener) => log.subscribe((change) => listener({ ...change, foreign: true })),
      },
    },
  });
  let open: Awaited<ReturnType<typeof documents.open>> | undefined;
  const path = () => {
    const conversation = open?.get();
    return conversation ? pathTo(conversation.messages, effectiveHead(conversation)) : [];
  };
  return {
    store,
    documents,
    look: async () => {
      open ??= await documents.open(id);
    },
    leave: () => {
      open?.close();
      open = undefined;
    },
    shown: () => path().map(textOf),
    say: async (text: string, role: Message['role'] = 'user') => {
      const message = { ...said(text, path().at(-1)?.id ?? null), role };
      await documents.change(id, { messages: [message], meta: { head: message.id } });
      return message;
    },
    to: (message: Message) => documents.change(id, { meta: { head: message.id } }),
    originOf: (message: Message) => open?.originOf(message.id),
  };
}
type Screen = ReturnType<typeof createScreen>;

async function bring(from: Screen, to: Screen): Promise<void> {
  const whole = await readWhole(from.store.log, id);
  if (!whole) throw new Error('nothing there');
  await to.store.log.append([{ id: newEntryId(), document: id, origin: 'remote', bytes: whole.update }]);
  const there = whole.conversation?.messages.keys() ?? [];
  await expect
    .poll(async () => {
      const here = await to.documents.read(id);
      return [...there].every((message) => here?.messages.has(message));
    })
    .toBe(true);
}

async function two() {
  const [desk, phone] = [createScreen(), createScreen()];
  const first = await desk.say('hello');
  await desk.look();
  await desk.say('welcome', 'assistant');
  await bring(desk, phone);
  await phone.look();
  const meet = async () => {
    await bring(desk, phone);
    await bring(phone, desk);
  };
  return { desk, phone, first, meet };
}

describe('two devices that ask in one conversation at once', () => {
  it('each show their own question and its answer, however the other goes on', async () => {
    const { desk, phone, first, meet } = await two();
    const tent = await desk.say('where is the tent?');
    await phone.say('where is the stove?');
    await meet();
    expect([desk, phone].map(({ originOf }) => originOf(tent))).toEqual(['here', 'elsewhere']);
    expect(phone.originOf(first)).toBeNull();
    const begun = ['hello', 'welcome'];
    expect(desk.shown()).toEqual([...begun, 'where is the tent?']);
    expect(phone.shown()).toEqual([...begun, 'where is the stove?']);
    await phone.say('in the cellar', 'assistant');
    await meet();
    await desk.say('in the attic', 'assistant');
    await meet();
    await phone.say('and the gas?');
    await meet();
    expect(desk.shown()).toEqual([...begun, 'where is the tent?', 'in the attic']);
    expect(phone.shown()).toEqual([...begun, 'where is the stove?', 'in the cellar', 'and the gas?']);
    // A title does not move anybody.
    await desk.documents.change(id, { meta: { title: 'Camping' } });
    await meet();
    expect(desk.shown()).toContain('in the attic');
    expect(phone.shown()).toContain('and the gas?');
  });

  it('go to the other branch when somebody asks for it, and are at one when they come anew', async () => {
    const { desk, phone, meet } = await two();
    await desk.say('where is the tent?');
    const stove = await phone.say('where is the stove?');
    await meet();
    await desk.to(stove);
    expect(desk.shown()).toContain('where is the stove?');
    await meet();
    await phone.say('in the cellar', 'assistant');
    await bring(phone, desk);
    expect(desk.shown()).toEqual(['hello', 'welcome', 'where is the stove?', 'in the cellar']);
    for (const screen of [desk, phone]) {
      screen.leave();
      await screen.look();
    }
    expect(desk.shown()).toEqual(phone.shown());
  });
});

it('a device follows what goes on from where it stands, and another answer to its question', async () => {
  const { desk, phone, first } = await two();
  await phone.say('and on');
  await bring(phone, desk);
  expect(desk.shown()).toEqual(['hello', 'welcome', 'and on']);
  const other: Message = { ...said('well met', first.id), role: 'assistant' };
  await phone.documents.change(id, { messages: [other], meta: { head: other.id } });
  await bring(phone, desk);
  expect(desk.shown()).toEqual(['hello', 'well met']);
});
