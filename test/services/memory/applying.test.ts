// A note travels with a request that it applies to though they share no word, within its budget, once,
// and not where the person held it back.
import { expect, it } from 'vitest';
import { asMessageId, newConversationId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import type { AppliedNote, Message } from '../../../src/domain/chat/message.ts';
import { recallBlocksOn } from '../../../src/domain/context/recalled.ts';
import type { MemoryNote } from '../../../src/domain/memory/notes.ts';
import { type Config, defaultConfig } from '../../../src/domain/settings/config.ts';
import { createTurnRecall } from '../../../src/services/chat/turn-recall.ts';
import { createApplying } from '../../../src/services/memory/applying.ts';
import { createRecognising } from '../../../src/services/memory/recognising.ts';
import { emptyNotes, notesOf } from '../chat/setup.ts';

const note = (id: string, text: string, more: Partial<MemoryNote> = {}): MemoryNote => ({
  id,
  text,
  createdAt: 1,
  updatedAt: 1,
  by: 'person',
  source: null,
  kind: 'rule',
  ...more,
});
const message = (text: string, id = 'q'): Message => ({
  id: asMessageId(id),
  parentId: null,
  role: 'user',
  kind: 'message',
  createdAt: 1,
  parts: [{ type: 'text', text }],
});
const answered = (applied: readonly AppliedNote[]): Message => ({
  ...message('', 'a'),
  role: 'assistant',
  parts: [{ type: 'recall', query: '', threshold: 0, passages: [], nearMisses: [], applied: [...applied] }],
});
const BY_WORDS: Parameters<typeof createRecognising>[0] = {
  embedding: () => null,
  hide: (text) => text,
  forgotten: writable(0),
  keyValues: { get: async () => undefined, set: async () => undefined },
  learns: false,
};

const asks = async (
  text: string,
  notes: readonly MemoryNote[],
  { path = [], change = () => undefined }: { path?: Message[]; change?: (config: Config) => void } = {},
) => {
  const config = structuredClone(defaultConfig);
  change(config);
  const applying = createApplying({
    recognising: createRecognising(BY_WORDS),
    config: writable(config),
    now: () => 1000,
  });
  return applying.forRequest({
    conversation: { id: newConversationId() } as Conversation,
    path,
    message: message(text),
    known: { ready: true, notes, feedback: [] },
    signal: new AbortController().signal,
  });
};
const CODE = note('n1', 'TypeScript is strict; tests come first.');
const FOOD = note('n2', 'I am allergic to shellfish.', { kind: 'fact' });
const REQUEST = 'Could you write a small function that parses dates?';

it('the rule about code goes with a request for code, the allergy does not', async () => {
  expect((await asks(REQUEST, [FOOD, CODE])).map(({ id }) => id)).toEqual(['n1']);
  expect((await asks('What could I cook tonight?', [FOOD, CODE])).map(({ id }) => id)).toEqual(['n2']);
});

it('how one wants to be answered always goes along', async () => {
  const brief = note('n3', 'Keep your answers short.');
  expect((await asks('Which river is longer?', [brief, CODE])).map(({ id }) => id)).toEqual(['n3']);
});

it('nothing that ended, was held back, is of a model or of another project goes along', async () => {
  const out: Partial<MemoryNote>[] = [
    { until: 999 },
    { since: 1001 },
    { applies: false },
    { by: 'model' },
    { project: 'p' },
  ];
  for (const more of out)
    expect(await asks(REQUEST, [{ ...CODE, ...more }]), JSON.stringify(more)).toEqual([]);
  expect(
    await asks(REQUEST, [CODE], {
      change: (config) => {
        config.notes.apply = false;
      },
    }),
  ).toEqual([]);
});

it('it goes along once, and again in other words', async () => {
  const given = await asks(REQUEST, [CODE]);
  const path = [message('before', 'q0'), answered(given)];
  expect(await asks(REQUEST, [CODE], { path })).toEqual([]);
  expect(await asks(REQUEST, [{ ...CODE, updatedAt: 2 }], { path })).toHaveLength(1);
});

it('all of them keep within the tokens that the person allows', async () => {
  const many = Array.from({ length: 30 }, (_, at) =>
    note(`n${at}`, `Code of part ${at} is written with two spaces and no semicolons.`),
  );
  const given = await asks(REQUEST, many, {
    change: (config) => {
      config.notes.apply_max_tokens = 60;
    },
  });
  expect(given.length).toBeGreaterThan(1);
  expect(given.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(60);
});

it('a turn has it without any passage, and a model reads it as the person’s own words', async () => {
  const state = emptyNotes();
  state.set({ ready: true, notes: [CODE], feedback: [] });
  const config = writable(defaultConfig);
  const turn = createTurnRecall({
    memory: {
      recall: async ({ text }) => ({
        query: text,
        passages: [],
        nearMisses: [],
        threshold: 0.9,
        tokens: 0,
        mode: 'keyword',
        degraded: null,
        tookMs: 1,
      }),
    },
    config,
    notes: notesOf(state),
    applying: createApplying({
      recognising: createRecognising(BY_WORDS),
      config,
      now: () => 1000,
    }),
  });
  const asked = message(REQUEST);
  const { applied } = await turn.forQuestion({
    conversation: { id: newConversationId() } as Conversation,
    path: [asked],
    asked,
    answering: true,
    without: undefined,
    announced: undefined,
    pressure: async () => 0,
    onAsking: () => undefined,
    signal: new AbortController().signal,
  });
  expect(applied).toMatchObject([{ id: 'n1', text: CODE.text }]);
  const block = recallBlocksOn([asked, answered(applied)], null).get(0);
  expect(block).toContain('<standing_notes>');
  expect(block).toContain(`- ${CODE.text}`);
  expect(block).not.toContain('<recalled_memory>');
});
