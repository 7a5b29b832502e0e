import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EmbeddingProvider } from '../../../src/adapters/embedding/embedding-provider.ts';
import type { MemoryIndex } from '../../../src/adapters/index/memory-index.ts';
import type { LogEntry } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { LIBRARY_DOCUMENT, newEntryId, newMessageId } from '../../../src/domain/base/ids.ts';
import type { Message, Part, RecalledPassage, ToolRecall } from '../../../src/domain/chat/message.ts';
import { isMemoryTool, MEMORY_TOOLS } from '../../../src/domain/memory/own-tools.ts';
import { configSchema, defaultConfig } from '../../../src/domain/settings/config.ts';
import { TOOLS } from '../../../src/services/chat/tools/index.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { messageRow } from '../../../src/services/memory/rows.ts';
import { createHashingEmbedding } from '../../adapters/embedding/hashing.ts';
import { createInMemoryIndex } from '../../adapters/index/in-memory-index.ts';
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

const HASHING = createHashingEmbedding();
/** A provider that counts its calls and can fail or be slow on demand. */
function watched(more: Partial<EmbeddingProvider> = {}) {
  const asked: string[] = [];
  const state = { failing: null as Error | null, gate: null as Promise<void> | null };
  const provider: EmbeddingProvider = {
    ...HASHING,
    maxBatch: 4,
    ...more,
    get concurrency() {
      return more.concurrency ?? 1;
    },
    embed: async (texts, options) => {
      await state.gate;
      options.signal.throwIfAborted();
      if (state.failing) throw state.failing;
      if (options.kind === 'passage') asked.push(...texts);
      return HASHING.embed(texts, options);
    },
  };
  return { provider, asked, state };
}
const found = async (index: MemoryIndex, words: string) =>
  (await index.search({ words, filter: {}, limit: 50 })).candidates.map((candidate) => candidate.text);

/** A passage of memory about an animal. */
const QUOTED: RecalledPassage = {
  conversationId: 'c',
  messageId: 'm',
  title: '',
  createdAt: 1,
  role: 'user',
  passage: 'the zebra crossed the river',
  neighbours: [],
  scores: { vector: 1, keyword: 1, hybrid: 1, decay: 1, final: 1 },
  tokens: 6,
};
const ZEBRA: ToolRecall = { query: 'zebra', threshold: 0.75, passages: [QUOTED], nearMisses: [QUOTED] };

