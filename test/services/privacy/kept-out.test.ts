// The index holds no private words, a person who knows them finds them, and excluded folders leave at once.
import { afterEach, expect, it, vi } from 'vitest';
import { CATEGORIES } from '../../../src/domain/privacy/categories.ts';
import { DETECTORS_VERSION } from '../../../src/domain/privacy/detectors/index.ts';
import { configSchema } from '../../../src/domain/settings/config.ts';
import { pipelineVersionOf } from '../../../src/services/memory/rows.ts';
import { TokenTable } from '../../../src/services/privacy/token-table.ts';
import { createInMemoryIndex } from '../../adapters/index/in-memory-index.ts';
import { conversationOf, type HomeOptions, openHome } from '../memory/home.ts';

const homes: ReturnType<typeof openHome>[] = [];
const home = (options?: HomeOptions) => {
  const one = openHome(options);
  homes.push(one);
  return one;
};
afterEach(async () => {
  for (const one of homes.splice(0)) await one.close();
});

/** An index that writes down all it is given. */
function recording() {
  const index = createInMemoryIndex();
  const given: string[] = [];
  const apply: typeof index.apply = (change, bookmark) => {
    given.push(JSON.stringify(change, (_, value) => (value instanceof Set ? [...value] : value)));
    return index.apply(change, bookmark);
  };
  const describe: typeof index.describe = (id, said) => {
    given.push(JSON.stringify(said));
    return index.describe(id, said);
  };
  return { index: { ...index, apply, describe }, given };
}
const ALL = { privacy: { keep_out_of_index: CATEGORIES, own_names: ['Anna Bergmann'] } };

it('gives the index tokens, the same in all messages, and no private word', async () => {
  const { index, given } = recording();
  const house = home({ index, config: ALL });
  await house.add(
    conversationOf([
      'Anna Bergmann’s number is 138 0013 8000, mail anna@x.example.',
      'I will call 138 0013 8000 about the cellar key.',
    ]),
  );
  await house.indexed();
  const all = given.join('\n');
  for (const words of ['138 0013', 'anna@', 'Bergmann']) expect(all).not.toContain(words);
  expect(all.match(/\[phone-1\]/g)?.length).toBeGreaterThan(1);
  const table = new TokenTable({ keyValues: house.store.keyValues });
  await table.ready();
  expect(table.privateWordsOf('[phone-1]')).toBe('138 0013 8000');
  expect(table.privateWordsOf('[name-1]')).toBe('Anna Bergmann');
});

it('gives the index none of them either as files, links, code and folders write them', async () => {
  const { index, given } = recording();
  const house = home({ index, config: ALL });
  const base64 = btoa('Anna Bergmann, card 4111 1111 1111 1111');
  await house.add(
    conversationOf(
      [
        'See [her](https://x.example/anna-bergmann?tel=%2B49%2030%20901820) and `annaBergmann.ts`.',
        `> by Anna\n> Bergmann\n\n![x](data:text/plain;base64,${base64}) {"to":"anna\\u0040x.example"}`,
      ],
      { title: 'anna_bergmann.pdf', titleBy: 'person', workDir: '/home/Anna Bergmann/flat' },
    ),
  );
  await house.indexed();
  const all = given.join('\n');
  for (const words of [/bergmann/i, /901820/, base64, 'x.example"']) expect(all).not.toMatch(words);
  expect(all).toContain('/home/[name-');
});

it('hides both halves of a key that was cut and went on', async () => {
  const { index, given } = recording();
  const house = home({ index });
  const [id] = await house.add(
    conversationOf(['Which token?', { text: 'The token is ghp_9aXb3LmQ7rT2vK8', finish: 'length' }]),
  );
  await house.indexed();
  const before = await house.documents.read(id as never);
  const cut = [...(before?.messages.values() ?? [])].at(-1);
  await house.documents.change(id as never, {
    messages: [
      {
        id: crypto.randomUUID() as never,
        parentId: cut?.id as never,
        role: 'assistant',
        kind: 'message',
        createdAt: (cut?.createdAt ?? 0) + 1,
        parts: [{ type: 'text', text: 'wN5cZ1yF4dG6hJ0pSeUoI, keep it safe.' }],
        finish: 'stop',
      },
    ],
  });
  given.length = 0;
  await house.indexed();
  const rows = given.join('\n');
  expect(rows).toContain('The token is [key-1]');
  expect(rows).toContain('keep it safe');
  expect(rows).not.toContain('ghp_');
  expect(rows).not.toContain('hJ0pSeUoI');
});

it('cleans anew what older rules let in, once the detectors have another version', async () => {
  const { index, given } = recording();
  const key = 'ghp_9aXb3LmQ7rT2vK8wYz1N4cD6fH5jS0pGeUoA';
  const wanted = configSchema.parse({});
  const before = home({
    index,
    config: {
      privacy: { keep_out_of_index: wanted.privacy.keep_out_of_index.filter((one) => one !== 'secrets') },
    },
  });
  await before.add(conversationOf([`The token is ${key}`]));
  await before.indexed();
  expect(given.join()).toContain(key);
  before.stopEngine();
  // As the older app left it: the same configuration, other rules.
  const older = pipelineVersionOf(wanted.privacy).replace(
    JSON.stringify({ detectors: DETECTORS_VERSION }),
    JSON.stringify({ detectors: DETECTORS_VERSION - 1 }),
  );
  await before.store.keyValues.set('memory.recipe', older);
  given.length = 0;
  const after = home({ index, store: before.store });
  await after.indexed();
  expect(given.join()).toContain('[key-1]');
  expect(given.join()).not.toContain(key);
});

it('takes out the rows of a folder first and at once when it is excluded', async () => {
  const { index, given } = recording();
  const house = home({ index });
  const many = Array.from({ length: 12 }, (_, at) => conversationOf([`Talk ${at} about gardens.`]));
  await house.add(...many, conversationOf(['The cellar key hangs here.'], { workDir: '/home/me/wedding' }));
  await house.indexed();
  given.length = 0;
  house.config.set(configSchema.parse({ privacy: { exclude_work_dirs: ['**/wedding'] } }));
  await vi.waitFor(async () => expect((await index.conversationIds()).size).toBe(12));
  expect(JSON.parse(given[0] ?? '{}')).toMatchObject({ conversations: [], messages: [] });
  expect(JSON.parse(given[0] ?? '{}').removedConversations).toHaveLength(1);
});
