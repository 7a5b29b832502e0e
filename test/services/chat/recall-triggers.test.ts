import { describe, expect, it } from 'vitest';
import { asConversationId, asMessageId, type MessageId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { askedAgain } from '../../../src/services/chat/repeat.ts';
import type { RecallResult } from '../../../src/services/memory/memory.ts';
import { deep } from '../../scale.ts';
import { contextConfig, filler, startTalks, words } from '../context/talk.ts';
import { said } from '../documents/said.ts';
import { passage } from './setup.ts';

const { server, talk } = await startTalks();

const recallPartOf = (message: Message | undefined) => message?.parts.find((part) => part.type === 'recall');
const PORT = passage('m1', 'The server listens on port 8081.');
/** Said right after it. */
const PRINTER = {
  messageId: 'm2',
  role: 'user',
  text: 'The printer is on port 9100.',
  createdAt: PORT.createdAt,
};

describe('memory is asked by itself', () => {
  deep('and leaves a trace where it was too slow', async () => {
    const { say, path } = talk({ recall: () => new Promise(() => undefined) });
    const answer = (await path(await say('When is the backup?'))).at(-1);
    expect(recallPartOf(answer)).toMatchObject({
      passages: [],
      trigger: 'start',
      skipped: { code: 'index-unavailable', params: { reason: 'slow' } },
    });
    expect(answer).toMatchObject({ finish: 'stop' });
    expect(answer?.problem).toBeUndefined();
    expect(JSON.stringify(server.chats()[0])).not.toContain('recalled_memory>\\n');
  });

  it('and leaves a trace where it could not be asked, or only by words', async () => {
    const degraded = { code: 'index-unavailable', message: 'gone', retry: true } as const;
    const dead = talk({ recall: async () => ({ degraded, unavailable: true }) });
    const unasked = recallPartOf((await dead.path(await dead.say('When is the backup?'))).at(-1));
    expect(unasked).toMatchObject({ passages: [], trigger: 'start', skipped: degraded });
    expect(unasked?.degraded).toBeUndefined();

    const missing = { code: 'embedding-missing', message: 'not ready', retry: true } as const;
    const words = talk({ recall: async () => ({ passages: [PORT], mode: 'keyword', degraded: missing }) });
    expect(recallPartOf((await words.path(await words.say('Which port?'))).at(-1))).toMatchObject({
      passages: [{ messageId: 'm1' }],
      trigger: 'start',
      degraded: missing,
    });
    const nothing = talk({ recall: async () => ({ mode: 'keyword', degraded: missing }) });
    expect(recallPartOf((await nothing.path(await nothing.say('Which port?'))).at(-1))).toMatchObject({
      passages: [],
      trigger: 'start',
      degraded: missing,
    });
    const well = talk({ recall: async () => ({}) });
    expect(recallPartOf((await well.path(await well.say('Which port?'))).at(-1))).toBeUndefined();
  });

  it.each([
    ['does not answer in time', () => new Promise<never>(() => undefined)],
    ['cannot be asked', async () => ({ unavailable: true as const })],
  ])(
    'and where it %s, what it had while it was written goes along, without what was ticked off',
    async (_, recall) => {
      const { chat, idle, path } = talk({ recall });
      const announced: RecallResult = {
        query: 'Which port?',
        passages: [{ ...PORT, neighbours: [PRINTER], tokens: PORT.tokens + 11 }, passage('m2', PRINTER.text)],
        nearMisses: [passage('m3', 'The port of Hamburg')],
        threshold: 0.75,
        tokens: 40,
        mode: 'hybrid',
        degraded: null,
        tookMs: 1,
      };
      const { conversationId } = await chat.send({
        parts: [{ type: 'text', text: ' Which port?\n' }],
        withoutPassages: ['m2' as MessageId],
        announced,
      });
      await idle(conversationId);
      const answer = (await path(conversationId)).at(-1);
      expect(recallPartOf(answer)).toEqual({
        type: 'recall',
        query: 'Which port?',
        quoting: 'lines',
        threshold: 0.75,
        passages: [PORT],
        nearMisses: announced.nearMisses,
        leftOut: [announced.passages[1]],
        trigger: 'start',
      });
      const sent = JSON.stringify(server.chats().at(-1)?.messages);
      expect(sent).toContain('port 8081');
      expect(sent).not.toContain('9100');
    },
  );

  it('and where all of it was ticked off nothing goes along: the answer keeps what was left out, and asked again none comes', async () => {
    const { chat, documents, idle, path, asked } = talk({
      recall: async () => ({ passages: [PORT], nearMisses: [passage('m3', 'The port of Hamburg')] }),
    });
    await documents.change(asConversationId('old'), {
      messages: ['m1', 'm3'].map((id) => ({ ...said(id), id: asMessageId(id) })),
    });
    const { conversationId } = await chat.send({
      parts: [{ type: 'text', text: 'Which port was it?' }],
      withoutPassages: [asMessageId('m1'), asMessageId('m3')],
    });
    await idle(conversationId);
    const answer = (await path(conversationId)).at(-1);
    const kept = recallPartOf(answer);
    expect(kept).toMatchObject({
      passages: [],
      nearMisses: [],
      leftOut: [{ messageId: 'm1' }, { messageId: 'm3' }],
      trigger: 'start',
    });
    await chat.regenerate(conversationId, answer?.id as MessageId);
    await idle(conversationId);
    const again = (await path(conversationId)).at(-1);
    expect(again?.id).not.toBe(answer?.id);
    expect(recallPartOf(again)).toEqual(kept);
    expect(asked).toHaveLength(1);
    expect(server.chats()).toHaveLength(2);
    expect(JSON.stringify(server.chats())).not.toMatch(/port 8081|Hamburg/);
  });

  it('and of what was announced only what was left ticked goes along, nothing that came since', async () => {
    const { chat, idle, path, asked } = talk({
      recall: async () => ({ passages: [PORT, passage('m9', 'Port 9200 since')] }),
    });
    const { conversationId } = await chat.send({
      parts: [{ type: 'text', text: 'Which port was it?' }],
      withoutPassages: [asMessageId('m2')],
      announced: {
        query: 'Which port was it?',
        passages: [PORT, passage('m2', PRINTER.text)],
        nearMisses: [],
        threshold: 0.75,
        tokens: 40,
        mode: 'hybrid',
        degraded: null,
        tookMs: 1,
      },
    });
    await idle(conversationId);
    expect(recallPartOf((await path(conversationId)).at(-1))).toMatchObject({
      passages: [{ messageId: PORT.messageId }],
      leftOut: [{ messageId: 'm2' }],
    });
    expect(asked).toEqual([]);
    expect(JSON.stringify(server.chats())).not.toMatch(/9100|9200/);
  });

  it('and brings what it has now, not what was announced', async () => {
    const { chat, idle, path, asked } = talk({ recall: async () => ({ passages: [PORT] }) });
    const { conversationId } = await chat.send({
      parts: [{ type: 'text', text: 'Which port was it?' }],
      announced: {
        query: 'Which port was it?',
        passages: [passage('m2', 'The printer is on port 9100.')],
        nearMisses: [],
        threshold: 0.75,
        tokens: 20,
        mode: 'hybrid',
        degraded: null,
        tookMs: 1,
      },
    });
    await idle(conversationId);
    expect(asked).toMatchObject([{ text: 'Which port was it?' }]);
    expect(recallPartOf((await path(conversationId)).at(-1))).toMatchObject({
      passages: [{ messageId: 'm1' }],
    });
  });

  it('and where it is the answer, that says so, too', async () => {
    const degraded = { code: 'index-unavailable', message: 'gone', retry: true } as const;
    const dead = talk({ model: () => null, recall: async () => ({ degraded, unavailable: true }) });
    expect((await dead.path(await dead.say('When is the backup?'))).at(-1)).toMatchObject({
      kind: 'recall',
      finish: 'error',
      problem: degraded,
    });
    const missing = { code: 'embedding-missing', message: 'not ready', retry: true } as const;
    const words = talk({
      model: () => null,
      recall: async () => ({ passages: [PORT], mode: 'keyword', degraded: missing }),
    });
    const answer = (await words.path(await words.say('Which port?'))).at(-1);
    expect(answer).toMatchObject({ kind: 'recall', finish: 'stop' });
    expect(recallPartOf(answer)).toMatchObject({ passages: [{ messageId: 'm1' }], degraded: missing });
  });

  it('at four fifths of the window, once, and what it gave is frozen with its question', async () => {
    const { grown, say, path, asked } = talk({
      config: contextConfig({ trigger_ratio: 0.99, reserved_tokens: 0 }),
      recall: async () => ({ passages: [PORT] }),
    });
    const small = await grown(4);
    await say('Which port was it?', small);
    expect(asked).toHaveLength(0);
    const id = await grown(18);
    await say('Which port was it?', id);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      text: 'Which port was it?',
      currentConversation: id,
      purpose: 'inject',
    });
    expect(recallPartOf((await path(id)).at(-1))).toMatchObject({
      trigger: 'window',
      passages: [{ messageId: 'm1' }],
    });
    await say('Thanks', id);
    expect(asked).toHaveLength(1);
    const woven = server
      .chats()
      .slice(1)
      .map((request) =>
        request.messages.find((message) => String(message.content).includes('Which port was it?')),
      );
    expect(String(woven[0]?.content)).toContain('The server listens on port 8081.');
    expect(woven[1]).toEqual(woven[0]);
  });

  it('where compaction is due before the window is as full as that, and what it gave outlives the compaction', async () => {
    const { grown, say, path, asked, compactions } = talk({ recall: async () => ({ passages: [PORT] }) });
    const id = await grown(16);
    await say('Which port was it?', id);
    expect(await compactions(id)).toHaveLength(1);
    expect(asked).toMatchObject([{ text: 'Which port was it?', purpose: 'inject' }]);
    expect(recallPartOf((await path(id)).at(-1))).toMatchObject({ trigger: 'window' });
    expect(JSON.stringify(server.chats().at(-1)?.messages)).toContain('port 8081');
    await say('Thanks', id);
    expect(asked).toHaveLength(1);
  });

  it('after a compaction that its own question could not foresee, and not after one that was asked for', async () => {
    const { grown, say, path, asked, compactions, context } = talk({
      config: contextConfig({}, { enabled: true }),
      recall: async () => ({ passages: [PORT] }),
    });
    const id = await grown(15);
    // With the descriptions of the tools the prompt is too long.
    await say('Which port was it?', id);
    expect(await compactions(id)).toHaveLength(1);
    expect(asked).toHaveLength(0);
    await say('I mean the one of the server.', id);
    expect(asked).toMatchObject([{ text: 'I mean the one of the server.' }]);
    expect(recallPartOf((await path(id)).at(-1))).toMatchObject({ trigger: 'window' });

    const other = await grown(8);
    await context.compact(other);
    expect(await compactions(other)).toHaveLength(1);
    await say('Which port was it?', other);
    expect(asked).toHaveLength(1);
  });

  it('when the model asks for what may have been said before, but not when it only offers', async () => {
    const { say, path, asked } = talk({
      recall: async ({ text }) => (text.includes('port') ? { passages: [PORT] } : {}),
    });
    server.next(words('I can set that up. Which port does your server use?'), words('Done.'), words('Bye.'));
    const id = await say('Make a config file');
    await say('The usual one', id);
    // The question alone, and with the answer.
    expect(asked.slice(-2).map(({ text }) => text)).toEqual([
      'Which port does your server use?',
      'Which port does your server use?\nThe usual one',
    ]);
    expect(recallPartOf((await path(id)).at(-1))).toMatchObject({
      trigger: 'repeat',
      passages: [{ messageId: 'm1' }],
    });
    expect(JSON.stringify(server.chats()[1]?.messages.at(-1))).toContain('port 8081');
    const before = asked.length;
    server.next(words('Done. Would you like me to explain it?'), words('Fine.'));
    await say('Shorter', id);
    await say('No', id);
    expect(asked).toHaveLength(before);
  });

  it.each([
    ['the question alone', 'As always', 'Which port is it?'],
    ['both together', 'The one of the printer', 'Which port is it?\nThe one of the printer'],
  ])(
    'and of the question and the question with its answer what fits better goes along: %s',
    async (_, reply, fits) => {
      const { say, path } = talk({
        recall: async ({ text }) =>
          text === fits
            ? { passages: [PORT] }
            : { nearMisses: [{ ...PORT, messageId: 'm7', scores: { ...PORT.scores, final: 0.5 } }] },
      });
      server.next(words('Which port is it?'), words('Done.'));
      const id = await say('Make a config file');
      await say(reply, id);
      expect(recallPartOf((await path(id)).at(-1))).toMatchObject({
        query: fits,
        passages: [{ messageId: 'm1' }],
      });
    },
  );

  it('is silent when switched off', async () => {
    const { grown, say, asked } = talk({
      config: (config) => {
        const tight = contextConfig({ trigger_ratio: 0.99, reserved_tokens: 0 })(config);
        return {
          ...tight,
          recall: { ...tight.recall, auto_recall: { ...tight.recall.auto_recall, enabled: false } },
        };
      },
    });
    await say('Which port was it?', await grown(18));
    expect(asked).toHaveLength(0);
  });
});

