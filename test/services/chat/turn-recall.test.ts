// What a turn asks memory for, and what it keeps to of what the person chose before sending.
import { expect, it } from 'vitest';
import type { Problem } from '../../../src/domain/base/errors.ts';
import { asMessageId, newConversationId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import type { Message, RecalledPassage } from '../../../src/domain/chat/message.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { createTurnRecall } from '../../../src/services/chat/turn-recall.ts';
import type { RecallResult } from '../../../src/services/memory/memory.ts';
import { passage } from './setup.ts';

const result = (query: string, passages: RecalledPassage[]): RecallResult => ({
  query,
  passages,
  nearMisses: [],
  threshold: 0.9,
  tokens: 10,
  mode: 'hybrid',
  degraded: null,
  tookMs: 1,
});
const asks = async (
  text: string,
  more: { without?: readonly string[]; announced?: RecallResult },
  found: (text: string) => RecallResult,
) => {
  const asked: string[] = [];
  const turn = createTurnRecall({
    memory: {
      recall: async ({ text }) => {
        asked.push(text);
        return found(text);
      },
    },
    config: writable(defaultConfig),
  });
  const message: Message = {
    id: asMessageId('q'),
    parentId: null,
    role: 'user',
    kind: 'message',
    createdAt: 1,
    parts: [{ type: 'text', text }],
  };
  const { recall } = await turn.forQuestion({
    conversation: { id: newConversationId() } as Conversation,
    path: [message],
    asked: message,
    answering: true,
    without: more.without?.map(asMessageId),
    announced: more.announced,
    pressure: async () => 0,
    onAsking: () => {},
    signal: new AbortController().signal,
  });
  return { asked, recall };
};

it('sends nothing that was not seen to who left something out, though a word was changed since', async () => {
  const seen = result('Which port?', [passage('m1', 'Port 8081.'), passage('m2', 'Port 9100.')]);
  const { asked, recall } = await asks(
    'Which port, again?',
    { without: ['m1', 'm2'], announced: seen },
    (text) => result(text, [passage('m3', 'Port 22.')]),
  );
  expect(asked).toEqual([]);
  expect(recall).toMatchObject({
    query: 'Which port?',
    passages: [],
    leftOut: [{ messageId: 'm1' }, { messageId: 'm2' }],
  });
});

const BEHIND: Problem = { code: 'memory-behind', message: 'Many messages have no vectors yet', retry: true };

it.each([
  ['nothing', []],
  ['something else only', [passage('m3', 'Port 22.')]],
])('sends what was shown for these words where memory still gets ready and finds %s', async (_, late) => {
  const seen = result('Which port?', [passage('m1', 'Port 8081.')]);
  const { recall } = await asks('Which port?', { announced: seen }, (text) => ({
    ...result(text, late),
    degraded: BEHIND,
  }));
  expect(recall).toMatchObject({ passages: [{ messageId: 'm1' }], degraded: BEHIND });
});

it('sends what memory finds once it is ready, also where other passages were shown before', async () => {
  const seen = { ...result('Which port?', [passage('m1', 'Port 8081.')]), degraded: BEHIND };
  const { recall } = await asks('Which port?', { announced: seen }, (text) =>
    result(text, [passage('m3', 'Port 22.')]),
  );
  expect(recall).toMatchObject({ passages: [{ messageId: 'm3' }] });
  expect(recall?.degraded).toBeUndefined();
});

it('asks anew for other words where nothing was left out', async () => {
  const seen = result('Which port?', [passage('m1', 'Port 8081.')]);
  const { recall } = await asks('Which printer?', { without: [], announced: seen }, (text) =>
    result(text, [passage('m3', 'The printer is on 9100.')]),
  );
  expect(recall).toMatchObject({ query: 'Which printer?', passages: [{ messageId: 'm3' }] });
});

it('asks for the end of a long message, where the question stands', async () => {
  const text = `Look at this log. ${'GET /index.html 200 😀\n'.repeat(400)}Which database did we choose for the greenhouse?`;
  const { asked } = await asks(text, {}, (asked) => result(asked, []));
  expect(asked[0]?.length).toBeLessThan(4_100);
  expect(asked[0]).toMatch(/^Look at this log\..*Which database did we choose for the greenhouse\?$/s);
  expect(asked[0]?.isWellFormed?.() ?? true).toBe(true);
});
