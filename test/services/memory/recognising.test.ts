// What a model is given to recognise sentences by, and what of them stays in memory.
import { expect, it } from 'vitest';
import type { EmbeddingProvider } from '../../../src/adapters/embedding/embedding-provider.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { configSchema } from '../../../src/domain/settings/config.ts';
import { createRecognising } from '../../../src/services/memory/recognising.ts';
import { PrivacyFilter } from '../../../src/services/privacy/privacy-filter.ts';
import { createHashingEmbedding } from '../../adapters/embedding/hashing.ts';

const signal = new AbortController().signal;
const SECRET = 'sk-abcdefghijklmnopqrstuvwxyz0123456789';

/** A recogniser, and the texts that its model reads. */
function listening() {
  const inner = createHashingEmbedding();
  const read: string[] = [];
  const embedding: EmbeddingProvider = {
    ...inner,
    embed: (texts, options) => {
      read.push(...texts);
      return inner.embed(texts, options);
    },
  };
  const forgotten = writable(0);
  const privacy = { own_names: ['Quillfeather'] };
  const filter = new PrivacyFilter({ config: writable(configSchema.parse({ privacy })) });
  const recognising = createRecognising({
    embedding: () => embedding,
    hide: (text) => filter.hidden('index', text),
    forgotten,
    keyValues: { get: async () => undefined, set: async () => undefined },
    learns: false,
  });
  return { recognising, read, forgotten };
}

it('gives its model no private word: it may be elsewhere', async () => {
  const { recognising, read } = listening();
  const texts = [`My key is ${SECRET}.`, 'My doctor is Quillfeather.', 'I always write tests first.'];
  const found = await recognising.of(texts, signal);
  expect(found.map(({ vector }) => vector !== null)).toEqual([true, true, true]);
  expect(read.join()).toContain('tests first');
  expect(read.join()).not.toMatch(/sk-abcdef|Quillfeather/);
});

it('keeps sentences in memory until something is forgotten', async () => {
  const { recognising, read, forgotten } = listening();
  for (const _ of [1, 2]) await recognising.of(['I live in Leeds.'], signal);
  expect(read).toEqual(['I live in Leeds.']);
  forgotten.set(1);
  await recognising.of(['I live in Leeds.'], signal);
  expect(read).toEqual(['I live in Leeds.', 'I live in Leeds.']);
});