it('passages chosen by hand travel with the message, also from the queue, and memory is not asked', async () => {
  const { chat, idle, asked, path } = talk({ recall: async () => ({ passages: [passage('m9', 'other')] }) });
  const recall = { type: 'recall' as const, query: 'port', threshold: 0.5, passages: [PORT], nearMisses: [] };
  server.next({ steps: [{ text: 'one ' }, { gate: true }, { text: 'two' }, { finish: 'stop' }] });
  const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'Set it up' }], recall });
  await chat.send({ conversationId, parts: [{ type: 'text', text: 'And again' }], recall });
  await until(chat.turn(conversationId), (state) => state.status === 'streaming');
  server.go();
  await idle(conversationId);
  expect(asked).toHaveLength(0);
  expect((await path(conversationId)).map((message) => recallPartOf(message)?.passages.length ?? 0)).toEqual([
    0, 1, 0, 1,
  ]);
  expect(JSON.stringify(server.chats()[1]?.messages).match(/port 8081/g)).toHaveLength(2);
});

describe('a question of the model', () => {
  const said = (text: string, role: Message['role'] = 'assistant'): Message => ({
    id: 'a' as MessageId,
    parentId: null,
    role,
    kind: 'message',
    createdAt: 1,
    parts: [{ type: 'text', text }],
  });

  it.each([
    ['Sure. Which database do you use?', 'Which database do you use?'],
    ['好的。你的服务器用的是哪个端口？', '你的服务器用的是哪个端口？'],
    ['What time zone are you in? And which region?', 'What time zone are you in?\nAnd which region?'],
    ['Would you like me to go on?', null],
    ['Anything else?', null],
    ['需要我再解释一下吗？', null],
    // Asked for without a question mark.
    ['Please tell me which port your server uses.', 'Please tell me which port your server uses.'],
    ['Let me know your time zone.', 'Let me know your time zone.'],
    ['Sure!\n\n- Remind me again where the backups live', '- Remind me again where the backups live'],
    [
      'Before I go on, please tell me what the host is called.',
      'Before I go on, please tell me what the host is called.',
    ],
    ["I'd need to know which database you use.", "I'd need to know which database you use."],
    ['Please provide your order number.', 'Please provide your order number.'],
    ['请告诉我你的服务器端口。', '请告诉我你的服务器端口。'],
    ['好的。麻烦您告知您的时区', '麻烦您告知您的时区'],
    ['请先提供一下您的订单号。', '请先提供一下您的订单号。'],
    ['告诉我你用的是哪个数据库。', '告诉我你用的是哪个数据库。'],
    ['Let me know if you need anything else.', null],
    ['Let me know how it goes!', null],
    ['Let me know what you think.', null],
    ["Please let me know which one you'd prefer.", null],
    ['Let me know when you are ready.', null],
    ['Tell me more about yourself.', null],
    ['Tell me what you would like to do next.', null],
    ['Tell me how I can help.', null],
    ['If anything is unclear, tell me which part.', null],
    ['Run it, then tell me what it prints.', null],
    ['Please share your thoughts.', null],
    ['They will tell me which port it is.', null],
    ['如果还有问题，请告诉我您的想法。', null],
    ['有任何需要，请告诉我。', null],
    ['请告诉我您还需要什么。', null],
    ['请告诉我你的看法。', null],
    ['请告诉我更多关于你的故事。', null],
    ['还有什么可以帮您的吗？', null],
    ['It is done.', null],
    ['```sh\nwhy?\n```', null],
    ['> When is the backup?\n\nThat is what you wrote.\n\n  > Which port?', null],
  ])('%s', (text, question) => {
    expect(askedAgain([said('hello', 'user'), said(text)])).toBe(question);
  });

  it('counts only where the model spoke last', () => {
    expect(askedAgain([said('Which port?'), said('8081', 'user')])).toBeNull();
    expect(askedAgain([])).toBeNull();
  });
});

