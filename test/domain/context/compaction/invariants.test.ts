// What holds of every plan of every strategy on the shelf, over random trees: whatever the conversation, whatever the budget.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asMessageId } from '../../../../src/domain/base/ids.ts';
import { type Compaction, compactionOn, compactionSchema } from '../../../../src/domain/chat/compaction.ts';
import { pathTo } from '../../../../src/domain/chat/conversation.ts';
import type { Message, Part } from '../../../../src/domain/chat/message.ts';
import { extractiveSummary } from '../../../../src/domain/context/compaction/extractive.ts';
import { planCompaction, STRATEGIES } from '../../../../src/domain/context/compaction/index.ts';
import {
  boundaryOf,
  type CompactionPlan,
  compactionPlanSchema,
  fatesOf,
} from '../../../../src/domain/context/compaction/plan.ts';
import type {
  CompactionBudget,
  CompactionStrategy,
  CompactionTools,
  CompactionView,
  Summarise,
} from '../../../../src/domain/context/compaction/strategy.ts';
import { constraintsOf } from '../../../../src/domain/context/cues.ts';
import { createMeter } from '../../../../src/domain/context/meter.ts';
import { type BuiltPrompt, buildPrompt, systemTextOf } from '../../../../src/domain/context/prompt.ts';

/** Random trees for each strategy and each promise; CONTEXT_TREES=2000 looks longer. */
const RUNS = Number(process.env.CONTEXT_TREES ?? 150);

