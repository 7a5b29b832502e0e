// What memory is asked may be as private as what it keeps: what goes to a model that is elsewhere,
// and what is not to be found any more.
import { afterEach, expect, it } from 'vitest';
import type { EmbeddingProvider } from '../../../src/adapters/embedding/embedding-provider.ts';
import { configSchema } from '../../../src/domain/settings/config.ts';
import { createHashingEmbedding } from '../../adapters/embedding/hashing.ts';
import { conversationOf, type HomeOptions, openHome } from './home.ts';

const homes: ReturnType<typeof openHome>[] = [];
const home = (options?: HomeOptions) => {
  const one = openHome(options);
  homes.push(one);
  return one;
};
afterEach(async () => {
  for (const one of homes.splice(0)) await one.close();
});

/** A model that remembers what it was given to read. */
function listening(): { embedding: EmbeddingProvider; questions: string[] } {
  const inner = createHashingEmbedding();
  const questions: string[] = [];
  const embed: EmbeddingProvider['embed'] = (texts, options) => {
    if (options.kind === 'query') questions.push(...texts);
    return inner.embed(texts, options);
  };
  return { embedding: { ...inner, embed }, questions };
}
const SECRET = 'sk-abcdefghijklmnopqrstuvwxyz0123456789';
const inAnotherTab = {
  embedding: { provider: 'custom', custom: { base_url: 'https://vectors.example/v1' } },
};

it('takes secrets out of a question before a model reads it, as of all that is embedded', async () => {
  const { embedding, questions } = listening();
  const house = home({ embedding, config: inAnotherTab });
  await house.add(conversationOf(['The key of the weather service is in the vault.']));
  await house.indexed();
  await house.recall(`Where is the key ${SECRET} used?`);
  const signal = new AbortController().signal;
  await house.memory.search({ text: `weather ${SECRET}`, filter: {}, limit: 5, signal, onHits: () => {} });
  expect(questions).toHaveLength(2);
  expect(questions.join()).not.toContain(SECRET);
  expect(questions.join()).toContain('weather');
});

it('asks by words alone while something is being written, where the model is not on this device', async () => {
  const { embedding, questions } = listening();
  const house = home({ embedding, config: inAnotherTab });
  await house.add(conversationOf(['The cellar key hangs behind the door.', 'Noted: behind the door.']));
  await house.indexed();
  const drafted = await house.recall('Where does the cellar key hang?', { draft: true });
  expect(questions).toEqual([]);
  expect(drafted).toMatchObject({ mode: 'keyword', degraded: null });
  expect([...drafted.passages, ...drafted.nearMisses]).not.toEqual([]);
  await house.recall('Where does the cellar key hang?');
  expect(questions).toHaveLength(1);

  const near = listening();
  const here = home({ embedding: near.embedding });
  await here.add(conversationOf(['The cellar key hangs behind the door.']));
  await here.indexed();
  await here.recall('Where does the cellar key hang?', { draft: true });
  expect(near.questions).toHaveLength(1);
});

it('finds nothing of a folder from the moment on in which it is excluded, rows or not', async () => {
  const house = home();
  const workDir = '/home/me/wedding';
  await house.add(conversationOf(['The cellar key hangs behind the door.'], { workDir }));
  await house.indexed();
  const found = async () => {
    const { passages, nearMisses } = await house.recall('cellar key door');
    const hits: unknown[] = [];
    const signal = new AbortController().signal;
    for (const text of ['cellar key', '']) {
      const filter = text === '' ? { roles: ['user' as const] } : {};
      await house.memory.search({ text, filter, limit: 5, signal, onHits: (some) => hits.push(...some) });
    }
    return passages.length + nearMisses.length + hits.length;
  };
  expect(await found()).toBeGreaterThan(2);
  house.stopEngine();
  house.config.set(configSchema.parse({ privacy: { exclude_work_dirs: ['**/wedding'] } }));
  expect(await found()).toBe(0);
  expect((await house.index.conversationIds()).size).toBe(1);
});
