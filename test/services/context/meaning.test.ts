// What the memory index knows of a conversation by meaning: it decides what is kept and what comes back,
// and where it does not answer words do.
import { describe, expect, it } from 'vitest';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';
import { compactionPlanSchema, dispositionsOf } from '../../../src/domain/context/compaction/plan.ts';
import { type MeaningSource, meaningBy, withTimeout } from '../../../src/services/context/meaning.ts';
import { createInMemoryIndex } from '../../adapters/index/in-memory-index.ts';
import { passage } from '../chat/setup.ts';
import { contextConfig, filler, startTalks } from './talk.ts';

const { server, talk } = await startTalks();

const SAID = 'Das Klavier wurde im Mai mit dem Aufzug geliefert.';
const ASKED = 'When did the big instrument arrive?';
/** A conversation in which only meaning finds what was said third. */
const grown = (made: ReturnType<typeof talk>, turns = 22) =>
  made.grown(turns, (at) => ({ user: [{ type: 'text', text: at === 2 ? SAID : filler(2 * at) }] }));
/** Tells of that message and no other. */
const knowing = (more: Partial<MeaningSource> = {}) => {
  const asked: string[] = [];
  const found: { id?: MessageId } = {};
  const meaning: MeaningSource = {
    relevance: async (_id, question) => {
      asked.push(question);
      return new Map(found.id ? [[found.id, 0.9]] : []);
    },
    ...more,
  };
  return { meaning, asked, found };
};
const sent = () => JSON.stringify(server.chats().at(-1)?.messages ?? []);

describe('what is brought back for a question', () => {
  it('is found as recall ranks it, asked once for all steps of the answer', async () => {
    const { meaning, asked, found } = knowing();
    const made = talk({ context: { meaning }, config: contextConfig({ strategy: 'sliding-window' }) });
    const id = await grown(made);
    found.id = (await made.path(id))[4]?.id as MessageId;
    await made.context.compact(id);
    await made.say(ASKED, id);
    expect(asked).toEqual([ASKED]);
    expect(sent()).toContain('Das Klavier wurde im Mai');
    const answer = (await made.path(id)).at(-1)?.id as MessageId;
    expect((await made.context.manifest(id, answer))?.lines).toContainEqual(
      expect.objectContaining({ form: 'returned', from: found.id }),
    );
  });

  it('is the sentence that is nearest, of compacted messages alone, asked once for all steps of the answer', async () => {
    const compared: string[][] = [];
    const { meaning, found } = knowing({
      near: async (_question, units) => {
        compared.push(units.map(({ text }) => text));
        return new Map(units.map((unit) => [unit, unit.text === SAID ? 0.6 : 0.1]));
      },
    });
    const made = talk({ context: { meaning }, config: contextConfig({ strategy: 'sliding-window' }) });
    const id = await grown(made);
    // The index takes another message for the relevant one.
    found.id = (await made.path(id))[8]?.id as MessageId;
    await made.context.compact(id);
    await made.say(ASKED, id);
    expect(compared).toHaveLength(1);
    expect(filler(8)).toContain(compared[0]?.[0]);
    expect(compared[0]).not.toContain(ASKED);
    expect(sent()).toContain('Das Klavier wurde im Mai');
  });

  it('goes by words alone where the index is late, broken or absent, and asks it nothing where nothing is compacted', async () => {
    const late = knowing({ relevance: () => new Promise(() => undefined) });
    const broken = knowing({ relevance: () => Promise.reject(new Error('gone')) });
    for (const meaning of [late.meaning, broken.meaning, undefined]) {
      server.reset();
      const made = talk({
        context: meaning ? { meaning } : {},
        config: contextConfig({ strategy: 'sliding-window' }),
      });
      const id = await grown(made);
      await made.context.compact(id);
      await made.say('What has the header of file r7.csv?', id);
      expect(sent()).toContain('r7.csv');
    }
    const { meaning, asked } = knowing();
    const small = talk({ context: { meaning } });
    await small.say('Hello?');
    expect(asked).toEqual([]);
  });
});

describe('the strategies that go by meaning', () => {
  it('retrieval keeps whole what recall finds for the newest question', async () => {
    const { meaning, found } = knowing();
    const made = talk({ context: { meaning }, config: contextConfig({ strategy: 'retrieval' }) });
    const id = await grown(made);
    const path = await made.path(id);
    found.id = path[4]?.id as MessageId;
    await made.context.compact(id);
    const plan = compactionPlanSchema.parse((await made.compactions(id))[0]?.plan);
    expect(dispositionsOf(plan, path)[4]).toMatchObject({ action: 'keep', why: 'relevant' });
    expect(dispositionsOf(plan, path)[6]?.action).toBe('fold');
  });

  it('smart gets the vectors of the index', async () => {
    const asked: MessageId[] = [];
    const made = talk({
      context: {
        meaning: {
          vectors: async (ids) => {
            asked.push(...ids);
            return new Map(
              ids.map((id, at) => [id, Float32Array.from({ length: 64 }, (_, i) => +(i === at % 64))]),
            );
          },
        },
      },
      config: contextConfig({ strategy: 'smart' }),
    });
    const id = await grown(made);
    await made.context.compact(id);
    const path = await made.path(id);
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.every((one) => path.some((message) => message.id === one))).toBe(true);
    expect((await made.compactions(id))[0]).toMatchObject({ strategy: 'smart' });
  });
});

describe('the meaning of the tab’s index', () => {
  it('is recall inside one conversation, and the vectors of the model in force', async () => {
    const index = createInMemoryIndex();
    let filter: unknown;
    const meaning = meaningBy({
      memory: {
        recall: async (request) => {
          filter = request.filter;
          const near = passage('m2', 'less');
          return {
            query: request.text,
            passages: [
              passage('m1', 'more'),
              { ...passage('m1', 'again'), scores: { ...near.scores, final: 0.2 } },
            ],
            nearMisses: [{ ...near, scores: { ...near.scores, final: 0.3 } }],
            threshold: 0.75,
            tokens: 0,
            mode: 'hybrid',
            degraded: null,
            tookMs: 1,
          };
        },
      },
      index: () => index,
      model: () => 'e5',
    });
    const known = withTimeout(meaning);
    const signal = new AbortController().signal;
    expect([...(await known.relevance('here' as ConversationId, 'what?', signal))]).toEqual([
      ['m1', 0.86],
      ['m2', 0.3],
    ]);
    expect(filter).toEqual({ conversationIds: ['here'] });
    expect((await known.vectors(['m1' as MessageId], signal)).size).toBe(0);
    const asleep = withTimeout(
      meaningBy({
        memory: { recall: () => Promise.reject(new Error('no')) },
        index: () => null,
        model: () => null,
      }),
    );
    expect((await asleep.vectors(['m1' as MessageId], signal)).size).toBe(0);
    expect((await asleep.relevance('here' as ConversationId, 'what?', signal)).size).toBe(0);
    await expect(asleep.relevance('here' as ConversationId, 'x', AbortSignal.abort())).rejects.toThrow();
  });
});
