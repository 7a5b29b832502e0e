import { describe, expect, it } from 'vitest';
import { asMessageId } from '../../../src/domain/base/ids.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { beginsAnotherTask } from '../../../src/domain/context/phase.ts';

const talk = (...said: readonly string[]): Message[] =>
  said.map((text, at) => ({
    id: asMessageId(`m${at}`),
    parentId: at === 0 ? null : asMessageId(`m${at - 1}`),
    role: at % 2 === 0 ? 'user' : 'assistant',
    kind: 'message',
    createdAt: at,
    parts: [{ type: 'text', text }],
  }));

const INVOICE = [
  'The invoice totals are off by three cents since yesterday. Find out why.',
  '`applyRebate` rounds each position by itself. I would sum first and round once.',
  'Do that.',
] as const;
const FIXED = 'Done: the sum is rounded once, and all 146 tests pass.';
const HIKE = 'Help me plan a weekend in the mountains with my grandmother, two nights, easy paths.';
const BILL = [
  '发票合计从昨天起差三分钱，查一下原因。',
  '`merge_batches` 每一行都取整，我建议先求和再取整。',
  '改吧。',
] as const;
const PAID = '已经改好了，146 个用例全部通过。';
const TRIP = '帮我安排周末带奶奶去山里住两晚，路要好走。';

describe('another task begins', () => {
  it.each([
    ['where the answer before says that it is done', [...INVOICE, FIXED, HIKE]],
    ['where the person says so', [...INVOICE, 'The change is small.', `Thanks, that works. ${HIKE}`]],
    [
      'where the person had thanked before',
      [...INVOICE, FIXED, 'Perfect, thank you!', 'You are welcome.', HIKE],
    ],
    ['in Chinese', [...BILL, PAID, TRIP]],
    ['in Chinese, said by the person', [...BILL, '改动不大。', `搞定了，谢谢。${TRIP}`]],
    [
      'where it is announced and shares a few words',
      [...INVOICE, FIXED, 'Next task: the mail templates need a footer with the invoice address.'],
    ],
  ])('%s', (_, said) => {
    expect(beginsAnotherTask(talk(...said))).toBe(true);
  });
});

describe('the task goes on', () => {
  it.each([
    [
      'where the request is about the same',
      [...INVOICE, FIXED, 'Now look at how invoice totals treat the rebate of each position.'],
    ],
    ['where the request is short', [...INVOICE, FIXED, 'And the weekend?']],
    [
      'where the assistant asks something',
      [...INVOICE, 'Shall I also change how credit notes are rounded?', HIKE],
    ],
    ['where nothing says that it is done', [...INVOICE, 'The cause may be in the surcharge as well.', HIKE]],
    ['where the person only agrees', [...INVOICE, FIXED, 'Thanks!']],
    ['in Chinese', [...BILL, PAID, '那合计里的取整也要先求和，发票的每一行都看一下。']],
    ['at the beginning', [HIKE]],
  ])('%s', (_, said) => {
    expect(beginsAnotherTask(talk(...said))).toBe(false);
  });

  it('where the last call failed', () => {
    const path = talk(...INVOICE, FIXED, HIKE);
    const result: Message = {
      ...(path[3] as Message),
      id: asMessageId('r'),
      role: 'tool',
      parts: [{ type: 'tool-result', callId: 'c', text: 'exit 1', isError: true }],
    };
    expect(beginsAnotherTask([...path.slice(0, 4), result, path[4] as Message])).toBe(false);
  });
});
