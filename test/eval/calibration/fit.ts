// Measures what the bundled models' cosines mean. Prints JSON lines; the figures go into `bundled-models.ts`.
//
//   npx tsx test/eval/calibration/fit.ts [--data DIR]             DIR holds madial/ and memorybank/; default test/eval/data
//   npx tsx test/eval/calibration/fit.ts --centres --items FILE   measures the centres and writes `centres.ts`
//
// Related: a question and the best of its right passages. Unrelated: the question and the passages nearest to it in another person's
// store, that is what a search shows when the library holds no answer. Both languages and both classes count alike. MemoryBank's
// questions have an answer, so it gives the figures; MADial's right passages are loose associations, and its two people have much in
// common, so it is only shown beside them.

import { setMaxListeners } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { BUNDLED_MODELS } from '../../../src/adapters/embedding/bundled-models.ts';
import {
  createCalibration,
  fitCalibration,
  type Labelled,
} from '../../../src/adapters/embedding/calibration.ts';
import type { Calibration } from '../../../src/adapters/embedding/embedding-provider.ts';
import { createInProcessLocalEmbedding } from '../../../src/adapters/embedding/in-process.ts';
import { TOKEN_BITS } from '../../../src/adapters/embedding/tokens.ts';
import { cosine, hanWeight } from '../../../src/adapters/embedding/vector.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { cached, centredTokens } from '../cache.ts';
import { centringWith } from '../centring.ts';
import { option } from '../load.ts';
import { createReadingThreads } from '../reading.ts';
import { madial, memoryBank, type Store } from './labelled.ts';

type Embed = (texts: readonly string[], kind: 'query' | 'passage') => Promise<Float32Array[]>;

/** As many wrong passages of a question are counted as a search shows. */
const SHOWN = 5;
const MODELS = resolve(import.meta.dirname, '../../../public/models');
/** Models whose vectors crowd in one direction; the others gain nothing by a centre. */
const CROWDED = ['multilingual-e5-small-en-zh'];

const signal = new AbortController().signal;
setMaxListeners(100, signal);

/** How much of what a language's vectors have in common is taken away; all of it ranks worse within one language. */
const LANGUAGE_SHARE = 0.5;
/** A text counts as Chinese, or as English, from so much of it on. */
const [CHINESE, ENGLISH] = [0.8, 0.1];

const base64 = (numbers: Float32Array): string => Buffer.from(numbers.buffer).toString('base64');

const meanOf = (rows: readonly Float32Array[]): Float32Array => {
  const sum = new Float64Array(rows[0]?.length ?? 0);
  for (const row of rows) for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (row[at] ?? 0);
  return Float32Array.from(sum, (value) => value / rows.length);
};

/** The centre of rows of two languages: between the two, and a part of the way from English to Chinese. */
function centreOf(rows: readonly { readonly row: Float32Array; readonly han: number }[]) {
  const [english, chinese] = [
    meanOf(rows.filter(({ han }) => han < ENGLISH).map(({ row }) => row)),
    meanOf(rows.filter(({ han }) => han > CHINESE).map(({ row }) => row)),
  ];
  return {
    mean: base64(meanOf([english, chinese])),
    language: base64(chinese.map((value, at) => LANGUAGE_SHARE * (value - (english[at] as number)))),
  };
}

const itemSchema = z.looseObject({
  speaker: z.string().nullish(),
  passage: z.string(),
  queries: z.array(z.string()).min(1),
});

/**
 * Passages and questions of our own writing that are of one language: one question of each passage, so that both count alike. What mixes
 * languages says nothing of either.
 */
function textsIn(file: string): Readonly<Record<'passage' | 'query', readonly string[]>> {
  const items = readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line.trim() ? [itemSchema.parse(JSON.parse(line))] : []));
  const isOfOne = (text: string) => hanWeight(text) < ENGLISH || hanWeight(text) > CHINESE;
  return {
    passage: items
      .map(({ speaker, passage }) => (speaker ? `${speaker}: ${passage}` : passage))
      .filter(isOfOne),
    query: items.map(({ queries }) => queries[0] as string).filter(isOfOne),
  };
}

async function writeCentres(items: string): Promise<void> {
  const texts = textsIn(items);
  const centres: Record<string, unknown> = {};
  for (const model of CROWDED) {
    const provider = createReadingThreads(MODELS, { ...defaultConfig.embedding.local, model });
    const file = join(option('cache', '.cache/eval'), `${provider.id.replaceAll('/', '+')}.raw`);
    const reader = cached(provider, file, centringWith({ vector: null, token: null }));
    const rowsOf = async (kind: 'passage' | 'query') => {
      const raws = await reader.raw(texts[kind], kind);
      const hans = texts[kind].map(hanWeight);
      return {
        vector: centreOf(raws.map(({ vector }, at) => ({ row: vector, han: hans[at] as number }))),
        token: centreOf(
          raws.flatMap((raw, at) => {
            const tokens = centredTokens(raw, null);
            const rows = Array.from({ length: tokens.length / TOKEN_BITS }, (_, token) =>
              tokens.subarray(token * TOKEN_BITS, (token + 1) * TOKEN_BITS),
            );
            return rows.length > 0 ? [{ row: meanOf(rows), han: hans[at] as number }] : [];
          }),
        ),
      };
    };
    centres[model] = { passage: await rowsOf('passage'), query: await rowsOf('query') };
    await reader.close();
  }
  writeFileSync(
    resolve(import.meta.dirname, '../../../src/adapters/embedding/centres.ts'),
    `// Written by test/eval/calibration/fit.ts --centres: of each crowded model, over passages and questions of our own writing, the mean and
// half of the way from English to Chinese, of whole vectors and of rotated token vectors, as base64 of little-endian float32. Vectors are
// stored with them taken away: other centres are another \`id\` in local.ts.
interface Text {
  readonly mean: string;
  readonly language: string;
}
type Texts = Readonly<Record<'vector' | 'token', Text>>;
export const CENTRES: Readonly<Record<string, Readonly<Record<'query' | 'passage', Texts>>>> = ${JSON.stringify(centres, null, 2)};
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

if (process.argv.includes('--centres')) await writeCentres(option('items'));
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
