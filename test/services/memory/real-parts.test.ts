// Memory as a whole with its real parts: a log, documents, the engine, Postgres in memory, the shipped model.
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPgliteIndex } from '../../../src/adapters/index/pglite.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import type { Part, RecalledPassage } from '../../../src/domain/chat/message.ts';
import { sampleConversations } from '../../../src/services/library/samples.ts';
import { readAssembled } from '../../adapters/assembled.ts';
import { createInProcessLocalEmbedding } from '../../adapters/embedding/in-process.ts';
import { openDatabase } from '../../adapters/index/database.ts';
import { deep } from '../../scale.ts';
import { conversationOf, type HomeOptions, openHome } from './home.ts';

const MODELS = fileURLToPath(new URL('../../../public/models', import.meta.url));
const NOW = Date.UTC(2026, 5, 1);
const DAY = 86_400_000;
/** A model that embeds a library gets this long on the busiest machine, ms. */
const EMBEDDING_MS = 300_000;

// One database and one of each model for all tests: opening them takes seconds.
const database = await openDatabase();
const index = createPgliteIndex(database, { readAssembly: readAssembled });
const e5 = createInProcessLocalEmbedding({ models: MODELS });
const miniLm = createInProcessLocalEmbedding({ models: MODELS, config: { model: 'all-MiniLM-L6-v2' } });
afterAll(async () => {
  await e5.close();
  await miniLm.close();
  await database.close();
});

const homes: ReturnType<typeof openHome>[] = [];
const home = (options: HomeOptions = {}) => {
  const one = openHome({ index, embedding: e5, now: () => NOW, ...options });
  homes.push(one);
  return one;
};
afterEach(async () => {
  if (homes.length === 0) return;
  for (const one of homes.splice(0)) await one.close();
  await index.clear();
});
const titles = (passages: readonly RecalledPassage[]) => passages.map((passage) => passage.title);

/** Talks about different things in two languages, as an import brings them. */
const LIBRARY = [
  conversationOf(
    [
      'Our nightly job fails since Tuesday: the connection pool is exhausted and Postgres refuses new clients.',
      'Raise max_connections only a little; put PgBouncer in front of Postgres in transaction mode, then 20 server connections are enough.',
      'PgBouncer it is. We set default_pool_size to 20 and the job went through.',
      'Good. Watch out for prepared statements in transaction mode.',
    ],
    { title: 'Connection pool' },
    NOW - 40 * DAY,
  ),
  conversationOf(
    [
      'My sourdough starter does not rise, I feed it with rye flour each morning.',
      'It is probably too cold. A starter likes 26 degrees; the oven with only the light on works.',
    ],
    { title: 'Sourdough' },
    NOW - 300 * DAY,
  ),
  conversationOf(
    [
      'Anna cannot eat hazelnuts, she gets a rash. What cake could I bake for her birthday on May 12?',
      'Bake a lemon cake with almonds instead, if almonds are fine for her.',
    ],
    { title: 'Birthday cake' },
    NOW - 20 * DAY,
  ),
  conversationOf(
    [
      '我打算五月去京都玩五天，有什么推荐的地方？',
      '推荐清水寺、伏见稻荷大社和岚山竹林，樱花季已过，人会少一些。',
      '住在哪里比较方便？',
      '住在京都站附近最方便，去哪里都有直达的巴士。',
    ],
    { title: '京都旅行' },
    NOW - 100 * DAY,
  ),
  conversationOf(
    ['每天凌晨三点用 pg_dump 备份数据库，备份文件保存三十天。', '记得定期演练恢复，否则备份没有意义。'],
    { title: '数据库备份' },
    NOW - 10 * DAY,
  ),
  conversationOf(
    [
      'How do I cancel a fetch request in JavaScript?',
      'Pass the signal of an AbortController to fetch and call abort().',
    ],
    { title: 'Cancel fetch' },
    NOW - 500 * DAY,
  ),
];

const PHOTOS = conversationOf(
  [
    'How often should the photo disk be backed up?',
    'Run restic every night at three; keep thirty daily and twelve monthly snapshots.',
    'And where does the password live?',
    'In the sealed envelope in the kitchen drawer.',
  ],
  { title: 'Backup of the photos' },
  NOW - 42 * DAY,
);

