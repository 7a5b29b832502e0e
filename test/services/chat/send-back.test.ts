import { describe, expect, it } from 'vitest';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';
import { dmailsFrom } from '../../../src/domain/chat/dmail.ts';
import { type Message, textOf } from '../../../src/domain/chat/message.ts';
import type { AfterSendBack } from '../../../src/services/chat/chat.ts';
import type { ChatRequest, Script } from '../../server/scripted-model.ts';
import { startTalks, words } from '../context/talk.ts';

const { server, talk } = await startTalks({
  config: (config) => ({
    ...config,
    recall: { ...config.recall, auto_recall: { ...config.recall.auto_recall, enabled: false } },
  }),
});

const lastUser = (request: ChatRequest) =>
  String(request.messages.filter((message) => message.role === 'user').at(-1)?.content);
const ids = (messages: readonly Message[]) => messages.map((message) => message.id);
const text = (words: string) => [{ type: 'text' as const, text: words }];

/** Sends other words back in the place of a message, and waits for what follows from it. */
async function reword(
  { chat, idle }: Pick<ReturnType<typeof talk>, 'chat' | 'idle'>,
  id: ConversationId,
  message: Message | undefined,
  words: string,
  replay: AfterSendBack,
  callId?: string,
) {
  const sent = await chat.sendBack(id, {
    type: 'edit',
    message: message?.id as MessageId,
    parts: text(words),
    ...(callId === undefined ? {} : { callId }),
    replay,
  });
  if (replay !== 'none') await idle(id);
  return sent;
}

/** Answers with what the last question said, and how many messages it saw. */
const echo = (request: ChatRequest): Script => words(`re: ${lastUser(request)}`);

