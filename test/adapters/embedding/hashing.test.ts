import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cosine } from '../../../src/adapters/embedding/vector.ts';
import { describeEmbeddingProvider } from '../../suites/embedding-provider.suite.ts';
import { createHashingEmbedding } from './hashing.ts';

describeEmbeddingProvider('hashing', async () => {
  const provider = createHashingEmbedding();
  return { provider, meaning: [], teardown: () => provider.close() };
});

it('gives any text a vector of length 1, alike in capitals and in width', async () => {
  const provider = createHashingEmbedding();
  const signal = new AbortController().signal;
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      const [vector] = await provider.embed([text], { kind: 'passage', signal });
      expect(cosine(vector as Float32Array, vector as Float32Array)).toBeCloseTo(1, 4);
    }),
  );
  const [a, b] = await provider.embed(['Ｈello 数据库', 'HELLO 数据库'], { kind: 'passage', signal });
  expect(a).toEqual(b);
});

it('finds a Chinese word inside a sentence without spaces', async () => {
  const provider = createHashingEmbedding();
  const signal = new AbortController().signal;
  const [asked] = await provider.embed(['数据库'], { kind: 'query', signal });
  const [near, far] = await provider.embed(['我们的数据库备份每天凌晨执行', '周末一起去爬山吧'], {
    kind: 'passage',
    signal,
  });
  expect(cosine(asked as Float32Array, near as Float32Array)).toBeGreaterThan(
    cosine(asked as Float32Array, far as Float32Array),
  );
});