describe('recall with the shipped model', { timeout: EMBEDDING_MS }, () => {
  describe('over one library', () => {
    let house: ReturnType<typeof openHome>;
    beforeAll(async () => {
      house = openHome({ index, embedding: e5, now: () => NOW });
      await house.add(...LIBRARY);
      await house.indexed();
    }, EMBEDDING_MS);
    afterAll(async () => {
      await house.close();
      await index.clear();
    });

    it.each([
      ['What did we do about the exhausted database connections?', 'Connection pool'],
      ['why is my bread starter not rising', 'Sourdough'],
      ['What can Anna not eat?', 'Birthday cake'],
      ['How can I abort a fetch?', 'Cancel fetch'],
      ['我去京都住在哪里好？', '京都旅行'],
      ['数据库什么时候备份？', '数据库备份'],
    ])('finds the right conversation first, above the threshold: %s', async (question, title) => {
      const { passages, mode, degraded } = await house.recall(question);
      expect(titles(passages)[0]).toBe(title);
      expect({ mode, degraded }).toEqual({ mode: 'hybrid', degraded: null });
    });

    it('has what takes a thought more to see as its nearest, be it above the threshold or below', async () => {
      const { passages, nearMisses } = await house.recall('What is Anna allergic to?');
      expect(titles([...passages, ...nearMisses])[0]).toBe('Birthday cake');
    });

    it.each([
      'What is the capital of Mongolia?',
      'Write a haiku about snow',
      '帮我写一首关于大海的诗',
      'Explain quantum entanglement',
    ])('offers nothing where nothing fits: %s', async (question) => {
      expect(titles((await house.recall(question)).passages)).toEqual([]);
    });
  });

  it('finds by words before there is any vector', async () => {
    const { add, engine, recall } = home({ config: { indexing: { every_messages: 1000, on_end: false } } });
    engine().setPaused(true);
    await add(...LIBRARY);
    await engine().settled();
    const { passages, mode } = await recall('PgBouncer transaction mode');
    expect(titles(passages)[0]).toBe('Connection pool');
    expect(mode).toBe('keyword');
    engine().setPaused(false);
  });

  it('does not feed on itself: an answer made of memory is not remembered', async () => {
    const { add, indexed, recall } = home();
    await add(...LIBRARY);
    await indexed();
    const first = await recall('What can Anna not eat?');
    const ledger: Part = {
      type: 'recall',
      query: first.query,
      threshold: first.threshold,
      passages: [...first.passages],
      nearMisses: [...first.nearMisses],
    };
    await add(
      conversationOf([
        'Which presents did we think of?',
        { role: 'assistant', parts: [ledger, { type: 'text', text: 'There was nothing about presents.' }] },
        {
          role: 'assistant',
          kind: 'recall',
          parts: [{ type: 'text', text: first.passages[0]?.passage ?? '' }],
        },
      ]),
    );
    await indexed();
    const again = await recall('What can Anna not eat?');
    expect(again.passages.map(({ messageId }) => messageId)).toEqual(
      first.passages.map(({ messageId }) => messageId),
    );
  });

  it.each([
    ['made from what memory gave', true],
    ['given after memory came too late', false],
  ])(
    'asked again and again in other words, has the source: answers %s',
    async (_, inTime) => {
      const { add, indexed, recall } = home();
      await add(...LIBRARY, PHOTOS);
      await indexed();
      for (const [at, words] of [
        'When did we say the backup of the photo disk runs?',
        'How often did we say the photo disk is backed up?',
        'Remember our schedule for the backup of the photo disk?',
      ].entries()) {
        const found = await recall(words);
        expect(new Set(titles(found.passages)), words).toEqual(new Set(['Backup of the photos']));
        const ledger: Part = {
          type: 'recall',
          query: found.query,
          threshold: found.threshold,
          passages: [...found.passages],
          nearMisses: [...found.nearMisses],
        };
        const parts: Part[] = [
          ...(inTime ? [ledger] : []),
          { type: 'text', text: 'Every night at three, with restic.' },
        ];
        await add(conversationOf([words, { parts }], { title: words }, NOW - DAY + at * 3_600_000));
        await indexed();
      }
    },
    120_000,
  );

  it('never shows a secret or an excluded folder', async () => {
    const { add, indexed, recall, memory } = home();
    await add(
      conversationOf(['The admin password: Tr0ub4dor&3 is for the staging server.', 'Noted.'], {
        title: 'Staging',
      }),
      conversationOf(['The merger with Initech closes in June.', 'I see.'], {
        title: 'M',
        workDir: '/x/secret-project/y',
      }),
    );
    await indexed();
    const { passages, nearMisses } = await recall('password of the staging server admin');
    expect(titles(passages)[0]).toBe('Staging');
    expect(JSON.stringify([passages, nearMisses])).not.toContain('Tr0ub4dor');
    expect(titles((await recall('merger with Initech')).passages)).toEqual([]);
    expect((await memory.stats()).conversations).toBe(1);
  });

  it('has a secret in no column of no table, wherever it was said', async () => {
    const { add, indexed } = home();
    const secret = (n: number) => `Tr0ub4dor${n}x`;
    const key = (n: number) => `password: ${secret(n)}`;
    await add(
      conversationOf([`The staging server: ${key(1)}. Keep it for the harbour office.`, 'Noted.'], {
        title: `Staging, ${key(2)}`,
        summary: `They spoke of ${key(3)} and of the harbour.`,
      }),
      // Title, keywords and summary are made from the words here, and each sentence of them has one.
      conversationOf(
        [
          `${key(4)} opens the harbour office`,
          `The harbour office: ${key(5)}`,
          `密码是${secret(6)}，港口办公室`,
        ],
        { title: '' },
      ),
      conversationOf([
        {
          parts: [
            { type: 'file', mediaType: 'text/plain', name: `${key(7)}.txt`, url: 'data:,x' },
            { type: 'text', text: 'The file of the harbour' },
          ],
        },
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: `They gave me ${key(8)}` },
            { type: 'text', text: `\`\`\`sh\nexport DB_PASSWORD=${secret(9)}\n\`\`\`` },
            {
              type: 'tool-call',
              callId: 'c',
              name: 'Shell',
              arguments: JSON.stringify({ password: secret(10) }),
            },
          ],
        },
        {
          role: 'tool',
          parts: [
            { type: 'tool-result', callId: 'c', name: 'Shell', text: `<password>${secret(11)}</password>` },
          ],
        },
        { role: 'assistant', parts: [{ type: 'text', text: 'The harbour is open.' }] },
      ]),
    );
    await indexed();
    const { rows: tables } = await database.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    const all: string[] = [];
    for (const { name } of tables)
      all.push(
        ...(await database.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`)).rows.map(
          ({ row }) => `${name} ${row}`,
        ),
      );
    expect(all.filter((row) => /harbour|港口/.test(row)).length).toBeGreaterThan(10);
    expect(all.filter((row) => /tr0ub4dor/i.test(row))).toEqual([]);
  });

  it('follows trash, restore and erasure', async () => {
    const { add, indexed, recall, documents } = home();
    const ids = await add(...LIBRARY);
    const cake = ids[2] as ConversationId;
    await indexed();
    const first = async () => titles((await recall('What can Anna not eat?')).passages)[0];
    expect(await first()).toBe('Birthday cake');
    await documents.change(cake, { meta: { deletedAt: NOW } });
    await indexed();
    expect(await first()).toBeUndefined();
    await documents.change(cake, { meta: { deletedAt: null } });
    await indexed();
    expect(await first()).toBe('Birthday cake');
    await documents.erase([cake]);
    await indexed();
    expect(await first()).toBeUndefined();
  });
});

describe('the index with its real parts', () => {
  it('embeds everything again for another model, goes by words meanwhile, and comes back for free', async () => {
    const house = home();
    await house.add(...LIBRARY.slice(0, 3));
    await house.indexed();
    const before = await house.memory.stats();
    expect(before.vectors).toBe(before.chunks);
    house.embedding.set(miniLm);
    expect(titles((await house.recall('hazelnuts rash cake for Anna')).passages)[0]).toBe('Birthday cake');
    await house.until((status) => status.state === 'ready' && status.waiting === 0);
    await house.indexed();
    expect((await house.index.stats(miniLm.id)).vectors).toBe(before.chunks);
    expect(await house.recall('What can Anna not eat?')).toMatchObject({ mode: 'hybrid', degraded: null });
    house.embedding.set(e5);
    await house.indexed();
    expect((await house.index.stats(e5.id)).vectors).toBe(before.chunks);
  });

  it('resumes in the middle of rows and in the middle of vectors', async () => {
    const store = createInMemoryStore();
    const conversations = Array.from({ length: 30 }, (_, i) =>
      conversationOf([
        `Note number ${i}: the ${['red', 'green', 'blue'][i % 3]} boat is in harbour ${i}.`,
        `Noted ${i}.`,
      ]),
    );
    const first = home({ store });
    await first.add(...conversations);
    first.engine().wake('now');
    await first.until((status) => status.state === 'indexing' && status.waiting > 0 && status.waiting < 56);
    first.stopEngine();
    const partly = (await index.stats(e5.id)).vectors;
    expect(partly).toBeGreaterThan(0);
    const second = home({ store });
    await second.indexed();
    const { messages, chunks, vectors } = await index.stats(e5.id);
    expect({ messages, chunks, vectors }).toEqual({ messages: 60, chunks: 60, vectors: 60 });
  });

  describe('over the samples', () => {
    let house: ReturnType<typeof openHome>;
    // Embedding them takes as long as the machine is busy, which is no matter of what is found.
    beforeAll(async () => {
      house = openHome({ index, embedding: e5, now: () => NOW });
      await house.add(
        ...sampleConversations(NOW).map(({ meta, messages }) =>
          conversationOf(
            messages.map(({ role, parts }) => ({ role, parts })),
            meta.title ? { title: meta.title } : {},
            NOW - 30 * DAY,
          ),
        ),
      );
      await house.indexed();
    }, EMBEDDING_MS);
    afterAll(async () => {
      await house.close();
      await index.clear();
    });

    it('does not take one common word for an answer in a small library, and finds what is meant', async () => {
      const { recall } = house;
      for (const foreign of [
        'how do I water tomatoes',
        '番茄多久浇一次水',
        'what is the capital of Australia',
      ])
        expect(
          titles((await recall(foreign, { withContext: false, purpose: 'inject' })).passages),
          foreign,
        ).toEqual([]);
      const bread = await recall('why was my bread flat', { withContext: false });
      expect(titles([...bread.passages, ...bread.nearMisses])[0]).toBe('Sourdough that stays flat');
      const database = await recall('why was the orders page so slow', { withContext: false });
      expect(titles(database.passages)[0]).toBe('A slow query on the orders page');
    });
  });

  it('describes conversations: keywords, summary, title', async () => {
    const { documents, engine, add } = home({ embedding: null });
    const untitled = conversationOf([
      'Please help me plan the vegetable garden behind the house.',
      'Start with the soil.',
    ]);
    await documents.change(untitled.id, untitled.change);
    await add(...LIBRARY);
    await engine().settled();
    const { rows } = await database.query<{ title: string; summary: string; keywords: string[] }>(
      'select title, summary, keywords from conversations order by id',
    );
    expect(rows).toHaveLength(7);
    for (const row of rows) {
      expect(row.summary.length).toBeGreaterThan(10);
      expect(row.keywords.length).toBeGreaterThan(2);
    }
    expect((await documents.read(untitled.id))?.meta.title).toBe(
      'Plan the vegetable garden behind the house',
    );
    expect(rows.map((row) => row.title)).toContain('Plan the vegetable garden behind the house');
  });

  /** Conversations of twenty messages. */
  const MANY = 500;
  deep(
    `makes ${MANY * 20} imported messages findable by words, 10,000 of them well within a minute`,
    async () => {
      const house = home({ embedding: null });
      const subject = ['garden', 'boat', 'budget', 'kernel', '数据库', '旅行'];
      const conversations = Array.from({ length: MANY }, (_, c) =>
        conversationOf(
          Array.from(
            { length: 20 },
            (_, m) =>
              `Message ${m} about the ${subject[(c + m) % subject.length]} of house ${c}. ${'It goes on for a while with ordinary words, 也有一些中文内容在里面。'.repeat(4)}`,
          ),
          { title: `Talk ${c}` },
        ),
      );
      await house.add(...conversations);
      // Work, not waiting: what else the machine does must not decide.
      const before = process.cpuUsage();
      await house.engine().settled();
      const { user, system } = process.cpuUsage(before);
      const took = (user + system) / 1_000;
      const { messages } = await house.memory.stats();
      console.info(`${messages} messages to keyword-searchable: ${Math.round(took)} ms of work`);
      expect(messages).toBe(MANY * 20);
      expect(took).toBeLessThan(6 * messages);
      const { passages, nearMisses } = await house.recall('budget of house 81', {
        filter: { titleContains: 'Talk 81' },
      });
      expect(passages.length + nearMisses.length).toBeGreaterThan(0);
    },
    180_000,
  );
});
