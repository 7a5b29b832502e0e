import { describe, expect, it } from 'vitest';
import { asMessageId } from '../../../../src/domain/base/ids.ts';
import type { Message } from '../../../../src/domain/chat/message.ts';
import { planCompaction, STRATEGIES } from '../../../../src/domain/context/compaction/index.ts';
import { createMeter } from '../../../../src/domain/context/meter.ts';
import { buildPrompt } from '../../../../src/domain/context/prompt.ts';
import { MODELLED } from '../../../fixtures/strategies.ts';

const WORDS =
  'The journal table grows by a gigabyte each week; the last copy needs port 5433 for four minutes. ';
const path: Message[] = Array.from({ length: 16 }, (_, at) => ({
  id: asMessageId(`m${at}`),
  parentId: at === 0 ? null : asMessageId(`m${at - 1}`),
  role: at % 2 === 0 ? 'user' : 'assistant',
  kind: 'message',
  createdAt: 1_700_000_000_000 + at * 1000,
  parts: [{ type: 'text', text: `${at}: ${WORDS.repeat(4)}` }],
}));

describe('the figures of a plan', () => {
  const meter = createMeter();
  // Descriptions of tools and what memory brings weigh once, before and after.
  const tools = 400;
  const window = 8000;
  const before = buildPrompt({
    path,
    recall: null,
    system: null,
    window,
    reserve: 2000,
    applied: null,
    returned: [],
    meter,
    tools,
  }).manifest.request.tokens.total;

  for (const strategy of STRATEGIES.filter(({ id }) => !MODELLED.includes(id)))
    it(`are those of the context meter: ${strategy.id}`, async () => {
      const plan = await planCompaction(
        strategy,
        { path, system: null, previous: null, request: { reason: 'manual' } },
        {
          window,
          limit: 6000,
          trigger: 1500,
          target: 1200,
          extra: tools,
          keepTurns: 2,
          keepMessages: 2,
          maxAttempts: 2,
        },
        { meter, summarise: null, signal: new AbortController().signal },
      );
      expect(Math.abs(plan.tokensBefore - before)).toBeLessThan(40);
    });
});
