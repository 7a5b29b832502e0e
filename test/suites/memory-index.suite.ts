// The contract of a memory index as behaviour. Every member of the family runs it.
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type {
  ChunkRow,
  ConversationRow,
  IndexChange,
  IndexFilter,
  IndexHits,
  MemoryIndex,
  MessageRow,
} from '../../src/adapters/index/memory-index.ts';
import { mergeStages, searchedBefore } from '../../src/adapters/index/rules.ts';
import type { ConversationId, MessageId } from '../../src/domain/base/ids.ts';
import { lateInteraction } from '../../src/domain/memory/late.ts';
import { createInMemoryIndex } from '../adapters/index/in-memory-index.ts';
import { runs } from '../scale.ts';

export interface MemoryIndexSetup {
  /** An empty index. */
  open(): Promise<MemoryIndex>;
  /** Closes the index and opens what it kept; absent for members that keep nothing. */
  reopen?(index: MemoryIndex): Promise<MemoryIndex>;
  /** Runs of the comparison with the in-memory member. */
  readonly runs?: number;
}

const c = (id: string | number) => `conversation-${id}` as ConversationId;
const m = (id: string | number) => `message-${id}` as MessageId;
const MODEL = 'local:test';

export const chunk = (text: string, more: Partial<ChunkRow> = {}): ChunkRow => ({
  ordinal: 0,
  text,
  words: text.toLowerCase(),
  embedded: text,
  hash: `hash of ${more.embedded ?? text}`,
  priority: 1,
  ...more,
});

export const message = (
  id: string | number,
  text: string | readonly ChunkRow[],
  more: Partial<MessageRow> = {},
): MessageRow => ({
  id: m(id),
  conversationId: c(1),
  parentId: null,
  role: 'user',
  content: [{ type: 'text', text: typeof text === 'string' ? text : text.map((one) => one.text).join('\n') }],
  tokenCount: 7,
  createdAt: 1_700_000_000_000 + (typeof id === 'number' ? id : 0),
  hasCode: false,
  codeLanguage: null,
  chunks: typeof text === 'string' ? (text ? [chunk(text)] : []) : text,
  ...more,
});

export const conversation = (id: string | number, more: Partial<ConversationRow> = {}): ConversationRow => ({
  id: c(id),
  title: `Title ${id}`,
  summary: '',
  keywords: [],
  described: '',
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  workDir: null,
  tokenCount: 12,
  archived: false,
  pinned: false,
  ...more,
});

export const change = (more: Partial<IndexChange>): IndexChange => ({
  conversations: [],
  messages: [],
  removedMessages: [],
  removedConversations: [],
  ...more,
});

const values = (...numbers: number[]) => Float32Array.from(numbers);

const search = async (
  index: MemoryIndex,
  words: string,
  more: Partial<Parameters<MemoryIndex['search']>[0]> = {},
) => [...(await index.search({ words, filter: {}, limit: 10, ...more })).candidates];
const found = async (...given: Parameters<typeof search>) =>
  (await search(...given)).map((one) => one.messageId).sort();

/** Gives every waiting chunk the vector that `of` makes of it. */
async function embedAll(index: MemoryIndex, of: (embedded: string) => Float32Array, model = MODEL) {
  const stale = await index.pendingChunks(model, 1000);
  await index.put(
    model,
    stale.map(({ id, embedded }) => ({ chunkId: id, values: of(embedded) })),
  );
  return stale;
}

/** Closes after each test what it opened. */
function openedOnce(setup: MemoryIndexSetup) {
  const opened: MemoryIndex[] = [];
  afterEach(async () => {
    for (const index of opened.splice(0)) await index.close();
  });
  const open = async () => {
    const index = await setup.open();
    opened.push(index);
    return index;
  };
  return { open, opened };
}

/** The part of the contract that depends on where the index is kept; the rest is the same SQL everywhere. */
export function describeKeptIndex(name: string, setup: MemoryIndexSetup): void {
  describe(`memory index: ${name}`, () => {
    const { open, opened } = openedOnce(setup);
    testsOfKeeping(setup, open, opened);
  });
}

const WORDS = ['apple', 'pear', 'plum', '备份', '数据'];

/** Any step that both members take: a change, vectors for a few chunks, or clearing. */
function anyStepOf() {
  const conversationIds = fc.integer({ min: 1, max: 3 });
  const messageIds = fc.integer({ min: 1, max: 6 });
  const text = fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
    .map((all) => all.join(' '));
  const anyMessage = fc
    .record({
      id: messageIds,
      texts: fc.array(text, { maxLength: 3 }),
      of: conversationIds,
      parent: fc.option(messageIds),
      role: fc.constantFrom('user' as const, 'assistant' as const),
      at: fc.integer({ min: 0, max: 5 }),
    })
    .map(({ id, texts, of, parent, role, at }) =>
      message(
        id,
        texts.map((one, ordinal) => chunk(one, { ordinal, priority: ordinal })),
        {
          conversationId: c(of),
          parentId: parent === null ? null : m(parent),
          ...(parent === null ? {} : { before: m(parent) }),
          role,
          createdAt: at,
        },
      ),
    );
  const anyChange = fc
    .record({
      conversations: fc.array(
        fc
          .record({ id: conversationIds, archived: fc.boolean() })
          .map(({ id, archived }) => conversation(id, { archived })),
        { maxLength: 2 },
      ),
      messages: fc.array(anyMessage, { maxLength: 4 }),
      removedMessages: fc.array(messageIds.map(m), { maxLength: 2 }),
      removedConversations: fc.oneof(
        { weight: 4, arbitrary: fc.constant<ConversationId[]>([]) },
        { weight: 1, arbitrary: conversationIds.map((id) => [c(id)]) },
      ),
    })
    .map((one) => ({ kind: 'apply' as const, change: one }));
  return fc.oneof(
    { weight: 5, arbitrary: anyChange },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('embed' as const), limit: fc.nat(4) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
  );
}
type Step = ReturnType<typeof anyStepOf> extends fc.Arbitrary<infer One> ? One : never;
const vectorOf = (embedded: string) =>
  values(...WORDS.map((word) => embedded.split(' ').filter((one) => one === word).length));

