// What the ledger says of messages that are not sent as they stand.
import { describe, expect, it } from 'vitest';
import { asMessageId } from '../../../src/domain/base/ids.ts';
import type { Message, Part } from '../../../src/domain/chat/message.ts';
import type { CompactionPlan } from '../../../src/domain/context/compaction/plan.ts';
import { requestManifestSchema } from '../../../src/domain/context/manifest.ts';
import { createMeter, MESSAGE_OVERHEAD } from '../../../src/domain/context/meter.ts';
import { buildPrompt } from '../../../src/domain/context/prompt.ts';

const meter = createMeter();
const path = (...said: readonly (readonly [Message['role'], ...Part[]])[]): Message[] =>
  said.map(
    ([role, ...parts], at): Message => ({
      id: asMessageId(`m${at}`),
      parentId: at === 0 ? null : asMessageId(`m${at - 1}`),
      role,
      kind: 'message',
      createdAt: at,
      parts,
    }),
  );
const text = (words: string): Part => ({ type: 'text', text: words });
const ledgerOf = (messages: readonly Message[], plan: CompactionPlan | null = null, window = 64_000) =>
  buildPrompt({
    path: messages,
    recall: null,
    system: null,
    window,
    reserve: 0,
    meter,
    applied: plan && { id: 'c', plan },
  }).manifest.request;

describe('a ledger', () => {
  it('calls a message whose tool output was shortened trimmed, with what is left of it', () => {
    const output = 'a line of output that goes on\n'.repeat(80);
    const messages = path(
      ['user', text('Run it.')],
      ['assistant', { type: 'tool-call', callId: 'c', name: 'shell', arguments: '{}' }],
      ['tool', { type: 'tool-result', callId: 'c', text: output }],
      ['assistant', text('Done.')],
      ['user', text('And now?')],
    );
    const cut: CompactionPlan = {
      strategy: 'sliding-window',
      runs: [
        {
          action: 'trim',
          from: 'm2',
          to: 'm2',
          count: 1,
          tokens: 600,
          why: 'tool-output',
          cuts: [{ part: 0, text: 'a line […]' }],
        },
      ],
      summaries: [],
      tokensBefore: 700,
      tokensAfter: 120,
      target: 300,
      fits: true,
      whyNot: null,
      attempts: 0,
      fallback: null,
    };
    const { lines, tokens } = ledgerOf(messages, cut);
    const left = meter.parts([{ type: 'tool-result', callId: 'c', text: 'a line […]' }]) + MESSAGE_OVERHEAD;
    expect(lines.map(({ form, count, why }) => [form, count, why])).toEqual([
      ['whole', 2, 'newer'],
      ['trimmed', 1, 'tool-output'],
      ['whole', 2, 'newer'],
    ]);
    expect(lines[1]?.tokens).toBe(left);
    expect(lines.reduce((sum, line) => sum + line.tokens, 0)).toBe(tokens.messages);
  });

  it('names the calls and results that were sent, and no half of a pair that stayed out', () => {
    const call = (callId: string): Part => ({ type: 'tool-call', callId, name: 'shell', arguments: '{}' });
    const result = (callId: string): Part => ({ type: 'tool-result', callId, name: 'shell', text: 'done' });
    const messages = path(
      ['user', text('Run it.')],
      ['assistant', text('Both at once.'), call('a'), call('unanswered')],
      ['tool', result('a'), result('nobody called')],
      ['assistant', text('Done.')],
      ['user', text('And now?')],
    );
    const tokens = meter.parts([call('a')]) + meter.parts([result('a')]);
    expect(ledgerOf(messages).calls).toEqual([{ name: 'shell', count: 1, tokens }]);
  });

  it('tells of how many messages the reasoning was left out, and stays as short', () => {
    const thought = (words: string): Part => ({ type: 'reasoning', text: words });
    const messages = path(
      ['user', text('one')],
      ['assistant', thought('Let me see.'), text('first')],
      ['user', text('two')],
      ['assistant', thought('Once more.'), text('second')],
      ['user', text('three')],
      ['assistant', thought(' '), text('third')],
      ['user', text('four')],
    );
    const request = ledgerOf(messages);
    expect(request.lines).toMatchObject([{ form: 'whole', count: 7, reasoningOut: 2 }]);
    expect(requestManifestSchema.parse(JSON.parse(JSON.stringify(request)))).toEqual(request);
    // What is not sent at all is out, and nothing more is said of it.
    const [out, rest] = ledgerOf(messages, null, request.tokens.total - 4).lines;
    expect(out).toMatchObject({ form: 'out', why: 'window' });
    expect(out).not.toHaveProperty('reasoningOut');
    expect(rest).toMatchObject({ form: 'whole', reasoningOut: 1 });
    expect(ledgerOf(path(['user', text('one')])).lines[0]).not.toHaveProperty('reasoningOut');
  });
});
