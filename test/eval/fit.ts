// Fits the line from the hybrid score to a probability, with the product's own pipeline, and says what the threshold means then:
//   npx tsx test/eval/fit.ts --data DIR        DIR holds madial/ and memorybank/ (both MIT)
// The figures go into src/domain/memory/fit.ts.
//
// Questions and their library are MemoryBank's, in both languages. A passage counts as related when it is right, or was said in the same
// sitting as a right one: that is what a person would call related. Each question is also put to a library that cannot answer it
// (MADial's), where nothing is related. The best three of each are looked at, since few more are ever shown.
import { madial, memoryBank, type Store } from './calibration/labelled.ts';
import { cache, loadPipeline, models, option } from './load.ts';
import type { Found, Session } from './pipeline.ts';

const SHOWN = 3;
const THRESHOLD = 0.75;

interface Example {
  readonly score: number;
  readonly related: boolean;
}

/** A store as sittings of messages. MemoryBank's passages are named by day and place, and hold a question and its answer. */
const sessionsOf = (store: Store): Session[] => {
  const rounds = store.set.startsWith('memorybank');
  const days = new Map<string, { id: string; text: string }[]>();
  for (const [id, text] of store.passages) {
    const day = rounds ? (id.split(':')[0] as string) : `memory ${id}`;
    days.set(day, [...(days.get(day) ?? []), { id, text }]);
  }
  return [...days].map(([day, passages]) => ({
    id: day,
    startedAt: rounds ? `2023-${day}T09:00:00Z` : null,
    messages: passages.flatMap(({ id, text }) => {
      const [asked = '', ...answer] = rounds ? text.split('\n') : [text];
      const own = { unit: id, name: null };
      return [
        { ...own, id: `${id}/q`, role: 'user' as const, content: asked },
        ...(answer.length > 0
          ? [{ ...own, id: `${id}/a`, role: 'assistant' as const, content: answer.join('\n') }]
          : []),
      ];
    }),
  }));
};

/** Logistic regression of one variable by Newton's method. */
function fitLine(examples: readonly Example[]): { slope: number; intercept: number } {
  let [slope, intercept] = [1, 0];
  for (let round = 0; round < 60; round++) {
    let [gs, gi, ss, si, ii] = [0, 0, 1e-6, 0, 1e-6];
    for (const { score, related } of examples) {
      const p = 1 / (1 + Math.exp(-(slope * score + intercept)));
      const miss = (related ? 1 : 0) - p;
      const bend = p * (1 - p);
      gs += miss * score;
      gi += miss;
      ss += bend * score * score;
      si += bend * score;
      ii += bend;
    }
    const determinant = ss * ii - si * si;
    slope += (gs * ii - gi * si) / determinant;
    intercept += (gi * ss - gs * si) / determinant;
  }
  return { slope, intercept };
}

const { openPipeline } = await loadPipeline();
const pipeline = await openPipeline({
  models: models(),
  model: option('model', 'multilingual-e5-small-en-zh'),
  cache: cache(),
});
const hybrid: Example[] = [];
const keyword: Example[] = [];
const report: Record<
  string,
  { questions: number; passed: number; right: number; related: number; shown: number; foreign: number }
> = {};
const note = (found: readonly Found[], related: (one: Found) => boolean) => {
  for (const one of found.slice(0, SHOWN)) hybrid.push({ score: one.scores.hybrid, related: related(one) });
  const byWords = [...found].sort((a, b) => (b.scores.keyword ?? 0) - (a.scores.keyword ?? 0));
  for (const one of byWords.slice(0, SHOWN))
    keyword.push({ score: one.scores.keyword ?? 0, related: related(one) });
};
for (const language of ['en', 'zh']) {
  const stores = memoryBank(language);
  const counts = { questions: 0, passed: 0, right: 0, related: 0, shown: 0, foreign: 0 };
  report[language] = counts;
  for (const store of stores) {
    const library = await pipeline.library(sessionsOf(store));
    for (const { text, gold } of store.questions) {
      const found = await library.ask(text);
      const days = new Set([...gold].map((id) => id.split(':')[0]));
      note(found, ({ session }) => days.has(session));
      const shown = found.filter(({ scores }) => scores.final >= THRESHOLD).slice(0, 5);
      counts.questions += 1;
      counts.shown += shown.length;
      counts.related += shown.filter(({ session }) => days.has(session)).length;
      if (shown.length > 0) counts.passed += 1;
      if (shown.some(({ unit }) => gold.has(unit))) counts.right += 1;
    }
    await library.close();
  }
  const strangers = await pipeline.library(
    madial(language).flatMap((store) =>
      sessionsOf(store).map((one) => ({ ...one, id: `${store.set} ${one.id}` })),
    ),
  );
  for (const { text } of stores.flatMap((store) => store.questions)) {
    const found = await strangers.ask(text);
    note(found, () => false);
    if (found.some(({ scores }) => scores.final >= THRESHOLD)) counts.foreign += 1;
  }
  await strangers.close();
}
await pipeline.close();
console.log(JSON.stringify({ hybrid: fitLine(hybrid), keyword: fitLine(keyword) }));
for (const [language, { questions, passed, right, related, shown, foreign }] of Object.entries(report))
  console.log(
    JSON.stringify({
      language,
      questions,
      'something is shown': passed / questions,
      'a right passage is shown': right / questions,
      'shown passages that are related': related / Math.max(1, shown),
      'shown to a question without an answer': foreign / questions,
    }),
  );
process.exit(0);
