// A floor under recall's quality, with the shipped model and real Postgres: what a change of ranking, words,
// chunks or index must not break. `npm run eval -- --report` measures; the figures there move by a question or
// two, so the floor lies some questions lower.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultConfig } from '../../src/domain/settings/config.ts';
import { queriesFor } from '../../src/services/chat/repeat.ts';
import { chat as en } from '../../src/ui/i18n/en/chat.ts';
import { chat as zh } from '../../src/ui/i18n/zh/chat.ts';
import { deep } from '../scale.ts';
import { type Asked, EMPTY, STRANGE, TELLING } from './asked-again.ts';
import { models } from './load.ts';
import { everyday } from './own.ts';
import { type Found, type Library, openPipeline } from './pipeline.ts';
import { rankRecorded, samples } from './recorded.ts';

const folder = mkdtempSync(join(tmpdir(), 'quality-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Pipeline = Awaited<ReturnType<typeof openPipeline>>;

/** The short everyday questions over their library. */
async function openEveryday(pipeline: Pipeline) {
  const { tasks, gold } = everyday(new URL('./everyday', import.meta.url).pathname);
  const [store] = tasks.sets[0]?.stores ?? [];
  const answers = gold.get('everyday');
  if (!store || !answers) throw new Error('The set is not there');
  return {
    library: await pipeline.library(store.sessions),
    questions: store.queries.map(({ id, text }) => ({ text, groups: answers.get(id)?.groups ?? [] })),
  };
}

/** Share of the evidence among the best five. */
const shareOf = (groups: readonly (readonly string[])[], ranked: readonly { readonly unit: string }[]) => {
  const top = new Set(ranked.slice(0, 5).map(({ unit }) => unit));
  return groups.filter((group) => group.some((unit) => top.has(unit))).length / groups.length;
};

// One database and one model for all of these: what they read takes longer than what they ask.
let pipeline: Pipeline;
beforeAll(async () => {
  pipeline = await openPipeline({ models: models(), model: 'multilingual-e5-small-en-zh', cache: folder });
}, 60_000);
afterAll(() => pipeline.close());

describe('over everyday conversations', () => {
  let library: Library;
  let questions: Awaited<ReturnType<typeof openEveryday>>['questions'];
  beforeAll(async () => {
    ({ library, questions } = await openEveryday(pipeline));
  }, 240_000);
  afterAll(() => library.close());

  it('finds what short everyday questions ask for, and stays silent where nothing was said', async () => {
    let [asked, found, unasked, silent] = [0, 0, 0, 0];
    for (const { text, groups } of questions) {
      const hits = await library.ask(text);
      if (groups.length === 0) {
        unasked += 1;
        if (!hits.some(({ scores }) => scores.final >= defaultConfig.recall.auto_recall.min_similarity))
          silent += 1;
      } else {
        asked += 1;
        found += shareOf(groups, hits);
      }
    }
    console.log(JSON.stringify({ recallAt5: found / asked, silent: silent / unasked }));
    expect(found / asked).toBeGreaterThan(0.88);
    expect(silent / unasked).toBeGreaterThan(0.9);
  }, 240_000);

  /** Pairs that get the right conversation, and pairs that get an unrelated one. The figures vary by a pair or two. */
  async function given(pairs: readonly Asked[]): Promise<{ right: number; wrong: number }> {
    const { min_similarity: least } = defaultConfig.recall.auto_recall;
    const sum = { right: 0, wrong: 0 };
    for (const [right, question, answer] of pairs) {
      let best: Found[] = [];
      for (const query of queriesFor(question, answer)) {
        const found = await library.ask(query);
        if ((found[0]?.scores.final ?? 0) > (best[0]?.scores.final ?? 0)) best = found;
      }
      const hits = best.filter(({ scores }) => scores.final >= least);
      if (hits.some(({ session }) => session === right)) sum.right += 1;
      if (hits.some(({ session }) => session !== right)) sum.wrong += 1;
    }
    console.log(JSON.stringify({ ...sum, of: pairs.length }));
    return sum;
  }

  it('memory has what a model asks of it, whatever the person answers', async () => {
    const { right, wrong } = await given(EMPTY);
    expect(right).toBeGreaterThanOrEqual(18);
    expect(wrong).toBeLessThanOrEqual(1);
  }, 120_000);

  deep(
    'many words that say nothing take little of that',
    async () => {
      const wordy = await given(
        EMPTY.map(([right, question]) => [
          right,
          question,
          /^\p{Script=Han}/u.test(question)
            ? '就用上次那个吧，你应该记得'
            : 'The one that I told you about last week',
        ]),
      );
      expect(wordy.right).toBeGreaterThanOrEqual(18);
      expect(wordy.wrong).toBeLessThanOrEqual(1);
    },
    120_000,
  );

  it('takes in what the answer to such a question says of it', async () => {
    const { right, wrong } = await given(TELLING);
    expect(right).toBeGreaterThanOrEqual(10);
    expect(wrong).toBeLessThanOrEqual(1);
  }, 120_000);

  it('stays silent on such a question where it was never said', async () => {
    expect(await given(STRANGE)).toEqual({ right: 0, wrong: 0 });
  }, 120_000);
});

deep(
  'finds no less with a model that knows no Chinese than by words alone',
  async () => {
    const other = await openPipeline({ models: models(), model: 'all-MiniLM-L6-v2', cache: folder });
    const { library, questions } = await openEveryday(other);
    let [asked, found, byWords] = [0, 0, 0];
    for (const { text, groups } of questions) {
      if (groups.length === 0 || !/\p{Script=Han}/u.test(text)) continue;
      const recorded = await library.record(text);
      asked += 1;
      found += shareOf(groups, rankRecorded(recorded));
      byWords += shareOf(groups, rankRecorded(recorded, { without: new Set(['vector', 'late']) }));
    }
    await library.close();
    await other.close();
    console.log(JSON.stringify({ asked, recallAt5: found / asked, byWords: byWords / asked }));
    expect(asked).toBeGreaterThan(15);
    expect(found).toBeGreaterThanOrEqual(byWords);
    expect(found / asked).toBeGreaterThan(0.8);
  },
  240_000,
);

/** Which messages of these conversations each question shows, best first. */
async function shownFor(sessions: ReturnType<typeof samples>, questions: readonly string[]) {
  const library = await pipeline.library(sessions);
  const shown = new Map<string, string[]>();
  for (const question of questions) {
    const hits = await library.ask(question);
    const wanted = hits.filter(({ scores }) => scores.final >= defaultConfig.recall.filters.min_similarity);
    shown.set(
      question,
      wanted.map(({ unit }) => unit),
    );
  }
  await library.close();
  return shown;
}

it('answers what the sample library is offered with', async () => {
  const offered = [en, zh].flatMap(({ begin: { sampleIdeas } }) => Object.values(sampleIdeas));
  for (const [question, units] of await shownFor(samples(), offered)) expect(units, question).not.toEqual([]);
}, 240_000);

deep(
  'answers a question of the sample library first where it was asked before and nobody answered',
  async () => {
    const before = 'Why do my disc brakes squeal in the rain?';
    const said = { id: 'q', unit: 'asked before', role: 'user' as const, name: null, content: before };
    const question = 'Why do my brakes squeal?';
    const fresh = await shownFor(samples(), [question]);
    const asked = await shownFor(
      [...samples(), { id: 'before', title: null, startedAt: new Date().toISOString(), messages: [said] }],
      [question],
    );
    expect(fresh.get(question)).not.toEqual([]);
    expect(asked.get(question)?.[0]).toBe(fresh.get(question)?.[0]);
  },
  240_000,
);
