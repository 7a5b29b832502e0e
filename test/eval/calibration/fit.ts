// Measures what the bundled models' cosines mean. Prints JSON lines; the figures go into `bundled-models.ts`.
//
//   npx tsx test/eval/calibration/fit.ts [--data DIR] DIR holds madial/ and memorybank/; default test/eval/data npx tsx
//   test/eval/calibration/fit.ts [--data DIR] --centre measures the centres first and writes `centres.ts` npx tsx
//   test/eval/calibration/fit.ts [--data DIR] --states the same of single pieces: writes `state-centres.ts`
//
// Related: a question and the best of its right passages. Unrelated: the question and the passages nearest to it in
// another person's store, that is what a search shows when the library holds no answer. Both languages and both classes
// count alike. MemoryBank's questions have an answer, so it gives the figures; MADial's right passages are loose
// associations, and its two people have much in common, so it is only shown beside them.

import { setMaxListeners } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AutoTokenizer, env } from '@huggingface/transformers';
import {
  BUNDLED_MODELS,
  type BundledModel,
  ENCODER_NUMBERS,
} from '../../../src/adapters/embedding/bundled-models.ts';
import {
  createCalibration,
  fitCalibration,
  type Labelled,
} from '../../../src/adapters/embedding/calibration.ts';
import type { Calibration } from '../../../src/adapters/embedding/embedding-provider.ts';
import {
  createEncoder,
  ENCODER_WIDTH,
  type EncoderCode,
  loadEncoderCode,
} from '../../../src/adapters/embedding/encoder/encoder.ts';
import { createTransformersLoader } from '../../../src/adapters/embedding/transformers-runtime.ts';
import { cosine, unit } from '../../../src/adapters/embedding/vector.ts';
import { readAssembled } from '../../adapters/assembled.ts';
import { createInProcessLocalEmbedding, modelsIn } from '../../adapters/embedding/in-process.ts';
import { madial, memoryBank, type Store } from './labelled.ts';

type Embed = (texts: readonly string[], kind: 'query' | 'passage') => Promise<Float32Array[]>;

/** As many wrong passages of a question are counted as a search shows. */
const SHOWN = 5;
/** Pieces of the longest text. */
const LONGEST = 512;
const MODELS = resolve(import.meta.dirname, '../../../public/models');
/** Models whose vectors crowd in one direction; the others gain nothing by a centre. */
const CROWDED = ['multilingual-e5-small-en-zh'];

const signal = new AbortController().signal;
setMaxListeners(100, signal);

/** Mean of means of a language: each set and both kinds count alike. */
async function centreIn(embed: Embed, language: string): Promise<Float32Array> {
  const groups: Float32Array[] = [];
  for (const read of [madial, memoryBank]) {
    const stores = read(language);
    const passages = stores.flatMap((store) => [...store.passages.values()]);
    const asked = stores.flatMap(({ questions }) => questions.map(({ text }) => text));
    groups.push(mean(await embed(passages, 'passage')), mean(await embed(asked, 'query')));
  }
  return mean(groups);
}

/** How much of what a language's vectors have in common is taken away; all of it ranks worse within one language. */
const LANGUAGE_SHARE = 0.5;

const base64 = (numbers: Float32Array): string => Buffer.from(numbers.buffer).toString('base64');

const mean = (vectors: readonly Float32Array[]): Float32Array =>
  vectors[0]?.map(
    (_, at) => vectors.reduce((sum, vector) => sum + (vector[at] as number), 0) / vectors.length,
  ) ?? new Float32Array();

/**
 * The mean state of each text's own pieces, each of length 1 before: without the marks
 * at both ends and without the prefix.
 */
async function stateReader(model: BundledModel): Promise<Embed> {
  Object.assign(env, { allowLocalModels: true, allowRemoteModels: false, localModelPath: MODELS });
  const tokenizer = await AutoTokenizer.from_pretrained(model.id);
  const numbers = readFileSync(resolve(MODELS, model.id, ENCODER_NUMBERS.data));
  const code = (await loadEncoderCode(readAssembled)) as EncoderCode;
  const encoder = createEncoder(new Uint8Array(numbers).buffer, model.encoder, code);
  const idsOf = (text: string) =>
    Array.from(
      tokenizer(text, { truncation: true, max_length: LONGEST }).input_ids.data as BigInt64Array,
      Number,
    );
  return async (texts, kind) => {
    const prefix = kind === 'query' ? model.queryPrefix : model.passagePrefix;
    const from = idsOf(prefix.trimEnd()).length - 1;
    return texts.flatMap((text) => {
      const states = encoder.run(idsOf(`${prefix}${text}`));
      const own = Array.from({ length: states.length / ENCODER_WIDTH - 1 - from }, (_, piece) =>
        unit(states.subarray((from + piece) * ENCODER_WIDTH, (from + piece + 1) * ENCODER_WIDTH)),
      );
      return own.length > 0 ? [mean(own)] : [];
    });
  };
}

async function writeStateCentres(): Promise<void> {
  const centres: Record<string, string> = {};
  for (const model of BUNDLED_MODELS.filter(({ id }) => CROWDED.includes(id))) {
    const read = await stateReader(model);
    const all: Float32Array[] = [];
    for (const language of model.languages) all.push(await centreIn(read, language));
    centres[model.id] = base64(mean(all));
  }
  const file = resolve(import.meta.dirname, '../../../src/adapters/embedding/state-centres.ts');
  const source = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    source.replace(/(?<=Record<string, string>> = )\{.*?^\}/ms, JSON.stringify(centres, null, 2)),
  );
}