// ---------------------------------------------------------------------------------------- random trees
const CLAUSES = [
  'The staging host is db-7.internal and it listens on 5433.',
  'No, port 5434.',
  'Never delete the audit table.',
  'Please always answer in short sentences.',
  'We decided to keep SQLite.',
  'ok',
  '好的，按你说的做。',
  '不要改动 public 目录。',
  '预算是 12,000 元，截止 6 月 3 日。',
  '更正一下，预算是 15,000 元。',
  'It failed with ECONNRESET in src/net/pool.ts line 88, the cause was a missing keepalive.',
  'Why does it fail?',
  'TODO: rotate the keys.',
  '```ts\nconst LIMIT = 42;\n```',
  '| a | b |\n| --- | --- |\n| 1 | 2 |',
];
const words = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(fc.constantFrom(...CLAUSES), { minLength: 1, maxLength: 6 })
      .map((some) => some.join(' ')),
  },
  { weight: 2, arbitrary: fc.lorem({ maxCount: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 120 }) },
);
const callId = fc.constantFrom('a', 'b', 'c', 'd');
const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 5, arbitrary: words.map((text): Part => ({ type: 'text', text })) },
  { weight: 1, arbitrary: words.map((text): Part => ({ type: 'reasoning', text })) },
  {
    weight: 2,
    arbitrary: fc.tuple(callId, words).map(
      ([id, text]): Part => ({
        type: 'tool-call',
        callId: id,
        name: 'run',
        arguments: JSON.stringify({ text }),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(callId, words, fc.nat(12)).map(
      ([id, text, times]): Part => ({
        type: 'tool-result',
        callId: id,
        text: `${text}\n`.repeat(times + 1),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Part>({ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' }),
  },
);
interface Shape {
  readonly role: Message['role'];
  readonly kind: Message['kind'];
  readonly parts: readonly Part[];
  /** Which of the messages before it it hangs on; mostly the last. */
  readonly above: number;
}
const shape: fc.Arbitrary<Shape> = fc.record({
  role: fc.constantFrom<Message['role']>(
    'user',
    'assistant',
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
    'system',
  ),
  kind: fc.constantFrom<Message['kind']>(
    'message',
    'message',
    'message',
    'message',
    'message',
    'note',
    'recall',
  ),
  parts: fc.array(part, { maxLength: 4 }),
  above: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(6) }),
});

/** A tree of messages, and the branch that ends at one of them. */
function grow(shapes: readonly Shape[], leaf: number): Message[] {
  const messages = new Map<Message['id'], Message>();
  const order: Message[] = [];
  shapes.forEach(({ role, kind, parts, above }, index) => {
    const parent = order[Math.max(0, index - 1 - above)];
    const message: Message = {
      id: asMessageId(`m${index}`),
      parentId: index === 0 ? null : (parent?.id ?? null),
      role,
      kind,
      createdAt: index,
      parts,
    };
    messages.set(message.id, message);
    order.push(message);
  });
  const end = order[Math.max(0, order.length - 1 - (leaf % Math.max(1, order.length)))];
  return pathTo(messages, end?.id ?? null);
}

const tree = fc.record({
  shapes: fc.array(shape, { minLength: 1, maxLength: 28 }),
  leaf: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(8) }),
  system: fc.option(fc.constantFrom('You are a careful bee.', 'Be brief.')),
  window: fc.integer({ min: 60, max: 4_000 }),
  target: fc.double({ min: 0.1, max: 0.9, noNaN: true }),
  keepTurns: fc.integer({ min: 1, max: 8 }),
  pinned: fc.array(fc.nat(27), { maxLength: 2 }),
  keep: fc.array(fc.nat(27), { maxLength: 2 }),
  fold: fc.array(fc.nat(27), { maxLength: 3 }),
  instruction: fc.option(fc.constantFrom('keep the port', '保留预算')),
  model: fc.constantFrom<'extractive' | 'none' | 'fails' | 'empty' | 'long' | 'chatty'>(
    'extractive',
    'extractive',
    'none',
    'fails',
    'empty',
    'long',
    'chatty',
  ),
  manual: fc.boolean(),
});
type Case = typeof tree extends fc.Arbitrary<infer T> ? T : never;

const meter = createMeter();
const summariser: Record<Case['model'], Summarise | null> = {
  none: null,
  extractive: async (request) => ({
    text: extractiveSummary(request, meter),
  }),
  fails: async () => {
    throw new Error('429');
  },
  empty: async () => ({ text: ' \n' }),
  long: async () => ({ text: 'and so on '.repeat(4_000) }),
  chatty: async () => ({ text: '<current_focus>the port</current_focus>' }),
};

function given(random: Case): {
  view: CompactionView;
  budget: CompactionBudget;
  tools: CompactionTools;
  asked: () => number;
} {
  const path = grow(random.shapes, random.leaf);
  const pick = (places: readonly number[]) =>
    new Set(places.flatMap((at) => (at < path.length ? [(path[at] as Message).id] : [])));
  const limit = random.window - Math.floor(random.window / 4);
  let asked = 0;
  const summarise = summariser[random.model];
  return {
    view: {
      path,
      system: random.system,
      previous: null,
      pinned: pick(random.pinned),
      wish: {
        reason: random.manual ? 'manual' : 'auto',
        ...(random.instruction === null ? {} : { instruction: random.instruction }),
        ...(random.keep.length > 0 ? { keep: pick(random.keep) } : {}),
        ...(random.fold.length > 0 ? { fold: pick(random.fold) } : {}),
      },
    },
    budget: {
      window: random.window,
      limit,
      trigger: limit,
      target: Math.floor(limit * random.target),
      extra: 0,
      keepTurns: random.keepTurns,
      keepMessages: 2,
      maxAttempts: 2,
    },
    tools: {
      meter,
      summarise:
        summarise &&
        ((request) => {
          asked += 1;
          return summarise(request);
        }),
      signal: { aborted: false, throwIfAborted: () => undefined },
    },
    asked: () => asked,
  };
}

const sent = (view: CompactionView, plan: CompactionPlan | null): BuiltPrompt =>
  buildPrompt({
    path: view.path,
    recall: null,
    system: view.system,
    window: Number.MAX_SAFE_INTEGER,
    reserve: 0,
    meter,
    applied: plan && { id: 'c', plan },
  });
const textOf = ({ messages }: BuiltPrompt): string =>
  messages.flatMap(({ parts }) => parts.map((each) => ('text' in each ? each.text : ''))).join('\n');

const each = (_strategy: CompactionStrategy, check: (random: Case) => Promise<void>) =>
  fc.assert(fc.asyncProperty(tree, check), { numRuns: RUNS });

describe.each(STRATEGIES.map((strategy) => [strategy.id, strategy] as const))('%s', (_id, strategy) => {
  it('keeps a call and its result together, right behind one another', () =>
    each(strategy, async (random) => {
      const { view, budget, tools } = given(random);
      const plan = await planCompaction(strategy, view, budget, tools);
      let due: string[] = [];
      for (const { role, parts } of sent(view, plan).messages) {
        if (due.length > 0) {
          expect(role).toBe('tool');
          expect(parts).toMatchObject([{ type: 'tool-result', callId: due.shift() }]);
          continue;
        }
        expect(role).not.toBe('tool');
        due = parts.flatMap((one) => (one.type === 'tool-call' ? [one.callId] : []));
      }
      expect(due).toEqual([]);
      // Nothing that was paired before is in half: who is sent whole has the partner it had.
      const before = sent(view, null).ledger.leftOut.filter(({ why }) => why === 'unpaired');
      const after = sent(view, plan).ledger.leftOut.filter(({ why }) => why === 'unpaired');
      expect(after.length).toBeLessThanOrEqual(before.length);
    }));

  it('sends the system prompt, the newest question and what is pinned as they are', () =>
    each(strategy, async (random) => {
      const { view, budget, tools } = given(random);
      const plan = await planCompaction(strategy, view, budget, tools);
      const built = sent(view, plan);
      expect(built.system).toBe(systemTextOf(view.path, view.system));
      const plain = sent(view, null);
      const wanted = new Set<string>(view.pinned);
      const question = view.path.findLast(({ role, kind }) => role === 'user' && kind === 'message');
      if (question) wanted.add(question.id);
      const fates = fatesOf(plan, view.path);
      view.path.forEach((message, at) => {
        if (!wanted.has(message.id) || !plain.ledger.included.includes(message.id)) return;
        expect(fates[at]?.action).toBe('keep');
        expect(built.ledger.included).toContain(message.id);
      });
      for (const message of view.path)
        if (
          message.role === 'system' &&
          message.kind === 'message' &&
          plain.ledger.included.includes(message.id)
        )
          expect(built.ledger.included).toContain(message.id);
    }));

  it('sends the rules a person set word for word', () =>
    each(strategy, async (random) => {
      const { view, budget, tools } = given(random);
      const plan = await planCompaction(strategy, view, budget, tools);
      const words = textOf(sent(view, plan));
      for (const message of view.path)
        for (const rule of constraintsOf(message)) expect(words).toContain(rule);
    }));

  it('fits its target, or says why not', () =>
    each(strategy, async (random) => {
      const { view, budget, tools } = given(random);
      const plan = await planCompaction(strategy, view, budget, tools);
      const size = sent(view, plan).ledger.request.tokens.total;
      expect(plan.tokensAfter).toBe(size);
      expect(plan.fits).toBe(size <= budget.target);
      if (plan.fits) expect(plan.whyNot).toBeNull();
      else {
        expect(plan.whyNot?.tokens).toBeGreaterThan(0);
        // What is left is what may not go: nothing is kept for its own sake.
        const fates = fatesOf(plan, view.path);
        const idle = view.path.filter(
          ({ kind, role }, at) =>
            kind === 'message' &&
            role !== 'system' &&
            fates[at]?.action !== 'fold' &&
            fates[at]?.why === 'tail',
        );
        const drawn = plan.summaries.length > 0;
        if (drawn) expect(idle).toEqual([]);
      }
    }));

  it('changes nothing when it is run twice, and asks no model again', () =>
    each(strategy, async (random) => {
      const { view, budget, tools, asked } = given(random);
      const plan = await planCompaction(strategy, view, budget, tools);
      const calls = asked();
      const once = sent(view, plan);
      const { keep: _keep, fold: _fold, instruction: _instruction, ...wish } = view.wish;
      const again = await planCompaction(
        strategy,
        { ...view, wish, previous: { id: 'c', plan } },
        budget,
        tools,
      );
      expect(asked()).toBe(calls);
      expect(sent(view, again).messages).toEqual(once.messages);
      // The same view planned from scratch is the same plan, byte for byte.
      const fresh = await planCompaction(strategy, view, budget, tools);
      expect(fresh).toEqual(plan);
    }));

  it('lets the roles take turns, the person first', () =>
    each(strategy, async (random) => {
      const { view, budget, tools } = given(random);
      const plan = await planCompaction(strategy, view, budget, tools);
      const roles = sent(view, plan).messages.map(({ role }) => role);
      for (let i = 1; i < roles.length; i++) {
        if (roles[i] === 'user' || roles[i] === 'assistant') expect(roles[i - 1]).not.toBe(roles[i]);
      }
      const first = roles.find((role) => role !== 'system');
      if (first) expect(first).toBe('user');
    }));

  it('loses nothing: every message is kept, trimmed or folded, and the books add up', () =>
    each(strategy, async (random) => {
      const { view, budget, tools } = given(random);
      const before = JSON.stringify(view.path);
      const plan = await planCompaction(strategy, view, budget, tools);
      expect(JSON.stringify(view.path)).toBe(before);
      expect(compactionPlanSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(
        JSON.parse(JSON.stringify(plan)),
      );
      const { lines, tokens } = sent(view, plan).ledger.request;
      const head = view.path.findIndex(({ role }) => role !== 'system');
      const counted = lines
        .filter(({ form }) => form === 'whole' || form === 'trimmed' || form === 'out')
        .reduce((sum, { count }) => sum + count, 0);
      expect(counted).toBe(head < 0 ? 0 : view.path.length - head);
      const { total, ...own } = tokens;
      expect(total).toBe(Object.values(own).reduce((sum, some) => sum + some, 0));
      const ids = new Set(plan.summaries.map(({ id }) => id));
      expect(ids.size).toBe(plan.summaries.length);
      for (const { summary } of plan.runs) if (summary) expect(ids.has(summary)).toBe(true);

      const boundary = boundaryOf(plan);
      if (boundary === null) {
        expect(plan.runs.every(({ action }) => action === 'keep')).toBe(true);
        return;
      }
      const record: Compaction = {
        id: 'c',
        at: boundary,
        createdAt: 1,
        strategy: plan.strategy,
        reason: 'auto',
        plan,
        tokensBefore: plan.tokensBefore,
        tokensAfter: plan.tokensAfter,
        durationMs: 1,
        undone: false,
      };
      expect(compactionSchema.parse(record)).toEqual(record);
      const inForce = (path: readonly Message[], made = record) =>
        compactionOn({ compactions: new Map([[made.id, made]]) }, path);
      // In force on this branch, and on one that leaves it behind the boundary; not on one that leaves it before.
      const at = view.path.findIndex(({ id }) => id === boundary);
      expect(inForce(view.path)).toBe(record);
      expect(inForce(view.path.slice(0, at + 1))).toBe(record);
      expect(inForce(view.path.slice(0, at))).toBeNull();
      expect(inForce(view.path, { ...record, undone: true })).toBeNull();
      // Undone, the prompt is what it was.
      expect(sent(view, null).messages).toEqual(
        buildPrompt({
          path: view.path,
          recall: null,
          system: view.system,
          window: Number.MAX_SAFE_INTEGER,
          reserve: 0,
          applied: null,
        }).messages,
      );
    }));
});
