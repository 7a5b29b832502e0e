// What recall finds for every question of every set, kept before it is ranked: the report and the learning then rank it
// again in as many ways as they like, in seconds, with the very functions the app ranks with.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { z } from 'zod';
import { withoutEchoes } from '../../src/domain/memory/asked-in-vain.ts';
import { distinctPassages } from '../../src/domain/memory/choose.ts';
import { promoteCorrections } from '../../src/domain/memory/corrections.ts';
import type { Fit } from '../../src/domain/memory/fit.ts';
import type { Lane } from '../../src/domain/memory/lanes.ts';
import { spreadForOverview } from '../../src/domain/memory/overview.ts';
import { type Evidence, LATE, ranker, type Scores, type Technique } from '../../src/domain/memory/rank.ts';
import { bestLate, groupedBySource } from '../../src/domain/memory/sources.ts';
import { placeRules } from '../../src/domain/memory/standing.ts';
import { defaultConfig } from '../../src/domain/settings/config.ts';
import { sampleConversations } from '../../src/services/library/samples.ts';
import { cache, loadPipeline, models, option, ROOT } from './load.ts';
import { everyday, type Gold, own } from './own.ts';
import type { Recorded, Session, Tasks } from './pipeline.ts';
import { used } from './used/used.ts';

/**
 * `own`: asked of the library it belongs to. `stranger`: made for another person's library.
 * `talk`: small talk and general knowledge.
 */
export type Origin = 'own' | 'stranger' | 'talk';

export interface Asked extends Recorded {
  readonly set: string;
  readonly store: string;
  readonly origin: Origin;
  /** Right units, interchangeable ones in one group; empty where nothing is right. */
  readonly groups: readonly (readonly string[])[];
  readonly slice: string;
  /** Units that the right ones took the place of. */
  readonly superseded?: readonly string[];
}

/** Most questions of strangers, a set. */
const STRANGERS = 100;
/** Our own sets: one may answer a question of another. */
const OURS = /^(?:own|everyday|used)/;
/** Stores of a set that hear the small talk. */
const TALKED_TO = 2;

interface Question {
  readonly id: string;
  readonly text: string;
  readonly date?: string;
}
interface Bench {
  load(directory: string): { sets: Tasks['sets']; gold: ReadonlyMap<string, Gold> };
}

const talkSchema = z.strictObject({ en: z.array(z.string()), zh: z.array(z.string()) });
export const smallTalk = () =>
  talkSchema.parse(JSON.parse(readFileSync(join(ROOT, 'test/eval/small-talk.json'), 'utf8')));

/** The app's sample library: small, in both languages, and often the first a person sees. */
export function samples(): Session[] {
  return sampleConversations(Date.UTC(2026, 10, 1)).map(({ source, meta, messages }) => ({
    id: source.id,
    title: meta.title ?? null,
    startedAt: new Date(meta.createdAt ?? 0).toISOString(),
    messages: messages.flatMap(({ id, role, parts }) =>
      role === 'user' || role === 'assistant'
        ? [
            {
              id,
              unit: id,
              role,
              name: null,
              content: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
            },
          ]
        : [],
    ),
  }));
}

/** All sets: ours, the sample library, and those of a folder with the neutral scorer and its data. */
async function allSets(bench: string) {
  const ours = own(join(ROOT, 'test/eval/own'));
  const small = everyday(join(ROOT, 'test/eval/everyday'));
  const lived = used(ours.tasks.sets);
  const sets: Tasks['sets'][number][] = [
    ...ours.tasks.sets,
    ...small.tasks.sets,
    ...lived.tasks.sets,
    {
      name: 'samples',
      language: 'mixed',
      stores: [{ id: 'samples', sessions: samples(), queries: [] }],
    },
  ];
  const gold = new Map([...ours.gold, ...small.gold, ...lived.gold]);
  if (bench) {
    const scorer = (await import(pathToFileURL(join(resolve(bench), 'bench.mjs')).href)) as Bench;
    const given = scorer.load(resolve(bench));
    sets.push(...given.sets);
    for (const [name, answers] of given.gold) gold.set(name, answers);
  }
  return { sets, gold, superseded: lived.superseded };
}

/** Evenly spread over a list, so that no one store or topic fills the sample. */
const some = <T>(all: readonly T[], count: number): T[] =>
  all.length <= count
    ? [...all]
    : Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)] as T);

/**
 * Asks everything (or, with --reuse, takes what the last run of each set kept). Questions of LoCoMo that swap the
 * people are left out here, as the neutral scorer counts them apart.
 */
