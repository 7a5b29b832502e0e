// Which sentences are recognised as worth a memory note, and which notes apply to a
// request: on sentences kept apart, as JSON.
//   npm run eval -- --notes [--misses] [--out FILE]
//   npm run eval -- --notes --learn writes what was learnt of the shipped model into
//   src/domain/memory/recognition/learnt.ts
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asMessageId } from '../../src/domain/base/ids.ts';
import { EXAMPLES } from '../../src/domain/memory/recognition/examples.ts';
import { createTraining, type Head, readHead, writeHead } from '../../src/domain/memory/recognition/head.ts';
import { SENTENCE_CLASSES, TOPICS } from '../../src/domain/memory/recognition/kinds.ts';
import { LEARNT_KINDS } from '../../src/domain/memory/recognition/learnt.ts';
import {
  appliesTo,
  HELD_FROM,
  type Heads,
  PROPOSED_FROM,
  recognise,
  statementsOf,
} from '../../src/domain/memory/recognition/recognise.ts';
import { cuesOf } from '../../src/domain/memory/recognition/wording.ts';
import { createInProcessLocalEmbedding } from '../adapters/embedding/in-process.ts';
import { cache, models, option, ROOT } from './load.ts';

const FOLDER = join(ROOT, 'test/eval/notes');
const LEARNT_FILE = join(ROOT, 'src/domain/memory/recognition/learnt.ts');
/** Requests with a note that applies and a stranger; each set was written after the one before had been used. */
export const PAIR_SETS = ['applies', 'applies-2', 'applies-3'] as const;
export const FRESH_SETS = [
  'fresh-1',
  'fresh-2',
  'fresh-3',
  'fresh-4',
  'fresh-5',
  'fresh-6',
  'fresh-7',
] as const;

export const linesOf = (name: string): string[][] =>
  readFileSync(join(FOLDER, `${name}.txt`), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('|').map((part) => part.trim()));

/** The sentences that the app reads in a message with these words; `\\n` is a new line. */
export const statementsIn = (text: string): readonly string[] =>
  statementsOf({
    id: asMessageId('fresh'),
    parentId: null,
    role: 'user',
    kind: 'message',
    createdAt: 0,
    parts: [{ type: 'text', text: text.replaceAll('\\n', '\n') }],
  });

/** Changes whenever the examples do: what was learnt before is then learnt anew. */
export const examplesNumber = (): number =>
  Number.parseInt(createHash('sha256').update(JSON.stringify(EXAMPLES)).digest('hex').slice(0, 8), 16);

type Vectors = ReadonlyMap<string, Float32Array>;

/** Vectors of these texts, with those that were made before. */
async function vectorsOf(texts: readonly string[]): Promise<{ provider: string; vectors: Vectors }> {
  const provider = createInProcessLocalEmbedding({ models: models() });
  const file = join(cache(), 'notes.json');
  const known: Record<string, number[]> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const key = (text: string) => `${provider.id} ${text}`;
  const missing = [...new Set(texts)].filter((text) => !known[key(text)]);
  for (let at = 0; at < missing.length; at += 32) {
    const batch = missing.slice(at, at + 32);
    const made = await provider.embed(batch, { kind: 'passage', signal: new AbortController().signal });
    for (const [index, vector] of made.entries())
      known[key(batch[index] as string)] = Array.from(vector, (value) => Math.round(value * 1e5) / 1e5);
  }
  if (missing.length > 0) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(known));
  }
  await provider.close();
  const vectors = new Map(texts.map((text) => [text, Float32Array.from(known[key(text)] as number[])]));
  return { provider: provider.id, vectors };
}

function learn(vectors: Vectors): Heads {
  const trained = (classes: readonly string[], classOf: (at: number) => string): Head => {
    const training = createTraining(
      EXAMPLES.map(({ text }, at) => ({
        vector: vectors.get(text) as Float32Array,
        cues: cuesOf(text),
        as: classes.indexOf(classOf(at)),
      })),
      classes.length,
    );
    while (training.step());
    return training.head();
  };
  return {
    kinds: trained(SENTENCE_CLASSES, (at) => EXAMPLES[at]?.kind as string),
    topics: trained(TOPICS, (at) => EXAMPLES[at]?.topic as string),
  };
}

const share = (part: number, whole: number): number => Math.round((1000 * part) / Math.max(1, whole)) / 10;

