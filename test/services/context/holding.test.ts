// Sentences of a person that a compaction keeps word for word, as far as the window has room for them.
import { expect, it } from 'vitest';
import { asMessageId } from '../../../src/domain/base/ids.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { estimateTokens } from '../../../src/domain/context/tokens.ts';
import { heldOn } from '../../../src/services/context/holding.ts';
import type { Recognising } from '../../../src/services/memory/recognising.ts';

const path: Message[] = Array.from({ length: 60 }, (_, at) => ({
  id: asMessageId(`m${at}`),
  parentId: at === 0 ? null : asMessageId(`m${at - 1}`),
  role: 'user',
  kind: 'message',
  createdAt: at,
  parts: [{ type: 'text', text: `My cousin number ${at} lives in the house by the old mill.` }],
}));
/** The later a sentence, the surer it is a note. */
const recognising: Recognising = {
  of: async (texts) =>
    texts.map((_, at) => ({ kind: 'person', probability: 0.5 + at / 1_000, topics: [], vector: null })),
};
const held = async (window: number) =>
  [...(await heldOn(path, recognising, window, new AbortController().signal)).values()].flat();

it('takes three hundredths of a small window, the surest first, and no more than a large one needs', async () => {
  const few = await held(2_000);
  expect(few.length).toBeGreaterThan(0);
  expect(few.reduce((sum, text) => sum + estimateTokens(text), 0)).toBeLessThanOrEqual(60);
  expect(few.at(-1)).toContain('number 59');
  expect(await held(200)).toEqual([]);
  expect(await held(64_000)).toHaveLength(40);
});