describe('the projector', () => {
  it('finds the sentence in which an answer was cut off in the piece that goes on with it, but no secret', async () => {
    const { add, engine, index } = home();
    const answer = (text: string, finish: 'length' | 'stopped' | 'stop') =>
      ({ text, finish, role: 'assistant' }) as const;
    await add(
      conversationOf([
        'Where is the ladder?',
        answer('I looked. It leans on the cup', 'length'),
        answer('board wall. Mind the paint.', 'stopped'),
        answer(' It is wet.', 'stop'),
      ]),
    );
    await add(
      conversationOf([
        'And the wifi?',
        answer('Here it is: password=Gr4pe', 'length'),
        answer('fruit77 in the kitchen.', 'stop'),
      ]),
    );
    await engine().settled();
    expect(await found(index, 'cupboard')).toEqual(['It leans on the cupboard wall. Mind the paint.']);
    expect(await found(index, 'wet')).toEqual(['It is wet.']);
    expect((await found(index, 'kitchen')).join()).not.toContain('fruit77');
  });

  it('makes what was written before and after its start findable by words', async () => {
    const { add, engine, index, documents } = home();
    await add(conversationOf(['Where is the cellar key?', 'Behind the clock.']));
    await engine().settled();
    expect(await found(index, 'cellar')).toEqual(['Where is the cellar key?']);
    const typed = conversationOf(['The bicycle needs a new chain.']);
    await documents.change(typed.id, typed.change);
    await engine().settled();
    expect(await found(index, 'chain')).toHaveLength(1);
  });

  it('announces that it has read on, though no figure of the status changes', async () => {
    const { add, engine, index, status, store } = home();
    await add(conversationOf(['Where is the cellar key?', 'Behind the clock.']));
    await engine().settled();
    const before = status.get();
    const announced: (readonly [unread: number, bookmark: Promise<number>])[] = [];
    status.subscribe(() => announced.push([status.get().unread, index.bookmark()]));
    const entry = { id: newEntryId(), document: LIBRARY_DOCUMENT, origin: 'user' } as const;
    await store.log.append([{ ...entry, bytes: new Uint8Array([0, 0]) }]);
    await engine().settled();
    expect(status.get()).toEqual(before);
    const [unread, bookmark] = announced.at(-1) ?? [];
    expect([unread, await bookmark]).toEqual([0, await store.log.head()]);
  });

  it('finds an answer by the words that came to it later', async () => {
    const { add, engine, index, documents } = home();
    const half = conversationOf(['Where is the cellar key?', 'Behind the clo']);
    await add(half);
    await engine().settled();
    const answer = half.change.messages[1] as (typeof half.change.messages)[number];
    const whole = {
      ...answer,
      parts: [{ type: 'text' as const, text: 'Behind the clock, on the piano.' }],
    };
    await documents.change(half.id, { completed: [whole] });
    await engine().settled();
    expect(await found(index, 'piano')).toEqual(['Behind the clock, on the piano.']);
    expect(await found(index, 'clo')).toEqual([]);
  });

  it('says that something is unread from the moment it was written, however long the index takes', async () => {
    const inner = createInMemoryIndex();
    let gate: Promise<void> | null = null;
    let open: () => void = () => {};
    const index: MemoryIndex = {
      ...inner,
      bookmark: async () => {
        await gate;
        return inner.bookmark();
      },
    };
    const { add, engine, documents, status } = home({ index });
    await add(conversationOf(['Where is the cellar key?']));
    await engine().settled();
    expect(status.get()).toMatchObject({ state: 'ready', unread: 0 });
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const typed = conversationOf(['The bicycle needs a new chain.']);
    await documents.change(typed.id, typed.change);
    await vi.waitFor(() => expect(status.get().unread).toBe(1));
    open();
    await engine().settled();
    expect(status.get()).toMatchObject({ state: 'ready', unread: 0 });
  });

  it('goes on where the last engine stopped', async () => {
    const store = createInMemoryStore();
    const index = createInMemoryIndex();
    const first = home({ store, index });
    await first.add(conversationOf(['one apple']));
    await first.indexed();
    const bookmark = await index.bookmark();
    first.stopEngine();
    await first.add(conversationOf(['two pears']));
    expect(await found(index, 'pear')).toEqual([]);
    const second = home({ store, index });
    await second.engine().settled();
    expect(await found(index, 'pear')).toEqual(['two pears']);
    expect(await index.bookmark()).toBeGreaterThan(bookmark);
    expect(await found(index, 'appl')).toEqual(['one apple']);
  });

  it('follows the trash: out when thrown away, back when restored, gone when erased', async () => {
    const { add, engine, index, documents } = home();
    const [id] = await add(conversationOf(['the recipe for plum jam']));
    if (!id) throw new Error();
    await engine().settled();
    await documents.change(id, { meta: { deletedAt: 5 } });
    await engine().settled();
    expect(await found(index, 'plum')).toEqual([]);
    await documents.change(id, { meta: { deletedAt: null } });
    await engine().settled();
    expect(await found(index, 'plum')).toHaveLength(1);
    await documents.erase([id]);
    await engine().settled();
    expect(await found(index, 'plum')).toEqual([]);
    expect((await index.stats('')).messages).toBe(0);
  });

  it('notes whose keywords are old before it moves on: a kill in between loses none', async () => {
    const store = createInMemoryStore();
    const inner = createInMemoryIndex();
    let isKilled = false;
    const index: MemoryIndex = {
      ...inner,
      apply: async (...change) => {
        await inner.apply(...change);
        if (isKilled) throw new Error('The tab was killed');
      },
    };
    const house = home({ store, index, embedding: null });
    const kept = conversationOf(['The boiler drips.', 'Call him.']);
    await house.add(kept);
    await house.indexed();
    isKilled = true;
    const more = conversationOf(['And the tap leaks.']).change.messages;
    await house.documents.change(kept.id, { messages: more });
    await expect.poll(async () => await inner.bookmark()).toBe(await store.log.head());
    expect(await store.keyValues.get('memory.undescribed')).toEqual([kept.id]);
  });

  it('takes the words of a message that is gone out of keywords and summary at once, without a model', async () => {
    const { documents, engine, index } = home({ embedding: null });
    const conversation = conversationOf(['Quillfeather sings in the choir.', 'The choir meets on Monday.']);
    await documents.change(conversation.id, conversation.change);
    await engine().settled();
    const described = async () => JSON.stringify((await index.overview('none')).conversations);
    expect(await described()).toContain('Quillfeather');
    const [first] = conversation.change.messages;
    await documents.change(conversation.id, {
      removed: first ? [first.id] : [],
      meta: { title: 'A choir' },
    });
    await engine().settled();
    expect(await described()).not.toContain('Quillfeather');
    expect(await described()).toContain('choir');
  });

  it('forgets a message and hands its children on', async () => {
    const { documents, engine, index } = home();
    const conversation = conversationOf(['first thing', 'second thing', 'third thing']);
    await documents.change(conversation.id, conversation.change);
    await engine().settled();
    const [first, second, third] = conversation.change.messages.map((message) => message.id);
    if (!first || !second || !third) throw new Error();
    await documents.change(conversation.id, { removed: [second] });
    await engine().settled();
    expect(await found(index, 'second')).toEqual([]);
    const around = await index.neighbours([third], 1, 0);
    expect(around.get(third)?.before.map((row) => row.messageId)).toEqual([first]);
  });

  it('never indexes what was recalled, and no notes', async () => {
    const { add, engine, index } = home();
    const recall: Part = { type: 'recall', ...ZEBRA };
    await add(
      conversationOf([
        'What about that animal?',
        { role: 'assistant', parts: [recall, { type: 'text', text: 'It swam.' }] },
        {
          role: 'assistant',
          kind: 'recall',
          parts: [{ type: 'text', text: 'From memory: the zebra' }, recall],
        },
        { role: 'user', kind: 'note', text: 'system note about the zebra' },
      ]),
    );
    await engine().settled();
    expect(await found(index, 'zebra')).toEqual([]);
    expect(await found(index, 'swim')).toHaveLength(1);
    expect((await index.stats('')).messages).toBe(4);
  });

  it('keeps nothing of what memory’s own tools gave, and of other tools all', async () => {
    expect(TOOLS.map(({ name }) => name)).toEqual(expect.arrayContaining([...MEMORY_TOOLS]));
    const asked = (name: string): Part[] => [
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-call', callId: name, name, arguments: '{"query":"zebra"}' },
    ];
    const got = (name: string): Part[] => [
      {
        type: 'tool-result',
        callId: name,
        name,
        text: 'the zebra crossed',
        ...(name === 'recall' ? { recalled: ZEBRA } : {}),
      },
    ];
    const { add, documents } = home({ engine: false });
    const rows = async (name: string) => {
      const [id] = await add(
        conversationOf([
          'What about that animal?',
          { role: 'assistant', parts: asked(name) },
          { role: 'tool', parts: got(name) },
        ]),
      );
      const conversation = id && (await documents.read(id));
      if (!conversation) throw new Error('not there');
      return JSON.stringify(
        [...conversation.messages.values()].map((message) =>
          messageRow(conversation, message, defaultConfig.privacy, (text) => text),
        ),
      );
    };
    for (const name of MEMORY_TOOLS) {
      const made = await rows(name);
      expect(made).not.toMatch(/zebra/);
      expect(made).toMatch(/Let me look/);
    }
    expect(await rows('read_file')).toMatch(/zebra.*zebra/);
    // The same where an import gave the tool another name, or none.
    expect(
      isMemoryTool({ type: 'tool-result', callId: 'c', text: 'the zebra crossed', recalled: ZEBRA }),
    ).toBe(true);
  });

  it('counts what a model recalled by its own tool with what was recalled: once, and after the index is made again', async () => {
    const { add, engine, index, indexed, memory, store, until } = home();
    const result = (more: Partial<Message> & { recalled: ToolRecall }): Partial<Message> => {
      const { recalled, ...message } = more;
      return {
        role: 'tool',
        parts: [{ type: 'tool-result', callId: 'c', name: 'recall', text: 'the zebra crossed', recalled }],
        ...message,
      };
    };
    const original = newMessageId();
    const near: RecalledPassage = { ...QUOTED, conversationId: 'near' };
    await add(
      conversationOf(
        [
          'What about that animal?',
          { role: 'assistant', parts: [{ type: 'recall', ...ZEBRA }] },
          result({ id: original, recalled: { ...ZEBRA, nearMisses: [near] } }),
          result({ copyOf: original, recalled: ZEBRA }),
          result({ recalled: { ...ZEBRA, passages: [], nearMisses: [near], nearMissesGiven: true } }),
        ],
        {},
        0,
      ),
    );
    const minutes = async () =>
      (await index.overview('')).recalled.map(({ at, conversationId }) => [at / 60_000, conversationId]);
    await engine().settled();
    const counted = [
      [1, 'c'],
      [2, 'c'],
      [4, 'near'],
    ];
    expect(await minutes()).toEqual(counted);
    await index.clear();
    const nothing = { conversations: [], messages: [], removedMessages: [], removedConversations: [] };
    await index.apply(nothing, await store.log.head());
    expect(await minutes()).toEqual([]);
    await memory.rebuild();
    await until((status) => status.state === 'ready');
    await indexed();
    expect(await minutes()).toEqual(counted);
    expect(await found(index, 'zebra')).toEqual([]);
  });

  it('keeps secrets and excluded folders out, and follows a change of the filter', async () => {
    const { add, engine, index, config } = home();
    await add(
      conversationOf(['my password: hunter2xyz is for the mail server']),
      conversationOf(['the merger with Initech'], { workDir: '/home/me/secret-project/notes' }),
      conversationOf(['the code word: swordfish'], { workDir: '/home/me/open' }),
    );
    await engine().settled();
    expect(await found(index, 'mail')).toEqual(['my password: [secret-1] is for the mail server']);
    expect(await found(index, 'hunter2xyz')).toEqual([]);
    expect(await found(index, 'merger')).toEqual([]);
    expect(await found(index, 'swordfish')).toHaveLength(1);
    config.set(
      configSchema.parse({
        privacy: { sensitive_keywords: ['password', 'code word'], exclude_work_dirs: [] },
      }),
    );
    await engine().settled();
    expect(await found(index, 'swordfish')).toEqual([]);
    expect(await found(index, 'merger')).toHaveLength(1);
  });

  it('leaves out whole messages with a sensitive word where that is wanted, and their words beside others', async () => {
    const { add, engine, index, config } = home();
    await add(
      conversationOf([
        'The harbour master calls',
        'My db_password is short',
        'And 他的密码 is kept in the lantern',
      ]),
      conversationOf(['The lantern keeper paints the boats', 'Nothing about a passphrase'], { title: '' }),
    );
    await engine().settled();
    expect(await found(index, 'lantern')).toHaveLength(2);
    const privacy = { skip_sensitive_messages: true };
    config.set(configSchema.parse({ privacy }));
    await engine().settled();
    expect(await found(index, 'lantern')).toEqual(['The lantern keeper paints the boats']);
    expect(await found(index, 'harbor')).toHaveLength(1);
    expect(await found(index, 'short')).toEqual([]);
    expect(JSON.stringify(await index.overview(''))).not.toMatch(/passphrase|db_password|密码/);
    config.set(configSchema.parse({}));
    await engine().settled();
    expect(await found(index, 'lantern')).toHaveLength(2);
  });

  it('keeps secrets out of titles, summaries and keywords as well', async () => {
    const { add, engine, index, documents } = home();
    await add(
      conversationOf(['the harbour and the boats in it'], { title: 'password: hunter2xyz' }),
      conversationOf(['password: swordfish99 opens the harbour office', 'Noted: password: swordfish99.'], {
        title: '',
      }),
    );
    await engine().settled();
    const titles = (await index.search({ words: 'harbor', filter: {}, limit: 5 })).candidates.map(
      ({ title }) => title,
    );
    expect(titles).toContain('password: [secret-1]');
    const made = documents.library.get().entries.find(({ title }) => title !== 'password: hunter2xyz');
    expect(made?.title).not.toBe('');
    const kept = JSON.stringify([titles, made?.title, await index.overview('')]);
    expect(kept).toContain('harbour');
    expect(kept).not.toMatch(/hunter2xyz|swordfish99/);
  });

  it('skips a damaged entry, says so, and reads the rest', async () => {
    const { add, engine, index, store, status } = home();
    await add(conversationOf(['before the damage']));
    const broken = conversationOf(['half of this survives']);
    const scratch = createInMemoryStore();
    const inAnotherTab = createDocuments({ store: scratch });
    await inAnotherTab.change(broken.id, broken.change);
    const [good] = await scratch.log.read(broken.id);
    if (!good) throw new Error();
    await store.log.append([
      good,
      { id: newEntryId(), document: broken.id, origin: 'remote', bytes: new Uint8Array([1, 2, 3, 250, 17]) },
    ]);
    await add(conversationOf(['after the damage']));
    await engine().settled();
    expect(await found(index, 'damag')).toHaveLength(2);
    expect(await found(index, 'surviv')).toHaveLength(1);
    expect(status.get()).toMatchObject({ state: 'ready', problem: { code: 'damaged-entry' } });
    await inAnotherTab.close();
  });

  it('lets a conversation that the index refuses cost only itself', async () => {
    const plain = createInMemoryIndex();
    const index: MemoryIndex = {
      ...plain,
      apply: async (change, bookmark) => {
        if (change.messages.some((row) => JSON.stringify(row.chunks).includes('poison')))
          throw new RecollectError('index-unavailable', 'refused', { retry: true });
        await plain.apply(change, bookmark);
      },
    };
    const { add, engine, status } = home({ index });
    await add(
      conversationOf(['a good apple']),
      conversationOf(['some poison']),
      conversationOf(['a good pear']),
    );
    await engine().settled();
    expect(await found(plain, 'good')).toHaveLength(2);
    expect(status.get().problem?.code).toBe('damaged-entry');
    expect(await plain.bookmark()).toBeGreaterThan(0);
  });

  it('leaves nothing out that there was no room for: it waits, and comes when there is', async () => {
    const plain = createInMemoryIndex();
    let full = true;
    const index: MemoryIndex = {
      ...plain,
      apply: async (change, bookmark) => {
        if (full && change.messages.some((row) => JSON.stringify(row.chunks).includes('large')))
          throw new RecollectError('storage-full', 'no room', { retry: true });
        await plain.apply(change, bookmark);
      },
    };
    const { add, engine, until } = home({ index });
    await add(conversationOf(['a small apple']), conversationOf(['a large pear']));
    await until(({ state, problem }) => state === 'failed' && problem?.code === 'storage-full');
    full = false;
    engine().wake('now');
    await until(({ state }) => state === 'ready');
    expect(await found(plain, 'larg')).toHaveLength(1);
    expect(await found(plain, 'small')).toHaveLength(1);
  });

  it('waits for an index that does not answer, and goes on when it does', async () => {
    const plain = createInMemoryIndex();
    let down = true;
    const index: MemoryIndex = {
      ...plain,
      bookmark: async () => {
        if (down) throw new RecollectError('index-unavailable', 'asleep', { retry: true });
        return plain.bookmark();
      },
    };
    const { add, engine, until } = home({ index });
    await add(conversationOf(['patience']));
    await until((status) => status.state === 'failed');
    down = false;
    engine().wake('now');
    await until((status) => status.state === 'ready');
    expect(await found(plain, 'patienc')).toHaveLength(1);
  });

  it('forgets what was erased while it was away', async () => {
    const store = createInMemoryStore();
    const index = createInMemoryIndex();
    const first = home({ store, index });
    const [gone] = await first.add(conversationOf(['a secret plan']), conversationOf(['a plain plan']));
    if (!gone) throw new Error();
    await first.indexed();
    first.stopEngine();
    await first.documents.erase([gone]);
    expect(await found(index, 'plan')).toHaveLength(2);
    await home({ store, index }).engine().settled();
    expect(await found(index, 'plan')).toEqual(['a plain plan']);
  });

  it('does not forget to forget when the index is away at that moment', async () => {
    const plain = createInMemoryIndex();
    let down = false;
    const index: MemoryIndex = {
      ...plain,
      apply: async (change, bookmark) => {
        if (down) throw new RecollectError('index-unavailable', 'asleep', { retry: true });
        await plain.apply(change, bookmark);
      },
    };
    const { add, engine, documents, until } = home({ index });
    const [id] = await add(conversationOf(['a secret plan']));
    if (!id) throw new Error();
    await engine().settled();
    down = true;
    await documents.erase([id]);
    await until((status) => status.state === 'failed');
    down = false;
    engine().wake('now');
    await engine().settled();
    expect(await found(plain, 'plan')).toEqual([]);
  });

  it('starts anew when the log was emptied behind its back', async () => {
    const index = createInMemoryIndex();
    const before = home({ index });
    await before.add(conversationOf(['an old life']), conversationOf(['and more']));
    await before.indexed();
    before.stopEngine();
    const after = home({ index });
    await after.engine().settled();
    expect((await index.stats('')).messages).toBe(0);
  });

  it('makes the index again when asked to, even if the wish was made while it was away', async () => {
    const store = createInMemoryStore();
    const index = createInMemoryIndex();
    const away = home({ store, index, engine: false });
    await away.add(conversationOf(['the lighthouse keeper']));
    away.start();
    await away.indexed();
    await index.clear();
    await index.apply(
      { conversations: [], messages: [], removedMessages: [], removedConversations: [] },
      await store.log.head(),
    );
    expect(await found(index, 'lighthous')).toEqual([]);
    await away.memory.rebuild();
    await away.until((status) => status.state === 'ready');
    await away.indexed();
    expect(await found(index, 'lighthous')).toHaveLength(1);
  });

  it('gives a title and a summary made from the words, and leaves a person’s title alone', async () => {
    const { documents, engine } = home();
    const auto = conversationOf(['Hi! Can you help me fix my sourdough starter?', 'Feed it more often.']);
    const named = conversationOf(['Which boots last longest?'], { title: 'Boots', titleBy: 'person' });
    const unnamed = conversationOf(['Which tent is light?'], { title: '', titleBy: 'person' });
    for (const { id, change } of [auto, named, unnamed]) await documents.change(id, change);
    await engine().settled();
    const titles = await Promise.all(
      [auto, named, unnamed].map(async ({ id }) => (await documents.read(id))?.meta.title),
    );
    expect(titles).toEqual(['Fix my sourdough starter', 'Boots', '']);
  });

  it('tells conversations apart that begin with the same words', async () => {
    const { documents, engine } = home();
    const begin = 'Please plan a week of dinners';
    const first = conversationOf([begin, 'Soup.']);
    const second = conversationOf([`${begin}.`, 'Rice.']);
    const third = conversationOf([begin, 'Bread.']);
    const own = conversationOf(['What is for lunch?'], {
      title: 'Plan a week of dinners (2)',
      titleBy: 'person',
    });
    for (const { id, change } of [own, first, second, third]) await documents.change(id, change);
    await engine().settled();
    const titles = await Promise.all(
      [first, second, third].map(async ({ id }) => (await documents.read(id))?.meta.title ?? ''),
    );
    expect(titles.sort()).toEqual([
      'Plan a week of dinners',
      'Plan a week of dinners (3)',
      'Plan a week of dinners (4)',
    ]);
  });

  it('makes no title for a conversation whose own one went with a damaged entry: its line still has it', async () => {
    const store = createInMemoryStore();
    const before = createDocuments({ store });
    const { id, change } = conversationOf(['Where is the cellar key?', 'Behind the clock.']);
    await before.change(id, {
      meta: { ...change.meta, title: 'House', titleBy: 'import' },
      messages: change.messages.slice(0, 1),
    });
    const open = await before.open(id);
    await before.change(id, { messages: change.messages.slice(1) });
    open.close();
    await before.close();
    const [first] = await store.log.read(id);
    const cut = (entries: readonly LogEntry[]) =>
      entries.map((entry) =>
        entry.id === first?.id ? { ...entry, bytes: entry.bytes.slice(0, 20) } : entry,
      );
    const log = {
      ...store.log,
      read: async (...asked: Parameters<typeof store.log.read>) => cut(await store.log.read(...asked)),
      since: async (...asked: Parameters<typeof store.log.since>) => cut(await store.log.since(...asked)),
    };
    const { documents, engine, index } = home({ store: { ...store, log } });
    await engine().settled();
    expect(await found(index, 'clock')).toHaveLength(1);
    expect((await documents.read(id))?.meta).toMatchObject({ title: 'House', titleBy: 'person' });
  });

  it('makes a thousand imported messages findable in small transactions', async () => {
    const plain = createInMemoryIndex();
    let largest = 0;
    const index: MemoryIndex = {
      ...plain,
      apply: async (change, bookmark) => {
        largest = Math.max(largest, change.messages.length);
        await plain.apply(change, bookmark);
      },
    };
    const { add, engine, status } = home({ index, embedding: null });
    const unread: number[] = [];
    status.subscribe(() => unread.push(status.get().unread));
    const conversations = Array.from({ length: 25 }, (_, c) =>
      conversationOf(
        Array.from(
          { length: c === 0 ? 760 : 10 },
          (_, m) => `Message ${m} of talk ${c} about gardens, boats and budgets.`,
        ),
      ),
    );
    await add(...conversations);
    await engine().settled();
    expect((await plain.stats('')).messages).toBe(1_000);
    expect(largest).toBeLessThanOrEqual(220);
    expect(Math.max(...unread)).toBeGreaterThan(100);
    expect(status.get().unread).toBe(0);
  }, 120_000);

  it('tells how many messages wait of one conversation that came in whole', async () => {
    const { add, engine, status } = home({ embedding: null });
    const unread: number[] = [];
    status.subscribe(() => unread.push(status.get().unread));
    await add(conversationOf(Array.from({ length: 300 }, (_, m) => `Message ${m} about gardens.`)));
    await engine().settled();
    expect(Math.max(...unread)).toBe(300);
    expect(status.get().unread).toBe(0);
  });

  it('counts only what cannot be found yet where a message was forgotten and the rest is written anew', async () => {
    const { add, engine, status, documents } = home({ embedding: null });
    const long = conversationOf(Array.from({ length: 300 }, (_, m) => `Message ${m} about gardens.`));
    await add(long);
    await engine().settled();
    const unread: number[] = [];
    status.subscribe(() => unread.push(status.get().unread));
    await documents.change(long.id, { removed: long.change.messages.slice(120, 121).map(({ id }) => id) });
    await engine().settled();
    expect(Math.max(...unread)).toBeLessThanOrEqual(1);
  });
});

