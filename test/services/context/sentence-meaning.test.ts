// How close sentences are to a question: read in idle time, or at the send while there is time.
import { describe, expect, it } from 'vitest';
import type { EmbeddingProvider } from '../../../src/adapters/embedding/embedding-provider.ts';
import { asMessageId } from '../../../src/domain/base/ids.ts';
import { comparableUnits } from '../../../src/domain/context/semantic-scores.ts';
import { createSentenceMeaning } from '../../../src/services/context/sentence-meaning.ts';
import { createHashingEmbedding } from '../../adapters/embedding/hashing.ts';

const { signal } = new AbortController();
const unitsOf = (text: string) =>
  comparableUnits({
    id: asMessageId('m'),
    parentId: null,
    role: 'user',
    kind: 'message',
    createdAt: 0,
    parts: [{ type: 'text', text }],
  });
const SAID = unitsOf(
  'The kitchen stays locked at night. The movers come on 4 May. Nobody may use the lift before nine. The keys are with Bohumil.',
);
/** A provider that counts what passages it was given, and a clock that each call moves on by `ms`. */
function watched(ms = 0) {
  const made = createHashingEmbedding();
  const read: string[] = [];
  let time = 0;
  const provider: EmbeddingProvider = {
    ...made,
    maxBatch: 1,
    embed: async (texts, options) => {
      if (options.kind === 'passage') read.push(...texts);
      time += ms;
      return made.embed(texts, options);
    },
  };
  return { provider, read, now: () => time };
}

describe('the meaning of sentences', () => {
  it('tells which of them is nearest', async () => {
    const { provider, now } = watched();
    const near = await createSentenceMeaning({ embedding: () => provider, now }).near(
      'When do the movers come?',
      SAID,
      signal,
    );
    expect([...near].sort((a, b) => b[1] - a[1])[0]?.[0].text).toBe('The movers come on 4 May.');
    expect(near.size).toBe(4);
  });

  it('is read in the order given as long as there is time, and kept for the next question', async () => {
    const { provider, read, now } = watched(100);
    const meaning = createSentenceMeaning({ embedding: () => provider, now });
    expect([...(await meaning.near('movers', SAID, signal)).keys()]).toEqual(SAID.slice(0, 2));
    expect((await meaning.near('keys', SAID, signal)).size).toBe(4);
    await meaning.near('lift', SAID, signal);
    expect(read).toEqual(SAID.map(({ text }) => text));
  });

  it('is read ahead from the newest on, once, and again for another model', async () => {
    const { provider, read, now } = watched();
    let model = provider;
    const meaning = createSentenceMeaning({ embedding: () => model, now });
    await meaning.readAhead(SAID, signal);
    await meaning.readAhead(SAID, signal);
    expect(read).toEqual(SAID.map(({ text }) => text).reverse());
    model = { ...provider, id: 'another' };
    expect((await meaning.near('keys', SAID, signal)).size).toBe(4);
    expect(read).toHaveLength(8);
  });

  it('is nothing where no model on this device can read the question', async () => {
    const none = createSentenceMeaning({ embedding: () => null, now: () => 0 });
    await none.readAhead(SAID, signal);
    expect((await none.near('keys', SAID, signal)).size).toBe(0);
    const { provider, read, now } = watched();
    const english = createSentenceMeaning({ embedding: () => ({ ...provider, languages: ['en'] }), now });
    expect((await english.near('钥匙在谁那里？', SAID, signal)).size).toBe(0);
    expect(read).toEqual([]);
  });
});