describe('sending back', () => {
  it('a note: goes on from an earlier message, the old branch stays and is linked both ways', async () => {
    const { say, chat, idle, path, documents, transcript } = talk();
    server.answer(echo);
    const id = await say('one');
    await say('two', id);
    const before = await path(id);
    const sent = await chat.sendBack(id, {
      type: 'note',
      message: before[1]?.id as MessageId,
      parts: text('mind the port'),
      replay: 'answer',
    });
    await idle(id);
    expect(await transcript(id)).toEqual([
      'user: one',
      'assistant: re: one',
      'user: mind the port',
      'assistant: re: mind the port',
    ]);
    const conversation = await documents.read(id);
    expect(conversation?.messages.get(sent.messageId)?.dmail).toEqual({
      from: before[3]?.id,
      checkpoint: before[1]?.id,
      by: 'person',
    });
    expect(dmailsFrom(conversation as never).get(before[3]?.id as MessageId)).toHaveLength(1);
    await sent.undo();
    expect(ids(await path(id))).toEqual(ids(before));
  });

  it('another wording of a question asks again for its answer alone, or for the whole branch', async () => {
    const scene = talk();
    const { say, chat, path, transcript } = scene;
    server.answer(echo);
    const id = await say('one');
    await say('two', id);
    await say('three', id);
    const before = await path(id);
    expect(await chat.sendBackCost(id, before[0]?.id as MessageId, 'edit')).toEqual({
      turns: 2,
      answers: 3,
      patch: true,
    });
    await reword(scene, id, before[0], 'uno', 'answer');
    expect(await transcript(id)).toEqual(['user: uno', 'assistant: re: uno']);
    await reword(scene, id, before[0], 'eins', 'branch');
    expect(await transcript(id)).toEqual([
      'user: eins',
      'assistant: re: eins',
      'user: two',
      'assistant: re: two',
      'user: three',
      'assistant: re: three',
    ]);
    const after = await path(id);
    expect(after[2]).toMatchObject({ copyOf: before[2]?.id });
    expect(after[0]?.dmail).toMatchObject({ from: before[5]?.id, checkpoint: null, edits: before[0]?.id });
    expect(chat.turn(id).get().replay).toEqual({ done: 3, total: 3, saved: 0, asked: 3 });
  });

  it('an answer whose inputs did not change is taken over, not asked for again', async () => {
    const scene = talk();
    const { say, chat, idle, path, documents } = scene;
    server.answer(echo);
    const id = await say('one');
    await say('two', id);
    await say('three', id);
    const before = await path(id);
    const asked = server.chats().length;
    // The same words: nothing that any answer depends on is different.
    await reword(scene, id, before[0], 'one', 'branch');
    expect(server.chats()).toHaveLength(asked);
    expect(chat.turn(id).get().replay).toEqual({ done: 3, total: 3, saved: 3, asked: 0 });
    const after = await path(id);
    expect(after.map((message) => message.reused)).toEqual([
      undefined,
      before[1]?.id,
      undefined,
      before[3]?.id,
      undefined,
      before[5]?.id,
    ]);
    expect((await documents.read(id))?.messages.size).toBe(12);
    // A person's own *Answer again* always asks the model.
    await chat.regenerate(id, after[5]?.id as MessageId);
    await idle(id);
    expect(server.chats()).toHaveLength(asked + 1);
  });

  it('another wording of a question keeps the files that were attached to it', async () => {
    const scene = talk();
    server.answer(() => words('A chart.'));
    const file = {
      type: 'file' as const,
      mediaType: 'image/png',
      name: 'c.png',
      url: 'data:image/png;base64,AA==',
    };
    const id = await scene.say([file, ...text('What is this?')]);
    const [question] = await scene.path(id);
    await reword(scene, id, question, 'What does it show?', 'answer');
    expect((await scene.path(id))[0]?.parts).toEqual([file, ...text('What does it show?')]);
    expect(JSON.stringify(server.chats().at(-1))).toContain('data:image/png;base64,AA==');
  });

  it('a tool result: what came before it is kept, only what depends on it is asked for', async () => {
    const scene = talk({ recall: async () => ({}) });
    const { say, path, transcript } = scene;
    const call = (id: string, query: string) => ({
      call: { id, name: 'recall', arguments: JSON.stringify({ query }) },
    });
    server.next(
      { steps: [call('a', 'port'), call('b', 'host'), { finish: 'tool_calls' }] },
      words('The port is unknown.'),
    );
    const id = await say('Which port?');
    server.answer((request) =>
      words(JSON.stringify(request.messages).includes('port 8081') ? 'It is 8081.' : 'Still unknown.'),
    );
    await say('Sure?', id);
    const before = await path(id);
    expect(before.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
    const asked = server.chats().length;
    await reword(scene, id, before[2], 'port 8081', 'branch', 'a');
    const after = await path(id);
    expect(ids(after.slice(0, 2))).toEqual(ids(before.slice(0, 2)));
    expect(after[2]?.parts).toMatchObject([
      { type: 'tool-result', callId: 'a', text: 'port 8081', edited: true },
      { type: 'tool-result', callId: 'b', text: 'Nothing was found.' },
    ]);
    expect((await transcript(id)).slice(3)).toEqual([
      'assistant: It is 8081.',
      'user: Sure?',
      'assistant: It is 8081.',
    ]);
    expect(server.chats()).toHaveLength(asked + 2);
    expect(after[2]?.dmail).toMatchObject({ from: before[5]?.id, edits: before[2]?.id });
  });

  it('a result among several tool messages takes the others along', async () => {
    const scene = talk();
    const { grown, path } = scene;
    server.answer(echo);
    const id: ConversationId = await grown(1, () => ({
      user: text('Look'),
      more: [
        {
          role: 'assistant',
          parts: [
            { type: 'tool-call', callId: 'x', name: 'Shell', arguments: '{}' },
            { type: 'tool-call', callId: 'y', name: 'Shell', arguments: '{}' },
          ],
        },
        { role: 'tool', parts: [{ type: 'tool-result', callId: 'x', text: 'ex' }] },
        { role: 'tool', parts: [{ type: 'tool-result', callId: 'y', text: 'why' }] },
      ],
    }));
    const before = await path(id);
    await reword(scene, id, before[2], 'EX', 'answer');
    const after = await path(id);
    expect(after.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant']);
    expect(after[3]).toMatchObject({ copyOf: before[3]?.id, parts: [{ text: 'why' }] });
    const sent = server.chats()[0]?.messages.filter((message) => message.role === 'tool');
    expect(sent?.map((message) => message.content)).toEqual(['EX', 'why']);
  });

  it('stops where an answer does not come', async () => {
    const scene = talk();
    const { say, transcript, path } = scene;
    server.answer(echo);
    const id = await say('one');
    await say('two', id);
    const before = await path(id);
    server.next({ status: 500, body: { error: { message: 'broken' } } });
    await reword(scene, id, before[0], 'uno', 'branch');
    expect(await transcript(id)).toEqual(['user: uno', 'assistant: ']);
  });

  it('an answer in the person’s words stands, and what was asked after it can be gone through', async () => {
    const scene = talk();
    const { say, transcript, path } = scene;
    server.answer(echo);
    const id = await say('one');
    await say('two', id);
    const before = await path(id);
    await reword(scene, id, before[1], 'my answer', 'none');
    expect(await transcript(id)).toEqual(['user: one', 'assistant: my answer']);
    await reword(scene, id, before[1], 'my answer 2', 'branch');
    expect(await transcript(id)).toEqual([
      'user: one',
      'assistant: my answer 2',
      'user: two',
      'assistant: re: two',
    ]);
  });

  it('refuses what is not there', async () => {
    const { say, chat } = talk();
    const id = await say('one');
    await expect(
      chat.sendBack(id, { type: 'note', message: 'nowhere' as MessageId, parts: text('x'), replay: 'none' }),
    ).rejects.toMatchObject({ problem: { code: 'message-missing' } });
    expect(textOf({ parts: text('x') })).toBe('x');
  });
});
