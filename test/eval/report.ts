// The whole table of recall quality, each part of the ranking left away in turn, and what the thresholds mean:
//   npm run eval -- --report [--bench DIR] [--set NAME] [--ablations no]
// Sets are those of test/eval/own and, with --bench, those of a folder with the neutral scorer (bench.mjs) and its data.
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Technique } from '../../src/domain/memory/rank.ts';
import { cache, loadPipeline, models, option, ROOT } from './load.ts';
import { type Gold, own } from './own.ts';
import type { Found, Tasks } from './pipeline.ts';

/** What is left away, by the name it is printed with. */
const ABLATIONS: Readonly<Record<string, readonly Technique[]>> = {
  default: [],
  'words only': ['vector', 'late'],
  'meaning only': ['keyword'],
  'no late interaction': ['late'],
  'no words of neighbours': ['window'],
  'no neighbours': ['neighbours'],
  'no conversation': ['conversation'],
  'no speaker': ['speaker'],
  'no question mark': ['question'],
  'no time words': ['time'],
  'no dates': ['date'],
};
const THRESHOLDS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9];

interface Asked {
  readonly groups: readonly (readonly string[])[];
  readonly found: readonly Found[];
}
interface Bench {
  load(directory: string): { sets: Tasks['sets']; gold: ReadonlyMap<string, Gold> };
}

/** Mean share of the evidence among the first k units, over the questions that have any. */
function recallAt(asked: readonly Asked[], k: number): number {
  const rated = asked.filter(({ groups }) => groups.length > 0);
  const shares = rated.map(({ groups, found }) => {
    const top = new Set([...new Set(found.map(({ unit }) => unit))].slice(0, k));
    return groups.filter((group) => group.some((unit) => top.has(unit))).length / groups.length;
  });
  return shares.reduce((sum, one) => sum + one, 0) / Math.max(1, shares.length);
}

const percent = (x: number) => (Number.isFinite(x) ? (100 * x).toFixed(1).padStart(5) : '    –');

/** Of at most five passages above a threshold: how many questions get any, how many of the passages are right, how often one is. */
function curve(asked: readonly Asked[]): string[] {
  return THRESHOLDS.map((threshold) => {
    const shown = asked.map(({ groups, found }) => {
      const right = new Set(groups.flat());
      return found
        .filter(({ scores }) => scores.final >= threshold)
        .slice(0, 5)
        .map(({ unit }) => right.has(unit));
    });
    const answered = shown.filter((hits) => hits.length > 0);
    const all = shown.flat();
    return `  from ${threshold.toFixed(2)}: something for ${percent(answered.length / asked.length)} %, right ${percent(
      all.filter(Boolean).length / all.length,
    )} %, one right ${percent(answered.filter((hits) => hits.includes(true)).length / answered.length)} %`;
  });
}

/** Prints the table. */
export async function runReport(): Promise<void> {
  const bench = option('bench', '');
  const only = option('set', '');
  const ours = own(join(ROOT, 'test/eval/own'));
  const sets = [...ours.tasks.sets];
  const gold = new Map(ours.gold);
  if (bench) {
    const scorer = (await import(pathToFileURL(join(resolve(bench), 'bench.mjs')).href)) as Bench;
    const given = scorer.load(resolve(bench));
    sets.push(...given.sets);
    for (const [name, answers] of given.gold) gold.set(name, answers);
  }
  const wanted = Object.entries(ABLATIONS).filter(
    ([name]) => name === 'default' || option('ablations', 'yes') === 'yes',
  );
  const { openPipeline } = await loadPipeline();
  const pipeline = await openPipeline({
    models: models(),
    model: option('model', 'multilingual-e5-small-en-zh'),
    cache: cache(),
  });
  for (const set of sets.filter(({ name }) => name.startsWith(only))) {
    const answers = gold.get(set.name);
    const asked = new Map<string, Asked[]>(wanted.map(([name]) => [name, []]));
    const foreign: Asked[] = [];
    for (const [at, store] of set.stores.entries()) {
      const library = await pipeline.library(store.sessions);
      for (const [name, techniques] of wanted) {
        pipeline.leaveOut(techniques);
        for (const query of store.queries) {
          const answer = answers?.get(query.id);
          // Questions that swap the people are counted apart by the scorer, and left out here.
          if (!answer || answer.slice === 'adversarial') continue;
          const date = (query as { date?: string }).date;
          asked.get(name)?.push({
            groups: answer.groups,
            found: await library.ask(query.text, date ? Date.parse(date) : undefined),
          });
        }
      }
      pipeline.leaveOut([]);
      // What another person's questions get from this library is always wrong.
      const other = set.stores[(at + 1) % set.stores.length];
      if (other && other !== store)
        for (const query of other.queries.slice(0, 20))
          foreign.push({ groups: [], found: await library.ask(query.text) });
      await library.close();
    }
    console.log(`\n${set.name}  R@1 / R@5 / R@10, ${asked.get('default')?.length} questions`);
    for (const [name, all] of asked)
      console.log(`  ${name.padEnd(24)} ${[1, 5, 10].map((k) => percent(recallAt(all, k))).join(' ')}`);
    console.log(curve(asked.get('default') ?? []).join('\n'));
    const unanswered = [
      ...foreign,
      ...(asked.get('default') ?? []).filter(({ groups }) => groups.length === 0),
    ];
    if (unanswered.length > 0)
      console.log(
        `  ${unanswered.length} questions without an answer: nothing from 0.75 for ${percent(
          unanswered.filter(({ found }) => !found.some(({ scores }) => scores.final >= 0.75)).length /
            unanswered.length,
        )} %, from 0.80 for ${percent(
          unanswered.filter(({ found }) => !found.some(({ scores }) => scores.final >= 0.8)).length /
            unanswered.length,
        )} %`,
      );
  }
  await pipeline.close();
}
