import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EmbeddingProvider } from '../../../src/adapters/embedding/embedding-provider.ts';
import type { IndexQuery, MemoryIndex } from '../../../src/adapters/index/memory-index.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { newConversationId } from '../../../src/domain/base/ids.ts';
import { type Readable, writable } from '../../../src/domain/base/readable.ts';
import { configSchema, defaultConfig } from '../../../src/domain/settings/config.ts';
import type { LibraryEntry } from '../../../src/services/documents/documents.ts';
import { type MemoryStatus, type SearchHit, STARTING } from '../../../src/services/memory/memory.ts';
import { createMemory } from '../../../src/services/memory/memory-service.ts';
import { createHashingEmbedding } from '../../adapters/embedding/hashing.ts';
import { createInMemoryIndex } from '../../adapters/index/in-memory-index.ts';
import { libraryEntry } from '../../fixtures/library-entry.ts';
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
const NOW = Date.UTC(2026, 5, 1);
const signal = () => new AbortController().signal;
const READY: MemoryStatus = {
  ...STARTING,
  state: 'ready',
  embedding: { status: 'ready' },
  engine: 'memory',
};
const TALKED = libraryEntry('talked');
/** List entries of all homes of the test, and one more. */
const listed = () => [TALKED, ...homes.flatMap(({ documents }) => documents.library.get().entries)];
/** A memory without an engine, over the index and provider that a test passes in. */
function memoryOver(
  index: MemoryIndex | null | Readable<MemoryIndex | null>,
  embedding: EmbeddingProvider | null | Readable<EmbeddingProvider | null>,
  status: MemoryStatus | Readable<MemoryStatus> = READY,
  entries: readonly LibraryEntry[] = listed(),
) {
  return createMemory({
    index: index && 'subscribe' in index ? index : writable(index),
    embedding: embedding && 'subscribe' in embedding ? embedding : writable(embedding),
    config: writable(structuredClone(defaultConfig)),
    documents: { library: writable({ ready: true, entries, projects: [] }) },
    status: 'get' in status ? status : writable(status),
    wake: () => {},
    setPaused: () => {},
    rebuild: async () => {},
    now: () => NOW,
  });
}
const library = () => [
  conversationOf(['Where did I put the cellar key?', 'The cellar key hangs behind the kitchen clock.'], {
    title: 'Keys',
  }),
  conversationOf(['My sister is allergic to hazelnuts.', 'Then bake the cake with almonds.'], {
    title: 'Cake',
  }),
  conversationOf(['每天凌晨三点备份数据库。', '好的，备份脚本放在 cron 里。'], {
    title: '备份',
    workDir: '/home/me/Server',
  }),
  conversationOf(['The train to Oslo leaves at seven.', 'Buy the ticket early.'], {
    title: 'Oslo',
    archived: true,
  }),
];

/** A home with the library in its index. */
const remembered = async (options: HomeOptions = {}) => {
  const house = home({ now: () => NOW, ...options });
  await house.add(...library());
  await house.indexed();
  return house;
};

describe('asked again', () => {
  const askings = [
    ['Where is the key of the cellar?', 'Your cellar key hangs behind the kitchen clock.'],
    ['Where did I put that key of the cellar?', 'The key of the cellar is behind the clock in the kitchen.'],
    ['Do I know where that cellar key hangs?', 'Yes: behind the kitchen clock, the cellar key hangs there.'],
  ] as const;

  it('brings the source first each time, not the answers that were made from it', async () => {
    const house = await remembered();
    for (const [at, [question, answer]] of askings.entries()) {
      const { passages, query, threshold } = await house.recall(question);
      expect(passages[0]?.title, question).toBe('Keys');
      expect(passages.map(({ title }) => title)).not.toContain('Asked again');
      const recall = { type: 'recall' as const, query, threshold, passages: [...passages], nearMisses: [] };
      await house.add(
        conversationOf(
          [question, { parts: [recall, { type: 'text', text: answer }] }],
          { title: 'Asked again' },
          NOW + at * 86_400_000,
        ),
      );
      await house.indexed();
    }
    // A person who searches for it still finds it.
    const found: string[] = [];
    await house.memory.search({
      text: 'cellar key',
      filter: {},
      limit: 20,
      signal: signal(),
      onHits: (hits) => found.push(...hits.map(({ title }) => title)),
    });
    expect(found).toContain('Asked again');
  });

  it('brings what an answer said beyond what memory gave', async () => {
    const house = await remembered();
    const { passages, query, threshold } = await house.recall('Where is the key of the cellar?');
    const recall = { type: 'recall' as const, query, threshold, passages: [...passages], nearMisses: [] };
    const answer =
      'It hangs behind the clock. A locksmith cuts a second cellar key for 35 euros in Mill Lane.';
    await house.add(
      conversationOf(
        ['Where is the key of the cellar?', { parts: [recall, { type: 'text', text: answer }] }],
        {
          title: 'Second key',
        },
      ),
    );
    await house.indexed();
    const again = await house.recall('who cuts a second cellar key, and for how many euros?');
    expect(again.passages.map(({ title }) => title)).toContain('Second key');
  });
});

