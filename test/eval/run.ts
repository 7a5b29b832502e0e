// Ranks with the product's own pipeline what a benchmark asks:
//   npm run eval -- --tasks tasks.json --out rankings.jsonl [--set NAME] [--model ID]
//   npm run eval -- --report [--bench DIR]      the whole table, see report.ts
//   npm run eval -- --notes                    which sentences are worth a memory note, see notes.ts
//   npm run eval -- --calls                    which messages call on memory, see calls.ts
//   npm run eval -- --learn [--bench DIR]       what can be learnt of the ranking, see learn.ts
//   npm run eval -- --privacy                   how well private words are found, see privacy.ts
// tasks.json: {sets: [{name, stores: [{sessions, queries}]}]}; one line of rankings.jsonl a query: {set, query,
// ranking, finals}. Every query gets its line, with an empty ranking where nothing is asked or nothing is there; a file
// that cannot be understood is refused in a sentence.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Refused, readGiven, tasksFrom } from './given.ts';
import { cache, loadPipeline, models, option } from './load.ts';

async function rankTasks(): Promise<void> {
  const file = option('tasks');
  const out = resolve(option('out'));
  const tasks = tasksFrom(readGiven(file), file);
  const only = option('set', '');
  const sets = tasks.sets.filter(({ name }) => name.startsWith(only));
  if (sets.length === 0)
    throw new Refused(only ? `${file} has no set whose name begins with ${only}` : `${file} has no sets`);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, '');
  const { openPipeline } = await loadPipeline();
  const pipeline = await openPipeline({
    models: models(),
    model: option('model', 'multilingual-e5-small-en-zh'),
    cache: cache(),
  });
  for (const set of sets) {
    const began = performance.now();
    let asked = 0;
    let asking = 0;
    for (const store of set.stores) {
      const library = await pipeline.library(store.sessions);
      const start = performance.now();
      const lines: string[] = [];
      for (const query of store.queries) {
        const found = await library.ask(query.text);
        // A unit of several messages stands where its best message stands.
        const best = new Map<string, number>();
        for (const { unit, scores } of found) if (!best.has(unit)) best.set(unit, scores.final);
        lines.push(
          `${JSON.stringify({
            set: set.name,
            query: query.id,
            ranking: [...best.keys()],
            finals: [...best.values()],
          })}\n`,
        );
      }
      appendFileSync(out, lines.join(''));
      asked += store.queries.length;
      asking += performance.now() - start;
      await library.close();
    }
    console.error(
      `${set.name}: ${asked} questions, ${Math.round(asking / Math.max(1, asked))} ms each, ${Math.round((performance.now() - began) / 1000)} s in all`,
    );
  }
  await pipeline.close();
}

try {
  if (process.argv.includes('--calls')) await (await import('./calls.ts')).runCallsEval();
  // The whole table, with each part of the ranking left away (report.ts).
  else if (process.argv.includes('--notes')) await (await import('./notes.ts')).runNotesEval();
  else if (process.argv.includes('--report')) await (await import('./report.ts')).runReport();
  // What can be learnt of the ranking (learn.ts).
  else if (process.argv.includes('--learn')) await (await import('./learn.ts')).runLearn();
  // What compaction loses: its own measure, with its own options (context.ts).
  else if (process.argv.includes('--context')) await (await import('./context.ts')).runContextEval();
  // How well private words are found (privacy.ts).
  else if (process.argv.includes('--privacy')) (await import('./privacy.ts')).runPrivacyEval();
  else await rankTasks();
  process.exit(0);
} catch (error) {
  console.error(error instanceof Refused ? error.message : error);
  process.exit(error instanceof Refused ? 2 : 1);
}