async function writeCentres(): Promise<void> {
  const centres: Record<string, { mean: string; language: string }> = {};
  for (const model of BUNDLED_MODELS.filter(({ id }) => CROWDED.includes(id))) {
    const load = createTransformersLoader(modelsIn(MODELS));
    const runtime = await load(
      { model: model.id, source: 'bundled', device: 'wasm', pooling: model.pooling, batchSize: 1 },
      () => undefined,
    );
    const embed: Embed = async (texts, kind) => {
      const prefix = kind === 'query' ? model.queryPrefix : model.passagePrefix;
      const vectors: Float32Array[] = [];
      for (const text of texts) vectors.push(...(await runtime.run([`${prefix}${text}`])));
      return vectors;
    };
    const [english, chinese] = [await centreIn(embed, 'en'), await centreIn(embed, 'zh')];
    centres[model.id] = {
      mean: base64(mean([english, chinese])),
      language: base64(chinese.map((x, at) => LANGUAGE_SHARE * (x - (english[at] as number)))),
    };
    await runtime.dispose();
  }
  writeFileSync(
    resolve(import.meta.dirname, '../../../src/adapters/embedding/centres.ts'),
    `// Written by test/eval/calibration/fit.ts --centre: of each crowded model, over MADial-Bench and MemoryBank (MIT), the mean vector
// and half of the way from English to Chinese, as base64 of little-endian float32. Vectors are stored with them taken away: another
// centre is another \`id\` in local.ts.
export const CENTRES: Readonly<Record<string, { readonly mean: string; readonly language: string }>> = ${JSON.stringify(centres, null, 2)};
`,
  );
}

/** The labelled pairs of one set in one language. */
async function pairsOf(embed: Embed, stores: readonly Store[]): Promise<Labelled[]> {
  const passages = await Promise.all(stores.map((store) => embed([...store.passages.values()], 'passage')));
  const pairs: Labelled[] = [];
  for (const [at, store] of stores.entries()) {
    const ids = [...store.passages.keys()];
    const other = passages[(at + 1) % stores.length] ?? [];
    const questions = await embed(
      store.questions.map(({ text }) => text),
      'query',
    );
    for (const [index, { gold }] of store.questions.entries()) {
      const asked = questions[index] as Float32Array;
      const right = (passages[at] ?? []).filter((_, place) => gold.has(ids[place] as string));
      const near = (vectors: readonly Float32Array[]) =>
        vectors.map((vector) => cosine(asked, vector)).sort((a, b) => b - a);
      const [best] = near(right);
      if (best === undefined) continue;
      pairs.push({ cosine: best, related: true });
      for (const x of near(other).slice(0, SHOWN)) pairs.push({ cosine: x, related: false });
    }
  }
  return pairs;
}

const score = ({ related, spread }: Calibration, x: number) => 1 / (1 + Math.exp(-(x - related) / spread));
const rounded = ({ related, spread }: Calibration) => ({
  related: Number(related.toFixed(4)),
  spread: Number(spread.toFixed(4)),
});
const quantiles = (values: number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.1, 0.5, 0.9].map((q) => Number((sorted[Math.floor(q * (sorted.length - 1))] ?? 0).toFixed(3)));
};

/** A thousand pairs of each class, so that no set and no class weighs more than another. */
function evenly(pairs: readonly Labelled[]): Labelled[] {
  return [true, false].flatMap((wanted) => {
    const some = pairs.filter(({ related }) => related === wanted);
    return Array.from({ length: 1000 }, (_, at) => some[at % some.length] as Labelled);
  });
}

if (process.argv.includes('--centre')) await writeCentres();
else if (process.argv.includes('--states')) await writeStateCentres();
else
  for (const model of BUNDLED_MODELS) {
    const provider = createInProcessLocalEmbedding({ models: MODELS, config: { model: model.id } });
    const embed: Embed = (texts, kind) => provider.embed(texts, { kind, signal });
    const sets = new Map<string, Labelled[]>();
    for (const language of model.languages)
      for (const [name, read] of [
        ['madial', madial],
        ['memorybank', memoryBank],
      ] as const)
        sets.set(`${name}-${language}`, await pairsOf(embed, read(language)));

    const pooled = [...sets].flatMap(([name, pairs]) => (name.startsWith('memorybank') ? evenly(pairs) : []));
    const fitted = fitCalibration(pooled);
    const self = await createCalibration(provider.embed)(signal);
    const apart = pooled.map(({ cosine: x }) => Math.abs(score(fitted, x) - score(self, x)));
    const of = (pairs: readonly Labelled[], wanted: boolean) =>
      pairs.filter(({ related }) => related === wanted).map(({ cosine: x }) => x);
    console.log(
      JSON.stringify({
        model: model.id,
        fitted: rounded(fitted),
        self: rounded(self),
        meanDifferenceOfScores: Number((apart.reduce((sum, x) => sum + x, 0) / apart.length).toFixed(3)),
        sets: Object.fromEntries(
          [...sets].map(([name, pairs]) => [
            name,
            {
              alone: rounded(fitCalibration(pairs)),
              related: quantiles(of(pairs, true)),
              unrelated: quantiles(of(pairs, false)),
              relatedScores: quantiles(of(pairs, true).map((x) => score(fitted, x))),
              unrelatedScores: quantiles(of(pairs, false).map((x) => score(fitted, x))),
            },
          ]),
        ),
      }),
    );
    await provider.close();
  }