describe('the indexer', () => {
  it('embeds after every few messages, and the rest when the conversation ends', async () => {
    const { provider, asked } = watched();
    const { documents, engine, status } = home({ embedding: provider });
    await engine().settled();
    const all = conversationOf(
      ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map((word) => `number ${word}`),
    );
    for (const message of all.change.messages.slice(0, 4))
      await documents.change(all.id, { messages: [message], meta: { head: message.id } });
    await engine().settled();
    expect(asked).toEqual([]);
    expect(status.get().waiting).toBe(4);
    await documents.change(all.id, { messages: all.change.messages.slice(4, 5) });
    await engine().settled();
    expect(asked).toHaveLength(5);
    await documents.change(all.id, { messages: all.change.messages.slice(5) });
    await engine().settled();
    expect(asked).toHaveLength(5);
    engine().wake('ended');
    await engine().settled();
    expect(asked).toHaveLength(7);
    expect(status.get()).toMatchObject({ state: 'ready', waiting: 0 });
  });

  it.each([1, 3])('embeds after every %i messages where the settings say so', async (every) => {
    const { provider, asked } = watched();
    const { documents, engine } = home({
      embedding: provider,
      config: { indexing: { every_messages: every } },
    });
    await engine().settled();
    const { id, change } = conversationOf(Array.from({ length: 2 * every }, (_, n) => `thought number ${n}`));
    const counts: number[] = [];
    for (const message of change.messages) {
      await documents.change(id, { messages: [message], meta: { head: message.id } });
      await engine().settled();
      counts.push(asked.length);
    }
    expect(counts).toEqual(
      change.messages.map((_, n) => (n + 1 < every ? 0 : n + 1 < 2 * every ? every : 2 * every)),
    );
  });

  it('follows a change of the settings without being told anything else', async () => {
    const { provider, asked } = watched();
    const { documents, engine, config } = home({ embedding: provider });
    await engine().settled();
    const one = conversationOf(['first thought', 'second thought']);
    await documents.change(one.id, one.change);
    await engine().settled();
    expect(asked).toEqual([]);
    config.set(configSchema.parse({ indexing: { every_messages: 2 } }));
    await engine().settled();
    expect(asked).toHaveLength(2);
  });

  it.each([2, 10, 45])(
    'embeds what has waited %d minutes where the settings say so, and nothing sooner',
    async (minutes) => {
      const { provider, asked } = watched();
      let clock = 1_000_000;
      const { documents, engine } = home({
        embedding: provider,
        now: () => clock,
        config: { indexing: { max_age_minutes: minutes, on_end: false } },
      });
      await engine().settled();
      const one = conversationOf(['a single thought']);
      await documents.change(one.id, one.change);
      await engine().settled();
      for (const [ms, expected] of [
        [minutes * 60_000 - 1, 0],
        [1, 1],
      ] as const) {
        clock += ms;
        engine().wake('changed');
        await engine().settled();
        expect(asked).toHaveLength(expected);
      }
    },
  );

  it('embeds what has waited long enough', async () => {
    const { provider, asked } = watched();
    let clock = 1_000_000;
    const { documents, engine } = home({
      embedding: provider,
      now: () => clock,
      config: { indexing: { max_age_minutes: 10, on_end: false } },
    });
    await engine().settled();
    const one = conversationOf(['a single thought']);
    await documents.change(one.id, one.change);
    await engine().settled();
    engine().wake('ended');
    await engine().settled();
    expect(asked).toEqual([]);
    clock += 10 * 60_000;
    engine().wake('changed');
    await engine().settled();
    expect(asked).toEqual(['User: a single thought']);
  });

  it('puts newest first and tool output last', async () => {
    const { provider, asked } = watched({ maxBatch: 1 });
    const { add, indexed } = home({ embedding: provider });
    await add(
      conversationOf(
        [
          'old words',
          { role: 'tool', parts: [{ type: 'tool-result', callId: '1', text: 'output of a tool' }] },
        ],
        {},
        Date.UTC(2020, 0),
      ),
      conversationOf(['new words'], {}, Date.UTC(2026, 0)),
    );
    await indexed();
    expect(asked).toEqual(['User: new words', 'User: old words', 'Tool: output of a tool']);
  });

  it('makes equal texts only once', async () => {
    const { provider, asked } = watched();
    const { add, indexed } = home({ embedding: provider });
    await add(conversationOf(['the same words']), conversationOf(['the same words']));
    await indexed();
    await add(conversationOf(['the same words']));
    await indexed();
    expect(new Set(asked).size).toBe(1);
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  it('resumes after it was killed, with nothing embedded twice', async () => {
    const store = createInMemoryStore();
    const index = createInMemoryIndex();
    const slow = watched({ maxBatch: 2 });
    const first = home({ store, index, embedding: slow.provider });
    await first.add(conversationOf(Array.from({ length: 12 }, (_, i) => `fact number ${i}`)));
    let release: () => void = () => undefined;
    const original = slow.provider.embed;
    let calls = 0;
    (slow.provider as { embed: EmbeddingProvider['embed'] }).embed = async (texts, options) => {
      if (++calls === 3) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        options.signal.throwIfAborted();
      }
      return original(texts, options);
    };
    first.engine().wake('now');
    await vi.waitFor(() => expect(calls).toBe(3));
    first.stopEngine();
    release();
    const made = slow.asked.length;
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(12);
    const second = watched();
    const next = home({ store, index, embedding: second.provider });
    await next.indexed();
    expect([...slow.asked, ...second.asked].sort()).toEqual(
      [...new Set([...slow.asked, ...second.asked])].sort(),
    );
    expect(slow.asked.length + second.asked.length).toBe(12);
  });

  it('waits while a person types', async () => {
    const { provider, asked } = watched({ maxBatch: 1 });
    const { add, engine, until, status } = home({ embedding: provider });
    engine().setPaused(true);
    await add(conversationOf(Array.from({ length: 8 }, (_, i) => `thought ${i}`)));
    await until((now) => now.state === 'paused');
    expect(asked).toEqual([]);
    engine().setPaused(false);
    await until((now) => now.state === 'ready' && now.waiting === 0);
    expect(asked).toHaveLength(8);
    expect(status.get().rate).toBe(0);
  });

  it('hands over as many passages at a time as the model reads side by side, each once', async () => {
    const read: string[] = [];
    let [now, most] = [0, 0];
    const { provider } = watched({
      concurrency: 3,
      read: async ([reading], { signal }) => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now--;
        const text = reading?.text ?? '';
        read.push(text);
        const [vector] = await HASHING.embed([text], { kind: 'passage', signal });
        const none = { bits: new Uint8Array(0), tokens: new Float32Array(0), weights: new Float32Array(0) };
        return vector ? [{ vector, ...none }] : [];
      },
    });
    const { add, indexed, index } = home({ embedding: provider });
    await add(conversationOf(Array.from({ length: 8 }, (_, i) => `thought ${i}`)));
    await indexed();
    expect(most).toBe(3);
    expect(new Set(read).size).toBe(8);
    expect(read).toHaveLength(8);
    expect((await index.stats(provider.id)).vectors).toBe(8);
  });

  it('loses nothing that is read while what was read before is being kept', async () => {
    const read: string[] = [];
    let problems = 0;
    const { provider } = watched({
      concurrency: 3,
      read: async ([reading], { signal }) => {
        const text = reading?.text ?? '';
        read.push(text);
        // Long enough that the engine keeps some vectors while it makes others.
        await new Promise((resolve) => setTimeout(resolve, 150 + 70 * (read.length % 3)));
        const [vector] = await HASHING.embed([text], { kind: 'passage', signal });
        const none = { bits: new Uint8Array(0), tokens: new Float32Array(0), weights: new Float32Array(0) };
        return vector ? [{ vector, ...none }] : [];
      },
    });
    const { add, indexed, index, status } = home({ embedding: provider });
    status.subscribe(() => {
      if (status.get().problem) problems++;
    });
    await add(conversationOf(Array.from({ length: 24 }, (_, i) => `thought ${i}`)));
    await indexed();
    expect(read).toHaveLength(24);
    expect((await index.stats(provider.id)).vectors).toBe(24);
    expect(problems).toBe(0);
  });

  it('reads side by side as soon as it is known that the model can', async () => {
    let [now, most, calls] = [0, 0, 0];
    const { provider } = watched({
      get concurrency() {
        return calls > 0 ? 2 : 1;
      },
      read: async ([reading], { signal }) => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        [now, calls] = [now - 1, calls + 1];
        const [vector] = await HASHING.embed([reading?.text ?? ''], { kind: 'passage', signal });
        const none = { bits: new Uint8Array(0), tokens: new Float32Array(0), weights: new Float32Array(0) };
        return vector ? [{ vector, ...none }] : [];
      },
    } as Partial<EmbeddingProvider>);
    const { add, indexed } = home({ embedding: provider });
    await add(conversationOf(Array.from({ length: 8 }, (_, i) => `thought ${i}`)));
    await indexed();
    expect(most).toBe(2);
  });

  it('keeps what was read beside a passage that fails', async () => {
    let isBroken = true;
    const { provider } = watched({
      concurrency: 2,
      read: async ([reading], { signal }) => {
        const text = reading?.text ?? '';
        if (isBroken && text.endsWith('thought 7')) {
          await new Promise((resolve) => setImmediate(resolve));
          throw new RecollectError('embedding-broken', 'no', { retry: true });
        }
        const [vector] = await HASHING.embed([text], { kind: 'passage', signal });
        const none = { bits: new Uint8Array(0), tokens: new Float32Array(0), weights: new Float32Array(0) };
        return vector ? [{ vector, ...none }] : [];
      },
    });
    const { add, engine, until, index } = home({ embedding: provider });
    await add(conversationOf(Array.from({ length: 8 }, (_, i) => `thought ${i}`)));
    engine().wake('now');
    await until(({ problem }) => problem?.code === 'embedding-broken');
    expect((await index.stats(provider.id)).vectors).toBeGreaterThan(0);
    isBroken = false;
    engine().wake('now');
    await until((now) => now.state === 'ready' && now.waiting === 0);
    expect((await index.stats(provider.id)).vectors).toBe(8);
  });

  it('stops between two passages when a person begins to type, and keeps what was read', async () => {
    const read: string[] = [];
    let begin = () => {};
    const began = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { provider } = watched({
      read: async ([reading], { signal }) => {
        begin();
        await gate;
        signal.throwIfAborted();
        const text = reading?.text ?? '';
        read.push(text);
        const [vector] = await HASHING.embed([text], { kind: 'passage', signal });
        const none = { bits: new Uint8Array(0), tokens: new Float32Array(0), weights: new Float32Array(0) };
        return vector ? [{ vector, ...none }] : [];
      },
    });
    const { add, engine, until, index } = home({ embedding: provider });
    await add(conversationOf(Array.from({ length: 8 }, (_, i) => `thought ${i}`)));
    await began;
    engine().setPaused(true);
    goOn();
    await until((now) => now.state === 'paused');
    await engine().settled();
    expect(read).toHaveLength(1);
    expect((await index.stats(provider.id)).vectors).toBe(1);
    engine().setPaused(false);
    await until((now) => now.state === 'ready' && now.waiting === 0);
    expect(read).toHaveLength(8);
    expect(new Set(read).size).toBe(8);
  });

  it('says what is wrong with the model, keeps words working, and tries again', async () => {
    const { provider, state, asked } = watched();
    state.failing = new RecollectError('embedding-broken', 'no WebAssembly here', { retry: true });
    const { add, engine, until, index } = home({ embedding: provider });
    await add(conversationOf(Array.from({ length: 6 }, (_, i) => `idea ${i}`)));
    await until((now) => now.problem?.code === 'embedding-broken');
    expect(await found(index, 'idea')).toHaveLength(6);
    await until((now) => now.embedding.status === 'failed' && now.state === 'ready' && now.waiting === 6);
    state.failing = null;
    engine().wake('now');
    await until((now) => now.waiting === 0 && now.problem === null);
    expect(asked).toHaveLength(6);
  });

  it('embeds everything again for another model while words go on', async () => {
    const { provider } = watched({ id: 'model/a' });
    const house = home({ embedding: provider });
    await house.add(conversationOf(['a walk along the sea', 'Wear good shoes.']));
    await house.indexed();
    expect((await house.index.stats('model/a')).vectors).toBe(2);
    const next = watched({ id: 'model/b' });
    house.embedding.set(next.provider);
    expect(await found(house.index, 'shoe')).toHaveLength(1);
    await house.engine().settled();
    expect(next.asked).toHaveLength(2);
    expect((await house.index.stats('model/b')).vectors).toBe(2);
  });

  it('recalls by words while another model embeds, lets no vector of the old one in, and goes back for free', async () => {
    const [a, b] = [watched({ id: 'model/a' }), watched({ id: 'model/b' })];
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const house = home({ embedding: a.provider });
    await house.add(conversationOf(['a walk along the sea', 'Wear good shoes.']));
    await house.indexed();
    const asked = a.asked.length;
    const recalled = async () => {
      const { passages, nearMisses } = await house.recall('walk along the sea');
      return [...passages, ...nearMisses].map(({ scores }) => scores.vector !== null);
    };
    expect(await recalled()).toContain(true);
    house.embedding.set({
      ...b.provider,
      embed: async (texts, options) => {
        if (options.kind === 'passage') await gate;
        return b.provider.embed(texts, options);
      },
    });
    await house.until((now) => now.waiting === 2);
    expect(new Set(await recalled())).toEqual(new Set([false]));
    open();
    await house.engine().settled();
    expect(await recalled()).toContain(true);
    expect(b.asked).toHaveLength(2);

    house.embedding.set(a.provider);
    await house.indexed();
    expect(await recalled()).toContain(true);
    expect(a.asked).toHaveLength(asked);
    expect(b.asked).toHaveLength(2);
  });

  it('does not spin when a model gives nothing', async () => {
    let calls = 0;
    const { provider } = watched();
    const empty: EmbeddingProvider = {
      ...provider,
      embed: async () => {
        calls += 1;
        return [];
      },
    };
    const { add, until } = home({ embedding: empty });
    await add(conversationOf(['one', 'two', 'three', 'four', 'five'].map((word) => `number ${word}`)));
    await until((now) => now.problem?.code === 'embedding-broken');
    expect(calls).toBeLessThan(12);
  });
});