function testsOfKeeping(
  setup: MemoryIndexSetup,
  open: () => Promise<MemoryIndex>,
  opened: MemoryIndex[],
): void {
  it('clears everything and can be filled again', async () => {
    const index = await open();
    const step = change({ conversations: [conversation(1)], messages: [message(1, 'again')] });
    await index.apply(step, 5);
    await embedAll(index, () => values(1, 0));
    await index.clear();
    expect(await index.bookmark()).toBe(0);
    expect(await index.stats(MODEL)).toMatchObject({
      conversations: 0,
      messages: 0,
      chunks: 0,
      vectors: 0,
    });
    expect(await found(index, 'again')).toEqual([]);
    await index.apply(step, 5);
    expect(await found(index, 'again')).toEqual([m(1)]);
    expect(await index.pendingChunks(MODEL, 9)).toHaveLength(1);
  });

  it('writes its files anew, and has what was not removed', async () => {
    const index = await open();
    await index.apply(
      change({
        conversations: [conversation(1)],
        messages: [message(1, 'quillfeather'), message(2, 'again')],
      }),
      5,
    );
    await embedAll(index, () => values(1, 0));
    await index.apply(change({ removedMessages: [m(1)] }), 6);
    await index.purge();
    await index.purge();
    expect(await index.bookmark()).toBe(6);
    expect(await found(index, 'quillfeather')).toEqual([]);
    expect(await found(index, 'again')).toEqual([m(2)]);
    expect(await index.pendingChunks(MODEL, 9)).toEqual([]);
    await index.apply(change({ messages: [message(3, 'later')] }), 7);
    expect(await found(index, 'later')).toEqual([m(3)]);
  });

  it('answers many at once', async () => {
    const index = await open();
    await Promise.all([
      ...Array.from({ length: 8 }, (_, at) =>
        index.apply(change({ messages: [message(at, 'together')] }), at + 1),
      ),
      ...Array.from({ length: 4 }, () => search(index, 'together')),
    ]);
    expect(await found(index, 'together')).toHaveLength(8);
    expect(await index.bookmark()).toBeGreaterThan(0);
  });

  if (setup.reopen) {
    const reopen = setup.reopen;
    it('keeps everything over closing and opening', async () => {
      const first = await setup.open();
      await first.apply(
        change({
          conversations: [conversation(1, { title: 'Kept', pinned: true })],
          messages: [message(1, 'apples'), message(2, 'pears', { parentId: m(1) })],
        }),
        42,
      );
      await embedAll(first, (text) => (text === 'apples' ? values(1, 0) : values(0, 1)));
      const vector = { model: MODEL, values: values(1, 0) };
      const before = await search(first, 'pears apples', { vector });
      const second = await reopen(first);
      opened.push(second);
      expect(await second.bookmark()).toBe(42);
      expect(await search(second, 'pears apples', { vector })).toEqual(before);
      await second.apply(change({ messages: [message(3, 'plums')] }), 43);
      expect(await found(second, 'plums pears')).toEqual([m(2), m(3)]);
    });
  }

  it('agrees with the in-memory member after any sequence of changes', { timeout: 180_000 }, async () => {
    const index = await open();
    const play = async (subject: MemoryIndex, steps: readonly Step[]) => {
      await subject.clear();
      const seen: unknown[] = [];
      let position = 0;
      for (const step of steps) {
        if (step.kind === 'apply') await subject.apply(step.change, ++position);
        else if (step.kind === 'clear') await subject.clear();
        else {
          // By what is embedded, not by number: the two members number chunks differently.
          const stale = (await subject.pendingChunks(MODEL, 100)).sort((a, b) =>
            a.embedded < b.embedded ? -1 : 1,
          );
          const few = stale.filter((one) => stale.findIndex((o) => o.embedded === one.embedded) < step.limit);
          await subject.put(
            MODEL,
            few.map((one) => ({ chunkId: one.id, values: vectorOf(one.embedded) })),
          );
        }
      }
      for (const id of [1, 2, 3]) seen.push([...(await subject.messageIds(c(id)))].sort());
      const vector = { model: MODEL, values: vectorOf('apple 数据') };
      for (const filter of [{}, { archived: false, excludeConversationIds: [c(1)] }] satisfies IndexFilter[])
        seen.push(
          [...(await subject.search({ words: 'pear 备份', vector, filter, limit: 100 })).candidates]
            .map((hit) =>
              JSON.stringify([
                hit.messageId,
                hit.text,
                hit.conversationId,
                hit.archived,
                hit.cosine?.toFixed(3),
                hit.bm25 > 0,
              ]),
            )
            .sort(),
        );
      for (const [filter, limit] of [
        [{}, 2],
        [{ roles: ['user'] }, 1],
      ] satisfies [IndexFilter, number][]) {
        const asked = { words: 'pear 备份', filter, limit, withNeighbours: true };
        const byWords = await subject.search(asked);
        const knowing = byWords.knownWords ? { knownWords: byWords.knownWords } : {};
        const added = await subject.search({ ...asked, vector, after: searchedBefore(byWords), ...knowing });
        const shown = ({ candidates, idf }: IndexHits) => ({
          idf,
          // A neighbour of several found chunks may name either of them.
          candidates: candidates
            .map((one) => (one.isNeighbour ? { ...one, previous: null, next: null } : one))
            .sort((a, b) => a.chunkId - b.chunkId),
        });
        const whole = shown(await subject.search({ ...asked, vector }));
        expect(shown(mergeStages(byWords, added))).toEqual(whole);
        expect(shown(await subject.search({ ...asked, vector, ...knowing }))).toEqual(whole);
      }
      const near = await subject.neighbours([m(1), m(2), m(3), m(4)], 2, 2);
      seen.push([...near].sort(([a], [b]) => (a < b ? -1 : 1)));
      const { bytes: _, ...stats } = await subject.stats(MODEL);
      seen.push(stats, await subject.bookmark());
      seen.push((await subject.pendingChunks(MODEL, 100)).map((one) => one.embedded).sort());
      seen.push(
        (await subject.pendingCounts(MODEL)).sort((a, b) => (a.conversationId < b.conversationId ? -1 : 1)),
      );
      return seen;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(anyStepOf(), { minLength: 1, maxLength: 12 }), async (steps) => {
        expect(await play(index, steps)).toEqual(await play(createInMemoryIndex(), steps));
      }),
      { numRuns: setup.runs ?? runs(30, 10) },
    );
  });
}

