// After a D-Mail the model patches its old answer by edits, or answers again where they do not fit.
import { describe, expect, it } from 'vitest';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import { requestManifestSchema } from '../../../src/domain/context/manifest.ts';
import type { ChatRequest, Script } from '../../server/scripted-model.ts';
import { contextConfig, startTalks, words } from '../context/talk.ts';

const { server, talk } = await startTalks({
  config: (config) => {
    const made = contextConfig({ window_tokens: 40_000 })(config);
    return {
      ...made,
      recall: { ...made.recall, auto_recall: { ...made.recall.auto_recall, enabled: false } },
    };
  },
});

const PLAN = `The backup runs at two.\n\n${Array.from({ length: 30 }, (_, at) => `- Disk ${at} is copied after disk ${at + 100}.`).join('\n')}`;
const patches = (request: ChatRequest): boolean => JSON.stringify(request.messages).includes('FIND');
const block = (find: string, put: string) => `<<<<<<< FIND\n${find}\n=======\n${put}\n>>>>>>> REPLACE`;

/** A conversation with a long answer, and its question in other words sent back. */
async function sentBack(answer: (request: ChatRequest) => Script) {
  const scene = talk();
  server.answer(() => words(PLAN));
  const id: ConversationId = await scene.say('When is the backup? At two.');
  const [question, old] = await scene.path(id);
  server.answer(answer);
  const asked = server.chats().length;
  const sent = await scene.chat.sendBack(id, {
    type: 'edit',
    message: question?.id as MessageId,
    parts: [{ type: 'text', text: 'When is the backup? At four.' }],
    replay: 'patch',
  });
  await scene.idle(id);
  const now = (await scene.path(id)).at(-1);
  return { ...scene, id, old, now, sent, requests: server.chats().slice(asked) };
}

describe('patch', () => {
  it('gives the model the old answer and keeps all of it but what the edits change; says what that saved', async () => {
    const { old, now, requests, sent, path, id } = await sentBack(() =>
      words(block('runs at two', 'runs at four')),
    );
    expect(requests).toHaveLength(1);
    expect(requests[0]?.tools ?? []).toEqual([]);
    expect(JSON.stringify(requests[0]?.messages.at(-1))).toContain('Disk 7 is copied');
    expect(textOf(now as never)).toBe(PLAN.replace('at two', 'at four'));
    expect(now).toMatchObject({ finish: 'stop', patch: { of: old?.id, edits: 1, savedCalls: 0 } });
    expect(now?.patch?.savedTokens).toBeGreaterThan(200);
    expect(requestManifestSchema.parse(now?.ledger).patches?.tokens).toBeGreaterThan(200);
    await sent.undo();
    expect((await path(id)).at(-1)?.id).toBe(old?.id);
  });

  it('falls back to the whole answer where the edits do not fit, says so, and counts both requests', async () => {
    const { now, requests } = await sentBack((request) =>
      patches(request) ? words(block('runs at three', 'runs at four')) : words('At four.'),
    );
    expect(requests.map(patches)).toEqual([true, false]);
    expect(textOf(now as never)).toBe('At four.');
    expect(now).toMatchObject({
      patch: { reason: 'missing' },
      usage: { inputTokens: 1800, outputTokens: 100 },
    });
  });

  it('does not ask twice where the request failed', async () => {
    const { now, requests } = await sentBack(() => ({ status: 400, body: { error: { message: 'no' } } }));
    expect(requests.filter(patches).length).toBe(requests.length);
    expect(now).toMatchObject({ finish: 'error' });
    expect(textOf(now as never)).toBe('');
  });

  it('is told of where there is an answer, and is a plain answer where there is none', async () => {
    const { chat, id, old, path } = await sentBack(() => words('UNCHANGED'));
    const [question, answer] = await path(id);
    expect(textOf(answer as never)).toBe(PLAN);
    expect(await chat.sendBackCost(id, question?.id as MessageId, 'edit')).toMatchObject({ patch: true });
    expect(await chat.sendBackCost(id, old?.id as MessageId, 'edit')).toMatchObject({ patch: false });
    expect(await chat.sendBackCost(id, old?.id as MessageId, 'note')).toMatchObject({ patch: true });
  });
});