describe('recall', () => {
  it('brings back the passage with its numbers and neighbours', async () => {
    const { recall } = await remembered();
    const result = await recall('where is the cellar key');
    const [best] = result.passages;
    expect(best).toMatchObject({ title: 'Keys', passage: expect.stringContaining('cellar key') });
    const [alone] = (await recall('where is the cellar key', { limit: 1 })).passages;
    expect(alone?.neighbours).toHaveLength(1);
    expect(result.mode).toBe('hybrid');
    expect(result.degraded).toBeNull();
    expect(result.threshold).toBe(0.75);
    expect(result.tokens).toBe(result.passages.reduce((sum, { tokens }) => sum + tokens, 0));
    const { vector, keyword, hybrid, decay, final } = best?.scores ?? {};
    for (const value of [vector, keyword, hybrid, decay, final]) expect(value).toBeGreaterThan(0);
    expect(final).toBeGreaterThanOrEqual(0.75);
    for (const { scores } of result.nearMisses) expect(scores.final).toBeLessThan(0.75);
    const bare = await recall('where is the cellar key', { limit: 1, withContext: false });
    expect(bare.passages[0]?.neighbours).toEqual([]);
  });

  it('has no message twice, as a passage and beside others', async () => {
    const word = fc.constantFrom('boat', 'harbour', 'red', 'keeper', 'sails', 'lamp', 'storm', 'quay');
    const talk = fc.array(fc.array(word, { minLength: 3, maxLength: 8 }), { minLength: 2, maxLength: 6 });
    const recalls = fc.asyncProperty(
      fc.array(talk, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(0, 0.3, 0.6),
      fc.integer({ min: 2, max: 10 }),
      async (talks, threshold, limit) => {
        const house = home({
          now: () => NOW,
          config: { recall: { filters: { min_similarity: threshold } } },
        });
        await house.add(
          ...talks.map((said, n) =>
            conversationOf(said.map((some, at) => `${some.join(' ')}, log ${n}${at}`)),
          ),
        );
        await house.indexed();
        const { passages, nearMisses } = await house.recall('red boat in the harbour', { limit });
        const beside = (some: typeof passages) =>
          some.flatMap(({ neighbours }) => neighbours.map(({ messageId }) => messageId));
        const injected = [...passages.map(({ messageId }) => messageId), ...beside(passages)];
        expect(new Set(injected).size).toBe(injected.length);
        const all = beside([...passages, ...nearMisses]);
        expect(new Set(all).size).toBe(all.length);
      },
    );
    await fc.assert(recalls, { numRuns: 25, seed: 7 });
  });

  it('finds Chinese by Chinese', async () => {
    const { recall } = await remembered();
    const { passages, nearMisses } = await recall('什么时候备份数据库？');
    expect([...passages, ...nearMisses][0]?.title).toBe('备份');
  });

  it('lets the title that a conversation was given speak for its passages, and not one made from its words', async () => {
    const said = ['It spreads like a pancake, every time.', 'The dough is too wet: take less water.'];
    const scoreWith = async (meta: Parameters<typeof conversationOf>[1]) => {
      const { add, indexed, recall } = home({ now: () => NOW });
      await add(conversationOf(said, meta), conversationOf(['The train leaves at seven.', 'Be early.']));
      await indexed();
      const { passages, nearMisses } = await recall('why is the sourdough dough wet');
      return [...passages, ...nearMisses].find(({ passage }) => passage.includes('wet'))?.scores.final ?? 0;
    };
    const untitled = await scoreWith({});
    expect(await scoreWith({ title: 'Sourdough', titleBy: 'person' })).toBeGreaterThan(untitled);
    expect(await scoreWith({ title: 'It spreads like a pancake, every time', titleBy: 'auto' })).toBe(
      untitled,
    );
    expect(await scoreWith({ title: 'Roses', titleBy: 'import' })).toBe(untitled);
  });

  it('leaves the current conversation out, unless the settings say otherwise', async () => {
    const house = home({ now: () => NOW });
    const [keys] = await house.add(...library());
    if (!keys) throw new Error();
    await house.indexed();
    const titles = async () =>
      (await house.recall('where is the cellar key', { currentConversation: keys })).passages.map(
        (p) => p.title,
      );
    expect(await titles()).not.toContain('Keys');
    house.config.set(configSchema.parse({ recall: { filters: { exclude_current_session: false } } }));
    expect(await titles()).toContain('Keys');
  });

  it('keeps within the token budget by cutting, not by dropping the best', async () => {
    const house = home({
      now: () => NOW,
      config: { recall: { context: { max_total_tokens: 300 }, filters: { min_similarity: 0 } } },
    });
    const long = (n: number) =>
      `${'Nothing much. '.repeat(30)}The lighthouse keeper number ${n} sails. ${'More of it. '.repeat(30)}`;
    await house.add(...[1, 2, 3, 4].map((n) => conversationOf([long(n), 'I see.'])));
    await house.indexed();
    const { passages, tokens } = await house.recall('lighthouse keeper sails', { limit: 4 });
    expect(passages).toHaveLength(4);
    expect(tokens).toBeLessThanOrEqual(300);
    for (const { passage } of passages) expect(passage).toContain('lighthouse keeper');
  });

  it('honours limit, filters and the most per conversation', async () => {
    const house = home({ now: () => NOW, config: { recall: { filters: { min_similarity: 0 } } } });
    await house.add(
      conversationOf(
        Array.from({ length: 10 }, (_, i) => `boat number ${i} in the harbour`),
        { title: 'Many' },
      ),
      conversationOf(['one boat in the harbour, a red one'], { title: 'One' }),
    );
    await house.indexed();
    const { passages } = await house.recall('boat harbour', { limit: 10 });
    expect(passages.filter((passage) => passage.title === 'Many')).toHaveLength(3);
    expect((await house.recall('boat harbour', { limit: 2 })).passages).toHaveLength(2);
    const filtered = await house.recall('boat harbour', { filter: { titleContains: 'one' } });
    expect(filtered.passages.map((passage) => passage.title)).toEqual(['One']);
  });

  it('keeps to a folder and what lies in it, letter by letter', async () => {
    const house = home({ now: () => NOW, config: { recall: { filters: { min_similarity: 0 } } } });
    const folders = ['/home/u/app', '/home/u/app/src', '/home/u/app-old', '/mnt/home/u/app', '/home/u/App'];
    await house.add(
      ...[...folders, null].map((workDir) =>
        conversationOf([`the red boat of ${workDir}`], { title: workDir ?? 'none', workDir }),
      ),
    );
    await house.indexed();
    for (const workDir of ['/home/u/app', '/home/u/app/']) {
      const { passages } = await house.recall('red boat', { limit: 10, filter: { workDir } });
      expect(passages.map(({ title }) => title).sort()).toEqual(['/home/u/app', '/home/u/app/src']);
    }
  });

  it('goes by words when the model fails, and says so', async () => {
    const broken: EmbeddingProvider = {
      ...createHashingEmbedding(),
      embed: async () => {
        throw new RecollectError('embedding-missing', 'no files', { retry: true });
      },
    };
    const house = home({ now: () => NOW, embedding: broken });
    await house.add(...library());
    await house.engine().settled();
    const result = await house.recall('where is the cellar key');
    expect(result.passages[0]?.title).toBe('Keys');
    expect(result).toMatchObject({ mode: 'keyword', degraded: { code: 'embedding-missing' } });
    expect(result.passages[0]?.scores.vector).toBeNull();
  });

  it('says that memory is behind where nothing was found and much has no vectors yet', async () => {
    const { index, embedding } = await remembered();
    const memory = (waiting: number) =>
      memoryOver(index, embedding.get(), { ...READY, state: 'indexing', waiting });
    const asked = (waiting: number, text: string) => memory(waiting).recall({ text, signal: signal() });
    expect((await asked(10, 'the moons of Jupiter')).degraded?.code).toBe('memory-behind');
    expect((await asked(9, 'the moons of Jupiter')).degraded).toBeNull();
    expect((await asked(10, 'where is the cellar key')).degraded).toBeNull();
  });

  it('says so of a small library, too, where nothing of what was found by words has vectors yet', async () => {
    const house = home({ now: () => NOW, embedding: null });
    await house.add(...library());
    await house.engine().settled();
    const memory = (waiting: number) =>
      memoryOver(house.index, createHashingEmbedding(), { ...READY, waiting });
    const asked = (waiting: number) =>
      memory(waiting).recall({ text: 'What of a key, oars and boats?', signal: signal() });
    expect(await asked(2)).toMatchObject({ passages: [], degraded: { code: 'memory-behind' } });
    expect(await asked(0)).toMatchObject({ passages: [], degraded: null });
  });

  it('does not ask an English model about Chinese', async () => {
    let asked = 0;
    const english: EmbeddingProvider = {
      ...createHashingEmbedding(),
      languages: ['en'],
      embed: async (texts, options) => {
        if (options.kind === 'query') asked += 1;
        return createHashingEmbedding().embed(texts, options);
      },
    };
    const house = await remembered({ embedding: english });
    const result = await house.recall('数据库备份');
    expect(result).toMatchObject({ mode: 'keyword', degraded: null });
    expect([...result.passages, ...result.nearMisses][0]?.title).toBe('备份');
    expect(asked).toBe(0);
  });

  it('brings no question back to who asks it again, unless it was answered', async () => {
    const house = await remembered();
    const question = 'Where does the cellar key hang?';
    await house.add(conversationOf([question], { title: 'Asked before' }));
    await house.indexed();
    const titles = (result: Awaited<ReturnType<typeof house.recall>>) =>
      [...result.passages, ...result.nearMisses].map(({ title }) => title);
    expect(titles(await house.recall('Where does the cellar key hang'))).not.toContain('Asked before');
    expect((await house.recall(question)).passages[0]?.title).toBe('Keys');
    // Other words do not find it either: without an answer the question says nothing.
    expect(titles(await house.recall('What about the cellar key, where does it hang?'))).not.toContain(
      'Asked before',
    );
    expect(titles(await house.recall('What about the cellar key?'))).not.toContain('Asked before');
    await house.add(conversationOf([question, 'On the nail by the oven.'], { title: 'Answered' }));
    await house.indexed();
    expect(titles(await house.recall(question))).toContain('Answered');
  });
  it('waits for an index that is starting', async () => {
    const index = createInMemoryIndex();
    const here = writable<MemoryIndex | null>(null);
    const memory = memoryOver(here, null);
    const asked = memory.recall({ text: 'anything', signal: signal() });
    setTimeout(() => here.set(index), 60);
    expect(await asked).toMatchObject({
      passages: [],
      mode: 'keyword',
      degraded: { code: 'memory-behind' },
    });
  });

  it('goes on as soon as the index is announced, and leaves no timer behind', async () => {
    const house = await remembered();
    vi.useFakeTimers();
    try {
      const here = writable<MemoryIndex | null>(null);
      const provider = writable<EmbeddingProvider | null>(null);
      const status = writable<MemoryStatus>(STARTING);
      const asked = memoryOver(here, provider, status).recall({ text: 'cellar key', signal: signal() });
      await vi.advanceTimersByTimeAsync(1_000);
      provider.set(house.embedding.get());
      here.set(house.index);
      status.set(READY);
      // No time passes: neither wait may look by the clock.
      expect((await asked).mode).toBe('hybrid');
      await vi.advanceTimersByTimeAsync(1_000);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('waits for an index that is made again, however long it has nothing', async () => {
    const house = await remembered();
    vi.useFakeTimers();
    try {
      const empty = createInMemoryIndex();
      let isFilled = false;
      const here: MemoryIndex = {
        ...empty,
        search: (query) => (isFilled ? house.index : empty).search(query),
        neighbours: (...given) => house.index.neighbours(...given),
      };
      const status = writable<MemoryStatus>(STARTING);
      const asked = memoryOver(here, null, status).recall({ text: 'cellar key', signal: signal() });
      await vi.advanceTimersByTimeAsync(10_000);
      isFilled = true;
      status.set(READY);
      await vi.advanceTimersByTimeAsync(100);
      const { passages, nearMisses } = await asked;
      expect([...passages, ...nearMisses][0]?.passage).toContain('cellar key');
    } finally {
      vi.useRealTimers();
    }
  });

  it('asks a model by meaning that becomes known while the index is opened', async () => {
    const house = await remembered();
    const status = writable<MemoryStatus>(STARTING);
    const here = writable<MemoryIndex | null>(null);
    const provider = writable<EmbeddingProvider | null>(null);
    const memory = memoryOver(here, provider, status);
    const asked = memory.recall({ text: 'where is the cellar key', signal: signal() });
    provider.set(house.embedding.get());
    here.set(house.index);
    status.set(READY);
    expect(await asked).toMatchObject({ mode: 'hybrid', degraded: null });
  });

  it('waits for an index that takes its time, and for what that reads first', async () => {
    const house = await remembered();
    vi.useFakeTimers();
    try {
      const here = writable<MemoryIndex | null>(null);
      const status = writable<MemoryStatus>(STARTING);
      const asked = memoryOver(here, null, status).recall({ text: 'cellar key', signal: signal() });
      await vi.advanceTimersByTimeAsync(20_000);
      here.set(createInMemoryIndex());
      await vi.advanceTimersByTimeAsync(500);
      here.set(house.index);
      status.set(READY);
      await vi.advanceTimersByTimeAsync(100);
      const { passages, nearMisses } = await asked;
      expect([...passages, ...nearMisses][0]?.passage).toContain('cellar key');
    } finally {
      vi.useRealTimers();
    }
  });

  it('answers from the index that is made again where the one it asked was damaged inside', async () => {
    const house = await remembered();
    let isClosed = false;
    const damaged: MemoryIndex = {
      ...createInMemoryIndex(),
      search: async () => {
        if (isClosed) throw new RecollectError('index-unavailable', 'The index was closed.');
        throw new RecollectError('index-damaged', 'a page is not what was written', { retry: true });
      },
    };
    for (const ask of ['recall', 'search'] as const) {
      const here = writable<MemoryIndex | null>(damaged);
      isClosed = false;
      const status = writable<MemoryStatus>(READY);
      const memory = memoryOver(here, createHashingEmbedding(), status);
      let hits: readonly SearchHit[] = [];
      const asked =
        ask === 'recall'
          ? memory.recall({ text: 'where is the cellar key', signal: signal() })
          : memory.search({
              text: 'cellar key',
              filter: {},
              limit: 5,
              signal: signal(),
              onHits: (found) => {
                hits = found;
              },
            });
      // The engine meets the damage, too.
      status.set({ ...READY, state: 'failed' });
      setTimeout(() => {
        isClosed = true;
        status.set(STARTING);
        here.set(null);
      }, 40);
      setTimeout(() => {
        here.set(house.index);
        status.set({ ...READY, unread: 3 });
      }, 80);
      setTimeout(() => status.set(READY), 160);
      const found = await asked;
      const best = found ? [...found.passages, ...found.nearMisses][0]?.passage : hits[0]?.snippet;
      expect(best).toContain('cellar key');
    }
    isClosed = false;
    const last = writable<MemoryIndex | null>(damaged);
    const hopeless = memoryOver(last, null, { ...READY, state: 'failed' });
    const asked = hopeless.recall({ text: 'key', signal: signal() });
    setTimeout(() => last.set(null), 40);
    expect(await asked).toMatchObject({ unavailable: true, degraded: { code: 'index-damaged' } });
  });

  it('asks again where another engine took over meanwhile, that has not read yet what the one before had', async () => {
    const house = await remembered();
    for (const ask of ['recall', 'search'] as const) {
      const before = { ...house.index };
      const after = { ...house.index };
      const here = writable<MemoryIndex | null>(before);
      const status = writable<MemoryStatus>(READY);
      let looks = 0;
      // The first answer comes from the new index, which is empty.
      before.search = async (wanted) => {
        looks += 1;
        status.set(STARTING);
        here.set(after);
        setTimeout(() => status.set(READY), 60);
        return createInMemoryIndex().search(wanted);
      };
      after.search = async (wanted) => {
        looks += 1;
        expect(status.get().state).toBe('ready');
        return house.index.search(wanted);
      };
      const memory = memoryOver(here, null, status);
      const finals: string[][] = [];
      const asked =
        ask === 'recall'
          ? memory.recall({ text: 'where is the cellar key', signal: signal() })
          : memory.search({
              text: 'cellar key',
              filter: {},
              limit: 5,
              signal: signal(),
              onHits: (found, final) => {
                if (final) finals.push(found.map(({ snippet }) => snippet));
              },
            });
      const found = await asked;
      const best = found ? [...found.passages, ...found.nearMisses][0]?.passage : finals.flat()[0];
      expect(best, ask).toContain('cellar key');
      expect(looks, ask).toBe(2);
      if (ask === 'search') expect(finals).toHaveLength(1);
    }
  });

  it('waits for no index where nothing was said before', async () => {
    const ask = (entries: readonly LibraryEntry[]) =>
      memoryOver(null, null, STARTING, entries).recall({
        text: 'anything',
        currentConversation: TALKED.id,
        signal: AbortSignal.timeout(200),
      });
    const nothing = { passages: [], nearMisses: [], degraded: null };
    expect(await ask([])).toMatchObject(nothing);
    expect(await ask([TALKED])).toMatchObject(nothing);
    expect(await ask([TALKED, libraryEntry('other', { deletedAt: NOW })])).toMatchObject(nothing);
    await expect(ask([TALKED, libraryEntry('other')])).rejects.toThrow();
  });

  it('has a model made ready where something was said that could be recalled', () => {
    let prepared = 0;
    const provider = {
      ...createHashingEmbedding(),
      prepare: () => {
        prepared += 1;
      },
    };
    memoryOver(null, provider, STARTING, []).prepare();
    expect(prepared).toBe(0);
    memoryOver(null, provider, STARTING).prepare();
    expect(prepared).toBe(1);
    createMemory({
      index: writable(null),
      embedding: writable(provider),
      config: writable(structuredClone(defaultConfig)),
      documents: { library: writable({ ready: false, entries: [], projects: [] }) },
      status: writable(STARTING),
      wake: () => {},
      setPaused: () => {},
      rebuild: async () => {},
    }).prepare();
    expect(prepared, 'not before it is known what there is').toBe(1);
    memoryOver(null, createHashingEmbedding()).prepare();
  });

  it('answers with nothing and the reason when the index cannot be had', async () => {
    const problem = { code: 'newer-index', message: 'newer', retry: false } as const;
    const memory = memoryOver(null, null, { ...READY, state: 'failed', problem });
    expect(await memory.recall({ text: 'anything', signal: signal() })).toMatchObject({
      passages: [],
      nearMisses: [],
      degraded: problem,
      unavailable: true,
    });
    const down: MemoryIndex = {
      ...createInMemoryIndex(),
      search: async () => {
        throw new RecollectError('index-unavailable', 'gone', { retry: true });
      },
    };
    expect((await memoryOver(down, null).recall({ text: 'anything', signal: signal() })).degraded?.code).toBe(
      'index-unavailable',
    );
  });

  it('does not wait for ever for an index that does not answer', async () => {
    vi.useFakeTimers();
    try {
      const mute: MemoryIndex = { ...createInMemoryIndex(), search: () => new Promise(() => {}) };
      const asked = memoryOver(mute, null).recall({ text: 'anything', signal: signal() });
      await vi.advanceTimersByTimeAsync(31_000);
      expect(await asked).toMatchObject({ unavailable: true, degraded: { code: 'index-unavailable' } });
    } finally {
      vi.useRealTimers();
    }
  });

  it('looks up the words of a question once', async () => {
    const house = await remembered();
    const asked: IndexQuery[] = [];
    const known = { index: 'this', best: [], statistics: { perWord: 0, weights: new Map() } };
    const index: MemoryIndex = {
      ...house.index,
      search: async (query) => {
        asked.push(query);
        const found = await house.index.search(query);
        return query.after ? found : { ...found, knownWords: known };
      },
    };
    const memory = memoryOver(index, house.embedding);
    await memory.recall({ text: 'where is the cellar key', signal: signal() });
    await memory.search({ text: 'cellar key', filter: {}, limit: 5, signal: signal(), onHits: () => {} });
    expect(asked.map(({ vector, knownWords }) => [vector !== undefined, knownWords])).toEqual([
      [false, undefined],
      [true, known],
      [false, undefined],
      [true, known],
    ]);
  });

  it('looks up the words while the model reads, and ends with whichever fails or is given up', async () => {
    const house = await remembered();
    const asked: unknown[] = [];
    const index: MemoryIndex = {
      ...house.index,
      search: (query) => {
        asked.push(query.vector === undefined ? 'words' : 'meaning');
        return house.index.search(query);
      },
    };
    let read = () => {};
    const reading = new Promise<void>((resolve) => {
      read = resolve;
    });
    const hashing = createHashingEmbedding();
    const slow: EmbeddingProvider = {
      ...hashing,
      embed: (...given) => reading.then(() => hashing.embed(...given)),
    };
    const request = { text: 'where is the cellar key' };
    const found = memoryOver(index, slow).recall({ ...request, signal: signal() });
    await vi.waitFor(() => expect(asked).toEqual(['words']));
    read();
    expect(await found).toEqual({
      ...(await house.recall(request.text)),
      tookMs: expect.any(Number),
    });
    expect(asked).toEqual(['words', 'meaning']);

    const broken: EmbeddingProvider = {
      ...hashing,
      embed: () => Promise.reject(new RecollectError('embedding-broken', 'no')),
    };
    expect(await memoryOver(index, broken).recall({ ...request, signal: signal() })).toMatchObject({
      mode: 'keyword',
      degraded: { code: 'embedding-broken' },
    });
    const never: EmbeddingProvider = { ...hashing, embed: () => new Promise(() => {}) };
    const giving = new AbortController();
    const given = memoryOver(index, never).recall({ ...request, signal: giving.signal });
    giving.abort();
    await expect(given).rejects.toThrow();
  });

  it('asks nothing for an empty question, and rejects when it is given up', async () => {
    const memory = memoryOver(createInMemoryIndex(), createHashingEmbedding());
    expect((await memory.recall({ text: '  ', signal: signal() })).passages).toEqual([]);
    await expect(memory.recall({ text: 'x', signal: AbortSignal.abort() })).rejects.toThrow();
  });

  it('prefers the newer of two equal answers, and still finds the old one', async () => {
    const house = home({ now: () => NOW, config: { recall: { filters: { min_similarity: 0 } } } });
    const ids = await house.add(
      conversationOf(
        ['the wifi code of the cabin is on the fridge'],
        { title: 'old' },
        NOW - 700 * 86_400_000,
      ),
      conversationOf(['the wifi code of the cabin hangs on the fridge'], { title: 'new' }, NOW - 86_400_000),
    );
    await house.indexed();
    const { passages } = await house.recall('wifi code of the cabin on the fridge');
    expect(passages).toHaveLength(ids.length);
    expect(passages.map((passage) => passage.title)).toEqual(['new', 'old']);
    expect(passages[1]?.scores.decay).toBeCloseTo(Math.exp(-0.7));
  });
});

describe('search', () => {
  const run = async (house: ReturnType<typeof openHome>, text: string, filter = {}, limit = 20) => {
    const calls: { hits: readonly SearchHit[]; final: boolean }[] = [];
    await house.memory.search({
      text,
      filter,
      limit,
      signal: signal(),
      onHits: (hits, final) => calls.push({ hits, final }),
    });
    return calls;
  };

  it('shows words at once, then adds meaning to what is there', async () => {
    const house = await remembered();
    const calls = await run(house, 'cellar key');
    expect(calls.map((call) => call.final)).toEqual([false, true]);
    const [first, last] = calls.map((call) => call.hits.map((hit) => hit.messageId));
    expect(first?.length).toBeGreaterThan(0);
    expect(last?.filter((id) => first?.includes(id))).toEqual(first);
    expect(calls.at(-1)?.hits[0]?.snippet).toContain('cellar key');
    expect(calls.at(-1)?.hits.some((hit) => hit.scores?.vector != null)).toBe(true);
  });

  it('lists what it ends with by how close it says it is, also above what the words found', async () => {
    const house = await remembered();
    const others = conversationOf(['The key of C major has no sharps.', 'Nor has A minor.'], {
      title: 'Music',
    });
    await house.add(others);
    await house.indexed();
    const index: MemoryIndex = {
      ...house.index,
      search: async (query) => {
        const found = await house.index.search(query);
        if (query.vector !== undefined) return found;
        return { ...found, candidates: found.candidates.filter(({ title }) => title === 'Music') };
      },
    };
    const calls: { hits: readonly SearchHit[]; final: boolean }[] = [];
    await memoryOver(index, house.embedding).search({
      text: 'cellar key',
      filter: {},
      limit: 20,
      signal: signal(),
      onHits: (hits, final) => calls.push({ hits, final }),
    });
    expect(calls[0]?.hits.map(({ title }) => title)).toEqual(['Music']);
    const last = calls.at(-1)?.hits ?? [];
    expect(last.map(({ title }) => title)).toContain('Music');
    expect(last[0]?.title).toBe('Keys');
    const finals = last.map(({ scores }) => scores?.final ?? 0);
    expect(finals).toEqual(finals.toSorted((one, other) => other - one));
  });

  it('narrows by title, person, folder and state', async () => {
    const house = await remembered();
    const titles = async (text: string, filter: object) =>
      (await run(house, text, filter)).at(-1)?.hits.map((hit) => hit.title) ?? [];
    expect(await titles('cellar key', { titleContains: 'cake' })).toEqual([]);
    expect((await run(house, 'cellar key', { roles: ['assistant'] })).at(-1)?.hits[0]?.role).toBe(
      'assistant',
    );
    expect(await titles('备份', { workDir: 'server' })).toContain('备份');
    expect(await titles('备份', { workDir: '/elsewhere' })).toEqual([]);
    expect(await titles('train oslo', { archived: false })).not.toContain('Oslo');
    expect((await run(house, 'train oslo')).at(-1)?.hits[0]).toMatchObject({ title: 'Oslo', archived: true });
  });

  it('lists the newest messages that pass the filters where there are no words, and says how many they are', async () => {
    const house = await remembered();
    const list = async (filter: object, limit = 20) => {
      const calls: { said: string[]; scores: unknown; final: boolean; total: number | undefined }[] = [];
      await house.memory.search({
        text: '',
        filter,
        limit,
        signal: signal(),
        onHits: (hits, final, total) =>
          calls.push({
            said: hits.map(({ snippet }) => snippet),
            scores: hits[0]?.scores,
            final,
            total,
          }),
      });
      expect(calls).toHaveLength(1);
      return calls[0];
    };
    expect(await list({ roles: ['user'] }, 3)).toMatchObject({ scores: null, final: true, total: 4 });
    expect((await list({ roles: ['user'] }, 3))?.said).toHaveLength(3);
    expect((await list({ workDir: 'server' }))?.said).toEqual([
      '好的，备份脚本放在 cron 里。',
      '每天凌晨三点备份数据库。',
    ]);
    expect((await list({ archived: true, roles: ['user'] }))?.said).toEqual([
      'The train to Oslo leaves at seven.',
    ]);
    expect(await list({ workDir: '/elsewhere' })).toMatchObject({ said: [], total: 0 });
    expect(await list({ after: NOW })).toMatchObject({ said: [], total: 0 });
  });

  it('finds one Han character and an emoji in messages, newest first', async () => {
    const house = await remembered();
    const deep = 'x '.repeat(300);
    await house.add(
      conversationOf(['启动 🚀 了', `${deep}❤${deep}`], { title: 'Launch' }, Date.UTC(2026, 2, 1)),
    );
    await house.indexed();
    const shown = async (text: string, limit = 20) =>
      (await run(house, text, {}, limit)).at(-1)?.hits.map(({ snippet }) => snippet) ?? [];
    expect((await shown('备')).slice(0, 2)).toEqual([
      '好的，备份脚本放在 cron 里。',
      '每天凌晨三点备份数据库。',
    ]);
    expect(await shown('备', 1)).toEqual(['好的，备份脚本放在 cron 里。']);
    expect((await shown('了'))[0]).toBe('启动 🚀 了');
    expect((await shown(' 🚀 '))[0]).toBe('启动 🚀 了');
    expect((await shown('❤️'))[0]).toContain('❤');
    expect((await run(house, '备', { roles: ['user'] }, 1)).at(-1)?.hits[0]?.role).toBe('user');
  });

  it('answers once where there is no model or nothing to find, and says what is wrong where there is no index', async () => {
    const wordsOnly = home({ now: () => NOW, embedding: null });
    await wordsOnly.add(...library());
    await wordsOnly.engine().settled();
    const calls = await run(wordsOnly, 'cellar key');
    expect(calls.at(-1)).toMatchObject({ final: true });
    expect(calls.at(-1)?.hits.length).toBeGreaterThan(0);
    expect((await run(wordsOnly, '')).at(-1)).toEqual({ hits: [], final: true });
    const problem = { code: 'storage-full', message: 'no room', retry: true } as const;
    const search = (status: MemoryStatus) =>
      memoryOver(null, null, status).search({
        text: 'x',
        filter: {},
        limit: 5,
        signal: signal(),
        onHits: () => expect.fail('there is nothing to be found in no index'),
      });
    await expect(search({ ...READY, state: 'failed', problem })).rejects.toMatchObject({ problem });
    await expect(search({ ...READY, state: 'failed' })).rejects.toMatchObject({
      problem: { code: 'index-unavailable' },
    });
  });

  it('stops when it is given up', async () => {
    const house = await remembered();
    const controller = new AbortController();
    const searching = house.memory.search({
      text: 'cellar',
      filter: {},
      limit: 5,
      signal: controller.signal,
      onHits: () => controller.abort(),
    });
    await expect(searching).rejects.toThrow();
  });

  it('counts what there is', async () => {
    const house = await remembered();
    expect(await house.memory.stats()).toMatchObject({
      conversations: 4,
      messages: 8,
      chunks: 8,
      vectors: 8,
    });
    expect(newConversationId()).not.toBe(newConversationId());
  });
});

describe('late interaction', () => {
  /** Whole vectors by shared words; every piece is the same, so all passages look alike by their pieces. */
  const reading = (id: string): EmbeddingProvider => {
    const plain = createHashingEmbedding();
    return {
      ...plain,
      id,
      read: async (texts, options) =>
        (
          await plain.embed(
            texts.map(({ text }) => text),
            options,
          )
        ).map((vector) => ({
          vector,
          bits: new Uint8Array(options.kind === 'passage' ? 32 : 0).fill(255),
          tokens: new Float32Array(options.kind === 'query' ? 256 : 0).fill(1 / 16),
          weights: new Float32Array(options.kind === 'query' ? 1 : 0).fill(1),
        })),
    };
  };
  const lateOf = async (id: string) => {
    const one = home({ embedding: reading(id), config: { recall: { filters: { min_similarity: 0 } } } });
    await one.add(...library());
    await one.indexed();
    return (await one.recall('cellar key')).passages[0]?.scores;
  };

  it('counts where the pieces of the model are centred', async () => {
    expect((await lateOf('local/multilingual-e5-small-en-zh/q8-centred-4'))?.late).toBe(1);
  });

  it('is left away for every other model, whose pieces have no known zero', async () => {
    const scores = await lateOf('local/all-MiniLM-L6-v2/q8');
    expect(scores?.late).toBeNull();
    expect(scores?.vector).toBeGreaterThan(0);
  });
});
