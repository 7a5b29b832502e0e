// Embeds the same passages with our encoder and with ONNX Runtime, in Node and without threads beside it, and prints
// JSON: processor time of a passage in ms, median and 95th percentile, and the least cosine between both vectors of a
// text. Browsers may be faster: see `v8`.
//   npx tsx test/bench/encoder.ts [--passages 40] [--model NAME]
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createTransformersLoader } from '../../src/adapters/embedding/transformers-runtime.ts';
import { cosine } from '../../src/adapters/embedding/vector.ts';
import { defaultConfig } from '../../src/domain/settings/config.ts';
import { createInProcessLocalEmbedding, modelsIn } from '../adapters/embedding/in-process.ts';
import { message, seeded } from './corpus.ts';

const { values } = parseArgs({
  options: {
    passages: { type: 'string', default: '40' },
    model: { type: 'string', default: defaultConfig.embedding.local.model },
  },
});
const models = resolve(import.meta.dirname, '../../public/models');
const random = seeded(1);
const texts = Array.from({ length: Number(values.passages) }, (_, at) =>
  message(random, at, at % 2 ? 'assistant' : 'user'),
);
const { signal } = new AbortController();
const rounded = (ms: number) => Math.round(ms * 10) / 10;

async function measure(load: ReturnType<typeof createTransformersLoader>) {
  const provider = createInProcessLocalEmbedding({ models, config: { model: values.model }, load });
  const embed = (text: string) => provider.embed([text], { kind: 'passage', signal });
  // Loads the model.
  await embed('first');
  const times: number[] = [];
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    const before = process.cpuUsage();
    vectors.push(...(await embed(text)));
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  await provider.close();
  times.sort((one, other) => one - other);
  const at = (part: number) => rounded(times[Math.floor((times.length - 1) * part)] ?? Number.NaN);
  return { vectors, cpu: { p50: at(0.5), p95: at(0.95) } };
}

const ours = await measure(createTransformersLoader(modelsIn(models)));
const theirs = await measure(
  createTransformersLoader({
    ...modelsIn(models),
    readAssembly: () => Promise.reject(new Error('ONNX Runtime is to run the model')),
  }),
);
const alike = ours.vectors.map((vector, at) => cosine(vector, theirs.vectors[at] ?? vector));
console.log(
  JSON.stringify(
    {
      model: values.model,
      v8: process.versions.v8,
      passages: texts.length,
      encoder: ours.cpu,
      onnxRuntime: theirs.cpu,
      leastCosine: rounded(Math.min(...alike) * 1000) / 1000,
    },
    null,
    2,
  ),
);
