// Ranks with the product's own pipeline what a benchmark asks:
//   npm run eval -- --tasks tasks.json --out rankings.jsonl [--set NAME] [--model ID]
//   npm run eval -- --report [--bench DIR]      the whole table, see report.ts
//   npm run eval -- --learn [--bench DIR]       what can be learnt of the ranking, see learn.ts
// tasks.json: {sets: [{name, stores: [{sessions, queries}]}]}; one line of rankings.jsonl a query: {set, query, ranking, finals}.
import { readFileSync, writeFileSync } from 'node:fs';
import { cache, loadPipeline, models, option } from './load.ts';
import type { Tasks } from './pipeline.ts';

if (process.argv.includes('--report')) {
  // The whole table, with each part of the ranking left away (report.ts).
  await (await import('./report.ts')).runReport();
  process.exit(0);
}
if (process.argv.includes('--learn')) {
  // What can be learnt of the ranking (learn.ts).
  await (await import('./learn.ts')).runLearn();
  process.exit(0);
}
if (process.argv.includes('--context')) {
  // What compaction loses: its own measure, with its own options (context.ts).
  await (await import('./context.ts')).runContextEval();
  process.exit(0);
}
const tasks = JSON.parse(readFileSync(option('tasks'), 'utf8')) as Tasks;
const only = option('set', '');
const { openPipeline } = await loadPipeline();
const pipeline = await openPipeline({
  models: models(),
  model: option('model', 'multilingual-e5-small-en-zh'),
  cache: cache(),
});
const lines: string[] = [];
for (const set of tasks.sets) {
  if (only && !set.name.startsWith(only)) continue;
  const began = performance.now();
  let asked = 0;
  let asking = 0;
  for (const store of set.stores) {
    const library = await pipeline.library(store.sessions);
    const start = performance.now();
    for (const query of store.queries) {
      const found = await library.ask(query.text);
      // A unit of several messages stands where its best message stands.
      const best = new Map<string, number>();
      for (const { unit, scores } of found) if (!best.has(unit)) best.set(unit, scores.final);
      lines.push(
        JSON.stringify({
          set: set.name,
          query: query.id,
          ranking: [...best.keys()],
          finals: [...best.values()],
        }),
      );
    }
    asked += store.queries.length;
    asking += performance.now() - start;
    await library.close();
  }
  console.error(
    `${set.name}: ${asked} questions, ${Math.round(asking / asked)} ms each, ${Math.round((performance.now() - began) / 1000)} s in all`,
  );
}
await pipeline.close();
writeFileSync(option('out'), `${lines.join('\n')}\n`);
process.exit(0);
