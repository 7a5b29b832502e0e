// What is shown where a person asks is not yet put into a prompt unasked.
import { afterEach, expect, it } from 'vitest';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { conversationOf, type HomeOptions, openHome } from './home.ts';

const homes: ReturnType<typeof openHome>[] = [];
const home = async (options?: HomeOptions) => {
  const one = openHome(options);
  homes.push(one);
  await one.add(
    conversationOf(['Which port does the staging server use?', 'The staging server listens on port 8081.']),
  );
  await one.indexed();
  return one;
};
afterEach(async () => {
  for (const one of homes.splice(0)) await one.close();
});
const QUESTION = 'staging server port';

it('is shown from 0.75 on and injected from 0.9 on', async () => {
  expect(defaultConfig.recall.auto_recall.min_similarity).toBe(0.9);
  const one = await home();
  expect((await one.recall(QUESTION)).threshold).toBe(0.75);
  expect((await one.recall(QUESTION, { purpose: 'inject' })).threshold).toBe(0.9);
});

it('is given from 0.75 on where the person calls on memory', async () => {
  const one = await home();
  const asked = (text: string) => one.recall(text, { purpose: 'inject' });
  expect((await asked('Remember our staging server rules and the backup')).threshold).toBe(0.75);
  expect((await asked('按上次说的那样备份数据库')).threshold).toBe(0.75);
});

it('is given from 0.75 on where a person asks for a fact about themselves', async () => {
  const one = await home();
  const asked = (text: string) => one.recall(text, { purpose: 'inject' });
  expect((await asked('What is my cat called?')).threshold).toBe(0.75);
  expect((await asked('我对什么过敏？')).threshold).toBe(0.75);
  expect((await asked('What is my best option for a cat?')).threshold).toBe(0.9);
  expect((await asked('我该给猫起什么名字？')).threshold).toBe(0.9);
});

it('is given from 0.75 on where the same question was asked before and nobody knew', async () => {
  const one = await home();
  await one.add(
    conversationOf([
      'What food must I avoid when my sister visits?',
      "I don't have any information about your sister. What can she not eat?",
    ]),
  );
  await one.add(conversationOf(['How long do eggs boil?', 'Seven minutes, and nine if they are large.']));
  await one.indexed();
  const asked = (text: string) => one.recall(text, { purpose: 'inject' });
  const again = await asked('What food must I avoid when my sister visits?');
  expect(again.threshold).toBe(0.75);
  expect([...again.passages, ...again.nearMisses].map(({ passage }) => passage).join('\n')).not.toMatch(
    /sister/,
  );
  expect((await asked('Which food should I avoid when my sister visits us?')).threshold).toBe(0.75);
  expect((await asked('Which gift should I buy when my sister moves?')).threshold).toBe(0.9);
  expect((await asked('How long do eggs boil?')).threshold).toBe(0.9);
});

it('a passage between the two is shown and is a near miss of what would be injected', async () => {
  const score =
    (await (await home({ config: { recall: { filters: { min_similarity: 0 } } } })).recall(QUESTION))
      .passages[0]?.scores.final ?? Number.NaN;
  expect(score).toBeLessThan(1);
  const one = await home({
    config: {
      recall: {
        filters: { min_similarity: score * 0.9 },
        auto_recall: { min_similarity: (score + 1) / 2 },
      },
    },
  });
  const best = (result: Awaited<ReturnType<typeof one.recall>>) => ({
    passage: result.passages[0]?.passage,
    near: result.nearMisses[0]?.passage,
  });
  const shown = best(await one.recall(QUESTION));
  expect(shown.passage).toContain('staging server');
  expect(best(await one.recall(QUESTION, { purpose: 'inject' }))).toEqual({
    passage: undefined,
    near: shown.passage,
  });
});