export function describeMemoryIndex(name: string, setup: MemoryIndexSetup): void {
  describe(`memory index: ${name}`, () => {
    const { open, opened } = openedOnce(setup);
    testsOfKeeping(setup, open, opened);

    it('starts empty with bookmark 0', async () => {
      const index = await open();
      expect(await index.bookmark()).toBe(0);
      expect(await search(index, 'anything', { vector: { model: MODEL, values: values(1, 0) } })).toEqual([]);
      expect(await index.pendingChunks(MODEL, 5)).toEqual([]);
      expect(await index.pendingCounts(MODEL)).toEqual([]);
      expect(await index.stats(MODEL)).toMatchObject({
        conversations: 0,
        messages: 0,
        chunks: 0,
        vectors: 0,
      });
    });

    it('brings what stands right before and after what it finds, in the branch and within a message', async () => {
      const index = await open();
      await index.apply(
        change({
          conversations: [conversation(1), conversation(2)],
          messages: [
            message(1, 'first words'),
            message(
              2,
              [
                chunk('second begins'),
                chunk('apples inside', { ordinal: 1 }),
                chunk('second ends', { ordinal: 2 }),
              ],
              {
                parentId: m(1),
                before: m(1),
              },
            ),
            message(3, 'older answer', { parentId: m(2), before: m(2) }),
            message(4, 'newer answer', { parentId: m(2), before: m(2) }),
            message(5, 'elsewhere', { conversationId: c(2) }),
          ],
        }),
        1,
      );
      const look = async (words: string) => {
        const { candidates, idf } = await index.search({ words, filter: {}, limit: 5, withNeighbours: true });
        const byId = new Map(candidates.map((one) => [one.chunkId, one]));
        return {
          idf,
          texts: candidates.map(({ text, isNeighbour }) => [text, isNeighbour] as const).sort(),
          of: (text: string) => {
            const one = candidates.find((other) => other.text === text);
            return [byId.get(one?.previous ?? -1)?.text, byId.get(one?.next ?? -1)?.text];
          },
        };
      };
      const inside = await look('apples unheard');
      expect(inside.texts).toEqual([
        ['apples inside', false],
        ['second begins', true],
        ['second ends', true],
      ]);
      expect(inside.of('apples inside')).toEqual(['second begins', 'second ends']);
      expect(inside.of('second begins')).toEqual([undefined, 'apples inside']);
      expect(inside.idf).toHaveLength(2);
      expect(inside.idf[1]).toBeGreaterThanOrEqual(inside.idf[0] as number);
      expect((await look('begins')).of('second begins')).toEqual(['first words', 'apples inside']);
      expect((await look('ends')).of('second ends')).toEqual(['apples inside', 'newer answer']);
      expect((await look('first')).of('first words')).toEqual([undefined, 'second begins']);
      const alone = await index.search({ words: 'apples', filter: {}, limit: 5 });
      expect(alone.candidates.map(({ text }) => text)).toEqual(['apples inside']);
      expect(alone.candidates[0]?.terms).toHaveLength(1);
      expect(alone.candidates[0]?.terms[0]).toBeCloseTo(alone.candidates[0]?.bm25 as number);
    });

    it('no longer has what was removed between a look by words and the one for what a vector adds', async () => {
      const index = await open();
      const messages = [message(1, 'apple'), message(2, 'apple pear', { parentId: m(1), before: m(1) })];
      await index.apply(change({ conversations: [conversation(1)], messages }), 1);
      const asked = { words: 'pear', filter: {}, limit: 5, withNeighbours: true };
      const byWords = await index.search(asked);
      expect(byWords.candidates.map(({ text }) => text).sort()).toEqual(['apple', 'apple pear']);
      await index.apply(change({ removedMessages: [m(2)] }), 2);
      const added = await index.search({
        ...asked,
        vector: { model: MODEL, values: values(1, 0) },
        after: searchedBefore(byWords),
      });
      expect(added.measured).toHaveLength(1);
      expect(mergeStages(byWords, added).candidates.map(({ text, cosine }) => [text, cosine])).toEqual([
        ['apple', null],
      ]);
    });

    it('brings messages that are named, with both numbers and what is beside them, where they pass the filter', async () => {
      const index = await open();
      const messages = [
        message(1, 'apple'),
        message(2, 'pear', { parentId: m(1), before: m(1) }),
        message(3, 'plum', { conversationId: c(2) }),
        message(4, 'pear plum', { conversationId: c(2) }),
      ];
      await index.apply(change({ conversations: [conversation(1), conversation(2)], messages }), 1);
      const brought = async (filter: IndexFilter) => {
        const { candidates } = await index.search({
          words: 'pear',
          filter,
          limit: 5,
          withNeighbours: true,
          messages: [m(2), m(3), m(99)],
        });
        return candidates.map(({ text, isNeighbour, bm25 }) => [text, isNeighbour, bm25 > 0]).sort();
      };
      expect(await brought({})).toEqual([
        ['apple', true, false],
        ['pear', false, true],
        ['plum', false, false],
      ]);
      expect(await brought({ excludeConversationIds: [c(1)] })).toEqual([['plum', false, false]]);
    });

    it('says of each candidate who said it and what it follows', async () => {
      const index = await open();
      const messages = [
        message(1, 'apple'),
        message(2, 'apple pear', { parentId: m(1), before: m(1), role: 'assistant' }),
      ];
      await index.apply(change({ conversations: [conversation(1)], messages }), 1);
      const { candidates } = await index.search({ words: 'apple', filter: {}, limit: 5 });
      const shown = candidates.map(({ messageId, role, before }) => [messageId, role, before]);
      expect(shown.sort()).toEqual([
        [m(1), 'user', null],
        [m(2), 'assistant', m(1)],
      ]);
    });

    it('says of an answer which messages memory gave to it, and nothing of other messages', async () => {
      const index = await open();
      const passages = [1, 3].map((n) => ({ conversationId: c(1), messageId: m(n) }));
      const content = [
        { type: 'recall', passages },
        { type: 'text', text: 'apple' },
      ];
      const messages = [
        message(1, 'apple'),
        message(2, 'apple pear', { before: m(1), role: 'assistant', content }),
        message(4, 'apple plum', { role: 'user', content }),
      ];
      await index.apply(change({ conversations: [conversation(1)], messages }), 1);
      const { candidates } = await index.search({ words: 'apple', filter: {}, limit: 5 });
      expect(candidates.map(({ messageId, recalled }) => [messageId, recalled]).sort()).toEqual([
        [m(1), undefined],
        [m(2), [m(1), m(3)]],
        [m(4), undefined],
      ]);
    });

    it('compares pieces by the signs that are kept beside the vectors; equal texts share them', async () => {
      const index = await open();
      await index.apply(
        change({
          conversations: [conversation(1)],
          messages: [message(1, 'apples'), message(2, 'apples'), message(3, 'pears')],
        }),
        1,
      );
      const stale = await index.pendingChunks(MODEL, 10);
      const bits = Uint8Array.from({ length: 64 }, (_, at) => at * 3);
      const [first] = stale.filter(({ embedded }) => embedded === 'apples');
      const pears = stale.find(({ embedded }) => embedded === 'pears');
      await index.put(MODEL, [
        { chunkId: first?.id as number, values: values(1, 0), bits },
        { chunkId: pears?.id as number, values: values(0, 1) },
      ]);
      const ids = stale.map(({ id }) => id);
      const question = {
        tokens: Float32Array.from({ length: 512 }, (_, at) => Math.sin(at * 1.7) / Math.sqrt(128)),
        weights: Float32Array.of(1, 3),
      };
      const kept = await index.maxSim(MODEL, question, ids);
      const apples = stale.filter(({ embedded }) => embedded === 'apples').map(({ id }) => id);
      expect([...kept.keys()].sort()).toEqual(apples.sort());
      const expected = lateInteraction(question)(bits) as number;
      for (const maxSim of kept.values()) expect(maxSim).toBeCloseTo(expected, 3);
      await index.apply(change({ messages: [message(4, 'apples')] }), 2);
      expect((await index.pendingChunks(MODEL, 10)).map(({ embedded }) => embedded)).toEqual([]);
      expect((await index.maxSim('another', question, ids)).size).toBe(0);
      await index.apply(change({ removedMessages: [m(1), m(2), m(4)] }), 3);
      expect((await index.maxSim(MODEL, question, ids)).size).toBe(0);
    });

    it('tells what messages mean: the mean of their chunks, at length 1', async () => {
      const index = await open();
      await index.apply(
        change({
          conversations: [conversation(1)],
          messages: [message(1, 'apples'), message(2, 'pears'), message(3, 'plums'), message(4, 'kiwis')],
        }),
        1,
      );
      const stale = await index.pendingChunks(MODEL, 10);
      const idOf = (text: string) => stale.find(({ embedded }) => embedded === text)?.id as number;
      await index.put(MODEL, [
        { chunkId: idOf('apples'), values: values(3, 4) },
        { chunkId: idOf('pears'), values: values(0, 2) },
        { chunkId: idOf('plums'), values: values(0, 0) },
      ]);
      const meant = await index.meanings(MODEL, [m(1), m(2), m(3), m(4), m(99)]);
      expect([...meant.keys()].sort()).toEqual([m(1), m(2)].sort());
      const [x, y] = meant.get(m(1)) as Float32Array;
      expect([x, y].map((value) => Math.round((value as number) * 1000) / 1000)).toEqual([0.6, 0.8]);
      expect(Math.hypot(...(meant.get(m(2)) as Float32Array))).toBeCloseTo(1, 5);
      expect((await index.meanings('another', [m(1)])).size).toBe(0);
      expect((await index.meanings(MODEL, [])).size).toBe(0);
    });

    it('says how much of what is embedded is only context', async () => {
      const index = await open();
      const own = 'User: apples';
      await index.apply(
        change({
          conversations: [conversation(1)],
          messages: [
            message(1, [
              chunk('apples', { embedded: `Which fruit?\n${own}` }),
              chunk('pears', { ordinal: 1 }),
            ]),
          ],
        }),
        1,
      );
      const stale = await index.pendingChunks(MODEL, 10);
      expect(stale.map(({ embedded, context }) => embedded.slice(context)).sort()).toEqual([own, 'pears']);
    });

    it('applies a change together with its bookmark, and again without a difference', async () => {
      const index = await open();
      const step = change({
        conversations: [conversation(1), conversation(2)],
        messages: [
          message(1, 'apples and pears'),
          message(2, 'plums', { parentId: m(1), conversationId: c(2) }),
        ],
      });
      await index.apply(step, 7);
      await embedAll(index, () => values(1, 0));
      const before = await search(index, 'apples plums', {
        vector: { model: MODEL, values: values(1, 1) },
      });
      await index.apply(step, 7);
      expect(await index.bookmark()).toBe(7);
      expect(await search(index, 'apples plums', { vector: { model: MODEL, values: values(1, 1) } })).toEqual(
        before,
      );
      expect(await index.stats(MODEL)).toMatchObject({
        conversations: 2,
        messages: 2,
        chunks: 2,
        vectors: 2,
      });
      expect(await index.messageIds(c(1))).toEqual(new Set([m(1)]));
      expect(await index.messageIds(c(9))).toEqual(new Set());
      expect(await index.conversationIds()).toEqual(new Set([c(1), c(2)]));
    });

    it('makes room for a message whose conversation it has not heard of', async () => {
      const index = await open();
      await index.apply(change({ messages: [message(1, 'early bird')] }), 1);
      expect(await search(index, 'bird')).toMatchObject([{ conversationId: c(1), title: '', pinned: false }]);
      await index.apply(change({ conversations: [conversation(1, { pinned: true })] }), 2);
      expect(await search(index, 'bird')).toMatchObject([{ title: 'Title 1', pinned: true }]);
    });

    it('tells everything about a candidate', async () => {
      const index = await open();
      await index.apply(
        change({
          conversations: [conversation(1, { title: 'Fruit', archived: true, pinned: true })],
          messages: [message(1, 'Ripe apples', { role: 'assistant', createdAt: 1_234.5 })],
        }),
        1,
      );
      await embedAll(index, () => values(3, 4));
      const [hit, ...others] = await search(index, 'apples', {
        vector: { model: MODEL, values: values(1, 0) },
      });
      expect(others).toEqual([]);
      expect(hit).toMatchObject({
        messageId: m(1),
        conversationId: c(1),
        title: 'Fruit',
        role: 'assistant',
        createdAt: 1_234.5,
        text: 'Ripe apples',
        archived: true,
        pinned: true,
      });
      expect(hit?.cosine).toBeCloseTo(0.6, 5);
      expect(hit?.bm25).toBeGreaterThan(0);
    });

    it('gives both numbers for the union of both halves', async () => {
      const index = await open();
      await index.apply(
        change({ messages: [message(1, 'alpha'), message(2, 'beta'), message(3, 'alpha beta gamma')] }),
        1,
      );
      await embedAll(index, (text) => (text === 'beta' ? values(1, 0) : values(0, 1)));
      const hits = await search(index, 'alpha', { vector: { model: MODEL, values: values(1, 0) }, limit: 1 });
      const by = new Map(hits.map((hit) => [hit.messageId, hit]));
      expect([...by.keys()].sort()).toEqual([m(1), m(2)]);
      expect(by.get(m(1))?.cosine).toBeCloseTo(0, 5);
      expect(by.get(m(1))?.bm25).toBeGreaterThan(0);
      expect(by.get(m(2))?.cosine).toBeCloseTo(1, 5);
      expect(by.get(m(2))?.bm25).toBe(0);
    });

    it('finds any of the words, the rarer and the shorter text first', async () => {
      const index = await open();
      await index.apply(
        change({
          messages: [
            message(1, 'common rare'),
            message(2, 'common one two three four five six seven eight nine ten'),
            message(3, 'common'),
            message(4, 'nothing of it'),
          ],
        }),
        1,
      );
      const hits = await search(index, 'rare common');
      const ranked = [...hits].sort((a, b) => b.bm25 - a.bm25).map((hit) => hit.messageId);
      expect(ranked).toEqual([m(1), m(3), m(2)]);
      expect(hits.every((hit) => hit.cosine === null)).toBe(true);
    });

    it('scores by BM25 as it stands in the books', async () => {
      const index = await open();
      const texts = ['alpha beta', 'alpha', 'alpha alpha gamma delta', 'beta gamma eps zeta eta', 'theta'];
      await index.apply(change({ messages: texts.map((text, at) => message(at, text)) }), 1);
      const scores = new Map((await search(index, 'alpha gamma')).map((hit) => [hit.messageId, hit.bm25]));
      // Five texts of 2.6 words on average; alpha is in three, gamma in two.
      const wanted = [0.595185, 0.720341, 1.361078, 0.635493];
      expect(scores.size).toBe(4);
      for (const [at, score] of wanted.entries()) expect(scores.get(m(at))).toBeCloseTo(score, 4);
      const twice = new Map((await search(index, 'alpha alpha')).map((hit) => [hit.messageId, hit.bm25]));
      expect(twice.get(m(1))).toBeCloseTo(2 * 0.720341, 4);
    });

    it('searches by words alone, by vector alone, and by neither', async () => {
      const index = await open();
      await index.apply(change({ messages: [message(1, 'alpha'), message(2, 'beta')] }), 1);
      expect(await found(index, 'alpha')).toEqual([m(1)]);
      expect(await found(index, '')).toEqual([]);
      expect(await found(index, '  \n ')).toEqual([]);
      expect(await found(index, 'beta', { vector: { model: MODEL, values: values(1, 0) } })).toEqual([m(2)]);
      await embedAll(index, () => values(1, 0));
      expect(await found(index, '', { vector: { model: MODEL, values: values(0, 1) } })).toEqual([
        m(1),
        m(2),
      ]);
      expect(await found(index, '', { vector: { model: 'another', values: values(0, 1) } })).toEqual([]);
      expect(await found(index, '', { vector: { model: MODEL, values: values(0, 1, 0) } })).toEqual([]);
    });

    it('takes vectors without a direction', async () => {
      const index = await open();
      await index.apply(change({ messages: [message(1, 'alpha'), message(2, 'beta')] }), 1);
      await embedAll(index, (text) => (text === 'alpha' ? values(0, 0) : values(1, 0)));
      const hits = await search(index, '', { vector: { model: MODEL, values: values(1, 0) } });
      expect(hits.map((hit) => [hit.messageId, hit.cosine]).sort()).toEqual([
        [m(1), 0],
        [m(2), 1],
      ]);
      for (const hit of await search(index, '', { vector: { model: MODEL, values: values(0, 0) } }))
        expect(hit.cosine).toBe(0);
    });

    it('takes any query text', async () => {
      const index = await open();
      await index.apply(change({ messages: [message(1, 'safe')] }), 1);
      const strange = [
        "'); drop table chunks; --",
        'a & b | !c <-> d:*',
        '\\ " % _ $1 {} []',
        'nul \0 and half \ud800 a pair',
        '😀 ❤️ 👩‍👩‍👧',
        'x'.repeat(10_000),
        Array.from({ length: 5000 }, (_, at) => `word${at}`).join(' '),
      ];
      for (const words of strange) expect(await search(index, words)).toEqual([]);
      expect(await found(index, `${strange[0]} safe`)).toEqual([m(1)]);
    });

    it('takes any text', async () => {
      const index = await open();
      const text = 'nul \0, half \ud800, back\\slash, \\u0000, "quotes", 😀';
      await index.apply(
        change({
          conversations: [conversation(1, { title: text, workDir: text, keywords: [text] })],
          messages: [
            message(1, [chunk(text, { words: 'odd' })], { content: [{ [text]: text }], parentId: m(text) }),
          ],
        }),
        1,
      );
      const [hit] = await search(index, 'odd');
      expect(hit?.text).toContain('back\\slash, \\u0000, "quotes", 😀');
      await index.describe(c(1), { summary: text, keywords: [text], described: text });
      await index.apply(change({ conversations: [conversation(1, { title: text })] }), 2);
      expect(await found(index, 'odd', { filter: { titleContains: '"QUOTES", 😀' } })).toEqual([m(1)]);
      expect((await index.pendingChunks(MODEL, 1))[0]?.embedded).toContain('"quotes", 😀');
    });

    it('finds Chinese by words and bigrams, with the question treated alike', async () => {
      const index = await open();
      const say = (id: number, text: string, words: string) => message(id, [chunk(text, { words })]);
      await index.apply(
        change({
          messages: [
            say(1, '数据库备份每天凌晨执行', '数据库 备份 每天 凌晨 执行 数据 据库 库备 份每 天凌 晨执'),
            say(2, '今天天气很好', '今天 天气 很 好 天天 气很 很好'),
            say(3, '备份放在哪里', '备份 放在 哪里 份放 在哪'),
          ],
        }),
        1,
      );
      const hits = await search(index, '什么 时候 备份 数据库 么时 候备 份数 数据 据库');
      const ranked = [...hits].sort((a, b) => b.bm25 - a.bm25).map((hit) => hit.messageId);
      expect(ranked).toEqual([m(1), m(3)]);
    });

    it('finds a single Chinese character within words too, those where it is the word first', async () => {
      const index = await open();
      const say = (id: number, words: string) => message(id, [chunk(words, { words })]);
      await index.apply(
        change({ messages: [say(1, '小猫 小猫 很 可爱'), say(2, '天气 很 好'), say(3, '猫 在 这里')] }),
        1,
      );
      const found = async (words: string) =>
        [...(await search(index, words))].sort((a, b) => b.bm25 - a.bm25).map((hit) => hit.messageId);
      expect(await found('猫')).toEqual([m(3), m(1)]);
      expect(await found('爱')).toEqual([m(1)]);
      expect(await found('狗')).toEqual([]);
      // Only alone: in a longer question other words say what is meant.
      expect(await found('爱 天气')).toEqual([m(2)]);
    });

    describe('filters', () => {
      const day = 86_400_000;
      const library = change({
        conversations: [
          conversation(1, { title: 'Holiday in Rome', workDir: '/home/a' }),
          conversation(2, { title: 'Taxes', archived: true, workDir: '/home/b' }),
          conversation(3, { title: 'rome again', pinned: true }),
        ],
        messages: [
          message(1, 'ticket one', { createdAt: day }),
          message(2, 'ticket two', { createdAt: 2 * day, role: 'assistant', hasCode: true }),
          message(3, 'ticket three', { conversationId: c(2), createdAt: 3 * day }),
          message(4, 'ticket four', { conversationId: c(3), createdAt: 4 * day, role: 'tool' }),
        ],
      });
      const cases: readonly [string, IndexFilter, readonly number[]][] = [
        ['nothing', {}, [1, 2, 3, 4]],
        ['conversations', { conversationIds: [c(2), c(3)] }, [3, 4]],
        ['no conversation', { conversationIds: [] }, []],
        ['unknown conversations', { conversationIds: [c('x')] }, []],
        ['all but some conversations', { excludeConversationIds: [c(1), c('x')] }, [3, 4]],
        ['all but none', { excludeConversationIds: [] }, [1, 2, 3, 4]],
        ['title', { titleContains: 'ROME' }, [1, 2, 4]],
        ['title literally', { titleContains: '%' }, []],
        ['roles', { roles: ['assistant', 'tool'] }, [2, 4]],
        ['no role', { roles: [] }, []],
        ['work dir', { workDir: '/home/a' }, [1, 2]],
        ['before', { before: 3 * day }, [1, 2]],
        ['after', { after: 3 * day }, [3, 4]],
        ['with code', { hasCode: true }, [2]],
        ['without code', { hasCode: false }, [1, 3, 4]],
        ['pinned', { pinned: true }, [4]],
        ['not pinned', { pinned: false }, [1, 2, 3]],
        ['archived', { archived: true }, [3]],
        ['not archived', { archived: false }, [1, 2, 4]],
        [
          'several together',
          { titleContains: 'rome', excludeConversationIds: [c(3)], after: 2 * day, archived: false },
          [2],
        ],
      ];
      it('narrow both halves', async () => {
        const index = await open();
        await index.apply(library, 1);
        await embedAll(index, () => values(1, 0));
        const vector = { model: MODEL, values: values(1, 0) };
        for (const [what, filter, ids] of cases) {
          const wanted = ids.map(m).sort();
          expect(await found(index, 'ticket', { filter }), `words, ${what}`).toEqual(wanted);
          expect(await found(index, '', { vector, filter }), `vector, ${what}`).toEqual(wanted);
          expect(await found(index, 'ticket', { vector, filter }), `both, ${what}`).toEqual(wanted);
        }
      });

      it('narrow the newest messages, which are brought newest first with how many there are', async () => {
        const index = await open();
        await index.apply(library, 1);
        for (const [what, filter, ids] of cases) {
          const newest = [...ids].reverse().map(m);
          const { candidates, total } = await index.search({ words: '', filter, limit: 10, newest: '' });
          expect([what, candidates.map(({ messageId }) => messageId), total]).toEqual([
            what,
            newest,
            ids.length,
          ]);
          const two = await index.search({ words: '', filter, limit: 2, newest: '' });
          expect([what, two.candidates.map(({ messageId }) => messageId), two.total]).toEqual([
            what,
            newest.slice(0, 2),
            ids.length,
          ]);
        }
      });

      it('do not starve the candidates', async () => {
        const index = await open();
        const many = Array.from({ length: 300 }, (_, at) =>
          message(at, 'needle', { conversationId: c(1), createdAt: at }),
        );
        const few = Array.from({ length: 4 }, (_, at) =>
          message(1000 + at, 'needle lost in a longer stretch of hay', {
            conversationId: c(2),
            createdAt: at,
          }),
        );
        await index.apply(change({ messages: [...many, ...few] }), 1);
        await embedAll(index, (text) => (text === 'needle' ? values(1, 0) : values(0.1, 1)));
        const only: IndexFilter[] = [{ conversationIds: [c(2)] }, { excludeConversationIds: [c(1)] }];
        for (const filter of only) {
          expect(await found(index, 'needle', { filter, limit: 3 })).toHaveLength(3);
          const vector = { model: MODEL, values: values(1, 0) };
          const hits = await search(index, '', { vector, filter, limit: 3 });
          expect(hits).toHaveLength(3);
          expect(hits.every((hit) => hit.conversationId === c(2))).toBe(true);
        }
      });
    });

    it('brings the newest messages that hold a text letter by letter, each once, by the chunk that holds it', async () => {
      const index = await open();
      await index.apply(
        change({
          messages: [
            message(1, '昨晚没有备份'),
            message(2, [
              chunk('nothing here'),
              chunk('准备好了', { ordinal: 1 }),
              chunk('备', { ordinal: 2 }),
            ]),
            message(3, 'a rocket 🚀 and 100% of "quotes"'),
            message(4, '面包'),
            message(5, [chunk('舊的備份', { words: '旧的 备份' })]),
          ],
        }),
        1,
      );
      const held = async (newest: string) => {
        const { candidates, total } = await index.search({ words: '', filter: {}, limit: 10, newest });
        expect(total).toBe(candidates.length);
        return candidates.map(({ messageId, text, bm25, cosine }) => [messageId, text, bm25, cosine]);
      };
      for (const sign of ['备', '備'])
        expect((await held(sign)).map(([id]) => id)).toEqual([m(5), m(2), m(1)]);
      expect(await held('备')).toEqual([
        [m(5), '舊的備份', 0, null],
        [m(2), '准备好了', 0, null],
        [m(1), '昨晚没有备份', 0, null],
      ]);
      expect((await held('🚀')).map(([id]) => id)).toEqual([m(3)]);
      expect((await held('%')).map(([id]) => id)).toEqual([m(3)]);
      expect(await held('\0')).toEqual([]);
    });

    it('hands out what has no vector yet, most urgent first', async () => {
      const index = await open();
      await index.apply(
        change({
          messages: [
            message(1, [chunk('late', { priority: 5 }), chunk('soon', { ordinal: 1, priority: 1 })]),
            message(2, [chunk('passage', { embedded: 'before: passage', priority: 2 })], {
              conversationId: c(2),
            }),
            message(3, ''),
          ],
        }),
        1,
      );
      const stale = await index.pendingChunks(MODEL, 10);
      expect(stale.map(({ embedded, conversationId }) => [embedded, conversationId])).toEqual([
        ['soon', c(1)],
        ['before: passage', c(2)],
        ['late', c(1)],
      ]);
      expect((await index.pendingChunks(MODEL, 1)).map((one) => one.embedded)).toEqual(['soon']);
      expect((await index.pendingChunks(MODEL, 9, [c(2)])).map((one) => one.embedded)).toEqual([
        'before: passage',
      ]);
      expect(await index.pendingChunks(MODEL, 9, [])).toEqual([]);
      const waiting = await index.pendingCounts(MODEL);
      expect(new Map(waiting.map((one) => [one.conversationId, one.messages]))).toEqual(
        new Map([
          [c(1), 1],
          [c(2), 1],
        ]),
      );
      await index.put(MODEL, [{ chunkId: stale[0]?.id ?? 0, values: values(1, 0) }]);
      expect((await index.pendingChunks(MODEL, 10)).map((one) => one.embedded)).toEqual([
        'before: passage',
        'late',
      ]);
      expect(await index.pendingChunks('another', 10)).toHaveLength(3);
      expect((await index.stats(MODEL)).vectors).toBe(1);
      expect((await index.stats('another')).vectors).toBe(0);
    });

    it('keeps what is embedded even where it is not the text with something in front', async () => {
      const index = await open();
      const odd = chunk('text', { embedded: 'something else' });
      await index.apply(change({ messages: [message(1, [odd])] }), 1);
      expect((await index.pendingChunks(MODEL, 1))[0]?.embedded).toBe('something else');
      expect(await search(index, 'text')).toMatchObject([{ text: 'text' }]);
    });

    it('embeds equal texts once', async () => {
      const index = await open();
      await index.apply(change({ messages: [message(1, 'same'), message(2, 'same')] }), 1);
      const [first] = await index.pendingChunks(MODEL, 1);
      await index.put(MODEL, [{ chunkId: first?.id ?? 0, values: values(0.6, 0.8) }]);
      expect(await index.pendingChunks(MODEL, 10)).toEqual([]);
      await index.apply(change({ messages: [message(3, 'same', { conversationId: c(2) })] }), 2);
      expect(await index.pendingChunks(MODEL, 10)).toEqual([]);
      expect(await index.pendingCounts(MODEL)).toEqual([]);
      const hits = await search(index, '', { vector: { model: MODEL, values: values(0.6, 0.8) } });
      expect(hits.map((hit) => hit.cosine?.toFixed(4))).toEqual(['1.0000', '1.0000', '1.0000']);
    });

    it('replaces vectors, ignores chunks that are gone, and never gives a late vector to other text', async () => {
      const index = await open();
      await index.apply(change({ messages: [message(1, 'first words')] }), 1);
      const [old] = await index.pendingChunks(MODEL, 1);
      const id = old?.id ?? 0;
      await index.put(MODEL, [{ chunkId: id, values: values(1, 0) }]);
      await index.put(MODEL, [{ chunkId: id, values: values(0, 1) }]);
      await index.put(MODEL, []);
      const vector = { model: MODEL, values: values(0, 1) };
      expect((await search(index, '', { vector }))[0]?.cosine).toBeCloseTo(1, 5);

      await index.apply(change({ messages: [message(1, 'second words')] }), 2);
      expect((await index.pendingChunks(MODEL, 9)).map((one) => one.embedded)).toEqual(['second words']);
      await index.put(MODEL, [
        { chunkId: id, values: values(1, 0) },
        { chunkId: 999_999, values: values(1, 0) },
      ]);
      expect(await index.pendingChunks(MODEL, 9)).toHaveLength(1);
      expect(await search(index, '', { vector })).toEqual([]);

      await index.clear();
      await index.apply(change({ messages: [message(1, 'third words')] }), 1);
      await index.put(MODEL, [{ chunkId: id, values: values(1, 0) }]);
      expect(await index.pendingChunks(MODEL, 9)).toHaveLength(1);
    });

    it('keeps the vectors of two models apart, and keeps both', async () => {
      const index = await open();
      await index.apply(change({ messages: [message(1, 'one'), message(2, 'two')] }), 1);
      await embedAll(index, (text) => (text === 'one' ? values(1, 0) : values(0, 1)));
      expect(await index.pendingChunks('another', 9)).toHaveLength(2);
      await embedAll(index, (text) => (text === 'one' ? values(0, 1) : values(1, 0)), 'another');
      for (const [model, nearest] of [
        [MODEL, m(1)],
        ['another', m(2)],
        [MODEL, m(1)],
      ] as const) {
        const hits = await search(index, '', { vector: { model, values: values(1, 0) } });
        expect(hits).toHaveLength(2);
        for (const hit of hits) expect(hit.cosine).toBeCloseTo(hit.messageId === nearest ? 1 : 0, 2);
        expect(await index.pendingChunks(model, 9)).toEqual([]);
        expect((await index.stats(model)).vectors).toBe(2);
      }
    });

    it('starts over when a model speaks in another length', async () => {
      const index = await open();
      await index.apply(change({ messages: [message(1, 'one'), message(2, 'two')] }), 1);
      await embedAll(index, () => values(1, 0));
      const [one] = await search(index, 'one');
      await index.put(MODEL, [{ chunkId: one?.chunkId ?? 0, values: values(1, 0, 0) }]);
      expect((await index.pendingChunks(MODEL, 9)).map((chunk) => chunk.embedded)).toEqual(['two']);
      const vector = { model: MODEL, values: values(1, 0, 0) };
      expect(await found(index, '', { vector })).toEqual([m(1)]);
    });

    it('replaces a message: content, chunks and place', async () => {
      const index = await open();
      const two = [chunk('kept part'), chunk('dropped part', { ordinal: 1 })];
      await index.apply(change({ messages: [message(1, two)] }), 1);
      await embedAll(index, () => values(1, 0));
      const before = await search(index, 'kept');
      await index.apply(
        change({
          messages: [
            message(1, [chunk('kept part', { words: 'kept changed' })], {
              conversationId: c(2),
              role: 'tool',
            }),
          ],
        }),
        2,
      );
      expect(await found(index, 'dropped')).toEqual([]);
      expect(await search(index, 'changed')).toMatchObject([
        { chunkId: before[0]?.chunkId, conversationId: c(2), role: 'tool' },
      ]);
      expect(await found(index, 'kept', { filter: { conversationIds: [c(2)], roles: ['tool'] } })).toEqual([
        m(1),
      ]);
      expect(await index.pendingChunks(MODEL, 9)).toEqual([]);
      expect(await index.messageIds(c(1))).toEqual(new Set());
      expect(await index.stats(MODEL)).toMatchObject({ messages: 1, chunks: 1, vectors: 1 });
    });

    it('keeps the vector of a chunk that only moved within its message', async () => {
      const index = await open();
      await index.apply(change({ messages: [message(1, [chunk('moves')])] }), 1);
      await embedAll(index, () => values(1, 0));
      const moved = [chunk('new'), chunk('moves', { ordinal: 1 })];
      await index.apply(change({ messages: [message(1, moved)] }), 2);
      expect((await index.pendingChunks(MODEL, 9)).map((one) => one.embedded)).toEqual(['new']);
    });

    it('removes messages and conversations with all that was made of them', async () => {
      const index = await open();
      await index.apply(
        change({
          messages: [message(1, 'one'), message(2, 'two'), message(3, 'three', { conversationId: c(2) })],
        }),
        1,
      );
      await embedAll(index, () => values(1, 0));
      await index.apply(change({ removedMessages: [m(1), m('unknown')] }), 2);
      expect(await found(index, 'one two three')).toEqual([m(2), m(3)]);
      await index.apply(change({ removedConversations: [c(2), c('unknown')] }), 3);
      expect(await index.stats(MODEL)).toMatchObject({
        conversations: 1,
        messages: 1,
        chunks: 1,
        vectors: 1,
      });
      expect(await index.messageIds(c(2))).toEqual(new Set());
      expect(await index.bookmark()).toBe(3);
    });

    it('lets removal win over arrival in the same change', async () => {
      const index = await open();
      await index.apply(
        change({
          conversations: [conversation(1), conversation(2)],
          messages: [message(1, 'one'), message(2, 'two'), message(3, 'three', { conversationId: c(2) })],
          removedMessages: [m(1)],
          removedConversations: [c(2)],
        }),
        1,
      );
      expect(await found(index, 'one two three')).toEqual([m(2)]);
      expect((await index.stats(MODEL)).conversations).toBe(1);
    });

    it('takes the later of two rows with the same id', async () => {
      const index = await open();
      await index.apply(
        change({
          conversations: [conversation(1, { title: 'old' }), conversation(1, { title: 'new' })],
          messages: [message(1, 'old'), message(1, 'new')],
        }),
        1,
      );
      expect(await search(index, 'old new')).toMatchObject([{ text: 'new', title: 'new' }]);
    });

    it('keeps what was made of a conversation until something better is said', async () => {
      const index = await open();
      const keywords = async () => (await index.overview(MODEL)).conversations.map((one) => one.keywords);
      await index.describe(c(1), { summary: '', keywords: [], described: '' });
      expect((await index.stats(MODEL)).conversations).toBe(0);
      await index.apply(
        change({ conversations: [conversation(1, { title: 'Made' })], messages: [message(1, 'word')] }),
        1,
      );
      await index.describe(c(1), { summary: 'A summary.', keywords: ['a', 'b'], described: 'a b' });
      await index.apply(change({ conversations: [conversation(1, { title: '', keywords: [] })] }), 2);
      expect(await search(index, 'word')).toMatchObject([{ title: 'Made' }]);
      expect(await keywords()).toEqual([['a', 'b']]);
      await index.describe(c(1), { summary: 'Another.', keywords: [], described: '' });
      expect(await keywords()).toEqual([[]]);
      await index.apply(
        change({ conversations: [conversation(1, { title: 'Chosen', keywords: ['c'] })] }),
        3,
      );
      expect(await search(index, 'word')).toMatchObject([{ title: 'Chosen' }]);
      expect(await keywords()).toEqual([['c']]);
    });

    it('says which conversations are described by a question’s words, those that pass the filter', async () => {
      const index = await open();
      const described = async (words: string, more: Partial<Parameters<MemoryIndex['search']>[0]> = {}) =>
        (await index.search({ words, filter: {}, limit: 10, withNeighbours: true, ...more })).described?.map(
          ({ conversationId, has }) => [conversationId, has],
        );
      await index.apply(
        change({
          conversations: [
            conversation(1, { described: 'boiler repair landlord' }),
            conversation(2, { described: 'repair bicycle' }),
          ],
          messages: [
            message(1, 'it drips again'),
            message(2, 'the chain is off', { conversationId: c(2) }),
            message(3, 'a repair of something'),
          ],
        }),
        1,
      );
      expect(await described('boiler repair price')).toEqual([
        [c(1), [true, true, false]],
        [c(2), [false, true, false]],
      ]);
      expect(await described('repair', { withNeighbours: false })).toBeUndefined();
      expect(await described('boiler repair', { filter: { excludeConversationIds: [c(1)] } })).toEqual([
        [c(2), [false, true]],
      ]);
      expect(await described('chain')).toEqual([]);
      // A row without a description keeps the old one; a new one replaces it.
      await index.apply(change({ conversations: [conversation(1)] }), 2);
      expect(await described('boiler')).toEqual([[c(1), [true]]]);
      await index.describe(c(1), { summary: '', keywords: [], described: 'valve' });
      expect(await described('boiler valve')).toEqual([[c(1), [false, true]]]);
      await index.describe(c(1), { summary: '', keywords: [], described: '' });
      expect(await described('boiler valve')).toEqual([]);
      await index.apply(change({ removedConversations: [c(2)] }), 3);
      expect(await described('bicycle repair')).toEqual([]);
    });

    describe('neighbours', () => {
      const tree = change({
        messages: [
          message(1, 'root'),
          message(2, 'answer', { parentId: m(1), role: 'assistant' }),
          message(3, '', { parentId: m(2) }),
          message(4, 'older branch', { parentId: m(3), createdAt: 10 }),
          message(5, 'newer branch', { parentId: m(3), createdAt: 20 }),
          message(6, 'end', { parentId: m(5) }),
          message(7, [chunk('one '.repeat(200)), chunk('two', { ordinal: 1 })], { parentId: m(6) }),
        ],
      });
      const around = async (index: MemoryIndex, id: number, before: number, after: number) => {
        const result = (await index.neighbours([m(id)], before, after)).get(m(id));
        return [result?.before.map((one) => one.text), result?.after.map((one) => one.text)];
      };

      it('follow the tree, oldest first, the newest branch, notes passed over', async () => {
        const index = await open();
        await index.apply(tree, 1);
        expect(await around(index, 5, 2, 1)).toEqual([['root', 'answer'], ['end']]);
        expect(await around(index, 2, 5, 2)).toEqual([['root'], ['newer branch', 'end']]);
        expect(await around(index, 4, 1, 3)).toEqual([['answer'], []]);
        expect(await around(index, 1, 0, 0)).toEqual([[], []]);
        const two = await index.neighbours([m(1), m(6), m('unknown')], 1, 1);
        expect([...two.keys()].sort()).toEqual([m(1), m(6)]);
        expect(two.get(m(1))?.after).toEqual([
          { messageId: m(2), role: 'assistant', createdAt: 1_700_000_000_002, text: 'answer' },
        ]);
        expect(await index.neighbours([], 1, 1)).toEqual(new Map());
      });

      it('are cut at 600 characters', async () => {
        const index = await open();
        await index.apply(tree, 1);
        expect((await around(index, 6, 0, 1))[1]).toEqual(['one '.repeat(150)]);
      });

      it('end in a circle', async () => {
        const index = await open();
        const ring = [message(1, 'a', { parentId: m(2) }), message(2, 'b', { parentId: m(1) })];
        await index.apply(change({ messages: ring }), 1);
        expect(await around(index, 1, 2, 1)).toEqual([['a', 'b'], ['b']]);
      });
    });

    it('forgets a conversation with everything made from it', async () => {
      const index = await open();
      await index.apply(
        change({ messages: [message(1, 'secret'), message(2, 'open', { conversationId: c(2) })] }),
        1,
      );
      await embedAll(index, () => values(1, 0));
      await index.apply(change({ removedConversations: [c(1), c('unknown')] }), 2);
      expect(await found(index, 'secret open', { vector: { model: MODEL, values: values(1, 0) } })).toEqual([
        m(2),
      ]);
      expect(await index.stats(MODEL)).toMatchObject({
        conversations: 1,
        messages: 1,
        chunks: 1,
        vectors: 1,
      });
      await index.apply(change({ messages: [message(3, 'secret')] }), 2);
      expect(await index.pendingChunks(MODEL, 9), 'its vectors are gone too').toHaveLength(1);
    });

    it('shows the library from above', async () => {
      const index = await open();
      await index.apply(
        change({
          conversations: [
            conversation(1, { updatedAt: 5, keywords: ['bread'] }),
            conversation(2, { updatedAt: 9, archived: true, workDir: '/src' }),
          ],
          messages: [
            message(1, 'flour'),
            message(2, 'water'),
            message(3, '', {
              conversationId: c(2),
              createdAt: 77,
              content: [
                { type: 'recall', passages: [{ conversationId: c(1), messageId: m(1) }] },
                { type: 'text', text: 'answer' },
              ],
            }),
          ],
        }),
        3,
      );
      await embedAll(index, (embedded) => (embedded === 'flour' ? values(1, 0) : values(0, 1)));
      const { conversations, recalled } = await index.overview(MODEL);
      expect(
        conversations.map(({ vector, ...one }) => [one.id, one.messages, one.archived, one.workDir]),
      ).toEqual([
        [c(2), 1, true, '/src'],
        [c(1), 2, false, null],
      ]);
      expect(conversations[1]?.keywords).toEqual(['bread']);
      expect([...(conversations[1]?.vector ?? [])]).toEqual([0.5, 0.5]);
      expect(conversations[0]?.vector).toBeNull();
      expect(recalled).toEqual([{ at: 77, conversationId: c(1) }]);
    });

    it('tells the quarters of hours in which something was said', async () => {
      const index = await open();
      const quarter = 900_000;
      const times = [5 * quarter + 3, 2 * quarter, 5 * quarter, 1_800_000_000_000, 0];
      await index.apply(
        change({
          conversations: [conversation(1), conversation(2)],
          messages: times.map((createdAt, at) => message(at + 1, 'flour', { createdAt })),
        }),
        1,
      );
      const { conversations } = await index.overview(MODEL);
      const said = new Map(conversations.map((one) => [one.id, one.said]));
      expect(said.get(c(1))).toEqual([0, 2 * quarter, 5 * quarter, 1_800_000_000_000]);
      expect(said.get(c(2))).toEqual([]);
      expect(conversations.map(({ messages }) => messages).sort()).toEqual([0, 5]);
    });
  });
}