/** Precision, recall and the share of right kinds among what was found, in %, at one threshold. */
export function measured(
  rows: readonly string[][],
  kindOf: (text: string) => { kind: string | null; probability: number },
  threshold: number,
  misses?: string[],
) {
  const count = { sentences: rows.length, notes: 0, found: 0, right: 0, kinds: 0 };
  for (const [kind = '', text = ''] of rows) {
    const got = kindOf(text);
    const proposed = got.kind !== null && got.probability >= threshold;
    if (kind !== 'none') count.notes += 1;
    if (proposed) count.found += 1;
    if (proposed && kind !== 'none') count.right += 1;
    if (proposed && got.kind === kind) count.kinds += 1;
    if (proposed !== (kind !== 'none')) misses?.push(`${kind} as ${proposed ? got.kind : 'none'}: ${text}`);
  }
  return {
    sentences: count.sentences,
    notes: count.notes,
    precision: share(count.right, count.found),
    recall: share(count.right, count.notes),
    kind: share(count.kinds, count.right),
  };
}

const isHan = (text: string): boolean => /\p{Script=Han}/u.test(text);

/** How many notes that apply travel with their request, and how many strangers. */
function applied(
  rows: readonly string[][],
  topicsOf: (text: string) => { readonly topics: readonly number[] },
  vectors: Vectors,
  misses?: string[],
) {
  const known = (text: string) => ({ topics: topicsOf(text).topics, vector: vectors.get(text) ?? null });
  const hits = (place: 1 | 2) =>
    rows.filter((row) => {
      const [request, note] = [row[0] as string, row[place] as string];
      const applies = appliesTo({ kind: 'rule', ...known(note) }, known(request)) !== null;
      if (applies !== (place === 1)) misses?.push(`${applies ? 'stranger' : 'missed'}: ${note} | ${request}`);
      return applies;
    }).length;
  return { pairs: rows.length, applies: hits(1), strangers: hits(2) };
}

export async function runNotesEval(): Promise<void> {
  const fresh = FRESH_SETS.map((name) => [name, linesOf(name)] as const);
  const pairs = PAIR_SETS.map((name) => [name, linesOf(name)] as const);
  const { provider, vectors } = await vectorsOf([
    ...EXAMPLES.map(({ text }) => text),
    ...fresh.flatMap(([, rows]) => rows.flatMap(([, text]) => statementsIn(text as string))),
    ...pairs.flatMap(([, rows]) => rows.flat()),
  ]);
  if (process.argv.includes('--learn')) {
    const heads = learn(vectors);
    writeFileSync(
      LEARNT_FILE,
      `// Written by \`npm run eval -- --notes --learn\`: what the examples taught of the vectors of the model that comes with the app.
export const LEARNT_KINDS = {
  provider: ${JSON.stringify(provider).replaceAll('"', "'")},
  /** Number of the examples. */
  examples: ${examplesNumber()},
  kinds: \`${writeHead(heads.kinds)}\`,
  topics: \`${writeHead(heads.topics)}\`,
} as const;
`,
    );
    console.error(`Learnt of ${EXAMPLES.length} examples with ${provider}`);
    return;
  }
  const [kinds, topics] = [readHead(LEARNT_KINDS.kinds), readHead(LEARNT_KINDS.topics)];
  const heads = kinds && topics ? { kinds, topics } : learn(vectors);
  const byVector = (text: string) => recognise(text, vectors.get(text) ?? null, heads);
  const byWords = (text: string) => recognise(text, null, null);
  /** Of the sentences of a message the surest. */
  const surest = (by: typeof byVector) => (text: string) =>
    statementsIn(text)
      .map(by)
      .filter(({ kind }) => kind !== null)
      .sort((a, b) => b.probability - a.probability)[0] ?? { kind: null, probability: 0 };
  const misses: string[] = [];
  const report = {
    provider,
    examples: EXAMPLES.length,
    thresholds: { proposed: PROPOSED_FROM, held: HELD_FROM },
    sets: Object.fromEntries(
      fresh.map(([name, rows]) => [
        name,
        {
          proposed: measured(rows, surest(byVector), PROPOSED_FROM, misses),
          en: measured(
            rows.filter(([, text]) => !isHan(text as string)),
            surest(byVector),
            PROPOSED_FROM,
          ),
          zh: measured(
            rows.filter(([, text]) => isHan(text as string)),
            surest(byVector),
            PROPOSED_FROM,
          ),
          held: measured(rows, surest(byVector), HELD_FROM),
          wordsOnly: measured(rows, surest(byWords), PROPOSED_FROM),
        },
      ]),
    ),
    applies: Object.fromEntries(
      pairs.map(([name, rows]) => [
        name,
        {
          byVector: applied(rows, byVector, vectors, misses),
          wordsOnly: applied(rows, byWords, new Map()),
        },
      ]),
    ),
    ...(process.argv.includes('--misses') ? { misses } : {}),
  };
  const text = JSON.stringify(report, null, 2);
  const out = option('out', '');
  if (out === '') console.log(text);
  else writeFileSync(out, `${text}\n`);
}
