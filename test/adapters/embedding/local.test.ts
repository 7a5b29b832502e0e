import { resolve } from 'node:path';
import { BUNDLED_MODELS } from '../../../src/adapters/embedding/bundled-models.ts';
import { createInProcessLocalEmbedding } from '../../../src/adapters/embedding/in-process.ts';
import { describeEmbeddingProvider } from '../../suites/embedding-provider.suite.ts';

const models = resolve(import.meta.dirname, '../../../public/models');

for (const { id, languages } of BUNDLED_MODELS)
  describeEmbeddingProvider(`local ${id} in Node`, async () => {
    const provider = createInProcessLocalEmbedding({ models, config: { model: id } });
    return {
      provider,
      meaning: languages.includes('zh') ? ['en', 'zh'] : ['en'],
      teardown: () => provider.close(),
    };
  });
