// The figures of a request through the service: counted, corrected by what endpoints
// report, priced, and split into their parts.
import { describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import type { ToolDescription } from '../../../src/adapters/models/chat-model.ts';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';
import type { RequestManifest } from '../../../src/domain/context/manifest.ts';
import { MESSAGE_OVERHEAD, type TokenCounter } from '../../../src/domain/context/meter.ts';
import { renderRecall } from '../../../src/domain/context/recalled.ts';
import { estimateTokens } from '../../../src/domain/context/tokens.ts';
import { passage } from '../chat/setup.ts';
import { contextConfig, filler, startTalks, WINDOW, words } from './talk.ts';

const { server, talk } = await startTalks();
type Talk = ReturnType<typeof talk>;

const WIDE = contextConfig({ window_tokens: 40_000 });
const nextOf = async ({ context }: Talk, id: ConversationId, draft = '') => {
  const next = await context.next(id, draft === '' ? [] : [{ type: 'text', text: draft }]);
  if (!next) throw new Error('There is no such conversation');
  return next;
};

/** Says something to an endpoint that reports `factor` times what was counted with nothing learnt yet. */
async function sayTo(scene: Talk, id: ConversationId, factor: number): Promise<void> {
  const { tokens, ratio } = (await nextOf(scene, id, 'And now?')).manifest;
  const reported = Math.round((tokens.total / ratio) * factor);
  server.next({
    steps: [{ text: 'Well.' }, { finish: 'stop' }, { usage: { prompt_tokens: reported } }],
  });
  await scene.say('And now?', id);
}

describe('an estimate', () => {
  it('is set right by what the endpoint reports, for this model, and stays so on the device', async () => {
    const store = createInMemoryStore();
    const scene = talk({ config: WIDE, store });
    const id = await scene.grown(8);
    const before = await nextOf(scene, id);
    expect(before.manifest).toMatchObject({ counter: 'estimate', ratio: 1 });
    for (let times = 0; times < 3; times++) await sayTo(scene, id, 1.3);
    const after = await nextOf(scene, id);
    expect(after.manifest.ratio).toBeCloseTo(1.3, 2);
    expect(after.contextMeter.used.total).toBeGreaterThan(before.contextMeter.used.total * 1.29);
    expect(after.contextMeter.exact).toBe(false);
    await expect
      .poll(async () => JSON.stringify(await store.keyValues.get('context/corrections')))
      .toContain('"samples":3');
    expect((await nextOf(talk({ config: WIDE, store }), id)).manifest.ratio).toBeCloseTo(1.3, 2);
    expect((await nextOf(talk({ config: WIDE, store, id: 'another' }), id)).manifest.ratio).toBe(1);
  });

  it('gives way to the model’s own tokenizer where there is one', async () => {
    const characters: TokenCounter = { id: 'characters', exact: true, count: (text) => text.length };
    const scene = talk({
      config: WIDE,
      context: { counterFor: ({ id: model }) => (model === 'plain' ? characters : undefined) },
    });
    const id = await scene.grown(2);
    const { manifest: ledger, contextMeter: meter } = await nextOf(scene, id, 'And now?');
    expect(ledger.counter).toBe('characters');
    expect(meter.exact).toBe(true);
    const said = [filler(0), filler(1), filler(2), filler(3), 'And now?'];
    expect(meter.used.messages).toBe(said.reduce((sum, { length }) => sum + length + MESSAGE_OVERHEAD, 0));
    await scene.say('And now?', id);
    const answer = (await scene.path(id)).at(-1)?.id as MessageId;
    expect(await scene.context.manifest(id, answer)).toMatchObject({ counter: 'characters' });
  });
});

it('the next send costs what the whole request and what is typed cost', async () => {
  const scene = talk({
    config: WIDE,
    context: {
      priceOf: ({ id: model }) => (model === 'plain' ? { currency: 'EUR', input: 3, output: 15 } : null),
    },
  });
  const id = await scene.grown(4);
  const plain = (await nextOf(scene, id)).contextMeter;
  expect(plain.used.total).toBeGreaterThan(500);
  expect(plain.price).toEqual({ amount: (plain.used.total * 3) / 1e6, currency: 'EUR' });
  const draft = filler(7);
  const typed = (await nextOf(scene, id, draft)).contextMeter;
  const cost = estimateTokens(draft) + MESSAGE_OVERHEAD;
  expect(typed.used).toEqual({
    ...plain.used,
    messages: plain.used.messages + cost,
    total: plain.used.total + cost,
  });
  expect(typed.price?.amount).toBeCloseTo(((plain.used.total + cost) * 3) / 1e6, 9);
  expect((await nextOf(talk({ store: scene.store, id: 'another' }), id)).contextMeter.price).toBeNull();
});

describe('a context meter', () => {
  /** Names of the parts that differ, without the total. */
  const changed = (before: RequestManifest['tokens'], after: RequestManifest['tokens']) =>
    (['system', 'tools', 'recall', 'returned', 'summary', 'messages'] as const).filter(
      (part) => before[part] !== after[part],
    );
  const total = ({ total: all, ...parts }: RequestManifest['tokens']) => {
    expect(Object.values(parts).reduce((sum, tokens) => sum + tokens, 0)).toBe(all);
    return all;
  };
  const lookUp: ToolDescription = {
    name: 'look_up',
    description: 'Looks a word up. '.repeat(20),
    schema: { type: 'object', properties: {} },
  };

  it('counts system prompt, tools, messages and a summary each in its own part', async () => {
    const offered: ToolDescription[] = [];
    const scene = talk({ context: { tools: () => offered } });
    const id = await scene.grown(8);
    const plain = (await nextOf(scene, id)).contextMeter.used;
    expect(plain).toMatchObject({ tools: 0, recall: 0, returned: 0, summary: 0 });

    offered.push(lookUp);
    const tooled = (await nextOf(scene, id)).contextMeter.used;
    expect(changed(plain, tooled)).toEqual(['tools']);
    expect(tooled.tools).toBe(estimateTokens(JSON.stringify(offered)));

    await scene.documents.change(id, { meta: { systemPrompt: 'Count every petal. '.repeat(40) } });
    const instructed = (await nextOf(scene, id)).contextMeter.used;
    expect(changed(tooled, instructed)).toEqual(['system']);
    expect(instructed.system).toBeGreaterThan(tooled.system);

    await scene.context.compact(id);
    const { manifest: ledger, contextMeter: meter } = await nextOf(scene, id);
    expect(changed(instructed, meter.used)).toEqual(['summary', 'messages']);
    const summaries = ledger.lines.filter(({ form }) => form === 'summary');
    const leftOut = ledger.lines.filter(({ form }) => form === 'out');
    expect(meter.used.summary).toBeGreaterThan(100);
    // Neighbours of one role are one message: its overhead is counted once.
    const summed = summaries.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(Math.abs(meter.used.summary - summed)).toBeLessThanOrEqual(2 * MESSAGE_OVERHEAD);
    const left = instructed.messages - leftOut.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(Math.abs(meter.used.messages - left)).toBeLessThanOrEqual(2 * MESSAGE_OVERHEAD);
    for (const used of [plain, tooled, instructed, meter.used]) expect(total(used)).toBe(used.total);
  });

  it('counts memory of other conversations by itself', async () => {
    const scene = talk({
      config: WIDE,
      recall: async () => ({ passages: [passage('p', 'The backup runs at three every night. '.repeat(5))] }),
    });
    const id = await scene.say('When does the backup run?');
    const answer = (await scene.path(id)).at(-1);
    const part = answer?.parts.find(({ type }) => type === 'recall');
    const { tokens } = (await scene.context.manifest(id, answer?.id as MessageId)) as RequestManifest;
    expect(part).toBeDefined();
    expect(tokens.recall).toBe(estimateTokens(renderRecall(part as never)));
    expect(tokens.messages).toBe(estimateTokens('When does the backup run?') + MESSAGE_OVERHEAD);
    expect((await nextOf(scene, id)).contextMeter.used.recall).toBe(tokens.recall);
    total(tokens);
  });

  it('goes by the window the model is known to have, and by the settings where it is not known', async () => {
    const unknown = talk();
    const id = await unknown.grown(22);
    expect((await nextOf(unknown, id)).contextMeter).toMatchObject({ window: WINDOW, reserve: 400 });
    const known = talk({ store: unknown.store, id: 'gpt-4o' });
    expect((await nextOf(known, id)).contextMeter).toMatchObject({ window: 128_000, trigger: 96_000 });
    server.next(words('The last region was 43.'));
    await known.say('What was the last region?', id);
    expect(known.paired()).toEqual([]);
  });

  it('lets the weight of tools fill the window: what is compacted makes room for them, too', async () => {
    const scene = talk();
    const id = await scene.grown(10);
    const heavy = [{ ...lookUp, description: 'Looks a word up. '.repeat(300) }];
    const weight = estimateTokens(JSON.stringify(heavy));
    const prepared = async (tools: readonly ToolDescription[]) => {
      const open = await scene.documents.open(id);
      const { manifest: ledger } = await scene.context.prepare({
        id,
        conversation: open.get,
        leaf: (await scene.path(id)).findLast(({ role }) => role === 'user')?.id as MessageId,
        model: scene.model(),
        recall: null,
        tools,
        signal: new AbortController().signal,
        onStatus: () => undefined,
      });
      open.close();
      return ledger;
    };
    expect((await prepared([])).tokens.tools).toBe(0);
    expect(scene.paired()).toEqual([]);
    const { tokens } = await prepared(heavy);
    expect(tokens.tools).toBe(weight);
    const [end] = scene.paired();
    expect(end).toMatchObject({ reason: 'auto', outcome: 'applied' });
    expect(end?.tokensBefore).toBeGreaterThan(weight + 1500);
    expect(tokens.total - tokens.returned).toBeLessThanOrEqual(WINDOW / 2);
    expect(end?.tokensAfter).toBe(tokens.total - tokens.returned);
  });
});
