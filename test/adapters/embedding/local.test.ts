// The real shipped models, run in Node.
import { cp, mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUNDLED_MODELS } from '../../../src/adapters/embedding/bundled-models.ts';
import { describeEmbeddingProvider } from '../../suites/embedding-provider.suite.ts';
import { createInProcessLocalEmbedding } from './in-process.ts';

const root = resolve(import.meta.dirname, '../../..');
const models = join(root, 'public/models');
const query = { kind: 'query', signal: new AbortController().signal } as const;

for (const { id, languages } of BUNDLED_MODELS)
  describeEmbeddingProvider(`local ${id} in Node`, async () => {
    const provider = createInProcessLocalEmbedding({ models, config: { model: id } });
    return {
      provider,
      meaning: languages.includes('zh') ? ['en', 'zh'] : ['en'],
      teardown: () => provider.close(),
    };
  });

describe('what is shipped', () => {
  it('is there in the sizes that the list says, with a notice', async () => {
    for (const { id, files, q4 } of BUNDLED_MODELS) {
      for (const { path, bytes } of [...files, ...(q4 ? [q4] : [])])
        expect((await stat(join(models, id, path))).size, `${id}/${path}`).toBe(bytes);
      expect(await readFile(join(models, id, 'NOTICE.md'), 'utf8')).toContain('icen');
    }
  });

  it('has the ONNX Runtime that transformers.js was built for', async () => {
    const version = async (name: string): Promise<string | undefined> => {
      const { dependencies } = JSON.parse(await readFile(join(root, name), 'utf8')) as {
        dependencies: Record<string, string>;
      };
      return dependencies['onnxruntime-web'];
    };
    expect(await version('package.json')).toBe(
      await version('node_modules/@huggingface/transformers/package.json'),
    );
  });
});

describe('files that are not as they should be', () => {
  const weights = 'onnx/encoder_quantized.onnx_data';
  const inFolder = async (test: (folder: string) => Promise<void>) => {
    const folder = await mkdtemp(join(tmpdir(), 'models-'));
    try {
      await cp(join(models, 'all-MiniLM-L6-v2'), join(folder, 'all-MiniLM-L6-v2'), { recursive: true });
      await test(folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  };
  const light = { model: 'all-MiniLM-L6-v2' };

  it('a missing one is named, and found once it is there', () =>
    inFolder(async (folder) => {
      await rm(join(folder, light.model, weights));
      const provider = createInProcessLocalEmbedding({ models: folder, config: light });
      await expect(provider.embed(['x'], query)).rejects.toMatchObject({
        problem: { code: 'embedding-missing', retry: true, params: { model: light.model, file: weights } },
      });
      await cp(join(models, light.model, weights), join(folder, light.model, weights));
      await provider.close();
      expect(await provider.embed(['x'], query)).toHaveLength(1);
      await provider.close();
    }));

  it('a broken one is called broken, and runs once it is whole', () =>
    inFolder(async (folder) => {
      await truncate(join(folder, light.model, weights), 1_000_000);
      const provider = createInProcessLocalEmbedding({ models: folder, config: light });
      await expect(provider.embed(['x'], query)).rejects.toMatchObject({
        problem: { code: 'embedding-broken', params: { reason: 'file' } },
      });
      expect(provider.state.get()).toMatchObject({ status: 'failed', problem: { code: 'embedding-broken' } });
      await cp(join(models, light.model, weights), join(folder, light.model, weights));
      await provider.close();
      expect(await provider.embed(['x'], query)).toHaveLength(1);
      await provider.close();
    }));
});