describe('what was compacted', () => {
  it('comes back when an answer missed it, and the ledger shows it', async () => {
    const { grown, say, context, path, chat } = talk({
      config: contextConfig({ strategy: 'sliding-window' }),
    });
    const id = await grown(22, (at) => ({
      user: [
        {
          type: 'text',
          text: at === 1 ? 'The staging server listens on port 8081.' : filler(2 * at),
        },
      ],
    }));
    server.next(words("I don't know which port the staging server listens on. Could you tell me?"));
    await say('Write the health check now', id);
    await until(context.state(id), (state) => state.loss !== null);
    expect(context.state(id).get().loss?.losses[0]).toMatchObject({ why: 'asks' });
    await chat.send({ conversationId: id, parts: [{ type: 'text', text: 'You should have it.' }] });
    await until(chat.turn(id), (state) => state.status === 'idle');
    const sent = JSON.stringify(server.chats().at(-1)?.messages.at(-1));
    expect(sent).toContain('port 8081');
    const ledger = await context.manifest(id, (await path(id)).at(-1)?.id as MessageId);
    expect(ledger?.lines.filter((line) => line.form === 'returned')).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ why: 'missed' })]),
    );
  });

  it('comes back when the question asks for it', async () => {
    const { grown, say, context, path } = talk({ config: contextConfig({ strategy: 'sliding-window' }) });
    const id = await grown(22, (at) => ({
      user: [
        {
          type: 'text',
          text: at === 1 ? 'The staging server listens on port 8081.' : filler(2 * at),
        },
      ],
    }));
    await say('On which port does the staging server listen?', id);
    expect(JSON.stringify(server.chats().at(-1)?.messages.at(-1))).toContain('port 8081');
    const ledger = await context.manifest(id, (await path(id)).at(-1)?.id as MessageId);
    expect(ledger?.tokens.returned).toBeGreaterThan(0);
  });
});