export async function recordAll(): Promise<Map<string, Asked[]>> {
  const only = option('set', '').split(',');
  const model = option('model', 'multilingual-e5-small-en-zh');
  const reuse = process.argv.includes('--reuse');
  const { sets, gold, superseded } = await allSets(option('bench', ''));
  const talk = smallTalk();
  const folder = join(cache(), 'recorded');
  mkdirSync(folder, { recursive: true });
  const result = new Map<string, Asked[]>();
  let pipeline: Awaited<ReturnType<Awaited<ReturnType<typeof loadPipeline>>['openPipeline']>> | undefined;
  for (const set of sets.filter(({ name }) => only.some((prefix) => name.startsWith(prefix)))) {
    const file = join(folder, `${set.name}.${model.replaceAll('/', '+')}.bin`);
    if (reuse && existsSync(file)) {
      result.set(set.name, deserialize(readFileSync(file)) as Asked[]);
      continue;
    }
    pipeline ??= await (await loadPipeline()).openPipeline({
      models: models(),
      model,
      cache: cache(),
    });
    const answers = gold.get(set.name);
    const all: Asked[] = [];
    // The people of the other sets that speak its language.
    const others = sets
      .filter(({ name, language }) => name !== set.name && !OURS.test(name) && language === set.language)
      .flatMap(({ stores }) => stores.flatMap(({ queries }) => queries));
    for (const [at, store] of set.stores.entries()) {
      const library = await pipeline.library(store.sessions);
      const add = async (
        origin: Origin,
        { text, date }: Omit<Question, 'id'>,
        groups: Asked['groups'] = [],
        slice: string = origin,
        old: readonly string[] = [],
      ) => {
        const recorded = await library.record(text, date ? Date.parse(date) : undefined);
        all.push({
          ...recorded,
          set: set.name,
          store: store.id,
          origin,
          groups,
          slice,
          ...(old.length > 0 ? { superseded: old } : {}),
        });
      };
      for (const query of store.queries as readonly Question[]) {
        const answer = answers?.get(query.id);
        if (answer && answer.slice !== 'adversarial')
          await add('own', query, answer.groups, answer.slice, superseded.get(query.id));
      }
      const next = set.stores[(at + 1) % set.stores.length];
      const share = Math.ceil(STRANGERS / set.stores.length);
      const neighbours = next && next !== store ? some(next.queries, share) : [];
      // Where the next store has too few of them, or there is none, people of other sets are strangers too.
      const rest = Math.min(share - neighbours.length, STRANGERS);
      for (const { text } of [...neighbours, ...some(others, Math.max(0, rest))])
        await add('stranger', { text });
      if (at < TALKED_TO)
        for (const [language, questions] of Object.entries(talk))
          if (set.language === language || set.language === 'mixed')
            for (const text of questions) await add('talk', { text });
      await library.close();
    }
    writeFileSync(file, serialize(all));
    result.set(set.name, all);
    console.error(`${set.name}: ${all.length} questions asked`);
  }
  await pipeline?.close();
  return result;
}

export interface Ranked {
  readonly unit: string;
  readonly conversation: string;
  readonly scores: Scores;
  readonly evidence: Evidence;
  readonly lane: Lane;
}

/**
 * Ranks what was recorded as recall does: once by what the index says, then the best again
 * with their pieces; one of each wording.
 */
export function rankRecorded(
  asked: Recorded,
  options: {
    readonly without?: ReadonlySet<Technique>;
    readonly fit?: Fit;
    readonly decayFactor?: number;
  } = {},
): Ranked[] {
  const { sources, repeatedBy, recalls } = groupedBySource(asked.candidates);
  const { rest: candidates } = withoutEchoes(sources, asked.question);
  const lateOf = new Map(asked.candidates.map(({ chunkId, late }) => [chunkId, late ?? null]));
  const rankWith = ranker(candidates, {
    weights: defaultConfig.recall.hybrid_weights,
    scale: asked.scale,
    idfWeights: asked.idf,
    question: asked.question,
    languages: asked.languages,
    decayFactor: defaultConfig.recall.filters.time_decay_factor,
    now: asked.now,
    ...options,
  });
  let ranked = rankWith(() => null);
  if (!options.without?.has('late')) {
    const best = new Set(ranked.slice(0, LATE).map(({ candidate }) => candidate.chunkId));
    ranked = rankWith(({ chunkId }) => (best.has(chunkId) ? bestLate(chunkId, repeatedBy, lateOf) : null));
  }
  type Candidate = Recorded['candidates'][number];
  const spread = spreadForOverview<Candidate, (typeof ranked)[number]>(
    asked.asked.breadth,
    placeRules<Candidate, (typeof ranked)[number]>(
      asked.question,
      promoteCorrections(asked.question, ranked, recalls),
    ),
  );
  return distinctPassages<Candidate, (typeof ranked)[number]>(spread, 50, 50).map(
    ({ candidate, scores, evidence, lane }) => ({
      unit: candidate.unit,
      conversation: candidate.conversationId,
      scores,
      evidence,
      lane,
    }),
  );
}
