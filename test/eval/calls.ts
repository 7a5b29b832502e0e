// Which messages call on memory, and which ask for an overview: on sentences kept apart, as JSON.
//   npm run eval -- --calls [--misses]
//   npm run eval -- --calls --learn    writes what was learnt into src/domain/memory/calling/learnt.ts
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  askedOfMemory,
  CALLING_CLASSES,
  type CallingHead,
  callingCues,
  wordPairs,
} from '../../src/domain/memory/calling/asked.ts';
import { LEARNT_CALLS } from '../../src/domain/memory/calling/learnt.ts';
import { EXAMPLES } from '../../src/domain/memory/recognition/examples.ts';
import { createTraining, readHead, writeHead } from '../../src/domain/memory/recognition/head.ts';
import { createInProcessLocalEmbedding } from '../adapters/embedding/in-process.ts';
import { models, ROOT } from './load.ts';

const FOLDER = join(ROOT, 'test/eval/calls');
const LEARNT_FILE = join(ROOT, 'src/domain/memory/calling/learnt.ts');
/** Both were written before anything was learnt, each in its own manner. */
export const HELD_SETS = ['held-1', 'held-2'] as const;
/** A word or a pair of words is weighed if so many taught sentences have it. */
const LEAST_SENTENCES = 10;
/** Texts read at once. */
const BATCH = 16;

const linesOf = (name: string): string[] =>
  readFileSync(join(FOLDER, `${name}.txt`), 'utf8')
    .split('\n')
    .filter(Boolean);

type CallingClass = (typeof CALLING_CLASSES)[number];
interface Taught {
  readonly text: string;
  readonly as: CallingClass;
}

/** The sentences that the head is learnt of, each with its class. */
export function taughtSentences(): Taught[] {
  return ['taught-en', 'taught-zh'].flatMap((name) => {
    let as: CallingClass = 'none';
    return linesOf(name).flatMap((line) => {
      if (!line.startsWith('# ')) return [{ text: line, as }];
      const named = CALLING_CLASSES.find((one) => one === line.slice(2));
      if (!named) throw new Error(`${name}: ${line} names no class`);
      as = named;
      return [];
    });
  });
}

/** The sentences of a set kept apart, each with what it is: call or none, overview or one. */
export const heldSentences = (name: string): { readonly kind: string; readonly text: string }[] =>
  linesOf(name)
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const [kind = '', text = ''] = line.split('|');
      return { kind, text };
    });

/** Changes whenever the sentences do: then the head is to be learnt anew. */
export const taughtNumber = (): number =>
  Number.parseInt(
    createHash('sha256').update(JSON.stringify(taughtSentences())).digest('hex').slice(0, 8),
    16,
  );

/** The vectors of these texts as questions. */
async function questionVectors(texts: readonly string[]) {
  const provider = createInProcessLocalEmbedding({ models: models() });
  const all = [...new Set(texts)];
  const vectors = new Map<string, Float32Array>();
  for (let at = 0; at < all.length; at += BATCH) {
    const batch = all.slice(at, at + BATCH);
    const made = await provider.embed(batch, { kind: 'query', signal: new AbortController().signal });
    for (const [index, vector] of made.entries()) vectors.set(batch[index] as string, vector);
  }
  await provider.close();
  return { id: provider.id, vectors };
}

function learn(vectors: ReadonlyMap<string, Float32Array>): CallingHead {
  const sentences = taughtSentences();
  const counts = new Map<string, number>();
  for (const { text } of sentences)
    for (const pair of wordPairs(text)) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  const words = [...counts].filter(([, count]) => count >= LEAST_SENTENCES).map(([pair]) => pair);
  // What people say of themselves calls on nothing.
  const notes = EXAMPLES.map(({ text }): Taught => ({ text, as: 'none' }));
  const training = createTraining(
    [...sentences, ...notes].map(({ text, as }) => ({
      vector: vectors.get(text) as Float32Array,
      cues: callingCues(text, words),
      as: CALLING_CLASSES.indexOf(as),
    })),
    CALLING_CLASSES.length,
  );
  while (training.step());
  return { head: training.head(), words };
}

/** The head that ships; null if it cannot be read. */
export function shippedHead(): CallingHead | null {
  const head = readHead(LEARNT_CALLS.head);
  return head ? { head, words: LEARNT_CALLS.words.split('\n') } : null;
}

const isHan = (text: string): boolean => /\p{Script=Han}/u.test(text);

/** Numbers of a set's sentences that are heard, of how many: calls, what only looks like one, and so for overviews. */
export function heardIn(
  rows: ReturnType<typeof heldSentences>,
  asked: (text: string) => ReturnType<typeof askedOfMemory>,
  misses?: string[],
) {
  const count = (kind: string, heard: (text: string) => boolean): string => {
    const some = rows.filter((row) => row.kind === kind);
    const hits = some.filter(({ text }) => heard(text));
    for (const { text } of some)
      if (hits.some((hit) => hit.text === text) !== (kind === 'call' || kind === 'overview'))
        misses?.push(`${kind}: ${text}`);
    return `${hits.length} of ${some.length}`;
  };
  const calls = (text: string) => asked(text).calls;
  const overview = (text: string) => asked(text).breadth !== null;
  return {
    calls: count('call', calls),
    falseCalls: count('none', calls),
    overviews: count('overview', overview),
    falseOverviews: count('one', overview),
  };
}

export async function runCallsEval(): Promise<void> {
  const sets = HELD_SETS.map((name) => [name, heldSentences(name)] as const);
  if (process.argv.includes('--learn')) {
    const { id, vectors } = await questionVectors([
      ...taughtSentences().map(({ text }) => text),
      ...EXAMPLES.map(({ text }) => text),
    ]);
    const { head, words } = learn(vectors);
    writeFileSync(
      LEARNT_FILE,
      `// Written by \`npm run eval -- --calls --learn\`: the head trained on the taught sentences.
export const LEARNT_CALLS = {
  provider: '${id}',
  /** Number of the taught sentences. */
  taught: ${taughtNumber()},
  /** Words and pairs of words that the head weighs beside the vector, in its order. */
  words: ${JSON.stringify(words.join('\n'))},
  head: \`${writeHead(head)}\`,
} as const;
`,
    );
    console.error(
      `Learnt of ${taughtSentences().length} sentences with ${id}; ${words.length} words and pairs`,
    );
    return;
  }
  const { vectors } = await questionVectors(sets.flatMap(([, rows]) => rows.map(({ text }) => text)));
  const calling = shippedHead();
  const byForm = (text: string) => askedOfMemory(text, null, null);
  const byBoth = (text: string) => askedOfMemory(text, vectors.get(text) ?? null, calling);
  const misses: string[] = [];
  const parts = (rows: ReturnType<typeof heldSentences>) => ({
    forms: heardIn(rows, byForm),
    both: heardIn(rows, byBoth, misses),
    en: heardIn(
      rows.filter(({ text }) => !isHan(text)),
      byBoth,
    ),
    zh: heardIn(
      rows.filter(({ text }) => isHan(text)),
      byBoth,
    ),
  });
  const report = Object.fromEntries(sets.map(([name, rows]) => [name, parts(rows)]));
  console.log(
    JSON.stringify({ ...report, ...(process.argv.includes('--misses') ? { misses } : {}) }, null, 2),
  );
}
