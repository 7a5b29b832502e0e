// Sentences of a person that a compaction keeps word for word, as far as the window has room for them.
import { expect, it, vi } from 'vitest';
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
    texts.map((text) => ({
      kind: 'person',
      probability: 0.5 + Number(/\d+/.exec(text)) / 1_000,
      topics: [],
      vector: null,
    })),
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

it('keeps what a slow model has read in time, the newest sentences first', async () => {
  vi.useFakeTimers();
  /** Ten sentences in a second. */
  const slow: Recognising = {
    of: async (texts, signal) => {
      await new Promise<void>((resolve, reject) => {
        setTimeout(resolve, texts.length * 100);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
      return recognising.of(texts, signal);
    },
  };
  const holding = heldOn(path, slow, 64_000, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(6_000);
  const sentences = [...(await holding).values()].flat();
  vi.useRealTimers();
  expect(sentences.length).toBeGreaterThan(10);
  expect(sentences.at(-1)).toContain('number 59');
});
